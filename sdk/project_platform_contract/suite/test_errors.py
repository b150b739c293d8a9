"""Errors: the body of every error."""

from __future__ import annotations

import json

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.operations import contract, operation_by_id, operations
from project_platform_contract.run.api import Api, Fact, SignIn

from .support.more import More
from .support.parametrize import parametrize_operations
from .support.reading import error_problem, refused
from .support.refusals import READS_OF_A_PROJECT, THINGS, defective
from .support.restore_after import RestoreAfter
from .support.valid_requests import ValidRequests

# Number of error responses that the specification counts, by operation.
_COUNTED = {
    node["operationId"]: len([status for status in node["responses"] if not status.startswith("2")])
    - len(node.get("x-uncounted", ()))
    for path in contract()["paths"].values()
    for node in path.values()
    if "operationId" in node
}
_UNCOUNTED = frozenset({400, 405, 408, 413, 414, 415, 422, 429, 431})
_PAGES = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"  # As browsers send it.
_CALLERS = ("expired", "no_user", "outsider")


@parametrize_operations("errors.body")
def test_an_error_has_a_message(
    sign_in: SignIn, valid_requests: ValidRequests, restore_after: RestoreAfter, fact: Fact, operation: str
) -> None:
    """Whatever is wrong: the caller, the request, the resource or its state."""
    restore_after(operation)
    owner, anonymous = sign_in("owner"), sign_in(None)

    refusal = anonymous(operation, **valid_requests(operation))
    assert refused(refusal)
    # Other requests need not be refused: the specification does not say that they are.
    for response in (refusal, *filter(refused, defective(owner, valid_requests, operation, "nowhere"))):
        assert error_problem(response) is None
        fact(f"code.{operation}.{response.status_code}", response.json().get("code"), response)


@parametrize_operations("errors.body", lambda operation: operation.effect != "read")
def test_an_error_for_another_caller_has_a_message(
    sign_in: SignIn, data: Data, valid_requests: ValidRequests, restore_after: RestoreAfter, operation: str
) -> None:
    """One whose token has expired, who is no member of the project, or who may only read."""
    restore_after(operation)

    for identity in filter(data.tokens.__contains__, ("expired", "outsider", "viewer")):
        response = sign_in(identity)(operation, **valid_requests(operation))
        assert not refused(response) or error_problem(response) is None, identity


@parametrize_operations("errors.body")
def test_an_error_is_json_whatever_the_caller_accepts(
    sign_in: SignIn, valid_requests: ValidRequests, more: More, operation: str
) -> None:
    """A web page asks for HTML first, and a program that exports labels for a PDF. A run that only reads does not try it."""
    arguments, anonymous = valid_requests(operation), sign_in(None)
    for accepted in more(["application/json", _PAGES, *(["application/pdf"] if operation == "labels_export" else [])]):
        response = anonymous(operation, **arguments, headers={"Accept": accepted})
        assert refused(response), accepted
        assert error_problem(response) is None, accepted


@parametrize_operations("errors.body", lambda operation: operation.effect in {"write", "notify"})
@pytest.mark.parametrize("body", ["contract", 7, True, None, [[]]], ids=json.dumps)
def test_an_error_for_a_body_that_is_no_object_has_a_message(
    api: Api, valid_requests: ValidRequests, restore_after: RestoreAfter, operation: str, body: object
) -> None:
    arguments = {name: value for name, value in valid_requests(operation).items() if name != "json"}
    restore_after(operation)
    path = api.path(operation, **arguments)

    response = api.request(
        operation_by_id(operation).method,
        path,
        content=json.dumps(body),
        headers={"Content-Type": "application/json"},
    )

    assert not refused(response) or error_problem(response) is None


@parametrize_operations("errors.number")
def test_errors_have_no_more_statuses_than_are_documented(
    api: Api, sign_in: SignIn, data: Data, valid_requests: ValidRequests, operation: str
) -> None:
    """Statuses of HTTP itself, and those for an invalid body or query, may not have been counted."""
    arguments = valid_requests(operation)
    callers = [sign_in(None), *(sign_in(identity) for identity in _CALLERS if identity in data.tokens)]

    responses = [caller(operation, **arguments) for caller in callers]
    if operation in THINGS:
        responses.append(api(operation, **{**arguments, THINGS[operation]: f"{valid_requests.tag}-nothing"}))
    if operation in READS_OF_A_PROJECT:
        responses.append(api(operation, **{**arguments, "projectId": valid_requests.unknown_id}))
    if operation == "records_update":
        stale = {"expectedData": {"title": f"{valid_requests.tag} stale"}}
        responses.append(api(operation, **{**arguments, "json": stale}))

    statuses = {response.status_code for response in responses if response.is_client_error} - _UNCOUNTED
    assert len(statuses) <= _COUNTED[operation], f"{sorted(statuses)}"


@pytest.mark.rule("errors.code")
def test_a_code_is_a_string(api: Api, sign_in: SignIn, valid_requests: ValidRequests) -> None:
    """A code is optional."""
    read = [operation.id for operation in operations() if operation.effect == "read"]
    answers = [sign_in(None)(operation, **valid_requests(operation)) for operation in read]
    answers += [
        api(operation, **{**valid_requests(operation), "projectId": valid_requests.unknown_id})
        for operation in READS_OF_A_PROJECT
    ]

    codes = [response.json()["code"] for response in answers if "code" in response.json()]

    assert [code for code in codes if not isinstance(code, str)] == []
