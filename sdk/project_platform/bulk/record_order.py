"""The order of the changes of one record: two of them in flight would refuse each other."""

from __future__ import annotations

from collections import deque
from typing import Final

from ..records.change import Change
from .attempt import Sending

_MAX_WAITING: Final = 1000  # rows that wait for another row of their record


class RecordOrder:
    """Holds the changes of a record back while one of them is in flight."""

    def __init__(self) -> None:
        self._busy: dict[str, deque[Sending]] = {}  # by record: the rows that wait for the one in flight
        self.waiting: int = 0

    @property
    def full(self) -> bool:
        """Whether no more rows should be read, since too many wait."""
        return self.waiting >= _MAX_WAITING

    def waits(self, sending: Sending) -> bool:
        """Return whether a row has to wait; if not, it counts as in flight."""
        if not isinstance(sending.item, Change):
            return False
        waiting = self._busy.get(sending.item.record_id)
        if waiting is None:
            self._busy[sending.item.record_id] = deque()
            return False
        waiting.append(sending)
        self.waiting += 1
        return True

    def ended(self, sending: Sending) -> Sending | None:
        """Return the row that may be sent now that another one has ended, if there is one."""
        if not isinstance(sending.item, Change):
            return None
        waiting = self._busy[sending.item.record_id]
        if waiting:
            self.waiting -= 1
            return waiting.popleft()
        del self._busy[sending.item.record_id]
        return None
