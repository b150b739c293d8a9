"""Authentication: the bearer token and its user."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.credentials import JWT

from .support import forged_tokens
from .support.json_equality import differences
from .support.parametrize import parametrize_operations
from .support.preconditions import require_refused, require_success
from .support.reading import discloses_nothing, refused
from .support.records import Records, lasting
from .support.valid_requests import ValidRequests

# Identities whose tokens the service refuses, or that are no members of the project.
_WITHOUT_ACCESS = ("expired", "wrong_key", "no_user", "unknown_user", "outsider")

SignInWith = Callable[[str], Api]


@pytest.fixture
def sign_in_with(sign_in: SignIn) -> SignInWith:
    """Returns an `Api` that sends a given `Authorization` header."""

    def sign_in_with(authorization: str) -> Api:
        api = sign_in(None)
        api.client.headers["Authorization"] = authorization
        return api

    return sign_in_with


@parametrize_operations("auth.bearer-required")
def test_a_request_without_a_token_is_refused(
    sign_in: SignIn, valid_requests: ValidRequests, fact: Fact, operation: str
) -> None:
    arguments = valid_requests(operation)

    response = sign_in(None)(operation, **arguments)

    assert refused(response)
    assert discloses_nothing(response)
    fact("unauthenticatedStatus", response.status_code, response)


@parametrize_operations("auth.bearer-required")
@pytest.mark.parametrize("authorization", ["Bearer", "Bearer a.b.c", "Basic {token}"])
def test_an_invalid_authorization_header_is_refused(
    sign_in_with: SignInWith, valid_requests: ValidRequests, data: Data, operation: str, authorization: str
) -> None:
    """An empty or malformed token, or a valid one with another scheme."""
    _assert_refused(sign_in_with(authorization.format(token=data.token("owner"))), operation, valid_requests)


def _assert_refused(api: Api, operation: str, valid_requests: ValidRequests) -> None:
    """Send a request that would be valid with another credential."""
    response = api(operation, **valid_requests(operation))
    assert refused(response)
    assert discloses_nothing(response)


@parametrize_operations("auth.session-refused")
def test_a_session_credential_is_no_access_token(
    sign_in: SignIn, valid_requests: ValidRequests, data: Data, operation: str
) -> None:
    """The access token is the JWT that the token endpoint returns for it."""
    if forged_tokens.parts_of(data.token("session")):
        raise MissingError("the session credential is a JWT, so it may be an access token, too")
    _assert_refused(sign_in("session"), operation, valid_requests)


@parametrize_operations("auth.signature-verified")
@pytest.mark.parametrize(
    "forge",
    [
        forged_tokens.other_claims,
        forged_tokens.other_signature,
        forged_tokens.unsigned,
    ],
)
def test_a_forged_token_is_refused(
    sign_in_with: SignInWith, valid_requests: ValidRequests, data: Data, operation: str, forge: Callable[[str], str]
) -> None:
    """The claims or the signature are changed, or the token is unsigned."""
    _assert_refused(sign_in_with(f"Bearer {forge(data.token('owner'))}"), operation, valid_requests)


@parametrize_operations("auth.signature-verified", lambda operation: operation.effect in {"write", "notify"})
@pytest.mark.parametrize("forge", [forged_tokens.without_signature, forged_tokens.cut, forged_tokens.continued])
def test_a_write_with_a_token_that_is_cut_or_continued_is_refused(
    sign_in_with: SignInWith, valid_requests: ValidRequests, data: Data, operation: str, forge: Callable[[str], str]
) -> None:
    """Also if the token itself was accepted before."""
    _assert_refused(sign_in_with(f"Bearer {forge(data.token('owner'))}"), operation, valid_requests)


@parametrize_operations("auth.signature-verified", lambda operation: operation.effect in {"write", "notify"})
def test_a_write_with_the_signature_of_another_token_is_refused(
    sign_in: SignIn, sign_in_with: SignInWith, valid_requests: ValidRequests, data: Data, operation: str
) -> None:
    """The other token is valid, and was sent before."""
    arguments = valid_requests(operation)
    head, _, _ = data.token("owner").rpartition(".")

    for identity in filter(data.tokens.__contains__, ("viewer", "outsider")):
        sign_in(identity)("agents_list")
        _, _, signature = data.token(identity).rpartition(".")
        response = sign_in_with(f"Bearer {head}.{signature}")(operation, **arguments)
        assert refused(response), identity
        assert discloses_nothing(response), identity


@pytest.mark.rule("auth.signature-verified.agents-list")
def test_a_token_with_an_empty_signature_is_refused(sign_in_with: SignInWith, data: Data) -> None:
    """Its header names the original algorithm."""
    response = sign_in_with(f"Bearer {forged_tokens.without_signature(data.token('owner'))}")("agents_list")

    assert refused(response)
    assert discloses_nothing(response)


@parametrize_operations("auth.expired-refused")
def test_an_expired_token_is_refused(sign_in: SignIn, valid_requests: ValidRequests, operation: str) -> None:
    expired = sign_in("expired")

    response = expired(operation, **valid_requests(operation))

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("auth.bearer-required.agents-list")
def test_a_token_without_a_scheme_is_refused(sign_in_with: SignInWith, data: Data) -> None:
    response = sign_in_with(data.token("owner"))("agents_list")

    assert refused(response)
    assert discloses_nothing(response)


@parametrize_operations("auth.token.published-key")
def test_a_token_of_an_unpublished_key_is_refused(
    sign_in: SignIn, valid_requests: ValidRequests, operation: str
) -> None:
    """The signature itself is valid."""
    forger = sign_in("wrong_key")

    response = forger(operation, **valid_requests(operation))

    assert refused(response)
    assert discloses_nothing(response)


@parametrize_operations("auth.token.user-identifier")
@pytest.mark.parametrize("identity", ["no_user", "unknown_user"])
def test_a_token_without_a_valid_user_identifier_is_refused(
    sign_in: SignIn, valid_requests: ValidRequests, operation: str, identity: str
) -> None:
    """The tokens are valid otherwise."""
    unknown = sign_in(identity)

    response = unknown(operation, **valid_requests(operation))

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("records.update.refused-unchanged")
def test_an_update_that_is_refused_changes_nothing(
    api: Api, sign_in: SignIn, sign_in_with: SignInWith, data: Data, contract_run: Run
) -> None:
    """Whatever is wrong with the token, or with the body."""
    records = Records(api, contract_run)
    record = records.create({"stage": "open"})
    changes = {"data": {"stage": "lost", "note": "late"}, "relations": {}}
    require_success(records.update(record, relations={}))
    strangers = [sign_in(None), sign_in_with(f"Bearer {forged_tokens.other_claims(data.token('owner'))}")]
    strangers += [sign_in(identity) for identity in _WITHOUT_ACCESS if identity in data.tokens]

    responses = [stranger("records_update", recordId=record["id"], json=changes) for stranger in strangers]
    responses += [records.update(record, **{**changes, **invalid}) for invalid in ({"data": ["a"]}, {"externalId": 7})]

    for response in responses:
        require_refused(response)
    assert differences(lasting(record), lasting(records.read(record))) == []


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
