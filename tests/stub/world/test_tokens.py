"""Tokens for every reason to accept or refuse them, and the rotation of keys."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode

import pytest


def check_permission(client):
    return client.get("/auth/check-permission?permission=agents:write")


def claims(token):
    """Return the claims of a token, without a check of its signature."""
    part = token.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.mark.parametrize(
    ("kind", "differs", "reason"),
    [
        ("expired", {"iat", "exp"}, "The token has expired."),
        ("not_yet_valid", {"nbf"}, "The token is not valid yet."),
        ("wrong_audience", {"aud"}, "The token has another audience."),
        ("wrong_issuer", {"iss"}, "The token has another issuer."),
        ("unknown_key", set(), "The token names no published key."),
        ("wrong_signature", set(), "The token is malformed or not signed by a published key."),
        ("alg_none", set(), "The token names no published key."),
        ("no_user_id", {"sub"}, "The token carries no valid user identifier."),
        ("unknown_user", {"sub"}, "The token carries no valid user identifier."),
    ],
)
def test_each_bad_token_is_refused_for_its_reason(*, admin, stub, sign_in, refused, kind, differs, reason):
    """The message has the reason; all other claims of the token are those of a valid one."""
    token = admin.post("/_stub/worlds/demo/tokens", json={"kind": kind}).json()["token"]

    refused(check_permission(sign_in(token=token)), 401, reason)
    bad, good = claims(token), claims(stub.token())
    assert {name for name in {*good, *bad} if good.get(name) != bad.get(name)} == differs


def test_keys_rotate_in_one_world_only(stub, sign_in):
    """The tokens of other worlds remain valid after a retirement."""
    other = stub.worlds.create()
    before = sign_in(token=other.token())
    assert check_permission(before).status_code == 200

    stub.tokens.rotate()
    stub.tokens.retire()

    assert check_permission(before).status_code == 200
    assert check_permission(sign_in(token=other.token())).status_code == 200


def test_a_session_belongs_to_a_world(stub, sign_in):
    world = stub.worlds.create()

    token = sign_in(token=world.tokens.session("viewer")).get("/api/auth/token").json()["token"]

    assert check_permission(sign_in(token=token)).json() == {"allowed": False}
    assert [entry.identity for entry in world.journal] == ["viewer", "viewer"]
