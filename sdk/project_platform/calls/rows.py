"""Rows of data as calls, one at a time: for bulk runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ..errors import UsageError
from .operation import Call

T = TypeVar("T")


def calls_of_rows(make: Callable[..., Call[T]], rows: Iterable[Mapping[str, Any]], *fixed: object) -> Iterator[Call[T]]:
    """Yield the call of each row, which has the arguments by name. A value that is None is left out, since null deletes.

    Args:
        make: Returns a call; a function of `project_platform.operations`.
        rows: The rows.
        fixed: Arguments that are the same for all rows, such as the project.

    Raises:
        UsageError: A row cannot be sent; the message has its position, from 0.
    """
    known = list(inspect.signature(make).parameters)[len(fixed) :]
    for number, row in enumerate(rows):
        unknown = sorted(str(name) for name in row if name not in known)
        if unknown:
            raise UsageError(f"row {number} has {', '.join(unknown)}; the arguments are {', '.join(known)}")
        with of_row(number):
            call = make(*fixed, **{name: value for name, value in row.items() if value is not None})
        yield call


def check_columns(rows: object, names: Iterable[str]) -> None:
    """Check that rows have these columns, if they have a header, as those of `bulk.csv` and `csv.DictReader` do.

    Raises:
        UsageError: A column is not in the header.
    """
    header = getattr(rows, "fieldnames", None)
    if header is None:
        return
    absent = [repr(name) for name in names if name not in header]
    if absent:
        raise UsageError(f"there is no column {', '.join(absent)}; the columns are {', '.join(map(repr, header))}")


class of_row:  # noqa: N801  # a context manager, written as a class because it is entered for each row
    """Name the row in an error of its arguments."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if isinstance(error, UsageError):
            raise UsageError(f"row {self._number}: {error}") from error
        if isinstance(error, TypeError):
            raise UsageError(f"row {self._number} lacks an argument: {error}") from error
