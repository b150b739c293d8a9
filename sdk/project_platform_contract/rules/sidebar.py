"""Endpoints 8: replace the sidebar."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.sidebar.types",
        "A section has an id, a label and items, an item has seven string fields; all are returned as sent.",
        "Resources, Sidebar configuration",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.whole-list",
        "The list of sections is replaced as a whole: nothing of the previous list remains.",
        "Endpoints 8, rules",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.order",
        "Sections and their items keep the order of the request.",
        "Resources, Sidebar configuration",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.success",
        "The response has success true and the new sections.",
        "Endpoints 8, response",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.body-types",
        "Sections that are not a list, and fields that are not strings, are refused.",
        "Endpoints 8, body",
        "sidebar_replace",
        "write",
        inferred=True,
    ),
    Rule(
        "sidebar.hiding-keeps-authority",
        "A caller who may read a resource can still read it if the sidebar has no entry for it.",
        "Endpoints 8, rules",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.stored",
        "The new sections are stored in the project, and in no other.",
        "Endpoints 8, rules",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.sequence",
        "After replacements and refused requests in any order, a response has the sections of its request and nothing else.",
        "Endpoints 8, rules",
        "sidebar_replace",
        "write",
    ),
    Rule(
        "sidebar.replace.refused-changes-nothing",
        "A list that is refused changes nothing of the sidebar.",
        "Endpoints 8, rules; Errors",
        "sidebar_replace",
        "write",
    ),
)
