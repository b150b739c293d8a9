"""Errors: the body of every error."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator

import httpx
import pytest

from project_platform_contract.operations import operations
from project_platform_contract.rules.per_operation import of_a_project_and_reads
from project_platform_contract.run.api import Api, Fact, SignIn

from .support.parametrize import parametrize_operations
from .support.reading import error_problem, refused
from .support.valid_requests import ValidRequests

_READ_OF_A_PROJECT = frozenset(operation.id for operation in operations() if of_a_project_and_reads(operation))
# The path parameter that names what an operation changes: of something that does not exist it is refused.
_THINGS = {
    operation.id: name
    for operation in operations()
    if operation.effect != "read"
    for name in re.findall(r"\{(\w+)\}", operation.path)
    if name != "projectId"
}


@parametrize_operations("errors.body")
def test_an_error_has_a_message(
    api: Api, sign_in: SignIn, valid_requests: ValidRequests, fact: Fact, operation: str
) -> None:
    """Whatever is wrong: the caller, the request, the resource or its state."""
    anonymous = sign_in(None)

    for response in (anonymous(operation, **valid_requests(operation)), *_errors(api, valid_requests, operation)):
        assert refused(response)
        assert error_problem(response) is None
        fact(f"code.{operation}.{response.status_code}", response.json().get("code"), response)


@pytest.mark.rule("errors.code")
def test_a_code_is_a_string(api: Api, sign_in: SignIn, valid_requests: ValidRequests) -> None:
    """A code is optional."""
    read = [operation.id for operation in operations() if operation.effect == "read"]
    answers = [sign_in(None)(operation, **valid_requests(operation)) for operation in read]
    answers += [
        api(operation, **{**valid_requests(operation), "projectId": str(uuid.uuid4())})
        for operation in _READ_OF_A_PROJECT
    ]

    codes = [response.json()["code"] for response in answers if "code" in response.json()]

    assert [code for code in codes if not isinstance(code, str)] == []


def _errors(api: Api, valid_requests: ValidRequests, operation: str) -> Iterator[httpx.Response]:
    """Yield the responses to calls of the owner, each with one defect."""
    arguments = valid_requests(operation)
    if "json" in arguments:
        yield api(operation, **{**arguments, "json": [valid_requests.tag]})
    if operation in _THINGS:
        yield api(operation, **{**arguments, _THINGS[operation]: f"{valid_requests.tag}-nothing"})
    if operation in _READ_OF_A_PROJECT:
        yield api(operation, **{**arguments, "projectId": str(uuid.uuid4())})
        yield api(operation, **{**arguments, "projectId": "contract"})
    match operation:
        case "auth_check_permission":
            yield api(operation, query=valid_requests.permission("contract:read"))
        case "agents_list":
            yield api(operation, query={"limit": 0})
        case "records_update":
            yield api(operation, **{**arguments, "json": {"expectedData": {"title": f"{valid_requests.tag} stale"}}})
        case "calendar_book":
            valid_requests.event()  # takes the slot
            yield api(operation, json={**valid_requests.booking(), "conflictCheck": True})
        case _:
            pass
