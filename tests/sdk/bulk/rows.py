"""Rows of an input."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from project_platform import BulkReport, Change, JournalError, operations
from project_platform.models import ObjectRecord

from .ledger import PROJECT, Ledger


def creates(number: int, start: int = 0) -> Iterator[Any]:
    """Yield creates with the external identifiers `crm-0`, `crm-1` and so on."""
    for i in range(start, number):
        yield operations.records_create(PROJECT, type_slug="deal", external_id=f"crm-{i}", data={"n": i})


def changes(ledger: Ledger, number: int) -> list[Any]:
    """Create records, and return a change of each whose guard fences."""
    for i in range(number):
        ledger.create(f"seed-{i}", {"typeSlug": "deal", "data": {"stage": "open"}})
    ledger.created.clear()
    before = [ObjectRecord(id=f"rec_{i}", data={"stage": "open"}) for i in range(number)]
    return [Change.between(record, {"stage": "won"}) for record in before]


def first(number, then):
    """Return a function that returns `then` for the first requests, and None after them."""
    left = [number]

    def before(request):
        left[0] -= 1
        return then if left[0] >= 0 else None

    return before


def wait_until(holds):
    """Wait until a condition holds, for half a minute at most."""
    until = time.monotonic() + 30
    while not holds() and time.monotonic() < until:
        time.sleep(0.01)
    return holds()


def applied(path):
    """Return the number of rows that a journal has as applied; 0 while it is created."""
    try:
        return BulkReport(path).counts["yes"]
    except JournalError:
        return 0
