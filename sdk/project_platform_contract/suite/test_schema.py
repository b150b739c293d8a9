"""Endpoints, Resources: requests that are made up from the types of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.strategies import SearchStrategy

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operations
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.fuzz import breaks, may_break, requests
from .support.parametrize import parametrize_operations
from .support.valid_requests import ValidRequests

_FOR_GOOD = 2  # Requests of an operation that cannot be undone.
_EFFECTS = {operation.id: operation.effect for operation in operations()}
_RESPONSES = {operation.id: operation.responses for operation in operations()}

Put = Callable[[str], None]


@pytest.fixture
def examples(pytestconfig: pytest.Config) -> Callable[[str], int]:
    """Return how many requests of an operation are wanted."""

    def examples(operation: str) -> int:
        wanted: int = pytestconfig.getoption("contract_fuzz", 10)
        if wanted == 0:
            raise MissingError("no made-up requests are wanted (--fuzz 0)")
        return min(wanted, _FOR_GOOD) if _EFFECTS[operation] == "irreversible" else wanted

    return examples


@pytest.fixture
def put_back(api: Api, valid_requests: ValidRequests, contract_run: Run) -> Iterator[Put]:
    """Return a function to be called before something that exists is changed; it is put back after the test."""
    after: list[Callable[[], None]] = []

    def put_back(operation: str) -> None:
        if operation == "sidebar_replace":
            arguments = valid_requests(operation)
        elif operation == "memory_update":
            path = {"slug": valid_requests.data("memory_slug")}
            entry = api(operation, **path, json={}).json()["entry"]
            names = ("title", "description", "content", "metadata")
            arguments = {**path, "json": {name: entry[name] for name in names if name in entry}}
        else:
            return

        def put() -> None:
            assert api(operation, **arguments).is_success, "it could not be put back"
            contract_run.ledger.restored(operation, f"{operation} of {arguments.get('slug', 'the project')}")

        after.append(put)

    yield put_back
    for put in after:
        put()


@parametrize_operations("schema")
def test_what_fits_is_answered_as_documented(
    api: Api, valid_requests: ValidRequests, put_back: Put, examples: Callable[[str], int], operation: str
) -> None:
    """With a status, a content type and a body that the contract has for the operation."""
    arguments = valid_requests(operation)
    put_back(operation)

    def holds(made: dict[str, Any]) -> None:
        # That it fits the types does not say that it can be carried out: the identifier of no record does.
        assume(not breaks(operation, made))
        response = api(operation, **made)

        assert [each.problem for each in api.nonconformities] == []
        assert response.status_code < 500 or str(response.status_code) in _RESPONSES[operation]

    _try(holds, requests(operation, arguments, valid_requests.tag, fit=True), examples(operation))


@parametrize_operations("schema", lambda operation: may_break(operation.id))
def test_what_does_not_fit_is_refused(
    api: Api, valid_requests: ValidRequests, put_back: Put, examples: Callable[[str], int], operation: str
) -> None:
    """With an error of the client's."""
    arguments = valid_requests(operation)
    put_back(operation)

    def holds(made: dict[str, Any]) -> None:
        assume(breaks(operation, made))
        response = api(operation, **made)

        assert 400 <= response.status_code < 500

    _try(holds, requests(operation, arguments, valid_requests.tag, fit=False), examples(operation))


def _try(holds: Callable[[dict[str, Any]], None], made: SearchStrategy[dict[str, Any]], examples: int) -> None:
    """Try some requests, the same in every run, and not one more to find a smaller one that fails."""

    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(made)
    def made_up(arguments: dict[str, Any]) -> None:
        holds(arguments)

    made_up()
