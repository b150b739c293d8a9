"""Endpoints 2 and 3: the time of a creation is an instant, in whichever zone it is shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api

from .support.preconditions import require_success
from .support.valid_requests import ValidRequests

_TOLERANCE: Final = timedelta(minutes=10)  # Clocks differ; offsets of time zones are multiples of 15 minutes.


@pytest.mark.parametrize(
    ("operation", "member"),
    [
        pytest.param("workflows_create", "workflow", marks=pytest.mark.rule("workflows.create.time")),
        pytest.param("records_create", "record", marks=pytest.mark.rule("records.create.time")),
    ],
)
def test_the_time_of_creation_is_that_of_the_request(
    api: Api, valid_requests: ValidRequests, operation: str, member: str
) -> None:
    response = require_success(api(operation, **valid_requests(operation)))
    created = datetime.fromisoformat(response.json()[member].get("createdAt") or "0001-01-01")
    if created.tzinfo is None:
        raise MissingError("createdAt has no offset, or is missing, so it is no instant")

    assert abs(created - _now(response)) < _TOLERANCE


def _now(response: httpx.Response) -> datetime:
    """Return the time of the service: that of the header `Date` (RFC 9110 section 6.6.1), or else that of this machine."""
    date = response.headers.get("Date")
    return datetime.now(UTC) if date is None else parsedate_to_datetime(date)
