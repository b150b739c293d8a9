"""Finds out what the run could not undo, before it changes what has to be restored, with changes of what is already there.

The specification does not say whether the metadata of a memory entry is replaced or merged. Where they are merged, a new key
stays unless null deletes it; so `{}` is tried first, which a merge ignores, and then a null for one of the entry's own keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

MERGED: Final = "they are merged"
"""The beginning of the reasons why metadata that are merged must not be changed."""

Entry = Mapping[str, Any]
Update = Callable[[Mapping[str, Any]], Entry | None]
"""Updates an entry with some fields, and returns it; None if that is refused."""

Section = Mapping[str, Any]
Replace = Callable[[Sequence[Section]], Sequence[Section] | None]
"""Replaces the sidebar, and returns the sections of the response; None if that is refused."""


def lasting_fields(entry: Entry, fields: Sequence[str], update: Update) -> dict[str, str]:
    """Return the reasons why fields of an entry must not be changed, by field.

    The entry is left as it was, unless the service does not accept its own values; then the caller has to restore it.

    Args:
        entry: The entry.
        fields: The fields that an update can change.
        update: Updates the entry.
    """
    texts = [field for field in fields if field != "metadata"]
    missing = [field for field in texts if entry.get(field) is None]
    found = {}
    if missing and not _removable({field: entry[field] for field in texts if entry.get(field)}, update):
        found = dict.fromkeys(missing, "it has no value now, and null does not remove one")
    if (problem := _metadata_problem(entry.get("metadata"), update)) is not None:
        found["metadata"] = problem
    return found


def _removable(present: Mapping[str, str], update: Update) -> bool:
    """Return whether null removes a text of an entry, the last one that it has."""
    if not present:
        return False
    field = list(present)[-1]
    updated = update({field: None})
    if updated is None or updated.get(field) == present[field]:
        return False
    update({field: present[field]})
    return updated.get(field) is None


def _metadata_problem(before: Any, update: Update) -> str | None:
    if not isinstance(before, dict) or not before:
        return "they are empty, so nothing shows whether a new key could be removed"
    if _has(before, type(None)):
        return "they contain null, which an update may take for a deletion"
    # The same again would double the lists of a service that joins them.
    if not _has(before, list) and _metadata(update({"metadata": before})) != before:
        return "the service does not accept their present value"
    emptied = _metadata(update({"metadata": {}}))
    if emptied != before:
        restored = _metadata(update({"metadata": before}))
        return (
            None if emptied == {} and restored == before else "an update with their present value does not restore them"
        )
    key = next((name for name, value in before.items() if not _has(value, list)), None)
    if key is None:
        return f"{MERGED}, and have only lists, to which a service may add"
    others = {name: value for name, value in before.items() if name != key}
    nulled = _metadata(update({"metadata": {key: None}}))
    replaced = others and nulled in ({}, {key: None})  # only the empty object is ignored
    restored = (
        before if nulled == before else _metadata(update({"metadata": before if replaced else {key: before[key]}}))
    )
    if restored != before:
        return "a key of theirs cannot be restored"
    if replaced or nulled == others:
        return None
    return f"{MERGED}, and null deletes no key, so a new key could not be removed"


def _metadata(entry: Entry | None) -> Any:
    return None if entry is None else entry.get("metadata")


def _has(value: Any, kind: type) -> bool:
    """Return whether a JSON value is of a type, or contains a value that is."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, kind) or any(_has(part, kind) for part in parts)


def remaining_sections(sections: Sequence[Section], replace: Replace) -> str | None:
    """Return how the sidebar keeps what a request left out; None if nothing shows that. The caller restores the sidebar.

    Args:
        sections: The sections of the sidebar.
        replace: Replaces the sidebar.
    """
    for fewer in _fewer(sections):
        stored = replace(fewer)
        if stored is not None and (kept := _names(stored) - _names(fewer)):
            return f"the sidebar is not replaced: {', '.join(sorted(kept))} remained though the request left it out"
    return None


def _fewer(sections: Sequence[Section]) -> list[Sequence[Section]]:
    """Return the sections with an item less, and with a section less."""
    found: list[Sequence[Section]] = []
    for index, section in enumerate(sections):
        if section.get("items"):
            found.append([*sections[:index], {**section, "items": section["items"][:-1]}, *sections[index + 1 :]])
            break
    return [*found, sections[:-1]] if sections else found


def _names(sections: Sequence[Section]) -> set[str]:
    """Return the sections and their items by identifier or, without one, by label."""
    found = set()
    for section in sections:
        name = str(section.get("id", section.get("label")))
        found.add(name)
        found |= {f"{name}/{item.get('id', item.get('label'))}" for item in section.get("items") or ()}
    return found
