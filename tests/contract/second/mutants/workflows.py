"""Workflows that are created in another way than requested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import workflows
from ..service.app import Refusal
from ..service.workflows import is_real

fields = Kind("fields of the answer")

WORKFLOW = "Response: `{workflow: Workflow}`."
REAL = (
    "Creation by a service account is rejected, because the executor needs an unambiguous principal at dispatch time."
)


def workflow(name: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes the workflow of a response."""
    fields.add(
        name,
        "workflows_create",
        WORKFLOW,
        lambda: alter_value("workflows_create", lambda value: change(value["workflow"])),
    )


def text(field: str, change: Callable[[str], str]) -> Callable[[Json], None]:
    """Return a function that changes a text of a workflow."""
    return lambda value: value.update({field: change(value[field])}) if isinstance(value.get(field), str) else None


def tags(change: Callable[[list[str]], list[str]]) -> Callable[[Json], None]:
    """Return a function that changes the tags of a workflow."""
    return lambda value: value.update(tags=change(value["tags"]))


workflow(
    "type and event of a workflow are swapped",
    lambda value: value.update(triggerTypeSlug=value["triggerEventType"], triggerEventType=value["triggerTypeSlug"]),
)
workflow("the event type of a workflow has no dots", text("triggerEventType", lambda value: value.replace(".", "_")))
workflow("the trigger type of a workflow is in lower case", text("triggerTypeSlug", str.lower))
workflow("the name of a workflow is trimmed", text("name", str.strip))
workflow(
    "the name of a workflow is escaped", text("name", lambda value: value.replace("&", "&amp;").replace("<", "&lt;"))
)
workflow("the description of a workflow is cut after 255 characters", text("description", lambda value: value[:255]))
workflow("tags are in lower case", tags(lambda values: [value.lower() for value in values]))
workflow("tags are sorted", tags(sorted))
workflow("tags are trimmed", tags(lambda values: [value.strip() for value in values]))
workflow("the project of a workflow has no dashes", text("projectId", lambda value: value.replace("-", "")))
workflow("the time of the last change of a workflow has no T", lambda value: value.update(updatedAt="2031-05-01 10:00"))


@fields("workflows_create", WORKFLOW)
def every_workflow_has_the_same_identifier() -> None:
    alter_value("workflows_create", lambda value: value["workflow"].update(id="wfl_1"))


@fields("workflows_create", "A project is the scope for most operations")
def workflows_are_created_in_the_first_project_of_the_caller() -> None:
    def first(perform: Any, call: Any) -> Any:
        value = perform(call)
        value["workflow"]["projectId"] = next(project for project, user in call.world.members if user == call.user)
        return value

    wrap("workflows_create", first)


@fields("workflows_create", REAL)
def a_service_account_may_create_inactive_workflows() -> None:
    def real(call: Any) -> bool:
        return is_real(call) or call.body.get("isActive") is False

    patch(workflows, "is_real", real)


@fields("workflows_create", REAL)
def a_service_account_may_create_workflows_without_actions() -> None:
    def real(call: Any) -> bool:
        return is_real(call) or not call.body.get("actions")

    patch(workflows, "is_real", real)


@fields("workflows_create", "retained for backward compatibility")
def the_active_flag_is_refused() -> None:
    def refused(perform: Any, call: Any) -> Any:
        if call.body.get("isActive"):
            raise Refusal(422, "isActive is no longer supported; use drafts.")
        return perform(call)

    wrap("workflows_create", refused)
