"""Workflows that are created in another way than requested, or by callers that may not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import checks, workflows
from ..service.app import Call

created = Kind("created workflow")

BODY = "Body: `name`, `triggerTypeSlug`, `triggerEventType`, `actions` (array), `description`, `tags` (array of string), `triggerCondition` (any), `isActive` (boolean)."
NAME = "Workflow `name` | 1-200 characters"
TAGS = "Workflow `tags` | at most 12 items, each 1-40 characters"
REAL = "A real user identity is required. Creation by a service account is rejected, because the executor needs an unambiguous principal at dispatch time."


def stored(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that answers another workflow, which it changes in place."""
    created.add(
        name,
        "workflows_create",
        sentence,
        lambda: alter_value("workflows_create", lambda value: change(value["workflow"])),
    )


@created("workflows_create", NAME)
def names_are_limited_by_their_bytes() -> None:
    def text(least: int = 0, most: int | None = None) -> checks.Check:
        check = checks.text(least, most)
        return lambda value: check(value) and (most != 200 or len(value.encode("utf-8", "surrogatepass")) <= most)

    patch(workflows, "text", text)


@created("workflows_create", TAGS)
def the_limit_of_tags_counts_equal_ones_once() -> None:
    def array(item: checks.Check, most: int | None = None) -> checks.Check:
        every = checks.array(item)
        return lambda value: every(value) and (most is None or len(set(map(repr, value))) <= most)

    patch(workflows, "array", array)


@created("workflows_create", TAGS)
def empty_tags_are_dropped() -> None:
    alter_body("workflows_create", lambda body: body.update(tags=[tag for tag in body["tags"] if tag != ""]))


stored(
    "names of workflows have at most 191 characters",
    NAME,
    lambda workflow: workflow.update(name=workflow["name"][:191]),
)


stored(
    "tags are stored in one column with commas",
    BODY,
    lambda workflow: workflow.update(tags=",".join(workflow["tags"]).split(",") if workflow["tags"] else []),
)


@created("workflows_create", BODY)
def conditions_that_are_falsy_are_null() -> None:
    alter_body("workflows_create", lambda body: body.update(triggerCondition=body["triggerCondition"] or None))


@created("workflows_create", BODY)
def conditions_that_are_text_are_parsed() -> None:
    def no_constant(name: str) -> None:
        raise ValueError(name)

    def parsed(body: Json) -> None:
        if isinstance(body["triggerCondition"], str):
            body["triggerCondition"] = json.loads(body["triggerCondition"], parse_constant=no_constant)

    alter_body("workflows_create", parsed)


@created("workflows_create", REAL)
def service_accounts_may_create_inactive_workflows() -> None:
    real = workflows.is_real
    patch(workflows, "is_real", lambda call: real(call) or call.body.get("isActive") is False)


@created("workflows_create", "projectId | string (uuid)")
def workflows_belong_to_the_first_project_of_the_caller() -> None:
    def moved(perform: Any, call: Call) -> Any:
        value = perform(call)
        first = next(project for project, user in call.world.members if user == call.user)
        return {"workflow": {**value["workflow"], "projectId": first}}

    wrap("workflows_create", moved)


@created("workflows_create", BODY)
def a_workflow_with_a_known_name_is_answered_as_it_is() -> None:
    known: dict[tuple[str, str], Any] = {}

    def found(perform: Any, call: Call) -> Any:
        value = perform(call)
        return known.setdefault((call.project, value["workflow"]["name"]), value)

    wrap("workflows_create", found)


@created("workflows_create", BODY)
def actions_are_added_to_those_of_earlier_workflows() -> None:
    actions: list[Any] = []

    def added(perform: Any, call: Call) -> Any:
        value = perform(call)
        actions.extend(value["workflow"]["actions"])
        return {"workflow": {**value["workflow"], "actions": list(actions)}}

    wrap("workflows_create", added)
