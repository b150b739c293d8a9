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
        (
            "workflows.create",
            {**WORKFLOW, "name": "", "trigger_type_slug": ""},
            "name: .*at least 1 char.*; trigger_type_slug: .*at least 1 char",
        ),
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
        # A typo in a call that replaces everything would delete a label.
        (
            "sidebar.replace",
            {"sections": [{"id": "a", "titel": "A"}]},
            r"sections\[0\]\.titel is not a field of SidebarSection, which has id, label, items",
        ),
        (
            "sidebar.replace",
            {"sections": [{"id": "a", "items": [{"featureId": "f", "hreff": "/"}]}]},
            r"sections\[0\]\.items\[0\]\.hreff is not a field of SidebarItem",
        ),
        # The specification does not define filters of other types.
        ("posts.list", {"filters": {"status": 7}}, r"filters\['status'\] is 7"),
        ("posts.list", {"filters": {"status": None}}, r"filters\['status'\] is None"),
        ("posts.list", {"filters": {7: "failed"}}, r"filters\[7\]"),
        ("posts.list", {"filters": "status=failed"}, "filters is of type str"),
        ("posts.list", {"filters": None}, "filters is of type NoneType"),
        # A string that looks like a number, or a number that looks like a boolean, may be a mistake.
        *(
            (
                "calendar.book",
                {"start": AWARE, "summary": "T", "duration_minutes": minutes},
                "minutes: .* valid integer",
            )
            for minutes in (True, "30", 30.5)
        ),
        *(
            ("calendar.book", {"start": AWARE, "summary": "T", "conflict_check": check}, "check: .* valid boolean")
            for check in ("no", 0)
        ),
        ("agents.list", {"limit": 0}, "limit is 0; give 1 to 100"),
        ("agents.list", {"limit": 101}, "limit is 101; give 1 to 100"),
        ("agents.list", {"limit": True}, "limit is of type bool"),
        ("agents.list", {"limit": "10"}, "limit is of type str"),
        ("agents.list", {"limit": 1.0}, "limit is of type float"),
        ("agents.list", {"offset": -1}, "offset is -1; give 0 or more"),
        ("agents.list", {"offset": None}, "offset is of type NoneType"),
    ],
)
def test_an_argument_that_the_specification_does_not_allow_is_named(project, service, method, given, message):
    """Nothing is sent that the service is known to refuse; a method raises, not the first iteration of its result."""
    identifier = ["x"] if method in {"records.update", "memory.update", "engagement.like"} else []

    with pytest.raises(UsageError, match=message) as raised:
        attrgetter(method)(project)(*identifier, **given)

    assert isinstance(raised.value, ValueError)
    assert service.requests == []


@pytest.mark.parametrize(
    "given",
    [
        {**WORKFLOW, "name": LONG[:200], "description": LONG[:1000], "tags": [LONG[:40]] * 12},
        {**WORKFLOW, "trigger_type_slug": LONG[:120], "trigger_event_type": LONG[:120], "tags": [], "description": ""},
    ],
)
def test_values_at_the_limits_are_sent(project, service, given):
    service.will(httpx.Response(200, json={"workflow": {"id": "w1"}}))

    assert project.workflows.create(**given).id == "w1"

    assert service.body["tags"] == given["tags"]
