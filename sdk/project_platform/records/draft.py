"""`Draft`: a copy of a record's data to edit in a `with` statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from ..errors import UsageError
from ..json_values import exact_json
from .change import Change, known_data, known_id

if TYPE_CHECKING:
    from .._generated.models.object_record import ObjectRecord

_OPEN: Final[ContextVar[frozenset[str]]] = ContextVar("project_platform_open_drafts", default=frozenset())


class Draft(dict[str, Any]):
    """A copy of a record's data; after its `with` statement, `change` is the difference. `records.edit` returns it.

    Raises:
        UsageError: When entered, if a draft of the same record is open: each would ignore the changes of the other.
    """

    def __init__(self, record: ObjectRecord, make: Callable[[Mapping[str, Any]], Change]) -> None:
        super().__init__(exact_json.plain(known_data(record), "record"))
        self._record_id = known_id(record)
        self._make = make
        self._change: Change | None = None

    @property
    def change(self) -> Change:
        """The difference between the draft and the record.

        Raises:
            UsageError: The `with` statement has not ended, or it ended with an exception.
        """
        if self._change is None:
            raise UsageError(
                "the draft has no change yet; read it after its `with` statement, which has to end without an exception"
            )
        return self._change

    def __enter__(self) -> Self:
        opened = _OPEN.get()
        if self._record_id in opened:
            raise UsageError(
                f"another draft of record {self._record_id} is open; edit that one, or end its `with` statement first"
            )
        _OPEN.set(opened | {self._record_id})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _OPEN.set(_OPEN.get() - {self._record_id})
        if error is None:
            self._change = self._make(self)
