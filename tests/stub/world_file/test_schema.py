"""The schema of world files beside the contract: a file can say what the service answers, and no more than it takes."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_stub.documents.schema import packaged_schema
from project_platform_stub.world.permissions import PERMISSIONS

SCHEMA: dict[str, Any] = dict(packaged_schema("world_file/world.schema.json"))


def test_the_schema_has_the_permissions():
    """The permissions that editors complete are the 81 of the specification."""
    assert SCHEMA["$defs"]["permission"]["enum"] == list(PERMISSIONS)


def test_the_schema_has_the_limits_of_the_contract(contract):
    """A workflow of a world file has the limits that the contract sets for creating one."""
    body = contract["components"]["schemas"]["CreateWorkflowBody"]["properties"]
    limits = ("minLength", "maxLength", "maxItems", "items")

    def of(rules: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {name: {limit: rule[limit] for limit in limits if limit in rule} for name, rule in rules.items()}

    told = of(SCHEMA["$defs"]["workflow"]["properties"])
    for name in ("name", "description", "tags", "triggerTypeSlug", "triggerEventType"):
        assert told[name] == of(body)[name]
        assert told[name]


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
    """A world file can say all that the service answers of a thing, but what follows from where it stands."""
    fields = set(contract["components"]["schemas"][component]["properties"])

    assert fields - set(SCHEMA["$defs"][definition]["properties"]) == not_written
