"""Pagers: lists whose pages are fetched as they are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeVar

from ..errors import PlatformError, UsageError
from ..frames.tabular import Tabular
from .listing import Listing
from .operation import AttemptRecord, Call, TypedResponse
from .page import Page, PagedCall

_MAX_ATTEMPTS: Final = 1000  # a pager may be iterated for as long as its program runs

T = TypeVar("T")


class Pager(Tabular, Generic[T]):
    """A list whose pages are fetched as they are needed. Each iteration starts at the first page.

    As a table (`to_pandas`, `to_arrow`, `to_polars`, `polars.DataFrame(pager)`), it fetches all pages, each time; a notebook fetches
    and shows the first one. `to_list` returns a `Listing`, which does not fetch again.

    Iterating raises `PaginationStalledError` and the errors of fetching a page, with a note that names its offset.
    """

    def __init__(self, paged: PagedCall[Any, T], send: Callable[[Call[Any]], TypedResponse[Any]]) -> None:
        self._paged = paged
        self._send = send
        self._attempts = _attempts()

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items
            del page  # before the next one is fetched

    def pages(self) -> Iterator[Page[T]]:
        """Iterate over the pages."""
        seen: set[object] = set()
        offset: int | None = None
        while True:
            page = self._fetch(offset)
            offset = self._paged.after(page, seen)
            yield page
            del page  # before the next one is fetched
            if offset is None:
                return

    def first_page(self) -> Page[T]:
        """Fetch the first page only."""
        return self._fetch(None)

    def first(self) -> T | None:
        """Fetch the first page only, and return its first item; None if the list is empty."""
        return next(iter(self.first_page().items), None)

    def to_list(self, *, limit: int | None = None) -> Listing[T]:
        """Fetch the pages, and return their items.

        Args:
            limit: Maximum number of items. No page is fetched after it is reached.

        Raises:
            UsageError: `limit` is negative or not a whole number.
        """
        items: list[T] = []
        if _check_limit(limit) != 0:
            for page in self.pages():
                items.extend(page.items)
                if limit is not None and len(items) >= limit:
                    break
        return Listing(items[:limit], self._paged.kind)

    def _rows(self) -> tuple[Sequence[T], type]:
        return self.to_list(), self._paged.kind

    def _repr_html_(self) -> str:
        return self.first_page()._repr_html_()  # pyright: ignore[reportPrivateUsage]  # the name is IPython's

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        """The records of the attempts of its pages, with their request identifiers: the latest 1,000, oldest first."""
        return tuple(self._attempts)

    def _fetch(self, offset: int | None) -> Page[T]:
        try:
            response = self._send(self._paged.at(offset))
            self._attempts.extend(response.attempts)
            return self._paged.page(response.value, offset)
        except Exception as error:
            _note(error, self._paged.note(offset), self._attempts)
            raise

    if not TYPE_CHECKING:  # for a type checker there is no such method, so that it refuses an index as well

        def __getitem__(self, index: object) -> NoReturn:
            _refuse_index(self, index, "pager.to_list()", "pager.first()")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._paged.first.operation.id}>"


class AsyncPager(Generic[T]):
    """Same as `Pager`, but to be iterated with `async for`; awaiting it fetches the first page, as `first_page` does."""

    def __init__(self, paged: PagedCall[Any, T], send: Callable[[Call[Any]], Awaitable[TypedResponse[Any]]]) -> None:
        self._paged = paged
        self._send = send
        self._attempts = _attempts()

    def __aiter__(self) -> AsyncIterator[T]:
        return _AsyncItems(self.pages())

    def __await__(self) -> Generator[Any, Any, Page[T]]:
        return self.first_page().__await__()

    def pages(self) -> AsyncIterator[Page[T]]:
        """Iterate over the pages."""
        return _AsyncPages(self._paged, self._fetch)

    async def first_page(self) -> Page[T]:
        """Fetch the first page only."""
        return await self._fetch(None)

    async def first(self) -> T | None:
        """Same as `Pager.first`."""
        return next(iter((await self.first_page()).items), None)

    async def to_list(self, *, limit: int | None = None) -> Listing[T]:
        """Same as `Pager.to_list`."""
        items: list[T] = []
        if _check_limit(limit) != 0:
            async for page in self.pages():
                items.extend(page.items)
                if limit is not None and len(items) >= limit:
                    break
        return Listing(items[:limit], self._paged.kind)

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        """Same as `Pager.attempts`."""
        return tuple(self._attempts)

    async def _fetch(self, offset: int | None) -> Page[T]:
        try:
            response = await self._send(self._paged.at(offset))
            self._attempts.extend(response.attempts)
            return self._paged.page(response.value, offset)
        except Exception as error:
            _note(error, self._paged.note(offset), self._attempts)
            raise

    if not TYPE_CHECKING:  # for a type checker there is no such method, so that it refuses an index as well

        def __getitem__(self, index: object) -> NoReturn:
            _refuse_index(self, index, "(await pager.to_list())", "await pager.first()")

        def __iter__(self) -> NoReturn:
            raise TypeError(f"{self!r} fetches pages; iterate over it with `async for`")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._paged.first.operation.id}>"


def _refuse_index(pager: object, index: object, items: str, first: str) -> NoReturn:
    raise TypeError(f"{pager!r} fetches pages and cannot be indexed; use {items}[{index!r}], or {first}")


def _check_limit(limit: int | None) -> int | None:
    if limit is not None and (type(limit) is not int or limit < 0):
        raise UsageError(f"limit is {limit!r}; give the maximum number of items, or None for all of them")
    return limit


def _attempts() -> deque[AttemptRecord]:
    return deque(maxlen=_MAX_ATTEMPTS)


def _note(error: Exception, note: str, attempts: deque[AttemptRecord]) -> None:
    """Add a note about the failure to the error of a page, and its attempts to those of the pager."""
    error.add_note(note)
    if isinstance(error, PlatformError):
        attempts.extend(error.attempts)


# Not generators: the user would have to close them after leaving a loop early (PEP 525), and trio warns otherwise.
class _AsyncPages(AsyncIterator[Page[T]]):
    """Iterates over pages as `Pager.pages` does."""

    def __init__(self, paged: PagedCall[Any, T], fetch: Callable[[int | None], Awaitable[Page[T]]]) -> None:
        self._paged = paged
        self._fetch = fetch
        self._seen: set[object] = set()
        self._offset: int | None = None
        self._over = False

    async def __anext__(self) -> Page[T]:
        if self._over:
            raise StopAsyncIteration
        self._over = True  # also if fetching fails
        page = await self._fetch(self._offset)
        self._offset = self._paged.after(page, self._seen)
        self._over = self._offset is None
        return page


class _AsyncItems(AsyncIterator[T]):
    """Iterates over the items of pages."""

    def __init__(self, pages: AsyncIterator[Page[T]]) -> None:
        self._pages = pages
        self._items: Iterator[T] = iter(())

    async def __anext__(self) -> T:
        while True:
            for item in self._items:
                return item
            self._items = iter((await anext(self._pages)).items)
