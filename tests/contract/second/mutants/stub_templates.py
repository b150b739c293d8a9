"""Broken stub servers: what a template applied, and whether the report says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from project_platform_stub.operations import templates
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support import template_parts

from ...suite.mutations.mutation import alter_value, patch, with_body, wrap
from ...suite.mutations.record_updates import keep_what_failed
from ..mutant import Json, Kind

done = Kind("answered and not done", "stub")


report = Kind("template report", "stub")


landed = Kind("what a template applied", "stub")


COUNTS = "`report.counts`: integers `objectTypes`, `objectRelations`, `roles`, `workflows`, `sidebarSections`, `perRoleHides`."


SHOWS = "The report shows what landed and what failed."


CREATED = "A new sub-project is created under the parent project `{projectId}` and the template is applied to it."


VARIABLES = "`variableValues` supplies values for each `{{variable}}` the template declares."


@done("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
def a_refused_application_creates_a_project() -> None:
    """The application of an unknown template is refused after the sub-project was created."""
    keep_what_failed()

    def created(rule: Handler, call: Call) -> Answer:
        if call.path["templateId"] not in call.project.templates:
            templates.new_project(call.world, call.timestamp, call.body["name"], parent=call.project.id)
        return rule(call)

    wrap("templates_apply", created)


def reported(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes the report of a template."""
    report.add(
        name,
        "templates_apply",
        sentence,
        lambda: alter_value("templates_apply", lambda value: change(value["data"]["templateApply"]["report"])),
    )


def moved(counts: Json, one: str, other: str) -> None:
    """Count all parts of one kind as parts of another."""
    counts[other] += counts[one]
    counts[one] = 0


reported("workflows are counted as roles", COUNTS, lambda value: moved(value["counts"], "workflows", "roles"))


reported(
    "relations are counted as types", COUNTS, lambda value: moved(value["counts"], "objectRelations", "objectTypes")
)


reported(
    "sidebar sections are counted as hides",
    COUNTS,
    lambda value: moved(value["counts"], "sidebarSections", "perRoleHides"),
)


reported(
    "types are counted as relations", COUNTS, lambda value: moved(value["counts"], "objectTypes", "objectRelations")
)


reported("roles are counted as types", COUNTS, lambda value: moved(value["counts"], "roles", "objectTypes"))


reported(
    "roles are not counted",
    COUNTS,
    lambda value: value.update(
        appliedCount=value["appliedCount"] - value["counts"]["roles"], counts={**value["counts"], "roles": 0}
    ),
)


reported(
    "types are not counted",
    COUNTS,
    lambda value: value.update(
        appliedCount=value["appliedCount"] - value["counts"]["objectTypes"],
        counts={**value["counts"], "objectTypes": 0},
    ),
)


reported("only the first failure is listed", SHOWS, lambda value: value.update(failures=value["failures"][:1]))


reported("skipped parts are not listed", SHOWS, lambda value: value.update(skipped=[]))


reported(
    "all failures have the name of the first",
    SHOWS,
    lambda value: value.update(failures=[{**part, "name": value["failures"][0]["name"]} for part in value["failures"]]),
)


reported(
    "kind and name of failures are swapped",
    "`report.failures`: array of {entity, name, error, code}.",
    lambda value: value.update(
        failures=[{**part, "entity": part["name"], "name": part["entity"]} for part in value["failures"]]
    ),
)


reported(
    "error and code of failures are swapped",
    "`report.failures`: array of {entity, name, error, code}.",
    lambda value: value.update(
        failures=[{**part, "error": part["code"], "code": part["error"]} for part in value["failures"]]
    ),
)


reported(
    "failures are counted as applied",
    SHOWS,
    lambda value: value.update(appliedCount=value["appliedCount"] + len(value["failures"])),
)


def applying(name: str, sentence: str, kind: str) -> None:
    """Register a mutant that counts the parts of a kind without applying them."""

    def skip(body: Json, project: Any, call: Call) -> None:
        """Do nothing."""

    landed.add(name, "templates_apply", sentence, lambda: template_parts._APPLIERS.update({kind: skip}))


applying("workflows of a template are counted and not applied", CREATED, "workflow")


applying("sidebar sections of a template are counted and not applied", CREATED, "sidebarSection")


applying("hides of a template are counted and not applied", CREATED, "perRoleHide")


@landed("templates_apply", VARIABLES)
def only_the_first_variable_is_replaced() -> None:
    values(lambda given: dict(list(given.items())[:1]))


@landed("templates_apply", VARIABLES)
def values_of_variables_are_in_lower_case() -> None:
    values(lambda given: {name: value.lower() if isinstance(value, str) else value for name, value in given.items()})


@landed("templates_apply", VARIABLES)
def values_of_variables_are_swapped() -> None:
    values(lambda given: dict(zip(given, reversed(given.values()), strict=True)))


@landed("templates_apply", VARIABLES)
def values_of_variables_are_those_of_the_first_application() -> None:
    first: dict[str, Any] = {}

    def cached(given: Json) -> Json:
        for name, value in given.items():
            first.setdefault(name, value)
        return {name: first[name] for name in given}

    values(cached)


def values(change: Callable[[Json], Json]) -> None:
    """Change the values that are inserted; the report is not affected, unless a value is missing."""
    wrap(
        "templates_apply",
        lambda rule, call: rule(with_body(call, variableValues=change(call.body.get("variableValues", {})))),
    )


@landed("templates_apply", CREATED)
def a_sub_project_is_created_under_its_sibling() -> None:
    create = templates.new_project

    def sibling(world: Any, created_at: str, name: str, *, parent: str) -> Any:
        other = next((id for id, project in world.projects.items() if project.parent == parent), parent)
        return create(world, created_at, name, parent=other)

    patch(templates, "new_project", sibling)


@landed("templates_apply", CREATED)
def a_template_is_applied_to_the_parent_as_well() -> None:
    apply_parts = templates.apply_parts

    def both(template: Any, given: Json, project: Any, call: Call) -> Any:
        result = apply_parts(template, given, project, call)
        apply_parts(template, given, call.project, call)
        return result

    patch(templates, "apply_parts", both)
