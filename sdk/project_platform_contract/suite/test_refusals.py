"""Authentication: the bearer token and its user. Errors: the body of every error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.operations import contract, operations
from project_platform_contract.rules.kinds import dashed, of_a_project
from project_platform_contract.run.api import Api, Fact, SignIn
from project_platform_contract.run.credentials import JWT

from .support import forged_tokens
from .support.parametrize import parametrize_operations
from .support.reading import discloses_nothing, error_problem, refused
from .support.refusals import CREDENTIALS, NO_UUID, Refusals

SignInWith = Callable[[str], Api]

# Number of error responses that the specification counts, by operation.
_COUNTED = {
    node["operationId"]: len([status for status in node["responses"] if not status.startswith("2")])
    - len(node.get("x-uncounted", ()))
    for path in contract()["paths"].values()
    for node in path.values()
    if "operationId" in node
}
_UNCOUNTED = frozenset({400, 405, 408, 413, 414, 415, 422, 429, 431})


@pytest.fixture
def sign_in_with(sign_in: SignIn) -> SignInWith:
    """Returns an `Api` that sends a given `Authorization` header."""

    def sign_in_with(authorization: str) -> Api:
        api = sign_in(None)
        api.client.headers["Authorization"] = authorization
        return api

    return sign_in_with


@pytest.mark.parametrize(
    ("rule", "operation"),
    [
        pytest.param(rule, operation.id, marks=pytest.mark.rule(f"{rule}.{dashed(operation.id)}"))
        for rule in CREDENTIALS
        for operation in operations()
        if rule.startswith("auth.") or of_a_project(operation)
    ],
)
def test_a_request_without_a_valid_token_is_refused(
    refusals: Refusals, data: Data, fact: Fact, rule: str, operation: str
) -> None:
    """Whatever the body changes, expects or names; and that of a user who is no member of the project."""
    responses = refusals.of_credentials(operation, rule)

    accepted = [response for response in responses if not refused(response) or not discloses_nothing(response)]
    if accepted:
        refusals.forget(operation)
    assert [f"{response.status_code}: {response.request.content!r}" for response in accepted] == []
    for identity in CREDENTIALS[rule]:
        if isinstance(identity, str):
            data.token(identity)  # one of several may be missing
    if rule == "auth.bearer-required":
        fact("unauthenticatedStatus", responses[0].status_code, responses[0])


@pytest.mark.rule("auth.token.jwt")
def test_the_access_token_is_a_jwt(api: Api, data: Data) -> None:
    assert api("agents_list").is_success

    parts = forged_tokens.parts_of(data.token("owner"))

    assert parts is not None
    header, claims, signature = parts
    assert isinstance(header.get("alg"), str)
    assert claims
    assert signature


@pytest.mark.rule("auth.token.endpoint")
def test_a_token_of_the_token_endpoint_is_accepted(sign_in_with: SignInWith, data: Data) -> None:
    """The specification does not describe the response, so any JWT in it counts."""
    response = sign_in_with(f"Bearer {data.token('session')}").request("GET", "/api/auth/token")
    if not response.is_success:
        raise MissingError(
            f"a GET to the token endpoint was answered with {response.status_code}; the specification gives no other way"
        )

    found = [text for text in JWT.findall(response.text) if forged_tokens.parts_of(text)]

    assert found
    assert sign_in_with(f"Bearer {found[0]}")("agents_list").is_success


@pytest.mark.rule("auth.token.endpoint")
def test_the_token_endpoint_returns_no_token_without_a_credential(sign_in: SignIn) -> None:
    response = sign_in(None).request("GET", "/api/auth/token")

    assert not any(forged_tokens.parts_of(text) for text in JWT.findall(response.text))


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
    """Statuses of HTTP itself, and those for an invalid body, query or identifier, may not have been counted."""
    of_all = refusals.of_all(operation)
    responses = [response for response in of_all if NO_UUID not in response.request.url.path.split("/")]

    statuses = {response.status_code for response in responses if response.is_client_error} - _UNCOUNTED
    assert len(statuses) <= _COUNTED[operation], f"{sorted(statuses)}"


@pytest.mark.rule("errors.code")
def test_a_code_is_a_string(refusals: Refusals) -> None:
    """A code is optional."""
    read = [operation.id for operation in operations() if operation.effect == "read"]
    errors = [response for operation in read for response in refusals.of_all(operation) if refused(response)]

    codes = [response.json()["code"] for response in errors if "code" in response.json()]

    assert [code for code in codes if not isinstance(code, str)] == []
