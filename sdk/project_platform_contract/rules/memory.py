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
        "memory.update.sequence",
        "After a sequence of updates by several callers, each entry has what was sent for it last; a refused update changes nothing.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.time",
        "updatedAt of an entry is the time of its last update, whatever its offset.",
        "Resources, Memory entry",
        "memory_update",
        "write",
        inferred=True,
    ),
    Rule(
        "memory.update.concurrent",
        "Concurrent updates of different fields all take effect.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.texts-unchanged",
        "Title, description and content are stored unchanged, with their blanks and in their Unicode form.",
        "Resources, Memory entry",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.metadata-unchanged",
        "Metadata is a JSON object whose values are stored unchanged.",
        "Resources, Memory entry",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.falsy-values",
        "An empty text, 0, false and empty lists and objects are provided values: the old ones do not remain.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.by-slug",
        "Only the entry with the slug changes.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
    ),
    Rule(
        "memory.update.unknown-slug",
        "An unknown slug is refused, and no entry is created.",
        "Endpoints 10, rules",
        "memory_update",
        "write",
        inferred=True,
    ),
    Rule(
        "memory.update.slash-in-slug",
        "An entry whose slug contains a slash can be updated; the slug is sent as one percent-encoded path segment.",
        "Resources, Memory entry",
        "memory_update",
        "write",
        inferred=True,
    ),
    Rule(
        "memory.update.body-types",
        "A title, description or content that is not a string, or metadata that is not an object, is refused.",
        "Endpoints 10, body",
        "memory_update",
        "write",
        inferred=True,
    ),
)
