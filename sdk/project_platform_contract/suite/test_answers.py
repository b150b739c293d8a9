"""Endpoints, Resources: the success response of each operation."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.schema import field_problem, missing_fields

from .support.controls import PlainResponse
from .support.lists import items_of
from .support.parametrize import parametrize_operations
from .support.preconditions import require_success
from .support.valid_requests import ValidRequests

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
    "posts_list": ["success", "data.posts"],
    "photo_analytics_list_media": ["success", "data.media"],
}


@parametrize_operations("answers")
def test_a_success_response_has_the_documented_members(
    api: Api, plain: PlainResponse, fact: Fact, operation: str
) -> None:
    response = plain(operation)

    assert response.is_success
    assert [nonconformity.problem for nonconformity in api.nonconformities] == []
    if operation == "labels_export":  # the specification gives its status, and its body is no JSON
        return
    fact(f"successStatus.{operation}", response.status_code, response)
    body = response.json()
    for field, state in missing_fields(operation_by_id(operation), body):
        fact(f"missing.{field}", state, response)
    assert [name for name in _REQUIRED.get(operation, ()) if _at(body, name) is None] == []


_FIELDS = {
    "fields.agent.types": ("agents_list", "Agent"),
    "fields.scheduled-post.types": ("posts_list", "ScheduledPost"),
    "fields.media-analytics.types": ("photo_analytics_list_media", "MediaAnalytics"),
    "fields.web-analytics-config.types": ("web_analytics_get_config", "WebAnalyticsConfig"),
    "fields.post-media.types": ("posts_list", "PostMedia"),
}
"""By rule: the operation that lists things, and their schema."""


@pytest.mark.parametrize("rule", [pytest.param(rule, marks=pytest.mark.rule(rule)) for rule in _FIELDS])
def test_things_have_the_documented_types(api: Api, valid_requests: ValidRequests, rule: str) -> None:
    """Figures are integers; an identifier is a string even if it consists of digits."""
    operation, schema = _FIELDS[rule]
    arguments = {"query": {"limit": 100, "offset": 0}} if operation == "agents_list" else valid_requests(operation)
    things = items_of(operation, require_success(api(operation, **arguments)))
    if schema == "PostMedia":
        things = [medium for post in things for medium in post.get("media") or []]
    if not any(things):
        raise MissingError(f"the project has no {schema} to check")

    assert [problem for thing in things if (problem := field_problem(schema, thing))] == []


def _at(body: Any, name: str) -> Any:
    for part in name.split("."):
        body = body.get(part) if isinstance(body, dict) else None
    return body
