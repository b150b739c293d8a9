"""Endpoints 16: export meal labels as a PDF."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "labels.export.pdf",
        "An export is answered with 200, the content type application/pdf and a PDF.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.landscape-letter",
        "Every page is Letter in landscape: 11 inches wide and 8.5 inches tall.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.four-a-sheet",
        "A sheet has four labels: up to four items take one sheet, a fifth takes another.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.label-size",
        "Each label is 5 inches wide and 3.5 inches tall, and they lie side by side on the sheet.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.summary",
        "The header X-Label-Summary carries URI-encoded JSON.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.review",
        "The review is attached inside the PDF as label-review.json, and is JSON.",
        "Endpoints 16, response",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.unapproved",
        "An item that is not approved gets a label only with includeUnapproved.",
        "Endpoints 16, body",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.stock",
        "The stock 5x3.5 is taken, and any other is answered with 400.",
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
        "menuMonth is text, itemIds are UUIDs and includeUnapproved is a boolean; anything else is answered with 400.",
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
        "A caller who is no member of the project is answered with 403.",
        "Endpoints 16, error responses; Errors",
        "labels_export",
        "read",
    ),
    Rule(
        "labels.export.error-body",
        "The 400, 401 and 403 have an error body in JSON with a message.",
        "Endpoints 16, error responses; Errors",
        "labels_export",
        "read",
    ),
)
