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
from typing import Any, Final, cast

from ..calls.model import Model
from ..json_values.exact_json import ExactFloat, is_array, is_object
from ..masking import SECRET, by_keys

_WIDEST: Final = 40  # characters of a cell where rich is not installed
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")  # terminals interpret some of them
_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)  # the same in CSV, which has line breaks and tabs
_SPACES: Final = re.compile(r"\s+")


def plain(value: Any) -> Any:
    """Return a result as values of JSON, with the names of fields in answers and without secrets."""
    if isinstance(value, Model):
        return dict(_members(value))
    if is_object(value):
        return {str(key): by_keys(member) if key == "headers" else plain(member) for key, member in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
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


def write(value: Any, format: str) -> None:
    """Print a result to standard output.

    Args:
        value: The result of `plain`.
        format: `json`, `table` or `csv`.

    Raises:
        OSError: Standard output cannot be written, or is closed.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed, so the result cannot be printed")
    if format == "json":
        _print(to_json(value) + "\n")
    elif format == "csv":
        _print(to_csv(value))
    elif sys.stdout.isatty() and (console := _console()) is not None:
        console.print(_rich_table(value))
    else:
        _print(to_table(value) + "\n")


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()  # here, so that an error is that of this command


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


def to_csv(value: Any) -> str:
    """Return a result as CSV, with all columns."""
    names, lines = rows(value)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([names, *([cell(one) for one in line] for line in lines)])
    return _CONTROL.sub("\ufffd", text.getvalue())


def _shown(value: Any) -> tuple[list[str], list[list[str]]]:
    """Return the columns and cells of a table: those of a list without empty columns, or the fields of an object."""
    if is_object(value):
        return ["field", "value"], [
            [name, _line(member)] for name, member in value.items() if member not in (None, [], {})
        ]
    names, lines = rows(value)
    used = [index for index in range(len(names)) if any(line[index] not in (None, [], {}) for line in lines)]
    return [names[index] for index in used], [[_line(line[index]) for index in used] for line in lines]


def _line(value: Any) -> str:
    return _UNSAFE.sub(" ", _SPACES.sub(" ", cell(value)))


def to_table(value: Any) -> str:
    """Return a result as aligned text; long cells of a list are cut."""
    names, lines = _shown(value)
    widest = _WIDEST if is_array(value) else max(_WIDEST, shutil.get_terminal_size().columns)
    cells = [[_cut(text, widest) for text in line] for line in [names, *lines]]
    widths = [max(len(line[index]) for line in cells) for index in range(len(names))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _console() -> Any:
    """Return a console of rich, or None if it is not installed."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console()


def _rich_table(value: Any) -> Any:
    from rich.table import Table
    from rich.text import Text

    names, lines = _shown(value)
    table = Table(*names)
    for line in lines:
        table.add_row(*map(Text, line))
    return table
