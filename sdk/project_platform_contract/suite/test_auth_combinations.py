"""Authentication 1 and 2: a token that is not accepted is refused whatever a request changes, expects or names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from project_platform_contract.run.api import SignIn

from .support import forged_tokens
from .support.reading import discloses_nothing, refused
from .support.restore_after import RestoreAfter
from .support.valid_requests import ValidRequests

_IDENTITIES: Final[Mapping[str, tuple[str | None, ...]]] = {
    "auth.bearer-required": (None,),
    "auth.expired-refused": ("expired",),
    "auth.token.published-key": ("wrong_key",),
    "auth.token.user-identifier": ("no_user", "unknown_user"),
    "auth.signature-verified": ("owner",),
}
_FORGERIES: Final = (forged_tokens.other_claims, forged_tokens.other_signature, forged_tokens.unsigned)


def _bodies(requests: ValidRequests, operation: str) -> list[dict[str, Any]]:
    """Return bodies of an operation: with each kind of field, and with all of them."""
    tag = requests.tag
    match operation:
        case "workflows_create":
            optional = {"description": tag, "tags": [tag], "triggerCondition": {"a": None}}
            whole = {**requests.workflow(), **optional, "actions": [{"type": tag}]}
            return [whole, {**requests.workflow(), "isActive": True}, {**requests.workflow(), "triggerCondition": None}]
        case "records_create":
            linked = {"typeSlug": requests.data("linked_object_type"), "data": {"email": f"{tag}@example.com"}}
            plain = {"typeSlug": requests.data("object_type")}
            return [
                {**linked, "externalId": f"{tag}-refused", "relations": {}},
                linked,
                {**plain, "relations": {}},
                plain,
            ]
        case "records_update":
            holds, stale = {"expectedData": {"title": tag}}, {"expectedStatus": tag}
            return [
                *({"data": {"title": None}, **holds}, {"externalId": f"{tag}-refused"}, {"relations": {}}, stale, {}),
                {"data": {"late": True}, "externalId": f"{tag}-refused", "relations": {}, **holds, **stale},
            ]
        case "memory_update":
            texts = {"title": f"late {tag}", "description": "", "content": f"late {tag}"}
            return [{**texts, "metadata": {"late": tag}}, {"metadata": {}}, {"content": ""}, texts]
        case _:
            name = {"name": f"{tag} refused"}
            return [
                name,
                {**name, "variableValues": {}},
                {**name, "variableValues": requests.data("template_variables")},
            ]


@pytest.mark.parametrize(
    ("rule", "operation"),
    [
        pytest.param(rule, operation, marks=pytest.mark.rule(f"{rule}.{operation.replace('_', '-')}"))
        for rule in _IDENTITIES
        for operation in ("workflows_create", "records_create", "records_update", "memory_update", "templates_apply")
    ],
)
def test_no_body_makes_up_for_the_token(
    sign_in: SignIn, valid_requests: ValidRequests, restore_after: RestoreAfter, rule: str, operation: str
) -> None:
    """Neither a precondition, nor an empty body, nor one with all fields."""
    arguments = valid_requests(operation)
    restore_after(operation)
    callers = [sign_in(identity) for identity in _IDENTITIES[rule]]
    token = callers[0].client.headers.get("Authorization", "").removeprefix("Bearer ")
    for number, body in enumerate(_bodies(valid_requests, operation)):
        caller = callers[number % len(callers)]
        if rule == "auth.signature-verified":
            caller = sign_in(None)
            caller.client.headers["Authorization"] = f"Bearer {_FORGERIES[number % len(_FORGERIES)](token)}"
        response = caller(operation, **{**arguments, "json": body})
        assert refused(response), body
        assert discloses_nothing(response), body
