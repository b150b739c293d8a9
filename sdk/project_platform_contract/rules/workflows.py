"""Endpoints 2: create a workflow."""

from __future__ import annotations

from typing import Final

from .rule import Rule

_LIMITS: Final = (
    ("name", "A name of 1 to 200 characters is accepted; an empty or a longer one is refused."),
    (
        "trigger-type-slug",
        "A triggerTypeSlug of 1 to 120 characters is accepted; an empty or a longer one is refused.",
    ),
    (
        "trigger-event-type",
        "A triggerEventType of 1 to 120 characters is accepted; an empty or a longer one is refused.",
    ),
    ("description", "A description of 1000 characters is accepted; a longer one is refused."),
    ("tags", "12 tags are accepted; 13 are refused."),
    ("tag-length", "A tag of 1 to 40 characters is accepted; an empty or a longer one is refused."),
)

RULES = (
    Rule(
        "fields.workflow.types",
        "The fields of a workflow have the documented types; its revision is a string.",
        "Resources, Workflow; Versioning",
        "workflows_create",
        "write",
    ),
    Rule(
        "states.workflow-active",
        "A new workflow is active as isActive in the request says; what holds without it is not specified.",
        "States; Endpoints 2, rules",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.answers-workflow",
        "The response is the new workflow, with the project and the fields of the request.",
        "Endpoints 2, response",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.concurrent",
        "Workflows that are created at the same time have identifiers and fields of their own.",
        "Endpoints 2, response",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.stored",
        "A new workflow is stored as the response shows it, and a refused one is not stored.",
        "Endpoints 2, response",
        "workflows_create",
        "write",
    ),
    Rule(
        "workflows.create.time",
        "createdAt and updatedAt of a new workflow are the time of its creation, whatever their offset.",
        "Resources, Workflow",
        "workflows_create",
        "write",
        inferred=True,
    ),
    Rule(
        "workflows.create.trigger-condition",
        "triggerCondition is any JSON, and is returned unchanged, whichever other fields a workflow has.",
        "Endpoints 2, body",
        "workflows_create",
        "write",
        inferred=True,
    ),
    Rule(
        "workflows.create.texts-unchanged",
        "Blanks at the beginning and the end of a name, a description or a tag are kept, as are an empty description and the case of triggers.",
        "Endpoints 2, body; Resources, Workflow",
        "workflows_create",
        "write",
        inferred=True,
    ),
    Rule(
        "workflows.create.actions",
        "Actions that are accepted are returned unchanged and in their order.",
        "Endpoints 2, body",
        "workflows_create",
        "write",
        inferred=True,
    ),
    Rule(
        "workflows.create.body-types",
        "Fields of another type are refused.",
        "Endpoints 2, body",
        "workflows_create",
        "write",
        inferred=True,
    ),
    Rule(
        "workflows.create.service-account-refused",
        "Only a real user can create a workflow: a service account is refused.",
        "Endpoints 2, rules; Authentication 3",
        "workflows_create",
        "write",
    ),
    *(
        Rule(f"workflows.limits.{field}", statement, "Limits; Resources, Workflow", "workflows_create", "write")
        for field, statement in _LIMITS
    ),
    Rule(
        "workflows.limits.together",
        "A workflow may have all fields at their limits, whatever their characters; with one more in any of them it is refused.",
        "Limits; Resources, Workflow",
        "workflows_create",
        "write",
    ),
)
