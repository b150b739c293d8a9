"""Compares JSON values exactly: Python's `==` would take `true` for 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def plainly(value: Any) -> Any:
    """Return a value whose texts are in one Unicode form and without surrounding blanks: a service may store them so."""
    if isinstance(value, str):
        return normalize("NFC", value).strip()
    if isinstance(value, Mapping):
        return {name: plainly(member) for name, member in value.items()}
    return [plainly(item) for item in value] if isinstance(value, list) else value


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
