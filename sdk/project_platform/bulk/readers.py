"""Readers of files: rows as mappings, one at a time."""

from __future__ import annotations

import contextlib
import csv as csv_files
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    BinaryIO,
    Final,
    Literal,
    TextIO,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ..errors import UsageError
from ..optional import load

if TYPE_CHECKING:
    from ..frames.rows import ArrowTable

UTF_8: Final = "utf-8-sig"  # with or without a byte order mark
_DELIMITERS: Final = (";", ",", "\t", "|")
ARROW_FILES: Final = {".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc"}
# Of `BulkReport.save`, before those of the input.
REPORT_COLUMNS: Final = ("row", "key", "applied", "record_id", "error")

CsvType: TypeAlias = Literal["text", "number", "integer", "boolean", "json"]
"""The type of the cells of a column."""


class ReportedRow(dict[str, Any]):
    """A row of a report of an earlier run, without the columns of the report."""

    row: int  # its position in the input of that run
    key: str | None  # in the journal of that run

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class _Rows(Iterator[dict[str, Any]]):
    """The rows of a file, or of a stream that is open. One that is refused does not end the iterator."""

    refused: Any = None  # the row that the latest `UsageError` was about; None if it was about the file
    _file: Any = None

    def __init__(self, given: str | os.PathLike[str] | IO[Any], mode: str, encoding: str | None = None) -> None:
        self._mode, self._encoding = mode, encoding
        self._given = given if isinstance(given, str | os.PathLike) else None
        self._path = "standard input" if self._given is None else os.fspath(self._given)
        self._file = given if self._given is None else self._open(self._given)

    def _open(self, path: str | os.PathLike[str]) -> IO[Any]:
        newline = None if self._encoding is None else ""
        return open(path, self._mode, encoding=self._encoding, newline=newline)  # noqa: PTH123  # any os.PathLike

    def __del__(self) -> None:
        if self._file is not None and self._file is not sys.stdin:
            self._file.close()  # of rows that were not read to their end

    def count_rows(self) -> int:
        """Count the rows, in a pass over the file; 0 for a stream, and for a file that cannot be read to its end."""
        if self._given is not None:
            with contextlib.suppress(csv_files.Error, UnicodeError), self._open(self._given) as file:
                return self._count(file)
        return 0

    def _count(self, file: IO[Any]) -> int:
        return sum(1 for line in file if line.strip())

    def _error(self, line: int, problem: str, row: Any = None) -> UsageError:
        """Return the error of a line, which is about a row of the file if it has one."""
        self.refused = row
        return UsageError(f"line {line} of {self._path}{problem}")


def csv(
    path: str | os.PathLike[str] | TextIO,
    *,
    encoding: str = "utf-8-sig",
    delimiter: str = ",",
    types: Mapping[str, CsvType] | type | None = None,
) -> Iterator[dict[str, Any]]:
    """Read a CSV file with a header, row by row. Empty cells are left out, and so are rows without any cell.

    All values are texts, unless `types` says otherwise. A report of a run, as `BulkReport.save` writes it with `rows`, is
    recognised by its columns, which are not part of the rows: with the journal of that run, its rows have their positions.
    It is in UTF-8 and has commas, also if encoding and delimiter are those of its input.

    Args:
        path: The file, or a text stream such as `sys.stdin`.
        encoding: Its encoding. The default is UTF-8, with or without a byte order mark.
        delimiter: The character between two cells.
        types: Types of the cells, by column: "text", "number", which keeps its digits, "integer", "boolean" (true or false) or
            "json". Or a class whose annotations say it, such as the one that `records.of` is given: int, float, Decimal and
            bool; other fields are texts.

    Raises:
        UsageError: The header is missing, repeats a column, or has another delimiter; or, when it is read, a row has more cells
            than the header, a cell that is not of its type, or another encoding. The message has its line.
        OSError: The file cannot be read.
    """
    return _CsvRows(path, encoding, delimiter, types)


