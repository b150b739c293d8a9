"""What the tests of the rules share."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.stash import EXCHANGES

from .support.valid_requests import ValidRequests


@pytest.fixture(scope="session")
def made() -> dict[str, str]:
    """What was made once for the whole run."""
    return {}


@pytest.fixture
def valid_requests(api: Api, contract_run: Run, made: dict[str, str]) -> ValidRequests:
    """Calls that fit."""
    return ValidRequests(api, contract_run, made)


@pytest.fixture(autouse=True)
def _throttling(request: pytest.FixtureRequest, fact: Fact) -> Iterator[None]:
    """Record whether and how an answer that there were too many requests says when to come back (RFC 9110, 10.2.3)."""
    yield
    for exchange in request.node.stash.get(EXCHANGES, []):
        if exchange.response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            after = exchange.response.headers.get("Retry-After")
            how = "none" if after is None else "seconds" if after.strip().isdigit() else "date"
            fact("retryAfter", how, exchange.response)
