"""Routes that issue tokens, valid and invalid ones, and change the signing keys."""

from __future__ import annotations

import json
from typing import Any

from project_platform_stub.admin.request import AdminRequest, private_json
from project_platform_stub.http.errors import bad_request
from project_platform_stub.http.messages import Response, write_json
from project_platform_stub.world.domain import Json
from project_platform_stub.world.world import World

_PLACES = {"role": "role", "service_account": "kind"}  # Place of a lookup error by kind; `identity` for the others.


def issue_token(request: AdminRequest) -> Response:
    """Return a new token of the kind in the body."""
    body = request.json("token")
    arguments: Json = {name: body[name] for name in ("identity", "role") if name in body}
    if "lifetime" in body:
        arguments["lifetime"] = float(body["lifetime"])
    if "claims" in body:
        arguments["claims"] = _without_decimals(body["claims"])
    try:
        # The kinds of the schema are the names of methods.
        issue = getattr(request.world.tokens, "sign" if body["kind"] == "claims" else body["kind"])
        token: str = issue(**arguments)
    except LookupError as error:
        raise bad_request(f"body.{_PLACES.get(body['kind'], 'identity')}", str(error.args[0])) from None
    return private_json({"token": token}, 201)


def rotate_keys(request: AdminRequest) -> Response:
    """Sign with a new key from now on."""
    stale = request.json("rotate").get("stale", False)
    request.world.tokens.rotate(stale=stale)
    return private_json(_keys(request.world))


def publish_keys(request: AdminRequest) -> Response:
    """Publish the signing key."""
    request.json("nothing")
    request.world.tokens.publish()
    return private_json(_keys(request.world))


def retire_keys(request: AdminRequest) -> Response:
    """Refuse the tokens of all keys but the signing key."""
    request.json("nothing")
    request.world.tokens.retire()
    return private_json(_keys(request.world))


def _keys(world: World) -> Json:
    published = {key["kid"] for key in world.tokens.key_set()["keys"]}
    accepted = world.tokens.accepted
    return {"signing": world.tokens.signing, "accepted": sorted(accepted), "published": sorted(published & accepted)}


def _without_decimals(claims: Json) -> dict[str, Any]:
    """Return claims with floats in place of Decimals, which the JWT library cannot encode."""
    converted: dict[str, Any] = json.loads(write_json(claims))
    return converted