class _CsvRows(_Rows):
    """The rows of a CSV file. `fieldnames` is its header, as that of a `csv.DictReader`; None if its rows are JSON."""

    def __init__(
        self,
        path: str | os.PathLike[str] | TextIO,
        encoding: str,
        delimiter: str,
        types: Mapping[str, CsvType] | type | None,
    ) -> None:
        if (encoding, delimiter) != (UTF_8, ",") and isinstance(path, str | os.PathLike) and _is_saved_report(path):
            encoding, delimiter = UTF_8, ","
        self._delimiter, self._types = delimiter, _converters(types)
        try:
            super().__init__(path, "r", encoding)
        except LookupError as error:
            raise UsageError(f"{error}; give one such as utf-8 or cp1252") from None
        self._reader = csv_files.reader(self._file, delimiter=delimiter, strict=True)
        self._names = self._header(delimiter)
        self.is_report: bool = is_report(self._names, self._path)
        if self.is_report and self._given is None and encoding != UTF_8:  # its header may be the same in both
            raise UsageError(
                f"{self._path} is a report, which is in UTF-8; leave the encoding out, or give the path of its file"
            )
        if self.is_report:
            self._names = columns = self._names[len(REPORT_COLUMNS) :]
            self._width -= len(REPORT_COLUMNS)
            if not columns:
                raise UsageError(
                    f"{self._path} is a report without the values of its rows; write it with `bulk failed --input` or, in Python, with rows"
                )
        self._is_json = self.is_report and self._names == ["input"]
        self.json_columns: list[str] = [name for name, convert in self._types.items() if convert is _json]
        self.fieldnames: list[str] | None = None if self._is_json else self._names
        absent = [] if isinstance(types, type) else [repr(name) for name in types or () if name not in self._names]
        if absent:
            raise UsageError(f"there is no column {', '.join(absent)} in {self._path}, which is in types")

    def _header(self, delimiter: str) -> list[str]:
        try:
            header = next(self._reader, list[str]())
        except (csv_files.Error, UnicodeError) as error:
            raise self._unreadable(error) from None
        if not any(header):
            raise UsageError(f"{self._path} has no header; its first line is to name the columns")
        self._width = len(header)
        while not header[-1]:  # of lines that end with a delimiter
            header.pop()
        if "" in header:
            raise UsageError(
                f"the header of {self._path} has a column without a name; name it, or write the file without it, such as the index of a frame"
            )
        if repeated := sorted({name for name in header if header.count(name) > 1}):
            raise UsageError(f"the header of {self._path} repeats the column {repeated[0]!r}; rename one of them")
        if len(header) == 1 and (other := next((sign for sign in _DELIMITERS if sign in header[0]), None)):
            raise UsageError(
                f"the header of {self._path} has no {delimiter!r} and is {header[0]!r}; give the delimiter, which may be {other!r}"
            )
        return header

    def _count(self, file: IO[Any]) -> int:
        return max(0, sum(1 for cells in csv_files.reader(file, delimiter=self._delimiter) if any(cells)) - 1)

    def __next__(self) -> dict[str, Any]:
        self.refused = None
        try:
            cells = next(cells for cells in self._reader if any(cells))
        except (csv_files.Error, UnicodeError) as error:
            raise self._unreadable(error) from None
        return self._reported(cells) if self.is_report else self._row(cells, {})

    def _row(self, cells: list[str], row: dict[str, Any]) -> dict[str, Any]:
        names, line = self._names, self._reader.line_num
        row |= (texts := {name: cell for name, cell in zip(names, cells, strict=False) if cell})
        if len(cells) > self._width or any(cells[len(names) :]):
            row[""] = cells[len(names) :]
            raise self._error(line, " has more cells than the header; quote cells that contain the delimiter", row)
        for name, convert in self._types.items():
            if name in row:
                try:
                    row[name] = convert(row[name])
                except ValueError as error:
                    row |= texts
                    raise self._error(line, f": {name} is {row[name]!r}, {error}", row) from None
        return row

    def _reported(self, cells: list[str]) -> dict[str, Any]:
        row, line = ReportedRow(), self._reader.line_num
        number, key = cells[:2] if len(cells) > 1 else ("", "")
        if not number.isdecimal():
            raise self._error(line, " has no number in its first column; keep those of the report")
        row.row, row.key = int(number), key or None
        cells = cells[len(REPORT_COLUMNS) :]
        if not self._is_json:
            return self._row(cells, row)
        try:
            row.update(_object(cells[0]))
        except ValueError as error:
            row[""] = cells[0]
            raise self._error(line, f": input is {cells[0]!r}, {error}", row) from None
        return row

    def _unreadable(self, error: csv_files.Error | UnicodeError) -> UsageError:
        # Text is decoded in blocks, so a wrong encoding is found before its line is read.
        line = self._reader.line_num
        if isinstance(error, UnicodeError):
            return UsageError(f"{self._path} is not in {self._encoding} after line {line}: {error}; give its encoding")
        return self._error(line, f" is not CSV: {error}")


