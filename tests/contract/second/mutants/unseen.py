"""Broken stub servers: titles, attendees, invitations, relations and applied templates, which no operation shows."""

from dataclasses import replace
from functools import partial

from project_platform_stub.operations import calendar, records, templates
from project_platform_stub.operations.support import template_parts

from ..mutant import Kind, instead
from ..stub import around, idle, if_refused, without
from .sentences import BOOKED, INVITED, LIKE, MOVES, NOTIFIED, SECTIONS, STALE, SUB_PROJECT, SUB_PROJECTS, VARIABLES

mutant = Kind("what no operation shows", "stub")


for operation, sentence in (
    ("engagement_like", LIKE),
    ("sidebar_replace", SECTIONS),
    ("workflows_create", "Create workflows."),
    ("templates_apply", SUB_PROJECT),
    ("calendar_book", BOOKED),
):
    mutant.add(f"{operation} does nothing", sentence, operation, partial(around(operation), idle))


@mutant.change(LIKE, "engagement_like", at=around("engagement_like"))
def a_like_is_given_to_the_first_post(rule, call):
    value = rule(call)
    (_, like) = call.project.likes.popitem()
    post = next(id for id in call.project.posts if id != like["postId"])
    call.project.likes[f"{post} {like['accountId']}"] = {**like, "postId": post}
    return value


@mutant.change(STALE, "records_update", at=if_refused("records_update", 409))
def a_stale_update_changes_the_relations(call):
    call.project.relations[call.path["recordId"]] = call.body.get("relations", {"changed": ["yes"]})


@mutant.change(STALE, "records_update", at=if_refused("records_update", 409))
def a_stale_update_of_a_linked_record_creates_a_person(call):
    record = call.project.records[call.path["recordId"]]
    data = call.body.get("data", {})
    person = records._person(call, call.project.object_types[record["typeSlug"]], data, data)
    call.project.records[record["id"]] = {**record, "personRefId": person or record["personRefId"]}


@mutant.change(SUB_PROJECTS, "templates_apply", at=if_refused("templates_apply", 404))
def a_refused_application_creates_a_project(call):
    templates.new_project(call.world, call.timestamp, call.body["name"], parent=call.project.id)


@mutant.change("Body: description (string), attendee (object).", "calendar_book", at=around("calendar_book"))
def the_description_of_a_booking_is_lost_with_an_attendee(rule, call):
    return rule(without(call, "description") if "attendee" in call.body else call)


@mutant.change(MOVES, "calendar_reschedule", at=around("calendar_reschedule"))
def a_silent_update_loses_the_title(rule, call):
    return rule(without(call, "summary") if call.body.get("notifyAttendees") is False else call)


@mutant.change(MOVES, "calendar_reschedule", at=around("calendar_reschedule"))
def a_move_loses_the_attendee(rule, call):
    value = rule(call)
    event = call.project.events[call.path["eventId"]]
    call.project.events[event.uid] = replace(event, attendee=None)
    return value


@mutant.change("`conflictCheck` (boolean)", "calendar_reschedule", at=if_refused("calendar_reschedule", 409))
def a_move_that_was_refused_changes_the_title(call):
    event = call.project.events[call.path["eventId"]]
    summary = call.body.get("summary", f"{event.summary} (conflict)")
    call.project.events[event.uid] = replace(event, summary=summary)


@mutant.change(INVITED, "calendar_book", at=instead(calendar, "_mail"))
def no_invitation_is_sent_without_a_conflict_check(mail, call, event, kind):
    if call.body.get("conflictCheck") is not False:
        mail(call, event, kind)


@mutant.change(INVITED, "calendar_book", at=instead(calendar, "_mail"))
def a_second_invitation_to_the_same_address_is_not_sent(mail, call, event, kind):
    known = {sent.to for sent in call.world.outbox}
    if kind == "update" or not event.attendee or event.attendee.get("email") not in known:
        mail(call, event, kind)


@mutant.change(NOTIFIED, "calendar_reschedule", at=if_refused("calendar_reschedule", 409))
def attendees_are_notified_although_the_move_was_refused(call):
    calendar._mail(call, call.project.events[call.path["eventId"]], "update")


@mutant.change(NOTIFIED, "calendar_reschedule", at=around("calendar_reschedule"))
def attendees_are_notified_of_a_silent_move_of_the_end(rule, call):
    moves_the_end = "start" not in call.body and "end" in call.body
    return rule(replace(call, body={**call.body, "notifyAttendees": True}) if moves_the_end else call)


@mutant.change(INVITED, "calendar_book", at=instead(calendar, "_mail"))
def everybody_who_was_invited_before_is_invited_again(mail, call, event, kind):
    for address in {known.to for known in call.world.outbox}:
        mail(call, replace(event, attendee={"email": address}), kind)
    mail(call, event, kind)


@mutant(SUB_PROJECT, "templates_apply")
def workflows_of_a_template_are_counted_and_not_applied():
    template_parts.APPLIERS.update(workflow=lambda body, project, call: True)


@mutant.change(VARIABLES, "templates_apply", at=around("templates_apply"), memory={})
def values_of_variables_are_those_of_the_first_application(first, rule, call):
    given = call.body.get("variableValues", {})
    values = {name: first.setdefault(name, value) for name, value in given.items()}
    return rule(replace(call, body={**call.body, "variableValues": values}))


@mutant.change(SUB_PROJECT, "templates_apply", at=instead(templates, "new_project"))
def a_sub_project_is_created_under_its_sibling(create, world, created_at, name, *, parent):
    other = next((id for id, project in world.projects.items() if project.parent == parent), parent)
    return create(world, created_at, name, parent=other)
