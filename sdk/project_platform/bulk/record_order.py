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
        self._busy: dict[str, deque[Sending]] = {}  # by record: the row in flight, and those that wait for it
        self.waiting: int = 0

    @property
    def full(self) -> bool:
        """Whether no more rows should be read, since too many wait."""
        return self.waiting >= _MAX_WAITING

    def waits(self, sending: Sending) -> bool:
        """Return whether a row has to wait; if not, it counts as in flight."""
        if not isinstance(sending.item, Change):
            return False
        rows = self._busy.setdefault(sending.item.record_id, deque())
        if not rows or rows[0] is not sending:
            rows.append(sending)
        if rows[0] is sending:
            return False
        self.waiting += 1
        return True

    def ended(self, sending: Sending) -> Sending | None:
        """Return the row that may be sent now that the one in flight has ended, if there is one."""
        if not isinstance(sending.item, Change):
            return None
        rows = self._busy.get(sending.item.record_id)
        if rows is None or rows[0] is not sending:
            return None
        rows.popleft()
        if rows:
            self.waiting -= 1
            return rows[0]
        del self._busy[sending.item.record_id]
        return None
