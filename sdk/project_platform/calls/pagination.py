"""Lists in pages: `Page`, and the pagers that fetch pages as they are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol, TypeVar

from ..errors import PaginationStalledError, PlatformError, UsageError
from .listing import Listing
from .operation import Answer, AttemptRecord, Call, Unset

# The largest integer that databases count with.
_MAX_OFFSET: Final = 2**63 - 1
_MAX_ATTEMPTS: Final = 1000  # a pager may be iterated for as long as its program runs

T = TypeVar("T")
PageT = TypeVar("PageT")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list.

    Attributes:
        items: The items of the page.
        limit: Maximum number of items on a page, as the service says; None if it does not.
        offset: Number of items before this page.
        has_more: Whether there are items after this page.
    """

    items: Listing[T]
    limit: int | None
    offset: int
    has_more: bool

    @property
    def next_offset(self) -> int:
        """Offset of the next page."""
        return self.offset + len(self.items)

    def _repr_html_(self) -> str:
        from ..display.html import listing_html

        rest = f"more follow at offset {self.next_offset}" if self.has_more else "the last page"
        return listing_html(self.items, self.items.kind, f"page at offset {self.offset}, {rest}")


class Paging(Protocol):
    """The part of an answer that describes its page. Each field may be missing; without `has_more` the page is the last."""

    @property
    def limit(self) -> int:
        """Maximum number of items on a page."""
        ...

    @property
    def offset(self) -> int:
        """Number of items before the page."""
        ...

    @property
    def has_more(self) -> bool:
        """Whether there are items after the page."""
        ...


@dataclass(frozen=True, slots=True)
class PagedCall(Generic[PageT, T]):
    """A call of a paged operation, for any page.

    Attributes:
        first: The call for the first page.
        start: Offset of the first page, or UNSET to leave it to the service.
        call: Returns the call for the page at an offset.
        read: Returns the items of an answer, and the description of its page.
        key: Returns the key that identifies an item.
        kind: Class of the items.
    """

    first: Call[PageT]
    start: int | Unset
    call: Callable[[int], Call[PageT]]
    read: Callable[[PageT], tuple[list[T], Paging]]
    key: Callable[[T], object]
    kind: type[T]

    def at(self, offset: int | None) -> Call[PageT]:
        """Return the call for the page at an offset; None is the first page."""
        return self.first if offset is None else self.call(offset)

    def page(self, answer: PageT, requested: int | None) -> Page[T]:
        """Return the page of an answer.

        Args:
            answer: The answer.
            requested: The offset that the call was for; None for the first page.

        Raises:
            PaginationStalledError: The offset of the page is impossible, or items before it would be skipped.
        """
        items, paging = self.read(answer)
        limit: int | None = getattr(paging, "limit", None)
        expected = self._offset(requested)
        offset: int = getattr(paging, "offset", expected)
        chosen_by_service = requested is None and isinstance(self.start, Unset)
        if not 0 <= offset <= (_MAX_OFFSET if chosen_by_service else expected):
            raise PaginationStalledError(
                f"the page at offset {expected} was requested, and the answer has offset {offset}, so items would be "
                "skipped or read again without end; report it to the service's operators",
                cursor=expected,
                operation_id=self.first.operation.id,
            )
        return Page(Listing(items, self.kind), limit, offset, getattr(paging, "has_more", False))

    def note(self, requested: int | None) -> str:
        """Return a note for an error of fetching a page."""
        return f"while fetching the page at offset {self._offset(requested)}"

    def _offset(self, requested: int | None) -> int:
        return (self.start or 0) if requested is None else requested

    def after(self, page: Page[T], seen: set[object]) -> int | None:
        """Return the offset of the next page, or None after the last one, and add the keys of the page to `seen`.

        Raises:
            PaginationStalledError: The page says that there are more items, and all of its items were seen before.
        """
        known = len(seen)
        seen.update(map(self.key, page.items))
        if not page.has_more:
            return None
        if len(seen) == known:
            raise PaginationStalledError(
                f"the page at offset {page.offset} says that there are more items and has no new ones; to continue after it, "
                f"list again with offset={page.next_offset}",
                cursor=page.next_offset,
                operation_id=self.first.operation.id,
            )
        return page.next_offset


class Pager(Generic[T]):
    """A list whose pages are fetched as they are needed. Each iteration starts at the first page.

    Iterating raises `PaginationStalledError` and the errors of fetching a page, with a note that names its offset.
    """

    def __init__(self, paged: PagedCall[Any, T], send: Callable[[Call[Any]], Answer[Any]]) -> None:
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

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        """The records of the attempts of its pages, with their request identifiers: the latest 1,000, oldest first."""
        return tuple(self._attempts)

    def _fetch(self, offset: int | None) -> Page[T]:
        try:
            answer = self._send(self._paged.at(offset))
            self._attempts.extend(answer.attempts)
            return self._paged.page(answer.value, offset)
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

    def __init__(self, paged: PagedCall[Any, T], send: Callable[[Call[Any]], Awaitable[Answer[Any]]]) -> None:
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
            answer = await self._send(self._paged.at(offset))
            self._attempts.extend(answer.attempts)
            return self._paged.page(answer.value, offset)
        except Exception as error:
            _note(error, self._paged.note(offset), self._attempts)
            raise

    if not TYPE_CHECKING:  # for a type checker there is no such method, so that it refuses an index as well

        def __getitem__(self, index: object) -> NoReturn:
            _refuse_index(self, index, "(await pager.to_list())", "await pager.first()")

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
    """Add what failed to an error of a page, and its attempts to those of the pager."""
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
