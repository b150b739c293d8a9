"""Endpoints: a body is the object that the specification describes. Other JSON values, and two of them, are no body."""

from __future__ import annotations

import json
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id
from project_platform_contract.run.api import Api, Fact

from .support.fixtures import More
from .support.reading import discloses_nothing, refused
from .support.valid_requests import ValidRequests

_FIELDS: Final[dict[tuple[str, str], tuple[dict[str, Any], ...]]] = {
    ("workflows_create", "workflows.create.body-types"): (
        *({"name": 7}, {"triggerTypeSlug": ["a"]}, {"triggerEventType": {"a": True}}, {"isActive": "a"}),
        *({"actions": {"a": True}}, {"description": ["a"]}, {"tags": "a"}, {"tags": [{"a": True}]}),
    ),
    ("records_create", "records.create.body-types"): (
        *({"data": "text"}, {"data": ["a", "b"]}, {"typeSlug": {"slug": "deal"}}, {"externalId": ["a"]}),
        {"relations": "text"},
    ),
    ("records_update", "records.update.body-types"): (
        *({"data": "text"}, {"data": ["a"]}, {"expectedData": "text"}, {"relations": "text"}),
        {"expectedStatus": ["open"]},
    ),
    ("engagement_like", "engagement.like.account-uuid"): (
        {"accountId": "{tag}"},
        {"accountId": ""},
        {"accountId": 7},
        {"accountId": ["a"]},
    ),
}
"""Members with a value of another type, by operation and rule; those of others are sent where it shows what they change."""


@pytest.mark.parametrize(
    ("operation", "defects"),
    [
        pytest.param(operation, fields, marks=pytest.mark.rule(rule), id=operation)
        for (operation, rule), fields in _FIELDS.items()
    ],
)
def test_a_field_of_another_type_is_refused(
    api: Api, fact: Fact, valid_requests: ValidRequests, operation: str, defects: tuple[dict[str, Any], ...]
) -> None:
    """With any client error, whatever else is valid."""
    arguments = valid_requests(operation)
    sent = json.loads(json.dumps(defects).replace("{tag}", valid_requests.tag))

    responses = [(fields, api(operation, **{**arguments, "json": {**arguments["json"], **fields}})) for fields in sent]

    assert [fields for fields, response in responses if not refused(response) or not discloses_nothing(response)] == []
    for _, response in responses:
        if operation.startswith("records"):
            fact("invalidStatus", response.status_code, response)


@pytest.mark.rule("labels.export.body-required")
def test_an_export_needs_a_body_that_is_one_json_object(api: Api, more: More, valid_requests: ValidRequests) -> None:
    """The body is required as a whole: not none, only blanks, two bodies, or a part of one."""
    arguments = valid_requests("labels_export")
    body = json.dumps(arguments["json"]).encode()
    defects = {
        "none": b"",
        "not JSON": b"menuMonth=2026-11",
        "blanks": b" \r\n",
        "null": b"null",
        "two bodies": body + body,
        "a part": body[:-1],
        "more": body + b"}",
        "a comma": body[:-1] + b",}",
        "single quotes": body.replace(b'"', b"'"),
    }

    first, second, *others = defects.items()
    statuses = {
        name: _send(api, "labels_export", arguments, content).status_code
        for name, content in (first, second, *more(others))
    }

    if httpx.codes.FORBIDDEN in statuses.values():
        raise MissingError("the caller may not export labels of this project (403)")
    assert statuses == dict.fromkeys(statuses, 400)


@pytest.mark.rule("labels.export.body-types")
def test_fields_of_an_export_have_their_types(api: Api, more: More, valid_requests: ValidRequests) -> None:
    """Whatever else is valid: no falsy value is one of another type, and every element of a list is a UUID."""
    valid: dict[str, Any] = valid_requests("labels_export")["json"]
    values: dict[str, list[Any]] = {
        "menuMonth": [["2026-11"], 0, 202605],
        "itemIds": ["all", ["no-uuid"], "", {}, [None], [*valid["itemIds"], ""], valid["itemIds"][0]],
        "includeUnapproved": ["true", 0, "false"],
        "stock": [0, ["5x3.5"]],
    }

    statuses = {
        f"{name}: {json.dumps(value)}": api("labels_export", json={**valid, name: value}).status_code
        for name, of in values.items()
        for value in (*of[:1], *more(of[1:]))
    }

    assert statuses == dict.fromkeys(statuses, 400)


def _send(api: Api, operation: str, arguments: dict[str, Any], content: bytes) -> httpx.Response:
    path = api.path(operation, **{name: value for name, value in arguments.items() if name not in {"json", "query"}})
    headers = {"Content-Type": "application/json"}
    return api.request(operation_by_id(operation).method, path, content=content, headers=headers)
