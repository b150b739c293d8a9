"""Arguments that the specification does not allow are refused before a request is sent; the error names the argument."""

from __future__ import annotations

import datetime
from operator import attrgetter

import httpx
import pytest

from project_platform import UsageError

AWARE = datetime.datetime(2026, 11, 20, 9, tzinfo=datetime.UTC)
LONG = "x" * 2000
WORKFLOW = {"name": "N", "trigger_type_slug": "t", "trigger_event_type": "e"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("workflow:write", "did you mean workflows:write"),
        ("Calendar:read", "did you mean calendar:read"),
        ("calendar", "is 'calendar', which is not one of its values"),
        ("xyz", "there are 81 values, such as agents:manage"),
        (7, "permission is of type int"),
    ],
)
def test_a_mistyped_permission_is_caught_with_a_suggestion(client, given, message):
    """The set is closed, so a value outside of it can only be a mistake."""
    with pytest.raises(UsageError, match=message):
        client.auth.check_permission(given)


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("workflows.create", {**WORKFLOW, "name": ""}, "name: .*at least 1 char"),
        ("workflows.create", {**WORKFLOW, "name": LONG[:201]}, "name: .*at most 200 char.*; it has 201"),
        ("workflows.create", {**WORKFLOW, "trigger_type_slug": ""}, "trigger_type_slug: .*at least 1 char"),
        ("workflows.create", {**WORKFLOW, "trigger_type_slug": LONG[:121]}, "trigger_type_slug: .*at most 120.*121"),
        ("workflows.create", {**WORKFLOW, "trigger_event_type": ""}, "trigger_event_type: .*at least 1 char"),
        (
            "workflows.create",
            {**WORKFLOW, "trigger_event_type": LONG[:121]},
            "trigger_event_type: .*at most 120.*121",
        ),
        ("workflows.create", {**WORKFLOW, "description": LONG[:1001]}, "description: .*at most 1000 char.*1001"),
        ("workflows.create", {**WORKFLOW, "tags": ["t"] * 13}, "tags: .*at most 12 items.*it has 13"),
        ("workflows.create", {**WORKFLOW, "tags": ["t", ""]}, r"tags\[1\]: .*at least 1 char"),
        ("workflows.create", {**WORKFLOW, "tags": ["t", LONG[:41]]}, r"tags\[1\]: .*at most 40 char.*41"),
        ("workflows.create", {**WORKFLOW, "tags": "t"}, "tags: .*list"),
        ("workflows.create", {**WORKFLOW, "name": None}, "name: .*string"),
        ("workflows.create", {**WORKFLOW, "is_active": "perhaps"}, "is_active: .*boolean"),
        ("calendar.book", {"start": AWARE, "summary": ""}, "summary: .*at least 1 char"),
        (
            "calendar.book",
            {"start": AWARE, "summary": "T", "duration_minutes": "long"},
            "duration_minutes: .*integer",
        ),
        ("calendar.book", {"start": AWARE, "summary": "T", "attendee": {"mail": "a@b.c"}}, "attendee.mail: extra"),
        ("calendar.book", {"start": AWARE, "summary": "T", "attendee": 7}, "attendee: .*dictionary"),
        ("labels.export", {"stock": "A4"}, "stock: .*5x3.5"),
        ("labels.export", {"item_ids": ["x"]}, r"item_ids\[0\]: .*UUID"),
        ("labels.export", {"menu_month": None}, "menu_month: null is not shown"),
        ("engagement.like", {"account_id": "x"}, "account_id: .*UUID"),
        ("records.create", {"type_slug": "deal", "data": [1]}, "data: .*dictionary"),
        ("records.update", {"data": None}, "data: null is not shown"),
        ("records.update", {"expected_data": None}, "expected_data: null is not shown"),
        ("records.update", {"expected_status": None}, "expected_status: null is not shown"),
        ("memory.update", {"title": 7}, "title: .*string"),
    ],
)
def test_every_limit_of_the_specification_names_its_field(project, service, method, given, message):
    """Nothing is sent that the service is known to refuse."""
    identifier = ["x"] if method in {"records.update", "memory.update", "engagement.like"} else []

    with pytest.raises(UsageError, match=message):
        attrgetter(method)(project)(*identifier, **given)

    assert service.requests == []


@pytest.mark.parametrize(
    "given",
    [
        {**WORKFLOW, "name": LONG[:200], "description": LONG[:1000], "tags": [LONG[:40]] * 12},
        {**WORKFLOW, "trigger_type_slug": LONG[:120], "trigger_event_type": LONG[:120], "tags": [], "description": ""},
    ],
)
def test_values_at_the_limits_are_sent(project, service, given):
    """Limits are inclusive."""
    service.will(httpx.Response(200, json={"workflow": {"id": "w1"}}))

    assert project.workflows.create(**given).id == "w1"

    assert service.body["tags"] == given["tags"]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            {"id": "a", "titel": "A"},
            r"sections\[0\]\.titel is not a field of SidebarSection, which has id, label, items",
        ),
        (
            {"id": "a", "items": [{"featureId": "f", "hreff": "/"}]},
            r"sections\[0\]\.items\[0\]\.hreff is not a field of SidebarItem",
        ),
    ],
)
def test_a_misspelt_key_of_a_dict_is_refused(project, service, section, message):
    """Otherwise a typo in a call that replaces everything would delete a label."""
    with pytest.raises(UsageError, match=message):
        project.sidebar.replace(sections=[section])

    assert service.requests == []


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"status": 7}, r"filters\['status'\] is 7"),
        ({"status": None}, r"filters\['status'\] is None"),
        ({7: "failed"}, r"filters\[7\]"),
        ("status=failed", "filters is of type str"),
        (None, "filters is of type NoneType"),
    ],
)
def test_filters_that_are_not_strings_are_refused(project, filters, message):
    """The specification does not define filters of other types."""
    with pytest.raises(UsageError, match=message):
        project.posts.list(filters=filters)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"duration_minutes": True}, "duration_minutes: input should be a valid integer"),
        ({"duration_minutes": "30"}, "duration_minutes: input should be a valid integer"),
        ({"duration_minutes": 30.5}, "duration_minutes: input should be a valid integer"),
        ({"conflict_check": "no"}, "conflict_check: input should be a valid boolean"),
        ({"conflict_check": 0}, "conflict_check: input should be a valid boolean"),
    ],
)
def test_numbers_and_booleans_are_not_converted(project, service, given, message):
    """A string that looks like a number, or a number that looks like a boolean, may be a mistake."""
    with pytest.raises(UsageError, match=message):
        project.calendar.book(start="2026-11-20T09:00:00Z", summary="Visit", **given)

    assert service.requests == []
