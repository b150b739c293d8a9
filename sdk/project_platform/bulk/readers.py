"""Readers of files: rows as mappings, one at a time."""

from __future__ import annotations

import csv as csv_files
import os
from collections.abc import Iterator
from typing import Any

from ..errors import UsageError


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
