"""Fixtures that the tests of several sections share."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.stash import EXCHANGES

from .support.valid_requests import ValidRequests


@pytest.fixture(scope="session")
def prepared() -> dict[str, str]:
    """Identifiers of resources that `ValidRequests` created for this process, by kind."""
    return {}


@pytest.fixture
def valid_requests(api: Api, contract_run: Run, prepared: dict[str, str]) -> ValidRequests:
    """A valid request of each operation."""
    return ValidRequests(api, contract_run, prepared)


@pytest.fixture(autouse=True)
def _throttling(request: pytest.FixtureRequest, fact: Fact) -> Iterator[None]:
    """Record the form of `Retry-After` in 429 responses (RFC 9110 section 10.2.3)."""
    yield
    for exchange in request.node.stash.get(EXCHANGES, []):
        if exchange.response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            after = exchange.response.headers.get("Retry-After")
            form = "none" if after is None else "seconds" if after.strip().isdigit() else "date"
            fact("retryAfter", form, exchange.response)
