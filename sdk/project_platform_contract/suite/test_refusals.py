"""Errors: the body of every error."""

from __future__ import annotations

import pytest

from project_platform_contract.operations import contract, operations
from project_platform_contract.run.api import Fact

from .support.parametrize import parametrize_operations
from .support.reading import error_problem, refused
from .support.refusals import Refusals

# Number of error responses that the specification counts, by operation.
_COUNTED = {
    node["operationId"]: len([status for status in node["responses"] if not status.startswith("2")])
    - len(node.get("x-uncounted", ()))
    for path in contract()["paths"].values()
    for node in path.values()
    if "operationId" in node
}
_UNCOUNTED = frozenset({400, 405, 408, 413, 414, 415, 422, 429, 431})


@parametrize_operations("errors.body")
def test_an_error_has_a_message(refusals: Refusals, fact: Fact, operation: str) -> None:
    """Whatever is wrong: the token, the caller, the request, the resource or its state; and whatever the caller accepts."""
    # Requests with a valid token need not be refused: the specification does not say that they are.
    errors = [response for response in refusals.of_all(operation) if refused(response)]

    wrong = [problem for response in errors if (problem := error_problem(response))]
    if wrong:
        refusals.forget(operation)
    assert wrong == []
    for response in errors:
        fact(f"code.{operation}.{response.status_code}", response.json().get("code"), response)


@parametrize_operations("errors.number")
def test_errors_have_no_more_statuses_than_are_documented(refusals: Refusals, operation: str) -> None:
    """Statuses of HTTP itself, and those for an invalid body or query, may not have been counted."""
    responses = refusals.of_all(operation)

    statuses = {response.status_code for response in responses if response.is_client_error} - _UNCOUNTED
    assert len(statuses) <= _COUNTED[operation], f"{sorted(statuses)}"


@pytest.mark.rule("errors.code")
def test_a_code_is_a_string(refusals: Refusals) -> None:
    """A code is optional."""
    read = [operation.id for operation in operations() if operation.effect == "read"]
    errors = [response for operation in read for response in refusals.of_all(operation) if refused(response)]

    codes = [response.json()["code"] for response in errors if "code" in response.json()]

    assert [code for code in codes if not isinstance(code, str)] == []
