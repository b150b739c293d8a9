"""Endpoints, Resources: the success response of each operation."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.media_types import is_json, media_type_of
from project_platform_contract.operations import operations
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.schema import missing_fields

from .support.controls import PlainResponse
from .support.parametrize import parametrize_operations
from .support.resources import (
    AGENT,
    BOOKING,
    BUSY_INTERVAL,
    MEDIA_ANALYTICS,
    MEMORY_ENTRY,
    PAGINATION,
    RECORD,
    SCHEDULED_POST,
    SIDEBAR,
    TEMPLATE_APPLY_RESULT,
    WEB_ANALYTICS_CONFIG,
    WORKFLOW,
)
from .support.type_check import Kind, mismatch

_OPERATIONS = {operation.id: operation for operation in operations()}

_SHAPES: dict[str, Kind] = {
    "auth_check_permission": {"allowed": "boolean"},
    "workflows_create": {"workflow": WORKFLOW},
    "records_create": {"record": RECORD},
    "records_update": {"record": RECORD},
    "calendar_book": BOOKING,
    "calendar_reschedule": BOOKING,
    "calendar_busy": {"busy": [BUSY_INTERVAL]},
    "sidebar_replace": {"success": "boolean", "data": SIDEBAR},
    "templates_apply": {"success": "boolean", "data": TEMPLATE_APPLY_RESULT},
    "memory_update": {"entry": MEMORY_ENTRY},
    "engagement_like": {"success": "boolean"},
    "agents_list": {"agents": [AGENT], "pagination": PAGINATION},
    "web_analytics_get_config": {"config": WEB_ANALYTICS_CONFIG},
    "posts_list": {"success": "boolean", "data": {"posts": [SCHEDULED_POST]}},
    "photo_analytics_list_media": {"success": "boolean", "data": {"media": [MEDIA_ANALYTICS]}},
}

# Members that carry the result of the operation. The specification does not say which others are required.
_REQUIRED = {
    "auth_check_permission": ["allowed"],
    "workflows_create": ["workflow.id"],
    "records_create": ["record.id"],
    "records_update": ["record.id"],
    "calendar_book": ["bookingUid"],
    "calendar_reschedule": ["bookingUid"],
    "calendar_busy": ["busy"],
    "sidebar_replace": ["success", "data.sections"],
    "templates_apply": ["success", "data.project.id", "data.templateApply.status"],
    "memory_update": ["entry.slug"],
    "engagement_like": ["success"],
    "agents_list": ["agents", "pagination.limit", "pagination.offset", "pagination.hasMore"],
    "web_analytics_get_config": [],
    "posts_list": ["success", "data.posts"],
    "photo_analytics_list_media": ["success", "data.media"],
}


@parametrize_operations("answers")
def test_a_success_response_has_the_documented_members(
    api: Api, plain: PlainResponse, fact: Fact, operation: str
) -> None:
    response = plain(operation)

    assert response.is_success
    if operation == "labels_export":  # the specification gives its status
        assert response.status_code == 200
        assert media_type_of(response) == "application/pdf"
        assert response.content.startswith(b"%PDF-")
        assert "X-Label-Summary" in response.headers
        return
    fact(f"successStatus.{operation}", response.status_code, response)
    assert is_json(media_type_of(response))
    if operation not in _SHAPES:  # then only the contract defines the response
        assert [nonconformity.problem for nonconformity in api.nonconformities] == []
        return
    body = response.json()
    for field, state in missing_fields(_OPERATIONS[operation], body):
        fact(f"missing.{field}", state, response)
    assert mismatch(body, _SHAPES[operation]) is None
    assert [name for name in _REQUIRED[operation] if _at(body, name) is None] == []


@pytest.mark.rule("answers.web-analytics-get-config")
def test_config_is_present_even_if_null(api: Api) -> None:
    body = api("web_analytics_get_config").json()

    assert "config" in body


def _at(body: Any, name: str) -> Any:
    for part in name.split("."):
        body = body.get(part) if isinstance(body, dict) else None
    return body
