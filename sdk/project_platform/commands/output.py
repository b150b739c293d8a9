"""Results as JSON, as a table or as CSV. Secret fields are shown by their keys."""

from __future__ import annotations

import csv
import datetime
import errno
import io
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TextIO, cast
from unicodedata import combining, east_asian_width

from ..calls.listing import Listing
from ..calls.model import Model
from ..json_values.exact_json import ExactFloat, is_array, is_object
from ..masking import SECRET, by_keys

_NARROWEST: Final = 8  # cells of a column that was cut
_EMPTY: Final[tuple[Any, ...]] = (None, [], {})
# Terminals interpret some of them, and marks of direction reorder a line.
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)  # the same in CSV, which has line breaks and tabs
_SPACES: Final = re.compile(r"\s+")


def plain(value: Any) -> Any:
    """Return a result as values of JSON, with the names of fields in responses and without secrets."""
    if isinstance(value, Model):
        return dict(_members(value))
    if is_object(value):
        return {str(key): by_keys(member) if key == "headers" else plain(member) for key, member in value.items()}
    if isinstance(value, Listing | list | tuple):
        return [plain(element) for element in cast("Sequence[object]", value)]
    if isinstance(value, datetime.datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value if isinstance(value, str | int | float | None) else str(value)


def _members(model: Model) -> Iterator[tuple[str, Any]]:
    fields = type(model).model_fields
    for name in fields:
        if name in model.model_fields_set and name in vars(model):
            value = getattr(model, name)
            secret = SECRET in fields[name].metadata
            yield fields[name].alias or name, by_keys(value) if secret else plain(value)
    for name, value in (model.model_extra or {}).items():
        yield name, by_keys(value) if name == "headers" else plain(value)


def write(value: Any, format: str, columns: Sequence[str] = ()) -> None:
    """Print a result to standard output; CSV is in UTF-8, as `bulk run` reads it.

    Args:
        value: The result of `plain`.
        format: `json`, `jsonl`, `csv` or `table`.
        columns: Columns of a table of a list; without them, all that are not nested. CSV of an empty list has them, too.

    Raises:
        OSError: Standard output cannot be written, or is closed.
    """
    if format == "csv":
        write_bytes(to_csv(value, columns).encode(errors="backslashreplace"))
        return
    output = _standard_output()
    if format == "json":
        text = to_json(value) + "\n"
    elif format == "jsonl":
        text = "".join(to_json(item, "") + "\n" for item in (value if is_array(value) else [value]))
    else:
        text = to_table(value, columns) + "\n"
    encoding = output.encoding or "utf-8"
    output.write(text.encode(encoding, "backslashreplace").decode(encoding))
    output.flush()  # here, so that an error is that of this command


def write_bytes(content: bytes) -> None:
    """Write a file to standard output.

    Raises:
        OSError: Standard output cannot be written, or is closed.
    """
    output = _standard_output()
    output.buffer.write(content)
    output.flush()


def _standard_output() -> TextIO:
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed, so the result cannot be printed")
    return sys.stdout


def chosen(value: Any, fields: Sequence[str]) -> Any:
    """Return the fields of an object, or of each object of a list; a name such as `data.stage` is that of a nested one."""
    if is_array(value):
        return [chosen(item, fields) for item in value]
    return {name: _member(value, name.split(".")) for name in fields}


def _member(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        value = value.get(name) if is_object(value) else None
    return value


def to_json(value: Any, indent: str = "\n") -> str:
    """Return a value as JSON; numbers keep the digits that the service sent.

    Args:
        value: The result of `plain`, or a part of it.
        indent: The line break and the indentation of the value; empty for one line.
    """
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, ExactFloat):
        return value.text
    inner, separator = (f"{indent}  ", f",{indent}  ") if indent else ("", ", ")
    if is_object(value):
        lines = [f"{_quoted(key)}: {to_json(member, inner)}" for key, member in value.items()]
        return f"{{{inner}{separator.join(lines)}{indent}}}" if lines else "{}"
    if is_array(value):
        lines = [to_json(element, inner) for element in value]
        return f"[{inner}{separator.join(lines)}{indent}]" if lines else "[]"
    return json.dumps(value)


def _quoted(text: str) -> str:
    """Return text as JSON, escaped where the output cannot encode it or where a terminal would interpret it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=bool(_UNSAFE.search(text)))


def rows(value: Any) -> tuple[list[str], list[list[Any]]]:
    """Return the columns of a result, and its values by row. A result that is no list has one row."""
    items = value if is_array(value) else [value]
    objects: list[Mapping[str, Any]] = [item if is_object(item) else {"value": item} for item in items]
    names = list(dict.fromkeys(name for item in objects for name in item))
    return names, [[item.get(name) for name in names] for item in objects]


def cell(value: Any) -> str:
    """Return a value as the text of a cell: nothing for null, JSON for what is nested."""
    if value is None:
        return ""
    return value if isinstance(value, str) else to_json(value, "")


def to_csv(value: Any, columns: Sequence[str] = ()) -> str:
    """Return a result as CSV, with all columns; an empty list has those given."""
    names, lines = rows(value)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([names or columns, *([cell(one) for one in line] for line in lines)])
    return _CONTROL.sub("\ufffd", text.getvalue())


def to_table(value: Any, columns: Sequence[str] = ()) -> str:
    """Return a result as aligned text, a line for each item, at most as wide as the terminal.

    A list has the columns given, or those that are neither nested nor empty; its first column, which identifies the item, is
    never cut. An object has a line for each field.
    """
    if is_object(value):
        names, lines = ["field", "value"], [list(member) for member in value.items() if member[1] not in _EMPTY]
    else:
        names, lines = rows(value)
        used = [names.index(name) for name in columns if name in names] or [
            index for index in range(len(names)) if any(not is_nested(line[index]) for line in lines)
        ]
        used = [index for index in used if any(line[index] not in _EMPTY for line in lines)]
        names, lines = [names[index] for index in used], [[line[index] for index in used] for line in lines]
    cells = [[_line(one) for one in line] for line in [names, *lines]]
    widths = _widths([max(map(_width, column)) for column in zip(*cells, strict=True)])
    return "\n".join("  ".join(map(_fitted, line, widths)).rstrip() for line in cells)


def is_nested(value: Any) -> bool:
    """Return whether a value is an object, an array or nothing."""
    return value is None or is_object(value) or is_array(value)


def _line(value: Any) -> str:
    return _UNSAFE.sub(" ", _SPACES.sub(" ", cell(value)))


def _widths(widths: list[int]) -> list[int]:
    """Return the widths of columns, the widest of them but the first reduced until the line fits the terminal."""
    excess = sum(widths) + 2 * (len(widths) - 1) - shutil.get_terminal_size().columns
    while excess > 0 and max(widths[1:], default=0) > _NARROWEST:
        widths[1 + widths[1:].index(max(widths[1:]))] -= 1
        excess -= 1
    return widths


def _width(text: str) -> int:
    """Return the number of cells of a terminal that a text takes."""
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def _fitted(text: str, width: int) -> str:
    """Return a text with exactly this width, cut or filled."""
    if _width(text) > width:
        while _width(text) >= width:
            text = text[:-1]
        text += "…"
    return text + " " * (width - _width(text))
