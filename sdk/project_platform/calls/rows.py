"""Rows of data as calls, one at a time: for bulk runs."""

from __future__ import annotations

import functools
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from operator import length_hint
from typing import Any, Generic, TypeVar, cast

from ..errors import UsageError
from ..frames.rows import Rows, is_frame
from ..frames.rows import rows as frame_rows
from ..json_values.exact_json import is_array, is_object
from .operation import Call

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


def count_rows(rows: object) -> int:
    """Return the number of rows, if they have a length or can count themselves; otherwise 0."""
    count: Callable[[], int] | None = getattr(rows, "count_rows", None)
    return count() if count is not None else length_hint(rows)


class Row(Generic[T_co]):
    """A row whose call is built when it is needed.

    Attributes:
        number: Position among the rows, from 0.
        content: The row as it was given.
    """

    __slots__ = ("_calls", "_refusal", "content", "number")

    def __init__(self, number: int, content: Any, calls: RowCalls[T_co], refusal: UsageError | None = None) -> None:
        self.number: int = number
        self.content: Any = content
        self._calls, self._refusal = calls, refusal

    def build(self) -> T_co:
        """Return the call.

        Raises:
            UsageError: The row cannot be sent; the message has its position.
        """
        if self._refusal is not None:
            raise self._refusal
        return self._calls.build(self.number, self.content)

    @property
    def is_refused(self) -> bool:
        """Whether the file that it is of refuses it."""
        return self._refusal is not None

    @property
    def external_id(self) -> str | None:
        """The `external_id` that the row gives to its record, also if it is refused."""
        identify = self._calls.identify
        return None if identify is None else identify(self.content)

    def digest(self, content: Any = None) -> bytes | None:
        """Return an identification of the content, or of another one, and of how it is sent; None if only the call shows that."""
        if self._calls.scope is None:
            return None
        content = self.content if content is None else content
        if is_object(content) and all(isinstance(name, str) for name in content):
            content = dict(sorted(content.items()))  # the order of columns has no meaning
        content = repr((content, self._calls.scope))
        return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest()


class RowCalls(Iterator[T_co]):
    """The calls of rows, one at a time. A bulk run takes the rows instead, and builds the calls of those that it sends.

    An error of one row does not end the iterator.

    Args:
        rows: The rows.
        build: Returns the call of a row, by its position and content.
        scope: The other inputs of the calls, if `repr` of a row and of this identifies them; None if it does not.
        identify: Returns the `external_id` of the record of a row.
    """

    def __init__(
        self,
        rows: Iterable[Any],
        build: Callable[[int, Any], T_co],
        *,
        scope: object = None,
        identify: Callable[[Any], str | None] | None = None,
    ) -> None:
        self._given, self._rows = rows, iter(rows)
        self.build: Callable[[int, Any], T_co] = build
        self.scope: object = scope
        self.identify: Callable[[Any], str | None] | None = identify
        self.convert: Callable[[Any], Any] | None = None  # applied to each row when it is read
        self._number = 0

    def __next__(self) -> T_co:
        return self.next_row().build()

    @property
    def columns(self) -> list[Any] | None:
        """The columns of the rows, if they have a header or are a table."""
        return names_of(self._given)

    def count_rows(self) -> int:
        """Count the rows, before the first is read; 0 if that is not known."""
        return count_rows(self._given)

    def next_row(self) -> Row[T_co]:
        """Return the next row.

        Raises:
            StopIteration: There are no more.
        """
        refusal = None
        try:
            content = next(self._rows)
            if self.convert is not None:
                content = self.convert(content)
        except UsageError as error:
            content = getattr(self._rows, "refused", None)
            if content is None:  # an error of the input, which ends it
                raise
            refusal = error
        number = self._number
        self._number += 1
        return Row(number, content, self, refusal)


def calls_of_rows(make: Callable[..., Call[T]], rows: Rows, *fixed: object) -> RowCalls[Call[T]]:
    """Return the calls of rows, which have the arguments by name. A value that is None is left out, since null deletes.

    Args:
        make: Returns a call; a function of `project_platform.operations`.
        rows: The rows, or a frame, whose gaps are left out.
        fixed: Arguments that are the same for all rows, such as the project.
    """
    mappings = frame_rows(rows, missing="omit") if is_frame(rows) else cast("Iterable[Mapping[str, Any]]", rows)
    known = list(inspect.signature(make).parameters)[len(fixed) :]
    name = getattr(make, "__qualname__", "")
    return RowCalls(mappings, functools.partial(call_of_row, make, known, fixed), scope=(make.__module__, name, fixed))


def call_of_row(
    make: Callable[..., Call[T]], known: list[str], fixed: tuple[object, ...], number: int, row: Any
) -> Call[T]:
    """Return the call of a row.

    Raises:
        UsageError: The row cannot be sent; the message has its position, from 0.
    """
    row = checked_mapping(number, row)
    if unknown := sorted(str(name) for name in row if name not in known):
        raise UsageError(f"row {number} has {', '.join(unknown)}; the arguments are {', '.join(known)}")
    with of_row(number):
        return make(*fixed, **{name: value for name, value in row.items() if value is not None})


def checked_mapping(number: int, row: object) -> Mapping[str, Any]:
    """Return a row that is a mapping.

    Raises:
        UsageError: It is not one.
    """
    if not is_object(row):
        raise UsageError(f"row {number} is of type {type(row).__name__}; give mappings of columns to values")
    return cast("Mapping[str, Any]", row)


def names_of(rows: object) -> list[Any] | None:
    """Return the columns of rows that have a header or are a table, such as those of `bulk.csv` and `csv.DictReader`."""
    names: object = getattr(rows, "fieldnames", None) or getattr(rows, "columns", None)
    return [*names] if is_array(names) else None  # `columns` may be a method, such as that of a result of SQLAlchemy


def check_columns(rows: object, columns: Mapping[str, str], *, external_id: str | None = None) -> None:
    """Check the columns that are to be sent.

    Args:
        rows: The rows, which may have a header or be a table.
        columns: The name by which each column is sent.
        external_id: The column of the external identifier.

    Raises:
        UsageError: Two columns have one name, or the rows have no such column.
    """
    if twice := [key for key, count in Counter(columns.values()).items() if count > 1]:
        raise UsageError(
            f"several columns are sent as {twice[0]!r}, and all but one would be lost; give each another name"
        )
    if (names := names_of(rows)) is None:
        return
    wanted = [*columns, *([] if external_id is None else [external_id])]
    if absent := [repr(name) for name in wanted if name not in names]:
        raise UsageError(f"there is no column {', '.join(absent)}; the columns are {', '.join(map(repr, names))}")


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
            lacking = re.findall(r"'(\w+)'", str(error)) if " missing " in str(error) else []
            problem = f" lacks {', '.join(lacking)}" if lacking else f": {error}"
            raise UsageError(f"row {self._number}{problem}") from error
