"""Endpoints 10: update a memory entry."""

from __future__ import annotations

from project_platform_stub.http.errors import not_found

from . import Call, Result, operation

_FIELDS = ("title", "description", "content", "metadata")


@operation("memory_update", *_FIELDS)
def update(call: Call) -> Result:
    """Update the fields that are given; the profile decides how metadata is updated, and null clears a field."""
    slug = call.path["slug"]
    entry = call.project.memory.get(slug)
    if entry is None:
        raise not_found("The project has no memory entry with this slug.", "memory_entry_not_found")
    changes = {key: call.body[key] for key in _FIELDS if key in call.body}
    if call.profile.memory_metadata == "merged" and isinstance(changes.get("metadata"), dict):
        changes["metadata"] = {**(entry.get("metadata") or {}), **changes["metadata"]}
    call.project.memory[slug] = entry = {**entry, **changes, "updatedAt": call.timestamp}
    return Result({"entry": entry})