def report_columns(columns: Sequence[str]) -> list[str]:
    """Return the names of the columns of a report, of an input with these columns."""
    names = [*REPORT_COLUMNS]
    for number in range(len(names)):
        while names[number] in columns:
            names[number] = f"bulk_{names[number]}"
    return names


def is_report(names: Sequence[str], where: str) -> bool:
    """Return whether rows with these columns are a report of a run, in which those of the report are the first ones.

    Raises:
        UsageError: They have columns of a report in another place, or only some of them: these would be sent.
    """
    if _has_report_columns(names):
        return True
    found = [name for name in names if name.removeprefix("bulk_") in REPORT_COLUMNS]
    if "applied" in found and len(found) >= _MOST_OF_A_REPORT:
        raise UsageError(
            f"{where} has the columns {', '.join(found)} of a report, and not as a report has them, so they would be sent; let its first "
            f"columns be {', '.join(report_columns([]))}, or rename them if they are not of a report"
        )
    return False


def _has_report_columns(names: Sequence[str]) -> bool:
    size = len(REPORT_COLUMNS)
    return [*names[:size]] == report_columns(names[size:])


def _is_saved_report(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a report as it was saved, which no other program has written in another encoding."""
    if not Path(path).is_file():  # what is read from a pipe is gone
        return False
    with contextlib.suppress(csv_files.Error, UnicodeError), Path(path).open(encoding=UTF_8, newline="") as file:
        return _has_report_columns(next(csv_files.reader(file), list[str]())) and all(True for _ in file)
    return False


_MOST_OF_A_REPORT: Final = 3  # columns
_INTEGER: Final = re.compile(r" *[+-]?[0-9]+ *")
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")  # of JSON, RFC 8259 section 6


def _converters(types: Mapping[str, CsvType] | type | None) -> Mapping[str, Callable[[str], Any]]:
    """Return the functions that read the cells of columns."""
    if isinstance(types, type):
        try:
            types = {name: _type_of(hint) for name, hint in get_type_hints(types).items()}
        except NameError as error:
            raise UsageError(
                f"types cannot be read from {getattr(types, '__name__', types)}: {error}; give a dict of columns to types"
            ) from None
    types = types or {}
    if unknown := [kind for kind in types.values() if kind not in _CONVERTERS]:
        raise UsageError(f"there is no type {unknown[0]!r} of columns; give {', '.join(map(repr, _CONVERTERS))}")
    return {name: _CONVERTERS[kind] for name, kind in types.items() if kind != "text"}


def _type_of(hint: Any) -> CsvType:
    hints = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    kinds = [kind for kind in hints if kind is not NoneType]
    return _CLASSES.get(kinds[0], "text") if len(kinds) == 1 else "text"


def _number(cell: str) -> Any:
    if not _NUMBER.fullmatch(cell):
        raise ValueError("which is not a number such as 5926.41")
    return _json(cell)


def _integer(cell: str) -> int:
    if not _INTEGER.fullmatch(cell):  # `int` takes 1_000, and the digits of every script
        raise ValueError("which is not an integer")
    return int(cell)


def _boolean(cell: str) -> bool:
    if (text := cell.lower()) not in {"true", "false"}:
        raise ValueError("which is neither true nor false")
    return text == "true"


def _json(cell: str) -> Any:
    from ..json_values.exact_json import loads_unique  # imports pydantic, which the help of a command does not need

    try:
        return loads_unique(cell)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"which is not JSON: {error}") from None


def _object(cell: str) -> dict[str, Any]:
    if not isinstance(value := _json(cell), dict):
        raise ValueError("which is not a JSON object")  # noqa: TRY004  # as the other converters
    return cast("dict[str, Any]", value)


_CONVERTERS: Final[dict[str, Callable[[str], Any]]] = {
    "text": str,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "json": _json,
}
_CLASSES: Final[dict[Any, CsvType]] = {int: "integer", float: "number", Decimal: "number", bool: "boolean"}


def jsonl(path: str | os.PathLike[str] | BinaryIO) -> Iterator[dict[str, Any]]:
    """Read a file of JSON objects, one per line. Empty lines are skipped, and numbers keep their digits.

    Args:
        path: The file, in UTF-8, or a binary stream such as `sys.stdin.buffer`.

    Raises:
        UsageError: A line is not a JSON object; the message has its number.
        OSError: The file cannot be read.
    """
    return _JsonRows(path)


class _JsonRows(_Rows):
    """The rows of a file of JSON lines."""

    def __init__(self, path: str | os.PathLike[str] | BinaryIO) -> None:
        super().__init__(path, "rb")
        self._lines = enumerate(self._file, 1)

    def __next__(self) -> dict[str, Any]:
        # Imported here, because it imports pydantic, which the help of a command does not need.
        from ..json_values.exact_json import is_object, loads_unique

        self.refused = None
        number, line = next((number, line) for number, line in self._lines if line.strip())
        refused = {"": line.decode("utf-8", "backslashreplace").strip()}
        try:
            value: Any = loads_unique(line)
        except (ValueError, RecursionError) as error:
            raise self._error(number, f" is not JSON: {error}", refused) from None
        if not is_object(value):
            raise self._error(number, " is not a JSON object; give one object per line", refused)
        return dict(value)


def arrow(source: ArrowTable | str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """Read a table or a stream of Arrow, or a file of one, row by row. Nulls and NaN are left out.

    Args:
        source: Any object with `__arrow_c_stream__`, such as a table or a reader of pyarrow, a frame of polars or pandas, or a
            relation of DuckDB; or the path of a Parquet or Arrow file, which is read in batches. It needs pyarrow, except for
            frames.

    Raises:
        UsageError: It is neither of these, pyarrow is missing, or a value is not JSON. The latter is raised when the row is
            read; the message has its position, from 0.
        OSError: The file cannot be read.
    """
    from ..frames.rows import rows  # as with `jsonl`

    table: Any = _arrow_file(source) if isinstance(source, str | os.PathLike) else source
    if not hasattr(table, "__arrow_c_stream__"):
        raise UsageError(
            f"bulk.arrow was given a {type(source).__name__}; give an object with __arrow_c_stream__, such as a pyarrow.Table or a "
            "frame of polars, or the path of a Parquet or Arrow file"
        )
    return rows(table, missing="omit")


def _arrow_file(path: str | os.PathLike[str]) -> Any:
    kind = ARROW_FILES.get(os.path.splitext(path)[1].lower())  # noqa: PTH122  # a path may be any os.PathLike
    if kind is None:
        raise UsageError(
            f"{os.fspath(path)} is no Parquet or Arrow file by its name; it ends in {', '.join(ARROW_FILES)}"
        )
    load(f"reading {os.fspath(path)}", "pyarrow")
    try:
        return import_module("pyarrow.dataset").dataset(os.fspath(path), format=kind).scanner().to_reader()
    except ValueError as error:  # of pyarrow
        raise UsageError(f"{os.fspath(path)} cannot be read: {error}") from None
