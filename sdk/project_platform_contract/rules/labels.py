"""Endpoints 16: export meal labels as a PDF."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "labels.export.pdf",
        "The response of an export has status 200, the content type application/pdf and a PDF body.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.landscape-letter",
        "Every page is landscape Letter: 11 inches wide and 8.5 inches tall.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.four-a-sheet",
        "A sheet has four labels: up to four items need one sheet, five need two.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.label-size",
        "Each label is 5 inches wide and 3.5 inches tall, and labels do not overlap.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.summary",
        "The header X-Label-Summary contains URI-encoded JSON.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.review",
        "The PDF has the attachment label-review.json, which is JSON.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.unapproved",
        "An unapproved item gets a label only with includeUnapproved.",
        "Endpoints 16, body",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.stock",
        "The stock 5x3.5 is accepted; any other is answered with 400.",
        "Endpoints 16, body; Errors",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.body-required",
        "A request without a JSON body is answered with 400.",
        "Endpoints 16, body; Errors",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.body-types",
        "menuMonth is a string, itemIds are UUIDs and includeUnapproved is a boolean; anything else is answered with 400.",
        "Endpoints 16, body; Errors",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.unauthenticated",
        "A caller without a token is answered with 401.",
        "Endpoints 16, error responses; Errors",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.forbidden",
        "A caller who is not a member of the project is answered with 403.",
        "Endpoints 16, error responses; Errors",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.error-body",
        "The responses 400, 401 and 403 have a JSON error body with a message.",
        "Endpoints 16, error responses; Errors",
        "labels_export",
        "read",
    ),
)
