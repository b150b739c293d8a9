"""Tokens for every reason to be let in or refused, and the rotation of keys."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet


def asked(client):
    """Return the answer to a simple call."""
    return client.get("/auth/check-permission?permission=agents:write")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("expired", "The token has expired."),
        ("not_yet_valid", "The token is not valid yet."),
        ("wrong_audience", "The token is meant for another audience."),
        ("wrong_issuer", "The token was issued by someone else."),
        ("unknown_key", "The token names no published key."),
        ("wrong_signature", "The token is malformed or not signed by a published key."),
        ("alg_none", "The token names no published key."),
        ("no_user_id", "The token carries no valid user identifier."),
        ("unknown_user", "The token carries no valid user identifier."),
    ],
)
def test_each_bad_token_is_refused_for_its_reason(stub, sign_in, refused, kind, reason):
    """The message says which it is."""
    refused(asked(sign_in(token=getattr(stub.tokens, kind)())), 401, reason)


def test_a_bad_token_is_bad_in_one_point_only(stub):
    """All its other claims are those of a good one."""

    def claims(token):
        part = token.split(".")[1]
        return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))

    good = claims(stub.token())
    for kind, differs in {
        "expired": {"iat", "exp"},
        "not_yet_valid": {"nbf"},
        "wrong_audience": {"aud"},
        "wrong_issuer": {"iss"},
        "unknown_key": set(),
        "wrong_signature": set(),
        "alg_none": set(),
        "no_user_id": {"sub"},
        "unknown_user": {"sub"},
    }.items():
        bad = claims(getattr(stub.tokens, kind)())
        assert {name for name in {*good, *bad} if good.get(name) != bad.get(name)} == differs, kind


def test_each_identity_and_role_has_a_token(stub, sign_in):
    """An owner may write, a viewer may not, a service account may."""
    allowed = {
        name: asked(sign_in(token=token)).json()["allowed"]
        for name, token in {
            "owner": stub.tokens.valid(),
            "viewer": stub.tokens.valid("viewer"),
            "role owner": stub.tokens.role("owner"),
            "role viewer": stub.tokens.role("viewer"),
            "service account": stub.tokens.service_account(),
        }.items()
    }

    assert allowed == {
        "owner": True,
        "viewer": False,
        "role owner": True,
        "role viewer": False,
        "service account": True,
    }


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda tokens: tokens.valid("nobody"),
            "There is no identity 'nobody' in this world; there are: owner, viewer",
        ),
        (lambda tokens: tokens.role("king"), "Nobody has the role 'king' in the project; there are: owner, viewer"),
    ],
)
def test_a_token_of_nobody_is_an_error_that_says_who_there_is(stub, make, message):
    """It names those that there are."""
    with pytest.raises(LookupError, match=message):
        make(stub.tokens)


def test_after_a_rotation_old_tokens_stay_good_until_they_are_retired(stub, sign_in, refused):
    """New tokens name another key, and the published set has both until then."""
    old = sign_in(token=stub.token())
    stub.tokens.rotate()
    new = sign_in(token=stub.token())

    assert [asked(client).status_code for client in (old, new)] == [200, 200]
    assert len(stub.tokens.key_set()["keys"]) == 2

    stub.tokens.retire()

    refused(asked(old), 401, "The token is signed by a key that is not, or no longer, published.")
    assert asked(new).status_code == 200


def test_a_stale_key_set_refuses_the_newest_tokens(stub, sign_in, refused):
    """Until the new key is published a fresh token is refused, and one that was issued before is not."""
    old = sign_in(token=stub.token())
    stub.tokens.rotate(stale=True)
    new = sign_in(token=stub.token())

    refused(asked(new), 401, "The token names no published key.")
    assert asked(old).status_code == 200
    assert len(stub.tokens.key_set()["keys"]) == 1

    stub.tokens.publish()

    assert asked(new).status_code == 200


def test_keys_rotate_in_one_world_only(stub, sign_in):
    """The tokens of other worlds stay good whatever is retired here."""
    other = stub.worlds.create()
    before = sign_in(token=other.token())
    assert asked(before).status_code == 200

    stub.tokens.rotate()
    stub.tokens.retire()

    assert asked(before).status_code == 200
    assert asked(sign_in(token=other.token())).status_code == 200


def test_the_published_set_verifies_tokens_after_a_rotation(stub, sign_in):
    """Anybody can check a token with the set that is published."""
    stub.tokens.rotate()

    published = sign_in(token=None).get("/api/auth/jwks").json()

    assert (
        jwt.decode(stub.token(), KeySet.import_key_set(published), algorithms=["ES256"]).claims["sub"] == "user_owner"
    )
    assert not any("d" in key for key in published["keys"])


def test_a_session_belongs_to_a_world(stub, sign_in):
    """Its tokens are tokens of that world."""
    world = stub.worlds.create()

    token = sign_in(token=world.tokens.session("viewer")).get("/api/auth/token").json()["token"]

    assert asked(sign_in(token=token)).json() == {"allowed": False}
    assert [entry.identity for entry in world.journal] == ["viewer", "viewer"]


@pytest.mark.parametrize("credential", ["session_demo_0000", "session_nowhere_1", "session_", "x", "session_demo_ä"])
def test_what_is_no_session_is_refused(sign_in, refused, credential):
    """Whatever it looks like."""
    client = sign_in(token=None)

    refused(client.get("/api/auth/token", headers={"Authorization": f"Bearer {credential}".encode()}), 401)
