"""A record's data, to be edited in a `with` statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from ..errors import UsageError
from .change import Change, known_data, known_id, plain

if TYPE_CHECKING:
    from .._generated.models.object_record import ObjectRecord

_OPEN: Final[ContextVar[frozenset[str]]] = ContextVar("project_platform_open_drafts", default=frozenset())


class Draft(dict[str, Any]):
    """A copy of a record's data; after its `with` statement, `change` is what was done to it. Made by `records.edit`.

    Raises:
        UsageError: On entering, if a draft of the same record is open: the two would not know of each other.
    """

    def __init__(self, record: ObjectRecord, make: Callable[[Mapping[str, Any]], Change]) -> None:
        super().__init__(plain(known_data(record), "record"))
        self._record_id = known_id(record)
        self._make = make
        self._change: Change | None = None

    @property
    def change(self) -> Change:
        """What was done.

        Raises:
            UsageError: The `with` statement has not ended, or it ended in an exception.
        """
        if self._change is None:
            raise UsageError(
                "the draft has no change: it has one once its `with` statement has ended without an exception"
            )
        return self._change

    def __enter__(self) -> Self:
        opened = _OPEN.get()
        if self._record_id in opened:
            raise UsageError(
                f"a draft of {self._record_id} is open already: edit that one, or end its `with` statement first"
            )
        _OPEN.set(opened | {self._record_id})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _OPEN.set(_OPEN.get() - {self._record_id})
        if error is None:
            self._change = self._make(self)
