"""Endpoints 8: replace the sidebar."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.sidebar.types",
        "A section has an id, a label and items; an item has seven fields, all of them text; they come back as given.",
        "Resources, Sidebar configuration",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.whole-list",
        "The list of sections is replaced as a whole: nothing of the list before is left.",
        "Endpoints 8, rules",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.order",
        "Sections, and the items in them, keep the order that they were given in.",
        "Resources, Sidebar configuration",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.success",
        "The answer says success, and the sections as they are now.",
        "Endpoints 8, response",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.body-types",
        "Sections that are no list, and fields that are no text, are refused.",
        "Endpoints 8, body",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.hiding-keeps-authority",
        "Who may read a resource can still read it when the sidebar has no entry for it.",
        "Endpoints 8, rules",
        "sidebar_replace",
        "write",
    ),
)
