"""Readers of files: rows as mappings, one at a time."""

from __future__ import annotations

import csv as csv_files
import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TextIO

from ..errors import UsageError
from ..optional import load

if TYPE_CHECKING:
    from ..frames.rows import ArrowTable

_DELIMITERS: Final = (";", ",", "\t", "|")


def csv(path: str | os.PathLike[str], *, encoding: str = "utf-8-sig", delimiter: str = ",") -> Iterator[dict[str, str]]:
    """Read a CSV file with a header, row by row. Empty cells are left out, and so are rows without any cell.

    Args:
        path: The file.
        encoding: Its encoding. The default is UTF-8, with or without a byte order mark.
        delimiter: The character between two cells.

    Raises:
        UsageError: The header is missing, repeats a column, or has another delimiter; or, when it is read, a row has more cells
            than the header or another encoding. The message has its line.
        OSError: The file cannot be read.
    """
    return _CsvRows(path, encoding, delimiter)


class _CsvRows(Iterator[dict[str, str]]):
    """The rows of a CSV file. `fieldnames` is its header, as that of a `csv.DictReader`."""

    _file: TextIO | None = None

    def __init__(self, path: str | os.PathLike[str], encoding: str, delimiter: str) -> None:
        self._path, self._encoding = os.fspath(path), encoding
        try:
            self._file = open(path, encoding=encoding, newline="")  # noqa: PTH123, SIM115  # read and closed by `__next__`
        except LookupError as error:
            raise UsageError(f"{error}; give one such as utf-8 or cp1252") from None
        self._reader = csv_files.DictReader(self._file, delimiter=delimiter, strict=True)
        self.fieldnames = self._header(delimiter)

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()  # of rows that were not read to their end

    def _header(self, delimiter: str) -> list[str]:
        try:
            header = list(self._reader.fieldnames or ())
        except (csv_files.Error, UnicodeError) as error:
            raise self._unreadable(error) from None
        if not header:
            raise UsageError(f"{self._path} has no header; its first line is to name the columns")
        if repeated := sorted({name for name in header if header.count(name) > 1}):
            raise UsageError(f"the header of {self._path} repeats the column {repeated[0]!r}; rename one of them")
        if len(header) == 1 and (other := next((sign for sign in _DELIMITERS if sign in header[0]), None)):
            raise UsageError(
                f"the header of {self._path} has no {delimiter!r} and is {header[0]!r}; give the delimiter, which may be {other!r}"
            )
        return header

    def __next__(self) -> dict[str, str]:
        try:
            for cells in self._reader:
                if None in cells:
                    raise UsageError(
                        f"line {self._reader.line_num} of {self._path} has more cells than the header; quote cells that "
                        "contain the delimiter"
                    )
                if row := {name: cell for name, cell in cells.items() if cell}:
                    return row
        except (csv_files.Error, UnicodeError) as error:
            raise self._unreadable(error) from None
        raise StopIteration

    def _unreadable(self, error: csv_files.Error | UnicodeError) -> UsageError:
        # Text is decoded in blocks, so a wrong encoding is found before its line is read.
        line = self._reader.line_num
        if isinstance(error, UnicodeError):
            return UsageError(f"{self._path} is not in {self._encoding} after line {line}: {error}; give its encoding")
        return UsageError(f"line {line} of {self._path} is not CSV: {error}")


def jsonl(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """Read a file of JSON objects, one per line. Empty lines are skipped, and numbers keep their digits.

    Args:
        path: The file, in UTF-8.

    Raises:
        UsageError: A line is not a JSON object; the message has its number.
        OSError: The file cannot be read.
    """
    # Imported here, because it imports pydantic, which the help of a command does not need.
    from ..json_values.exact_json import is_object, loads

    with open(path, "rb") as file:  # noqa: PTH123
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                value: Any = loads(line)
            except (ValueError, RecursionError) as error:
                raise UsageError(f"line {number} of {os.fspath(path)} is not JSON: {error}") from None
            if not is_object(value):
                raise UsageError(f"line {number} of {os.fspath(path)} is not a JSON object; give one object per line")
            yield dict(value)


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
    kinds = {".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc"}
    kind = kinds.get(os.path.splitext(path)[1].lower())  # noqa: PTH122  # a path may be any os.PathLike
    if kind is None:
        raise UsageError(f"{os.fspath(path)} is no Parquet or Arrow file by its name; it ends in {', '.join(kinds)}")
    load(f"reading {os.fspath(path)}", "pyarrow")
    return import_module("pyarrow.dataset").dataset(os.fspath(path), format=kind).scanner().to_reader()
