"""Values as short texts."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel

from ..json_values.exact_json import is_array, is_object
from ..masking import SECRET, by_keys, is_secret, printable, without_credentials

WIDTH: Final = 100  # characters
_CELL: Final = 56
_INNER: Final = 24
_MEMBERS: Final = 8
_ITEMS: Final = 4
_NAMES: Final = ("name", "title", "username", "filename", "id", "status")


def short(value: object, name: object = None, *, limit: int = _CELL) -> str:
    """Return a value as one line of at most about `limit` characters; a credential by its name is not shown."""
    if is_secret(name, value):
        return short(by_keys(value), limit=limit)
    if value is None:
        return ""
    if isinstance(value, str):
        text = without_credentials(value).replace("\r", "").replace("\n", "⏎")
        return printable(text if len(text) <= limit else f"{text[: limit - 1]}… ({len(text):,} characters)")
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ").replace("+00:00", "Z")
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, BaseModel):
        named = next((given for key in _NAMES if (given := value.__dict__.get(key))), "")
        return f"{type(value).__name__} {short(named, limit=_INNER)}".rstrip()
    return _nested(value, limit)


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, with a mark where it is cut."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _nested(value: object, limit: int) -> str:
    if is_object(value):
        members = [f"{key}: {short(member, key, limit=_INNER)}" for key, member in list(value.items())[:_MEMBERS]]
        return short(f"{{{', '.join([*members, *_more(len(value) - _MEMBERS)])}}}", limit=limit)
    if is_array(value):
        items = [short(item, limit=_INNER) for item in value[:_ITEMS]]
        return f"[{', '.join([*items, *_more(len(value) - _ITEMS)])}]"
    return str(getattr(value, "value", value))


def _more(number: int) -> list[str]:
    return [f"… {number} more"] if number > 0 else []


def fields_of(row: Any) -> list[tuple[str, str]]:
    """Return the name and the text of each field of a model or a dataclass that has a value."""
    if not isinstance(row, BaseModel):
        pairs = [(name, getattr(row, name)) for name in row.__dataclass_fields__]
        secret: set[str] = set()
    else:
        pairs = [*row.__dict__.items(), *(row.model_extra or {}).items()]
        secret = {name for name, field in type(row).model_fields.items() if SECRET in field.metadata}
    return [
        (name, short(by_keys(value)) if name in secret else short(value, name))
        for name, value in pairs
        if value is not None and value not in ([], {}, ())
    ]


def block(row: Any) -> str:
    """Return a model as a block of one line a field."""
    fields = fields_of(row)
    width = max((len(name) for name, _ in fields), default=0)
    lines = [f"  {name:<{width}}  {text}" for name, text in fields]
    return "\n".join([type(row).__name__, *lines])


def count_of(items: int) -> str:
    """Return a number of items as text."""
    return f"{items:,} item{'' if items == 1 else 's'}"


def table(rows: Sequence[Any], kind: type, *, most: int) -> str:
    """Return the first rows as a table of text that is as wide as a terminal."""
    head = f"Listing of {kind.__name__}, {count_of(len(rows))}"
    shown = [dict(fields_of(row)) for row in rows[:most]]
    names = list(dict.fromkeys(name for row in shown for name in row))
    lines = [""] * (len(shown) + 1)
    for count, name in enumerate(names):
        cells = [name, *(cut(row.get(name, ""), _INNER) for row in shown)]
        width = max(map(len, cells))
        if count and len(lines[0]) + width > WIDTH:
            head += f"; {len(names) - count} more columns"
            break
        lines = [f"{line}  {cell:<{width}}" for line, cell in zip(lines, cells, strict=True)]
    rest = [f"  … {len(rows) - most:,} more"] if len(rows) > most else []
    return "\n".join(line.rstrip() for line in [head, *(lines if shown else []), *rest])
