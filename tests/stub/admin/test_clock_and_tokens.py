"""The clock, the tokens and the keys of a world, over HTTP."""

from __future__ import annotations

import pytest

CLOCK = "/_stub/worlds/demo/clock"
TOKENS = "/_stub/worlds/demo/tokens"


@pytest.fixture
def status_with(admin, stub):
    def status_with(token):
        headers = {"Authorization": f"Bearer {token}"}
        return admin.get(f"/projects/{stub.project.id}/agents", headers=headers).status_code

    return status_with


@pytest.mark.parametrize(
    ("body", "now", "frozen"),
    [
        ({"set": "2030-01-01T12:00:00+01:00"}, "2030-01-01T11:00:00.000000Z", False),
        ({"advance": 90.5}, "2026-11-02T08:31:30.500000Z", False),
        ({"advance": -60}, "2026-11-02T08:29:00.000000Z", False),
        ({"freeze": True}, "2026-11-02T08:30:00.000000Z", True),
        ({"freeze": "2030-01-01T00:00:00Z"}, "2030-01-01T00:00:00.000000Z", True),
        ({"run": True}, "2026-11-02T08:30:00.000000Z", False),
    ],
)
def test_the_clock_is_moved(admin, body, now, frozen):
    """The body has one of set, advance, freeze and run; the response has the new time."""
    assert admin.post(CLOCK, json=body).json() == {"now": now, "frozen": frozen}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "body: document: must be an object with one of"),
        ({"set": "2030-01-01T12:00:00Z", "run": True}, "body: document: must be an object with one of"),
        ({"set": "tomorrow"}, "body.set: is not an ISO 8601 timestamp"),
        ({"set": "9999-12-31T23:59:59Z"}, "body.set: must be in the years"),
        ({"advance": "1h"}, "body: advance: must be number, not string"),
        ({"advance": -3e9}, "body.advance: must be in the years"),
        ({"advance": 1e300}, "body: advance: "),
        ({"freeze": False}, "body: freeze: must be true, or a moment"),
        ({"run": False}, "body: run: must be true"),
        ({"advnace": 1}, 'body: advnace: is not known here; did you mean "advance"?'),
    ],
)
def test_an_invalid_move_of_the_clock_is_refused(admin, refused, body, message):
    """The message names the field, and the clock is unchanged."""
    refused(admin.post(CLOCK, json=body), 400, message)
    assert admin.get(CLOCK).json() == {"now": "2026-11-02T08:30:00.000000Z", "frozen": False}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"kind": "valid"}, 200),
        ({"kind": "valid", "identity": "viewer", "lifetime": 60}, 200),
        ({"kind": "service_account"}, 200),
        ({"kind": "role", "role": "viewer"}, 200),
        ({"kind": "alg_none", "identity": "viewer"}, 401),
        ({"kind": "claims", "claims": {"sub": "user_owner", "exp": 2e9, "amount": 1.5}}, 401),
    ],
)
def test_tokens_are_issued_with_the_given_options(admin, status_with, body, status):
    response = admin.post(TOKENS, json=body)

    assert response.status_code == 201
    assert status_with(response.json()["token"]) == status


def test_a_session_is_issued(admin):
    session = admin.post(TOKENS, json={"kind": "session"}).json()["token"]

    assert admin.get("/api/auth/token", headers={"Authorization": f"Bearer {session}"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "body: kind: is required"),
        ({"kind": "expird"}, 'body: kind: is none of those allowed: "expird"; did you mean "expired"?'),
        ({"kind": "expired", "lifetime": 1}, "body: lifetime: is not known here"),
        ({"kind": "no_user_id", "identity": "owner"}, "body: identity: is not known here"),
        (
            {"kind": "valid", "identity": "stranger"},
            "body.identity: This world has no identity 'stranger'; it has: owner",
        ),
        ({"kind": "role"}, "body: role: is required"),
        ({"kind": "role", "role": "king"}, "body.role: No member of the first project has the role 'king'"),
        ({"kind": "claims"}, "body: claims: is required"),
    ],
)
def test_a_token_that_cannot_be_issued_is_refused(admin, refused, body, message):
    refused(admin.post(TOKENS, json=body), 400, message)


def test_keys_are_rotated(admin, stub, status_with):
    """With a stale key set the tokens of the new key are refused until `publish`, and those of the old key after `retire`."""
    keys = "/_stub/worlds/demo/keys"
    old = stub.token()
    before = admin.post(f"{keys}/publish").json()

    rotated = admin.post(f"{keys}/rotate", json={"stale": True}).json()
    new = stub.token()

    assert rotated["signing"] not in rotated["published"]
    assert rotated["published"] == [before["signing"]]
    assert (status_with(old), status_with(new)) == (200, 401)
    assert rotated["signing"] in admin.post(f"{keys}/publish").json()["published"]
    assert (status_with(old), status_with(new)) == (200, 200)
    assert admin.post(f"{keys}/retire").json()["accepted"] == [rotated["signing"]]
    assert (status_with(old), status_with(new)) == (401, 200)
    assert stub.unmatched_requests[-1].message == "The signing key of the token is not published, or was retired."
