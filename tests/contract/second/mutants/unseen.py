"""Broken stub servers: titles, attendees, invitations, relations and applied templates, which no operation shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from project_platform_stub.operations import Call, Handler, Result, calendar, records, templates
from project_platform_stub.operations.support import template_parts

from ..mutant import Json, Kind, decorating, instead, patch
from ..stub import idle, if_refused, with_body, without, wrap

done = Kind("answered and not done", "stub")
events = Kind("what an event is", "stub")
invitations = Kind("invitations", "stub")
landed = Kind("what a template applied", "stub")

CREATED = "A new sub-project is created under the parent project `{projectId}` and the template is applied to it."
CHANGES = "moves start/end and/or changes title/description."
INVITED = "When an attendee email is supplied, a real invitation is sent to that attendee."
NOTIFIED = "Attendees are re-notified unless `notifyAttendees` is false."
STALE = "the response is 409 and the record is unchanged"

mail = calendar._mail

for operation, sentence in (
    ("engagement_like", "Like a published page post as the page."),
    ("sidebar_replace", "The entire section list of the project is replaced."),
    ("workflows_create", "Create workflows."),
    ("templates_apply", CREATED),
    ("calendar_book", "The event is written to the connected external calendar."),
):
    done.add(f"{operation} does nothing", operation, sentence, idle(operation))


@done("engagement_like", "Like a published page post as the page.")
@decorating(partial(wrap, "engagement_like"))
def a_like_is_given_to_the_first_post(rule: Handler, call: Call) -> Result:
    value = rule(call)
    (_, like) = call.project.likes.popitem()
    post = next(id for id in call.project.posts if id != like["postId"])
    call.project.likes[f"{post} {like['accountId']}"] = {**like, "postId": post}
    return value


@done("records_update", STALE)
@decorating(partial(if_refused, "records_update", 409))
def a_stale_update_changes_the_relations(call: Call) -> None:
    call.project.relations[call.path["recordId"]] = call.body.get("relations", {"changed": ["yes"]})


@done("records_update", STALE)
@decorating(partial(if_refused, "records_update", 409))
def a_stale_update_of_a_linked_record_creates_a_person(call: Call) -> None:
    record = call.project.records[call.path["recordId"]]
    data = call.body.get("data", {})
    person = records._person(call, call.project.object_types[record["typeSlug"]], data, data)
    call.project.records[record["id"]] = {**record, "personRefId": person or record["personRefId"]}


@done("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
@decorating(partial(if_refused, "templates_apply", 404))
def a_refused_application_creates_a_project(call: Call) -> None:
    templates.new_project(call.world, call.timestamp, call.body["name"], parent=call.project.id)


@events("calendar_book", "Body: description (string), attendee (object).")
@decorating(partial(wrap, "calendar_book"))
def the_description_of_a_booking_is_lost_with_an_attendee(rule: Handler, call: Call) -> Any:
    return rule(without(call, "description") if "attendee" in call.body else call)


@events("calendar_reschedule", CHANGES)
@decorating(partial(wrap, "calendar_reschedule"))
def a_silent_update_loses_the_title(rule: Handler, call: Call) -> Any:
    return rule(without(call, "summary") if call.body.get("notifyAttendees") is False else call)


@events("calendar_reschedule", CHANGES)
@decorating(partial(wrap, "calendar_reschedule"))
def a_move_loses_the_attendee(rule: Handler, call: Call) -> Result:
    value = rule(call)
    event = call.project.events[call.path["eventId"]]
    call.project.events[event.uid] = replace(event, attendee=None)
    return value


@events("calendar_reschedule", "`conflictCheck` (boolean)")
@decorating(partial(if_refused, "calendar_reschedule", 409))
def a_move_that_was_refused_changes_the_title(call: Call) -> None:
    event = call.project.events[call.path["eventId"]]
    summary = call.body.get("summary", f"{event.summary} (conflict)")
    call.project.events[event.uid] = replace(event, summary=summary)


def mailing(name: str, operation: str, sentence: str, send: Callable[[Any, Any, str], bool]) -> None:
    """Register a mutant that sends only some messages."""

    def sent(call: Call, event: Any, kind: str) -> None:
        if send(call, event, kind):
            mail(call, event, kind)

    invitations.add(name, operation, sentence, lambda: patch(calendar, "_mail", sent))


mailing(
    "no invitation is sent without a conflict check",
    "calendar_book",
    INVITED,
    lambda call, event, kind: call.body.get("conflictCheck") is not False,
)
mailing(
    "a second invitation to the same address is not sent",
    "calendar_book",
    INVITED,
    lambda call, event, kind: (
        kind == "update"
        or not any(sent.to == event.attendee.get("email") for sent in call.world.outbox if event.attendee)
    ),
)


@invitations("calendar_reschedule", NOTIFIED)
def attendees_are_notified_although_the_move_was_refused() -> None:
    if_refused("calendar_reschedule", 409, lambda call: mail(call, call.project.events[call.path["eventId"]], "update"))


@invitations("calendar_reschedule", NOTIFIED)
@decorating(partial(wrap, "calendar_reschedule"))
def attendees_are_notified_of_a_silent_move_of_the_end(rule: Handler, call: Call) -> Any:
    return rule(with_body(call, notifyAttendees=True) if "start" not in call.body and "end" in call.body else call)


@invitations("calendar_book", INVITED)
def everybody_who_was_invited_before_is_invited_again() -> None:
    def sent(call: Call, event: Any, kind: str) -> None:
        for address in {known.to for known in call.world.outbox}:
            mail(call, replace(event, attendee={"email": address}), kind)
        mail(call, event, kind)

    patch(calendar, "_mail", sent)


@landed("templates_apply", CREATED)
def workflows_of_a_template_are_counted_and_not_applied() -> None:
    def skip(body: Json, project: Any, call: Call) -> bool:
        return True

    template_parts.APPLIERS.update(workflow=skip)


@landed("templates_apply", "`variableValues` supplies values for each `{{variable}}` the template declares.")
def values_of_variables_are_those_of_the_first_application() -> None:
    first: dict[str, Any] = {}

    def cached(given: Json) -> Json:
        return {name: first.setdefault(name, value) for name, value in given.items()}

    wrap(
        "templates_apply",
        lambda rule, call: rule(with_body(call, variableValues=cached(call.body.get("variableValues", {})))),
    )


@landed("templates_apply", CREATED)
@instead(templates, "new_project")
def a_sub_project_is_created_under_its_sibling(
    create: Any, world: Any, created_at: str, name: str, *, parent: str
) -> Any:
    other = next((id for id, project in world.projects.items() if project.parent == parent), parent)
    return create(world, created_at, name, parent=other)
