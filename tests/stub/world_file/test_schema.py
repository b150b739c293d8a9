"""The schema of world files against the contract: a file can describe everything that the service returns, within its limits."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_stub.documents.schema import packaged_schema
from project_platform_stub.world.permissions import PERMISSIONS

SCHEMA: dict[str, Any] = dict(packaged_schema("world_file/world.schema.json"))


def test_the_schema_has_the_permissions():
    """Editors complete the 81 permissions of the specification."""
    assert SCHEMA["$defs"]["permission"]["enum"] == list(PERMISSIONS)


def test_the_schema_has_the_limits_of_the_contract(contract):
    """A workflow of a world file has the limits of workflows_create."""
    body = contract["components"]["schemas"]["CreateWorkflowBody"]["properties"]
    limits = ("minLength", "maxLength", "maxItems", "items")

    def of(rules: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {name: {limit: rule[limit] for limit in limits if limit in rule} for name, rule in rules.items()}

    described = of(SCHEMA["$defs"]["workflow"]["properties"])
    for name in ("name", "description", "tags", "triggerTypeSlug", "triggerEventType"):
        assert described[name] == of(body)[name]
        assert described[name]


@pytest.mark.parametrize(
    ("definition", "component", "not_written"),
    [
        ("agent", "Agent", {"projectId"}),
        ("media", "MediaAnalytics", set()),
        ("post", "ScheduledPost", {"projectId", "socialAccountId", "platform"}),
        ("postMedia", "PostMedia", set()),
        ("memoryEntry", "MemoryEntry", {"projectId"}),
        ("webAnalytics", "WebAnalyticsConfig", {"projectId"}),
        ("workflow", "Workflow", {"projectId"}),
        ("sidebarItem", "SidebarItem", set()),
    ],
)
def test_every_field_of_the_service_can_be_written(definition, component, not_written, contract):
    """Except for the fields that follow from the position in the file."""
    fields = set(contract["components"]["schemas"][component]["properties"])

    assert fields - set(SCHEMA["$defs"][definition]["properties"]) == not_written
