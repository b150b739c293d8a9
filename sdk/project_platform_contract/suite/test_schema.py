"""Endpoints, Resources: requests that are generated from the schemas of the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.strategies import SearchStrategy

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id
from project_platform_contract.request_schema import breaks, may_break
from project_platform_contract.run.api import Api
from project_platform_contract.run.session import SESSION

from .support.fixtures import RestoreAfter
from .support.fuzz import requests
from .support.parametrize import parametrize_operations
from .support.valid_requests import ValidRequests

_IRREVERSIBLE_EXAMPLES = 2  # Number of requests of an irreversible operation.


@pytest.fixture
def examples(pytestconfig: pytest.Config) -> Callable[[str], int]:
    """Returns the number of requests to generate for an operation."""
    count = pytestconfig.stash[SESSION].settings.examples

    def examples(operation: str) -> int:
        if count == 0:
            raise MissingError("no requests are generated (--fuzz 0)", "--fuzz 2")
        return min(count, _IRREVERSIBLE_EXAMPLES) if operation_by_id(operation).effect == "irreversible" else count

    return examples


@parametrize_operations("schema")
def test_a_valid_request_is_answered_as_documented(
    api: Api, valid_requests: ValidRequests, restore_after: RestoreAfter, examples: Callable[[str], int], operation: str
) -> None:
    """The contract has its status, content type and body for the operation."""
    valid = valid_requests(operation)
    restore_after(operation)
    sent: list[dict[str, Any]] = []

    def check(arguments: dict[str, Any]) -> None:
        assume(arguments not in sent)  # an irreversible request must not be sent twice
        # A request with valid types may still fail, for instance because of an unknown identifier.
        assume(not breaks(operation, arguments))
        response = api(operation, **arguments)

        assert [nonconformity.problem for nonconformity in api.nonconformities] == []
        assert response.status_code < 500 or str(response.status_code) in operation_by_id(operation).responses
        sent.append(arguments)  # at the end, because Hypothesis repeats an example that fails

    _check_examples(check, requests(operation, valid, valid_requests.tag, fit=True), examples(operation))


@parametrize_operations("schema.invalid-refused", lambda operation: may_break(operation.id))
def test_an_invalid_request_is_refused(
    api: Api, valid_requests: ValidRequests, restore_after: RestoreAfter, examples: Callable[[str], int], operation: str
) -> None:
    """With any client error."""
    valid = valid_requests(operation)
    restore_after(operation)

    def check(arguments: dict[str, Any]) -> None:
        assume(breaks(operation, arguments))
        response = api(operation, **arguments)

        assert 400 <= response.status_code < 500

    _check_examples(check, requests(operation, valid, valid_requests.tag, fit=False), examples(operation))


def _check_examples(
    check: Callable[[dict[str, Any]], None], strategy: SearchStrategy[dict[str, Any]], examples: int
) -> None:
    """Check generated requests: the same ones in every run, and without shrinking a failure."""

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
    @given(strategy)
    def run_example(arguments: dict[str, Any]) -> None:
        try:
            check(arguments)
        except MissingError as error:
            # Hypothesis would run the example again, and report one that does not fail twice as flaky.
            pytest.skip(str(error))

    run_example()
