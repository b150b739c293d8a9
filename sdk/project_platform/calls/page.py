"""A page of a list, and the calls that fetch pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from ..errors import PaginationStalledError
from .listing import Listing
from .operation import Call, Unset

# The largest integer that databases count with.
_MAX_OFFSET: Final = 2**63 - 1

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
    """The part of a response that describes its page. Each field may be missing; without `has_more` the page is the last."""

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
        read: Returns the items of a response, and the description of its page.
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

    def page(self, response: PageT, requested: int | None) -> Page[T]:
        """Return the page of a response.

        Args:
            response: The response.
            requested: The offset that the call was for; None for the first page.

        Raises:
            PaginationStalledError: The offset of the page is impossible, or items before it would be skipped.
        """
        items, paging = self.read(response)
        limit: int | None = getattr(paging, "limit", None)
        expected = self._offset(requested)
        offset: int = getattr(paging, "offset", expected)
        chosen_by_service = requested is None and isinstance(self.start, Unset)
        if not 0 <= offset <= (_MAX_OFFSET if chosen_by_service else expected):
            raise PaginationStalledError(
                f"the page at offset {expected} was requested, and the response has offset {offset}, so items would be "
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
            way_out = f"to continue after it, list again with offset={page.next_offset}"
            raise PaginationStalledError(
                f"the page at offset {page.offset} says that there are more items and has no new ones; "
                f"{way_out if page.items else 'report it to the operators of the service'}",
                cursor=page.next_offset,
                operation_id=self.first.operation.id,
            )
        return page.next_offset
