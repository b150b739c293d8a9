"""Readers of files: rows as mappings, one at a time."""

from __future__ import annotations

import csv as csv_files
import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..optional import load

if TYPE_CHECKING:
    from ..frames.rows import ArrowTable


def csv(path: str | os.PathLike[str], *, encoding: str = "utf-8-sig", delimiter: str = ",") -> Iterator[dict[str, str]]:
    """Read a CSV file with a header, row by row. Empty cells are left out.

    Args:
        path: The file.
        encoding: Its encoding. The default is UTF-8, with or without a byte order mark.
        delimiter: The character between two cells.

    Raises:
        UsageError: A row has more cells than the header; the message has its line.
        OSError: The file cannot be read.
    """
    with open(path, encoding=encoding, newline="") as file:  # noqa: PTH123  # a path may be a file descriptor's, too
        reader = csv_files.DictReader(file, delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                if None in cells:
                    raise UsageError(
                        f"line {reader.line_num} of {os.fspath(path)} has more cells than the header; quote cells that "
                        "contain the delimiter"
                    )
                yield {name: cell for name, cell in cells.items() if cell}
        except csv_files.Error as error:
            raise UsageError(f"line {reader.line_num} of {os.fspath(path)} is not CSV: {error}") from None


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
