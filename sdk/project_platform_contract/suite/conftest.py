"""Fixtures that the tests of several sections share."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, Fact, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import EXCHANGES, NONCONFORMITIES, Exchange, skip_flaky
from project_platform_contract.run.restoration import memory_entry, sidebar
from project_platform_contract.run.session import operations_of

from .support.calendar import Bookings
from .support.controls import CONTROLS, Controls, PlainResponse
from .support.fixtures import More, RestoreAfter
from .support.records import Records
from .support.refusals import Refusals
from .support.valid_requests import ValidRequests

_REPETITIONS = 2  # Number of times that the failure of a test that only reads must recur.


@pytest.fixture(scope="session")
def prepared() -> dict[str, str]:
    """Identifiers of resources that `ValidRequests` created for this process, by kind."""
    return {}


@pytest.fixture
def valid_requests(api: Api, contract_run: Run, prepared: dict[str, str]) -> ValidRequests:
    """A valid request of each operation."""
    return ValidRequests(api, contract_run, prepared)


@pytest.fixture
def more(contract_run: Run) -> More:
    """Returns a function that returns all of some values, or none in a run that only reads: it sends few requests."""
    return lambda values: list(values) if contract_run.allows("write") else []


@pytest.fixture
def restore_after(contract_run: Run) -> Iterator[RestoreAfter]:
    """Returns a function to call before requests of an operation that changes an existing resource."""
    with ExitStack() as stack:

        def restore_after(operation: str) -> None:
            if operation == "sidebar_replace":
                stack.enter_context(sidebar(contract_run))
            elif operation == "memory_update":
                stack.enter_context(memory_entry(contract_run, contract_run.data["memory_slug"]))

        yield restore_after


@pytest.fixture
def refusals(api: Api, contract_run: Run, valid_requests: ValidRequests, restore_after: RestoreAfter) -> Refusals:
    """The refused requests that the tests of this process share."""
    return Refusals(api, contract_run, valid_requests, restore_after)


@pytest.fixture
def records(api: Api, contract_run: Run) -> Records:
    """Records of this test."""
    return Records(api, contract_run)


@pytest.fixture
def bookings(api: Api, contract_run: Run) -> Bookings:
    """Bookings of this test."""
    return Bookings(api, contract_run)


@pytest.fixture
def stub_api(sign_in: SignIn, contract_run: Run) -> Api:
    """The `Api` of the owner on a stub, without shared responses, for tests that change what the stub stores."""
    contract_run.target.stub_project("what is stored")
    api = sign_in("owner")
    api.client.close()
    api.client = httpx.Client(
        base_url=contract_run.target.base_url,
        transport=contract_run.target.transport(),
        headers={"Authorization": f"Bearer {contract_run.data.token('owner')}"},
    )
    return api


@pytest.fixture
def plain(request: pytest.FixtureRequest, api: Api) -> PlainResponse:
    """Returns the response to the plain request of an operation, which the tests of a process share."""
    controls = request.node.stash[CONTROLS]
    return lambda operation: controls.plain(operation, api)


@pytest.fixture(autouse=True)
def _controls(
    request: pytest.FixtureRequest, _exclusive: None, contract_run: Run, sign_in: SignIn, prepared: dict[str, str]
) -> None:
    """Require that the operations of a test are up before it starts; those that it needs besides, when they are called."""
    request.node.stash[CONTROLS] = controls = Controls(contract_run, sign_in, prepared)
    contract_run.gate = controls.require_up
    for operation in sorted(operations_of(request.node) - {""}):
        controls.require_up(operation)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Generator[None, Any, Any]:
    """Report a test as flaky whose failure is not reproducible, and skip one whose refusals have no positive control."""
    try:
        result = yield
    except pytest.skip.Exception:
        raise
    except (Exception, pytest.fail.Exception) as error:
        if not _is_reproducible(item):
            skip_flaky(item, f"flaky: the test failed, and did not fail again: {error}")
        _require_plain(item, error)
        raise
    try:
        exchanges: list[Exchange] = item.stash.get(EXCHANGES, [])
        item.stash[CONTROLS].require(list(exchanges))
    except (MissingError, httpx.TransportError) as error:
        pytest.skip(f"no positive control: {error}")
    return result


def _require_plain(item: pytest.Function, error: BaseException) -> None:
    """Skip a failed test if a service refuses the plain request of an operation that it calls."""
    exchanges: list[Exchange] = item.stash.get(EXCHANGES, [])
    seen = len(exchanges)
    with suppress(httpx.TransportError):
        try:
            item.stash[CONTROLS].require_plain(list(exchanges))
        except MissingError as reason:
            pytest.skip(f"{reason}: {error}")
    del exchanges[seen:]  # The test failed before the controls.


def _is_reproducible(item: pytest.Function) -> bool:
    """Repeat a failed test if it only reads, because others may change what it reads, and return whether it fails again."""
    exchanges, nonconformities = item.stash.get(EXCHANGES, []), item.stash.get(NONCONFORMITIES, [])
    if not exchanges or not all(exchange.reads for exchange in exchanges):
        return True
    seen = len(exchanges), len(nonconformities)
    for _ in range(_REPETITIONS):
        item.stash[CONTROLS].run.forget_reads()
        recurs = _fails(item)
        del exchanges[seen[0] :], nonconformities[seen[1] :]
        if not recurs:
            return False
    return True


def _fails(item: pytest.Function) -> bool:
    """Run a test again, and return whether it fails."""
    try:
        item.runtest()
    except (MissingError, httpx.TransportError):
        return False
    except (Exception, pytest.fail.Exception):  # noqa: BLE001  # of any kind, as the first failure
        return True
    return False


@pytest.fixture(autouse=True)
def _throttling(request: pytest.FixtureRequest, fact: Fact) -> Iterator[None]:
    """Record the form of `Retry-After` in 429 responses (RFC 9110 section 10.2.3)."""
    yield
    for exchange in request.node.stash.get(EXCHANGES, []):
        if exchange.response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            after = exchange.response.headers.get("Retry-After")
            form = "none" if after is None else "seconds" if after.strip().isdigit() else "date"
            fact("retryAfter", form, exchange.response)
