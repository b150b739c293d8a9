"""Endpoints: `application/json` with parameters is the same content type as without.

RFC 9110 section 8.3.1: the names of types and parameters are case-insensitive, blanks may surround the semicolon, and a value may be
quoted. RFC 8259 section 11 defines no parameter, so none changes what a body means.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id
from project_platform_contract.rules.kinds import with_a_body
from project_platform_contract.run.api import Api

from .support.calendar import answered, moment, wire
from .support.fixtures import RestoreAfter
from .support.parametrize import parametrize_operations
from .support.valid_requests import Arguments, ValidRequests

_FORM: Final = 'Application/JSON ; Charset="UTF-8"'
_TEXT: Final = "Gr\u00fc\u00dfe \u4f60 \U0001f33e"

Body = dict[str, Any]
Change = Callable[[ValidRequests, Body], Body]


# Texts that a response repeats, so that a body that was not read is noticed; other operations have their valid body.
_CHANGES: Final[dict[str, Change]] = {
    "workflows_create": lambda requests, body: {**body, "description": _TEXT},
    "records_create": lambda requests, body: {**body, "data": {**body["data"], "note": _TEXT}},
    "records_update": lambda requests, body: {"data": {"note": _TEXT}},
    "sidebar_replace": lambda requests, body: {"sections": [{"id": requests.tag, "label": _TEXT, "items": []}]},
    "templates_apply": lambda requests, body: {**body, "name": f"{requests.tag} {_TEXT}"},
    "memory_update": lambda requests, body: {"content": _TEXT},
}


@parametrize_operations("content-type.parameters", with_a_body)
def test_a_content_type_may_have_parameters(
    api: Api, valid_requests: ValidRequests, restore_after: RestoreAfter, operation: str
) -> None:
    """In capitals, in quotes and with blanks; the body is always in UTF-8."""
    restore_after(operation)

    arguments = valid_requests(operation)
    body: Body = arguments["json"]
    if operation == "calendar_reschedule":
        start = moment(valid_requests.booking()["start"])
        body |= {"start": wire(start), "end": wire(start + timedelta(minutes=31))}
    elif operation in _CHANGES:
        body = _CHANGES[operation](valid_requests, body)
    response = _send(api, operation, arguments, body)
    assert response.is_success
    if operation in _CHANGES:
        assert _TEXT in json.dumps(response.json(), ensure_ascii=False)
    for name in {"start", "end"} & body.keys():
        assert answered(response.json()[name]) == moment(body[name])


def _send(api: Api, operation: str, arguments: Arguments, body: Body) -> httpx.Response:
    path = api.path(operation, **{name: value for name, value in arguments.items() if name != "json"})
    content = json.dumps(body, ensure_ascii=False).encode()
    response = api.request(operation_by_id(operation).method, path, content=content, headers={"Content-Type": _FORM})
    if operation == "engagement_like" and response.status_code == httpx.codes.CONFLICT:
        raise MissingError("the page already likes 'published_page_post', and a like cannot be undone")
    return response
