"""Templates of the demo world: one that applies completely, and one with parts that fail."""

from __future__ import annotations

from project_platform_stub.world.domain import Json, Part, Template
from project_platform_stub.world.store import Contents, Project

_WORKFLOW: Json = {
    "description": "Greets every new lead of {{client}}.",
    "tags": ["{{client}}"],
    "triggerTypeSlug": "lead",
    "triggerEventType": "record.created",
    "actions": [{"type": "mail", "to": "{{contactEmail}}"}],
    "triggerCondition": None,
}

_PARTS = (
    Part("objectType", {"slug": "person", "name": "Person"}),  # built in, so it is skipped
    Part("objectType", {"slug": "lead", "name": "Lead of {{client}}", "linksToPerson": True}),
    Part("objectType", {"slug": "campaign", "name": "Campaign"}),
    Part("objectRelation", {"name": "campaign-leads", "from": "campaign", "to": "lead"}),
    Part("role", {"name": "account-manager", "permissions": ["crm_objects:read", "crm_objects:write"]}),
    Part("workflow", {"name": "Welcome to {{client}}", **_WORKFLOW}),
    Part("sidebarSection", {"id": "client", "label": "{{client}}", "items": [{"id": "leads", "label": "Leads"}]}),
    Part("perRoleHide", {"role": "viewer", "item": "leads"}),
)

_FAILING = (
    Part("objectType", {"slug": "order", "name": "Order"}),
    Part("objectRelation", {"name": "order-invoice", "from": "order", "to": "invoice"}),
    Part("role", {"name": "clerk", "permissions": ["orders:write"]}),
    Part("workflow", {"name": "{{greeting}}", **_WORKFLOW, "description": "", "tags": [], "actions": []}),
    Part("perRoleHide", {"role": "clerk", "item": "orders"}),
)


def add_templates(world: Contents, project: Project) -> None:
    """Add the templates; the first one applies completely if its variables have values."""
    for name, variables, parts in (
        ("Agency client", ("client", "contactEmail"), _PARTS),
        ("Shop", ("greeting",), _FAILING),
    ):
        template = Template(world.ids.short("tpl"), name, variables, parts)
        project.templates[template.id] = template
