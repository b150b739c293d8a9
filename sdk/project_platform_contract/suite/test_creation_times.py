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


@pytest.mark.rule("memory.update.time")
def test_every_update_of_an_entry_changes_its_time(memory: MemoryOf, api: Api, tag: str) -> None:
    """Whichever field it changes, if the clock of the service is fine enough to show it."""
    with memory("memory_slug") as entry:
        responses = [
            (
                field,
                require_success(api("memory_update", slug=entry.slug, json={field: _value(field, f"{tag} {number}")})),
            )
            for number in range(_ROUNDS)
            for field in ENTRY_FIELDS
        ]

    entries = [(field, response, response.json()["entry"]) for field, response in responses]
    assert _without_a_change([(field, shown.get("updatedAt")) for field, _, shown in entries]) == []
    assert max(_lag(response, shown, "updatedAt") for _, response, shown in entries) < _TOLERANCE


@pytest.mark.rule("records.create.time")
def test_every_update_of_a_record_changes_its_time(records: Records, tag: str) -> None:
    """From its creation, if the clock of the service is fine enough to show it."""
    created = require_success(records.post(data={"title": tag}, externalId=f"{tag}-times"))
    record = record_of(created)
    updates = []
    for number in range(_ROUNDS):
        name = f"{tag}-times-{number}"
        bodies: dict[str, dict[str, Any]] = {
            "data": {"data": {"note": name}},
            "a deleted key": {"data": {"note": None}},
            "externalId": {"externalId": name},
            "under a precondition": {"data": {"count": number}, "expectedData": {"title": tag}},
        }
        updates += [(kind, require_success(records.update(record, **body))) for kind, body in bodies.items()]

    assert _without_a_change([(kind, record_of(response).get("updatedAt")) for kind, response in updates]) == []
    assert _lag(created, record, "createdAt") < _TOLERANCE
    assert max(_lag(response, record_of(response), "updatedAt") for _, response in updates) < _TOLERANCE


def _value(field: str, text: str) -> Any:
    return {"of": text} if field == "metadata" else text


def _without_a_change(times: Sequence[tuple[str, Any]]) -> list[str]:
    """Return the kinds of updates that never change a time, unless a coarse clock may be the reason: then others rarely do."""
    changes = Counter(kind for (_, before), (kind, after) in pairwise(times) if before != after)
    kinds = {kind for kind, _ in times}
    return [kind for kind in sorted(kinds) if not changes[kind] and max(changes.values(), default=0) >= _MANY]


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
