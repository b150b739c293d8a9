"""Endpoints 2 to 4 and 10: the time of a creation or an update is an instant, in whichever zone it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import pairwise
from time import sleep
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.date_times import date_time
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import ENTRY_FIELDS, memory_entry

from .support.preconditions import require_success
from .support.records import Records, record_of
from .support.valid_requests import ValidRequests

_TOLERANCE: Final = timedelta(minutes=10)  # Clocks differ; offsets of time zones are multiples of 15 minutes.

_ROUNDS: Final = 2  # Number of updates of each kind.
_LONGEST_TICK: Final = timedelta(seconds=2)  # A clock that ticks less often is not waited for.

Row = dict[str, Any]
Updated = tuple[httpx.Response, Row]


@pytest.mark.rule("workflows.create.time")
def test_a_workflow_is_created_at_the_time_of_the_request(api: Api, valid_requests: ValidRequests) -> None:
    response = require_success(api("workflows_create", **valid_requests("workflows_create")))

    for name in ("createdAt", "updatedAt"):
        assert _lag(response, response.json()["workflow"], name) < _TOLERANCE, name


@pytest.mark.rule("memory.update.time")
def test_every_update_of_an_entry_changes_its_time(api: Api, contract_run: Run, tag: str) -> None:
    """Whichever field it changes."""
    slug = contract_run.data["memory_slug"]

    def update(field: str, text: str) -> Updated:
        body = {field: {"of": text} if field == "metadata" else text}
        response = require_success(api("memory_update", slug=slug, json=body))
        return response, response.json()["entry"]

    with memory_entry(contract_run, slug):
        _check_update_times({field: partial(update, field) for field in ENTRY_FIELDS}, tag)


@pytest.mark.rule("records.create.time")
def test_every_update_of_a_record_changes_its_time(records: Records, tag: str) -> None:
    """From its creation, whatever it changes."""
    created = require_success(records.post(data={"title": tag}, externalId=f"{tag}-times"))
    record = record_of(created)
    assert _lag(created, record, "createdAt") < _TOLERANCE
    bodies: dict[str, Callable[[str], Row]] = {
        "data": lambda text: {"data": {"note": text}},
        "a deleted key": lambda _: {"data": {"note": None}},
        "externalId": lambda text: {"externalId": text},
        "under a precondition": lambda text: {"data": {"other": text}, "expectedData": {"title": tag}},
    }

    def update(kind: str, text: str) -> Updated:
        response = require_success(records.update(record, **bodies[kind](text)))
        return response, record_of(response)

    _check_update_times({kind: partial(update, kind) for kind in bodies}, tag, record)


def _check_update_times(updates: Mapping[str, Callable[[str], Updated]], tag: str, created: Row | None = None) -> None:
    """Check that each kind of update changes the time when the clock has ticked, to that of the request.

    A tick is at most the shortest time by which the clock is seen to advance.
    """
    texts = [f"{tag}-{number}" for number in range(_ROUNDS)]
    updated = [(kind, *update(text)) for text in texts for kind, update in updates.items()]
    assert max(_lag(response, row, "updatedAt") for _, response, row in updated) < _TOLERANCE
    times = [("created", _time(created))] if created else []
    times += [(kind, _time(row)) for kind, _, row in updated]
    changes = [(kind, abs(after - before)) for (_, before), (kind, after) in pairwise(times) if before != after]
    tick = min((change for _, change in changes), default=timedelta.max)
    last = times[-1][1]
    for kind in updates.keys() - {kind for kind, _ in changes} if tick <= _LONGEST_TICK else ():
        sleep(tick.total_seconds())
        before, last = last, _time(updates[kind](f"{tag}-again")[1])
        assert last != before, kind


def _time(row: Row) -> datetime:
    at = date_time(row.get("updatedAt"))
    assert at is not None
    return at


def _lag(response: httpx.Response, row: Row, name: str) -> timedelta:
    """Return how far a time is from that of the service: its header `Date` (RFC 9110 section 6.6.1), or this machine's clock.

    Raises:
        MissingError: The time has no offset, or is missing, so it is no instant.
    """
    at = date_time(row.get(name))
    if at is None or at.tzinfo is None:
        raise MissingError(f"{name} has no offset, or is missing, so it is no instant")
    date = response.headers.get("Date")
    return abs(at - (datetime.now(UTC) if date is None else parsedate_to_datetime(date)))
