"""Authentication 1 to 3: bearer tokens, their sources, and every reason to refuse one."""

from __future__ import annotations

import json

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey

GOOD = {"iss": "stub", "aud": "platform", "sub": "user_owner", "world": "demo"}


def agents(client):
    return client.get(client.path("agents"))


@pytest.fixture
def times(clock):
    """Return the times of a token that is valid for a minute."""
    now = int(clock.now.timestamp())
    return {"iat": now, "exp": now + 60}


def test_the_scheme_is_not_case_sensitive(sign_in, stub):
    """RFC 9110, section 11.1."""
    client = sign_in(token="unused")
    client.headers["Authorization"] = f"bearer {stub.token('owner')}"

    assert agents(client).status_code == 200


@pytest.mark.parametrize("header", [None, "Basic b3duZXI6cGFzcw==", "Bearer", "Bearer ", "Bearer x", "Bearer a.b.c"])
def test_a_malformed_header_is_refused(sign_in, refused, header):
    client = sign_in(token=None)
    if header is not None:
        client.headers["Authorization"] = header

    response = agents(client)

    refused(response, 401)
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_handmade_token_with_the_right_claims_is_accepted(sign_in, stub, times):
    """The claims below are the baseline: the refused tokens that follow differ from them in one point each."""
    assert agents(sign_in(token=stub.tokens.sign({**GOOD, **times}))).status_code == 200


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"aud": None}, id="no audience"),
        pytest.param({"world": "another-world"}, id="another world"),
        pytest.param({"sub": None}, id="null sub"),
        pytest.param({"sub": ""}, id="empty sub"),
        pytest.param({"sub": 7}, id="sub is not a string"),
        pytest.param({"sub": ["user_owner"]}, id="sub is a list"),
        pytest.param({"exp": None}, id="no expiry"),
        pytest.param({"exp": "9999999999"}, id="exp is not a number"),
        pytest.param({"iat": 9999999999}, id="issued in the future"),
    ],
)
def test_a_token_with_wrong_claims_is_refused(sign_in, refused, stub, times, claims):
    """Values of other types, and missing ones; `test_tokens.py` has a token with each wrong value."""
    response = agents(sign_in(token=stub.tokens.sign({**GOOD, **times, **claims})))

    refused(response, 401)
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(sign_in, refused, stub, times):
    """The published key is not an HMAC secret (RFC 8725, section 2.1)."""
    secret = OctKey.import_key(json.dumps(stub.tokens.key_set()))

    refused(agents(sign_in(token=jwt.encode({"alg": "HS256"}, {**GOOD, **times}, secret))), 401)


def test_a_token_expires_by_the_clock_of_the_service(sign_in, refused, stub, clock):
    """A valid token is refused from the second of its expiry on."""
    client = sign_in(token=stub.token("owner", lifetime=60))

    clock.advance(seconds=59)
    before = agents(client)
    clock.advance(seconds=1)
    after = agents(client)

    assert before.status_code == 200
    refused(after, 401)


@pytest.mark.parametrize(
    "header", ["Basic x", *(f"Bearer session_{rest}" for rest in ("demo_0000", "nowhere_1", "", "demo_ä"))]
)
def test_an_unknown_session_gets_no_token(sign_in, refused, header):
    response = sign_in(token=None).get("/api/auth/token", headers={"Authorization": header.encode()})

    refused(response, 401)
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_request_ids_are_unique(api):
    """Every response has one, errors included."""
    ids = {agents(api).headers["X-Request-Id"] for _ in range(20)} | {api.get("/nowhere").headers["X-Request-Id"]}

    assert len(ids) == 21


def test_two_authorization_headers_are_refused(admin, stub, refused):
    """A request with two credentials is ambiguous."""
    headers = [("Authorization", f"Bearer {stub.token('owner')}")] * 2

    refused(admin.get(f"/projects/{stub.project.id}/agents", headers=headers), 401)


def test_a_session_gets_tokens(stub, sign_in, clock):
    """`GET /api/auth/token` with a session credential returns a JWT of the session's identity."""
    for name, credential in stub.describe("http://stub")["sessions"].items():
        response = sign_in(token=credential).get("/api/auth/token")

        assert response.status_code == 200
        token = response.json()["token"]
        assert sign_in(token=token).get("/auth/check-permission?permission=agents:read").status_code == 200
        claims = jwt.decode(token, KeySet.import_key_set(stub.tokens.key_set()), algorithms=["ES256"]).claims
        assert claims["sub"] == stub.describe("")["details"]["identities"][name]["sub"]
        assert claims["exp"] > clock.now.timestamp()


def test_the_published_keys_verify_tokens(sign_in, stub):
    """The key set has the public half of the signing key, and not the private one."""
    response = sign_in(token=None).get("/api/auth/jwks")

    assert response.status_code == 200
    assert "d" not in response.json()["keys"][0]
    token = jwt.decode(stub.token("service_account"), KeySet.import_key_set(response.json()), algorithms=["ES256"])
    assert token.header["alg"] == "ES256"
    assert token.claims["typ"] == "service_account"
