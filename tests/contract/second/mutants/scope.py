"""Resources of one project that another one reaches, and identifiers that are compared loosely."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import app, calendar, labels, listings, records, settings, templates, world
from ..service.app import Call, Refusal

scope = Kind("resources of another project")


paths = Kind("identifiers in paths")


SCOPE = "A project is the scope for most operations"


UUID = "`{projectId}` is a UUID."


def anywhere(table: str, name: str, operation: str, key: str) -> None:
    """Register a mutant that finds a resource in all projects."""

    def found(perform: Any, call: Call) -> Any:
        rows: dict[tuple[str, str], Json] = getattr(call.world, table)
        for project, id in list(rows):
            if id == call.path[key] and project != call.project:
                call.path["projectId"] = project
        return perform(call)

    scope.add(name, operation, SCOPE, lambda: wrap(operation, found))


anywhere("records", "a record is updated through every project", "records_update", "recordId")


anywhere("events", "an event is moved through every project", "calendar_reschedule", "eventId")


anywhere("templates", "a template is applied through every project", "templates_apply", "templateId")


@scope("calendar_busy", SCOPE)
def a_calendar_of_another_project_is_read() -> None:
    calendars_everywhere("calendar_busy")


@scope("calendar_book", SCOPE)
def a_calendar_of_another_project_is_written_to() -> None:
    calendars_everywhere("calendar_book")


def calendars_everywhere(operation: str) -> None:
    """Let an operation use the calendars of all projects."""

    def found(perform: Any, call: Call) -> Any:
        id = (call.body or call.query).get("calendarId")
        for project, calendars in call.world.calendars.items():
            if any(known["id"] == id for known in calendars):
                call.path["projectId"] = project
        return perform(call)

    wrap(operation, found)


@scope("calendar_busy", SCOPE)
def busy_intervals_are_those_of_all_projects() -> None:
    patch(calendar, "events_of", lambda call, calendar_id: list(call.world.events.values()))


@scope("calendar_busy", SCOPE)
def every_project_has_the_calendar_of_the_first() -> None:
    def first(perform: Any, call: Call) -> Any:
        call.path["projectId"] = world.HOME
        return perform(call)

    wrap("calendar_busy", first)


@scope("calendar_book", SCOPE)
def events_are_booked_in_the_first_project() -> None:
    def first(perform: Any, call: Call) -> Any:
        call.path["projectId"] = world.HOME
        return perform(call)

    wrap("calendar_book", first)


@scope("records_create", SCOPE)
def records_are_created_in_the_first_project() -> None:
    def first(perform: Any, call: Call) -> Any:
        call.path["projectId"] = world.HOME
        return perform(call)

    wrap("records_create", first)


@scope("labels_export", SCOPE)
def labels_of_menu_items_of_another_project_are_printed() -> None:
    printed = labels.printed

    def everywhere(call: Call, body: Json) -> list[Json]:
        call.path["projectId"] = world.HOME
        return printed(call, body)

    patch(labels, "printed", everywhere)


@scope("agents_list", SCOPE)
def agents_of_all_projects_of_the_caller_are_listed() -> None:
    def all_agents(call: Call) -> list[Json]:
        return [
            agent for project, user in call.world.members if user == call.user for agent in call.world.agents[project]
        ]

    patch(listings, "agents_of", all_agents)


@scope("agents_list", SCOPE)
def the_agents_of_a_project_include_those_of_the_next() -> None:
    agents_of = listings.agents_of
    patch(
        listings,
        "agents_of",
        lambda call: [
            *agents_of(call),
            *call.world.agents[world.OTHER if call.project == world.HOME else world.HOME][:1],
        ],
    )


@scope("posts_list", SCOPE)
def posts_of_all_projects_are_listed() -> None:
    patch(listings, "posts_of", lambda call: list(call.world.posts.values()))


@scope("posts_list", SCOPE)
def posts_of_all_projects_are_listed_as_those_of_this_one() -> None:
    patch(
        listings, "posts_of", lambda call: [{**post, "projectId": call.project} for post in call.world.posts.values()]
    )


@scope("web_analytics_get_config", SCOPE)
def a_project_without_a_configuration_inherits_one() -> None:
    alter_value(
        "web_analytics_get_config",
        lambda value: value.update(
            config=value["config"] or {"id": "wa-0", "projectId": world.FOREIGN, "enabled": True}
        ),
    )


def any_project(name: str, operation: str, pattern: str) -> None:
    """Register a mutant for which some identifiers that are no UUIDs mean the first project of the caller."""

    def apply() -> None:
        enter = app.enter

        def entered(call: Call) -> None:
            if call.operation == operation and re.fullmatch(pattern, call.path["projectId"]):
                call.path["projectId"] = next(project for project, user in call.world.members if user == call.user)
            enter(call)

        patch(app, "enter", entered)

    paths.add(name, operation, UUID, apply)


any_project("workflows are created in a project that is a word", "workflows_create", "[a-z]+")


any_project("records are created in a project that is a number", "records_create", "[0-9]+")


any_project("records are updated in a project that is a number", "records_update", "[0-9]+")


any_project("events are booked in a project that is a word", "calendar_book", "[a-z]+")


any_project("events are moved in a project with a longer identifier", "calendar_reschedule", ".{37,}")


any_project("the sidebar is replaced in a project with a longer identifier", "sidebar_replace", ".{37,}")


any_project("memory is updated in a project that is a word", "memory_update", "[a-z]+")


any_project("a template is applied in a project with a longer identifier", "templates_apply", ".{37,}")


any_project("a post is liked in a project that is a number", "engagement_like", "[0-9]+")


@paths("records_update", "`PATCH /projects/{projectId}/object-records/{recordId}`")
def a_record_is_found_by_the_beginning_of_its_identifier() -> None:
    def found(call: Call) -> Json:
        for (project, id), record in call.world.records.items():
            if project == call.project and (
                id.startswith(call.path["recordId"]) or call.path["recordId"].startswith(id)
            ):
                return record
        raise Refusal(404, "There is no such record.")

    patch(records, "find_record", found)


def entry(name: str, same: Callable[[str, str], bool]) -> None:
    """Register a mutant that compares slugs in another way."""

    def found(call: Call) -> Json:
        for (project, slug), value in call.world.memory.items():
            if project == call.project and same(slug, call.path["slug"]):
                return value
        raise Refusal(404, "There is no such entry.")

    paths.add(name, "memory_update", "the entry is addressed by slug", lambda: patch(settings, "find_entry", found))


entry(
    "an entry is found by the last part of its slug",
    lambda have, want: have.rpartition("/")[2] == want.rpartition("/")[2],
)


entry("an entry is found by a slug with more", lambda have, want: want.startswith(have))


@paths("templates_apply", "`POST /projects/{projectId}/templates/{templateId}/apply`")
def an_unknown_template_is_the_first_one() -> None:
    patch(templates, "find_template", lambda call: next(iter(call.world.templates.values())))
