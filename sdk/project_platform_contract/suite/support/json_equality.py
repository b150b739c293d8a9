"""Compares JSON values exactly: Python's `==` would take `true` for 1.

Whether an object replaces an object or is merged into it, the specification leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unicodedata import normalize

_SHOWN = 60  # Maximum number of characters of a value in a message.


def differences(sent: Any, received: Any) -> list[str]:
    """Return the places where a value is not the one that was sent, each with both values; [] if they are equal.

    Numbers are equal if they are numerically equal, and texts if their code points are.
    """
    return list(_differences(sent, received, ""))


def lost(sent: Mapping[str, Any], received: Mapping[str, Any]) -> list[str]:
    """Return the same for an object that may have additional members at its top level."""
    return differences(sent, {name: value for name, value in received.items() if name in sent})


def merge_differences(before: Mapping[str, Any], changes: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return where an object is not what a merge makes of it; [] if it is.

    A key whose value is null is deleted. An object for an object may be replaced, or merged at every depth.
    """
    expected = {key: value for key, value in before.items() if changes.get(key, value) is not None}
    for key, value in changes.items():
        if value is not None:
            expected[key] = _merged_or_replaced(before.get(key), value, after.get(key))
    return differences(expected, after)


def value_differences(before: Any, value: Any, after: Any) -> list[str]:
    """Return where a value is neither a new value nor, if both are objects, the merge of the new one into the old one."""
    return differences(_merged_or_replaced(before, value, after), after)


def _merged_or_replaced(before: Any, value: Any, after: Any) -> Any:
    """Return the value itself, or its merge if the result is not the value."""
    if not isinstance(before, Mapping) or not isinstance(value, Mapping) or differences(value, after) == []:
        return value
    members: Mapping[str, Any] = after if isinstance(after, Mapping) else {}
    merged = {key: _merged_or_replaced(before.get(key), part, members.get(key)) for key, part in value.items()}
    return {**before, **merged}


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value whose texts are changed, at any depth; names of members are not."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: with_texts(member, change) for name, member in value.items()}
    return [with_texts(item, change) for item in value] if isinstance(value, list) else value


def plainly(value: Any) -> Any:
    """Return a value whose texts are in one Unicode form and without surrounding blanks: a service may store them so."""
    return with_texts(value, lambda text: normalize("NFC", text).strip())


def covers(received: Any, sent: Any) -> bool:
    """Return whether a value has all that was sent; its objects may have more members, at any depth."""
    if isinstance(sent, Mapping):
        members: Mapping[str, Any] = received if isinstance(received, Mapping) else {}
        return all(name in members and covers(members[name], part) for name, part in sent.items())
    if isinstance(sent, list):
        return (
            isinstance(received, list)
            and len(received) == len(sent)
            and all(covers(item, part) for item, part in zip(received, sent, strict=True))
        )
    return differences(sent, received) == []


def _differences(sent: Any, received: Any, place: str) -> Iterator[str]:
    if isinstance(sent, Mapping) and isinstance(received, Mapping):
        for name in sorted(sent.keys() | received.keys()):
            member = f"{place}[{name!r}]"
            if name not in received:
                yield f"{member} is missing; sent: {_shown(sent[name])}"
            elif name not in sent:
                yield f"{member} is {_shown(received[name])}; it was not sent"
            else:
                yield from _differences(sent[name], received[name], member)
    elif isinstance(sent, list) and isinstance(received, list) and len(sent) == len(received):
        for number, (item, other) in enumerate(zip(sent, received, strict=True)):
            yield from _differences(item, other, f"{place}[{number}]")
    elif _kind(sent) != _kind(received) or sent != received:
        yield f"{place or 'the value'} is {_shown(received)}; sent: {_shown(sent)}"


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case _:
            return type(value).__name__


def _shown(value: Any) -> str:
    """Return a value as ASCII, so that its code points are visible, and how long it is if it is cut."""
    text = ascii(value)
    if len(text) <= _SHOWN:
        return text
    return f"{text[:_SHOWN]}... ({len(value) if isinstance(value, str | list | dict) else len(text)})"
