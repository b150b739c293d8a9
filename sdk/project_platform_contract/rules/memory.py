"""Endpoints 10: update a memory entry."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.memory-entry.types",
        "The fields of a memory entry have the documented types.",
        "Resources, Memory entry",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.changes",
        "Title, description, content and metadata of the request replace those of the entry.",
        "Endpoints 10",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.only-provided",
        "Omitted fields keep their values.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.by-slug",
        "Only the entry with the slug changes; an unknown slug is refused.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.slash-in-slug",
        "An entry whose slug contains a slash can be updated; the slug is sent as one percent-encoded path segment.",
        "Resources, Memory entry",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.body-types",
        "A title, description or content that is not a string, or metadata that is not an object, is refused.",
        "Endpoints 10, body",
        "memory_update",
        "write",
    ),
)
