"""Endpoints 10: update a memory entry."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.memory-entry.types",
        "The fields of a memory entry are of the types that are stated.",
        "Resources, Memory entry",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.changes",
        "Title, description, content and metadata that are given are the entry's from then on.",
        "Endpoints 10",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.only-provided",
        "Fields that are not given stay as they are.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.by-slug",
        "The slug says which entry is meant: that one changes, no other does, and a slug that no entry has is refused.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.slash-in-slug",
        "An entry whose slug has a slash in it can be updated; the slug travels as one segment of the path.",
        "Resources, Memory entry",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.body-types",
        "Title, description and content that are no text, and metadata that is no object, are refused.",
        "Endpoints 10, body",
        "memory_update",
        "write",
    ),
)
