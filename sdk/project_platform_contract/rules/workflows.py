"""Endpoints 2: create a workflow."""

from __future__ import annotations

from typing import Final

from .rule import Rule

_LIMITS: Final = (
    ("name", "A name of 1 to 200 characters is taken; an empty one and a longer one are refused."),
    (
        "trigger-type-slug",
        "A triggerTypeSlug of 1 to 120 characters is taken; an empty one and a longer one are refused.",
    ),
    (
        "trigger-event-type",
        "A triggerEventType of 1 to 120 characters is taken; an empty one and a longer one are refused.",
    ),
    ("description", "A description of 1000 characters is taken; a longer one is refused."),
    ("tags", "12 tags are taken; 13 are refused."),
    ("tag-length", "A tag of 1 to 40 characters is taken; an empty one and a longer one are refused."),
)

RULES = (
    Rule(
        "fields.workflow.types",
        "The fields of a workflow are of the types that are stated; its revision is text.",
        "Resources, Workflow; Versioning",
        "workflows_create",
        "write",
    ),
    Rule(
        "states.workflow-active",
        "A workflow is active or not as isActive says when it is created.",
        "States; Endpoints 2, rules",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.answers-workflow",
        "The answer is the new workflow, in the project and with what was given.",
        "Endpoints 2, response",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.trigger-condition",
        "triggerCondition is any JSON, and comes back as it was given.",
        "Endpoints 2, body",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.body-types",
        "Fields of a workflow that are not of their types are refused.",
        "Endpoints 2, body",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.service-account-refused",
        "A workflow is created by a real user: a service account is refused.",
        "Endpoints 2, rules; Authentication 3",
        "workflows_create",
        "write",
    ),
    *(
        Rule(f"workflows.limits.{field}", statement, "Limits; Resources, Workflow", "workflows_create", "write")
        for field, statement in _LIMITS
    ),
)
