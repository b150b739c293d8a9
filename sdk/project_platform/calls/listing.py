"""`Listing`: the items of a list operation, as a sequence and as a table."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast, overload

from ..display import text
from ..frames.tabular import Tabular

_SHOWN: Final = 10  # items

T = TypeVar("T")

if TYPE_CHECKING:
    _Sequence = Sequence
else:  # pandas and polars read an instance of Sequence by its items, and models have no rows for them

    class _Sequence(ABC, Generic[T]):
        __slots__ = ()
        __abc_tpflags__ = 1 << 5  # that of Sequence, for `match` (PEP 634)
        __contains__ = Sequence.__contains__
        __reversed__ = Sequence.__reversed__
        index = Sequence.index
        count = Sequence.count


class Listing(Tabular, _Sequence[T], Generic[T]):
    """The items that a list operation returned: an immutable sequence, and a table.

    It is equal to a list and to a tuple of the same items. It has the methods of a `Sequence`, and is no instance of it or of
    `list`: libraries for tables read those by their items.

    Attributes:
        kind: Class of the items, which has the columns of the table.
    """

    __slots__ = ("_items", "kind")

    def __init__(self, items: Iterable[T], kind: type[T]) -> None:
        self._items = tuple(items)
        self.kind: type[T] = kind

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Listing[T]: ...
    def __getitem__(self, index: int | slice) -> T | Listing[T]:
        return Listing(self._items[index], self.kind) if isinstance(index, slice) else self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Listing | list | tuple):
            return self._items == tuple(cast("Sequence[object]", other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._items)

    def __add__(self, other: Iterable[T]) -> Listing[T]:
        return Listing((*self._items, *other), self.kind)

    def __radd__(self, other: Iterable[T]) -> Listing[T]:
        return Listing((*other, *self._items), self.kind)

    def __reduce__(self) -> tuple[type[Listing[Any]], tuple[tuple[T, ...], type[T]]]:
        return Listing, (self._items, self.kind)

    def plot(self) -> Any:
        """Return a plot of posts by status, or of the reach of media: `matplotlib.axes.Axes`, or an `altair.Chart`.

        Raises:
            UsageError: A listing of this kind has no plot, or neither library is installed.
        """
        from ..display.listings import plot

        return plot(self._items, self.kind)

    def __repr__(self) -> str:
        return text.table(self._items, self.kind, most=_SHOWN)

    def _repr_html_(self) -> str:
        from ..display.listings import html_of

        return html_of(self._items, self.kind)

    def _rows(self) -> tuple[Sequence[T], type]:
        return self._items, self.kind
