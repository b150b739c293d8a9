"""Endpoints 2 to 4 and 10: the time of a creation or an update is an instant, in whichever zone it is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.date_times import date_time
from project_platform_contract.run.api import Api
from project_platform_contract.run.restoration import ENTRY_FIELDS

from .support.memory import MemoryOf
from .support.preconditions import require_success
from .support.records import Records, record_of
from .support.valid_requests import ValidRequests

_TOLERANCE: Final = timedelta(minutes=10)  # Clocks differ; offsets of time zones are multiples of 15 minutes.

_ROUNDS: Final = 3  # Number of updates of each kind.
_MANY: Final = 2  # Number of them that show that the clock is fine enough.


@pytest.mark.rule("workflows.create.time")
def test_a_workflow_is_created_at_the_time_of_the_request(api: Api, valid_requests: ValidRequests) -> None:
    response = require_success(api("workflows_create", **valid_requests("workflows_create")))

    for name in ("createdAt", "updatedAt"):
        assert _lag(response, response.json()["workflow"], name) < _TOLERANCE, name


@pytest.mark.rule("records.create.time")
def test_a_record_is_created_and_updated_at_the_times_of_the_requests(api: Api, valid_requests: ValidRequests) -> None:
    created = require_success(api("records_create", **valid_requests("records_create")))
    record = created.json()["record"]
    change = {"data": {"note": valid_requests.tag}}
    updated = require_success(api("records_update", recordId=record["id"], json=change))

    assert _lag(created, record, "createdAt") < _TOLERANCE
    assert _lag(updated, updated.json()["record"], "updatedAt") < _TOLERANCE


@pytest.mark.rule("memory.update.time")
def test_every_update_of_an_entry_changes_its_time(memory: MemoryOf, tag: str) -> None:
    """Whichever field it changes, if the clock of the service is fine enough to show it."""
    with memory("memory_slug") as entry:
        times = [
            (field, entry.update(**{field: _value(field, f"{tag} {number}")}).get("updatedAt"))
            for number in range(_ROUNDS)
            for field in ENTRY_FIELDS
        ]

    assert _without_a_change(times) == []


@pytest.mark.rule("records.create.time")
def test_every_update_of_a_record_changes_its_time(records: Records, tag: str) -> None:
    record = records.create(externalId=f"{tag}-times")
    times = []
    for number in range(_ROUNDS):
        name = f"{tag}-times-{number}"
        bodies: dict[str, dict[str, Any]] = {
            "data": {"data": {"note": name}},
            "a deleted key": {"data": {"note": None}},
            "externalId": {"externalId": name},
            "under a precondition": {"data": {"count": number}, "expectedData": {"title": tag}},
        }
        times += [
            (kind, record_of(require_success(records.update(record, **body))).get("updatedAt"))
            for kind, body in bodies.items()
        ]

    assert _without_a_change(times) == []


def _value(field: str, text: str) -> Any:
    return {"of": text} if field == "metadata" else text


def _without_a_change(times: Sequence[tuple[str, Any]]) -> list[str]:
    """Return the kinds of updates that never change a time, unless a coarse clock may be the reason: then others rarely do."""
    changes = Counter(kind for (_, before), (kind, after) in pairwise(times) if before != after)
    kinds = {kind for kind, _ in times}
    return [kind for kind in sorted(kinds) if not changes[kind] and max(changes.values()) >= _MANY]


@pytest.mark.rule("memory.update.time")
def test_an_entry_is_updated_at_the_time_of_the_request(memory: MemoryOf, api: Api, tag: str) -> None:
    """Of each field, and again."""
    with memory("memory_slug") as entry:
        responses = [
            require_success(api("memory_update", slug=entry.slug, json={field: _value(field, tag)}))
            for field in (*ENTRY_FIELDS, *ENTRY_FIELDS[:1])
        ]

    lags = [_lag(response, response.json()["entry"], "updatedAt") for response in responses]
    assert max(lags) < _TOLERANCE


def _lag(response: httpx.Response, row: dict[str, Any], name: str) -> timedelta:
    """Return how far a time is from that of the service: its header `Date` (RFC 9110 section 6.6.1), or this machine's clock.

    Raises:
        MissingError: The time has no offset, or is missing, so it is no instant.
    """
    at = date_time(row.get(name))
    if at is None or at.tzinfo is None:
        raise MissingError(f"{name} has no offset, or is missing, so it is no instant")
    date = response.headers.get("Date")
    return abs(at - (datetime.now(UTC) if date is None else parsedate_to_datetime(date)))
