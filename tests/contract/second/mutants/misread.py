"""Services of authors who read only the specification, which the suite did not notice at first sight."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, Perform, around, bodies, instead, patch, values
from ..service import calendar, checks, labels, pdf, records, workflows
from ..service.app import Call, Refusal
from ..service.checks import uuid

misread = Kind("misread")

MOVES = "Moves start/end and/or changes title/description."


@misread("workflows_create", "Workflow: tags, array of string, each 1-40 chars.")
@values("workflows_create")
def a_tag_with_a_comma_comes_apart(value: Json) -> None:
    tags = value["workflow"]["tags"]
    value["workflow"]["tags"] = ",".join(tags).split(",") if tags else []


@misread("calendar_reschedule", MOVES)
@around("calendar_reschedule")
def a_moved_event_gets_a_new_identifier(perform: Perform, call: Call) -> Any:
    value = perform(call)
    if "start" not in call.body:
        return value
    event = call.world.events.pop((call.project, call.path["eventId"]))
    uid = f"{uuid4().hex}@second"
    call.world.events[call.project, uid] = {**event, "uid": uid}
    return {**value, "bookingUid": uid}


@misread("memory_update", "Slugs may contain `/` for hierarchical paths.")
@around("memory_update")
def a_slug_is_its_last_segment(perform: Perform, call: Call) -> Any:
    return perform(replace(call, path={**call.path, "slug": call.path["slug"].rpartition("/")[2]}))


@misread("memory_update", "Only provided fields are updated; the entry is addressed by slug.")
@around("memory_update")
def a_new_title_makes_a_new_slug(perform: Perform, call: Call) -> Any:
    value = perform(call)
    slug = "-".join(value["entry"]["title"].lower().split())
    if "title" not in call.body or not slug or (call.project, slug) in call.world.memory:
        return value
    entry = {**call.world.memory.pop((call.project, call.path["slug"])), "slug": slug}
    call.world.memory[call.project, slug] = entry
    return {"entry": deepcopy(entry)}


@misread("memory_update", "Only provided fields are updated; the entry is addressed by slug.")
@around("memory_update")
def texts_that_are_not_given_become_null(perform: Perform, call: Call) -> Any:
    perform(call)
    entry = call.world.memory[call.project, call.path["slug"]]
    entry |= {name: None for name in ("title", "description", "content") if name not in call.body}
    return {"entry": deepcopy(entry)}


@misread("memory_update", "A project is the scope of most operations.")
@around("memory_update")
def an_entry_of_another_project_is_updated(perform: Perform, call: Call) -> Any:
    known = {slug: project for project, slug in call.world.memory}
    if call.project in call.world.projects and (owner := known.get(call.path["slug"])):
        entry = perform(replace(call, path={**call.path, "projectId": owner}))["entry"]
        return {"entry": {**entry, "projectId": call.project}}
    return perform(call)


@misread("calendar_book", "If true, the response is 409 if the slot was taken.")
@instead(calendar, "overlaps")
def only_the_first_day_of_an_event_is_taken(_: Any, event: Json, begin: datetime, end: datetime) -> bool:
    return event["begin"] < end and begin < min(event["end"], event["begin"] + timedelta(hours=24))


@misread("memory_update", "The entry is addressed by slug.")
@around("memory_update")
def an_unknown_slug_is_that_of_the_entry_with_its_last_segment(perform: Perform, call: Call) -> Any:
    slug = call.path["slug"]
    known = [own for project, own in call.world.memory if project == call.project]
    ends = [own for own in known if own.rpartition("/")[2] == slug.rpartition("/")[2]]
    return perform(replace(call, path={**call.path, "slug": ends[0] if ends and slug not in known else slug}))


@misread("memory_update", "A project is the scope of most operations.")
@around("memory_update")
def the_entries_of_all_projects_with_the_slug_are_updated(perform: Perform, call: Call) -> Any:
    slug, entries = call.path["slug"], call.world.memory
    for project in call.world.projects:
        if (known := next((entry for (_, own), entry in entries.items() if own == slug), None)) is not None:
            entries.setdefault((project, slug), {**deepcopy(known), "id": f"{slug} of {project}", "projectId": project})
    value = perform(call)
    for (_, own), entry in entries.items():
        entry.update(deepcopy(call.body) if own == slug else {})
    return value


@misread("records_update", "PATCH /projects/{projectId}/object-records/{recordId}")
@instead(records, "apply_changes")
def an_update_changes_all_records_of_the_person(apply: Any, call: Call, record: Json, body: Json) -> None:
    apply(call, record, body)
    for other in call.world.records.values():
        if other.get("personRefId") == record.get("personRefId") is not None:
            other["data"] = deepcopy(record["data"])


@misread("records_create", "When the payload carries matching identity, the service attaches an existing Person.")
@instead(records, "link")
def an_address_within_that_of_a_person_is_theirs(link: Any, call: Call, record: Json, identity: Json) -> None:
    address = records.identity_of(identity)
    known = [own for project, own in call.world.persons if project == call.project and address and address in own]
    link(call, record, {**identity, **({"email": known[0]} if known else {})})


@misread("sidebar_replace", "A user with read access to the underlying resource can still reach it by URL.")
@around("posts_list")
def posts_that_the_sidebar_does_not_show_are_hidden_from_members(perform: Perform, call: Call) -> Any:
    shown = str(call.world.sidebars[call.project])
    if "social" not in shown and call.world.members.get((call.project, call.user)) != "owner":
        raise Refusal(403, "This part of the project is hidden.")
    return perform(call)


@misread("engagement_like", "Body: {accountId: string (uuid)}.")
@around("engagement_like")
def an_account_that_is_no_uuid_is_the_page_of_the_project(perform: Perform, call: Call) -> Any:
    pages = [
        id
        for (project, id), row in call.world.accounts.items()
        if (project, row["platform"]) == (call.project, "pagenet")
    ]
    if pages and isinstance(call.body.get("accountId"), str) and not uuid(call.body["accountId"]):
        return perform(replace(call, body={**call.body, "accountId": pages[0]}))
    return perform(call)


@misread("web_analytics_get_config", "The configuration is null when not configured.")
@around("web_analytics_get_config")
def a_sub_project_shows_the_configuration_of_its_parent(perform: Perform, call: Call) -> Any:
    parent = call.world.projects[call.project].get("parent")
    value = perform(call)
    if value["config"] is None and parent is not None:
        value["config"] = deepcopy(call.world.analytics.get(parent))
    return value


def from_the_second_sheet_on(place: Callable[[int], tuple[Any, Any]]) -> None:
    """Put labels at other places from the second sheet of an export on."""
    sheets, position = pdf.sheets, pdf.position
    begun = [0]

    def of_an_export(lines: list[list[str]], attachments: dict[str, bytes]) -> bytes:
        begun[0] = 0
        return sheets(lines, attachments)

    def placed(number: int) -> tuple[Any, Any]:
        begun[0] += number == 0
        return position(number) if begun[0] == 1 else place(number)

    patch(pdf, "sheets", of_an_export)
    patch(pdf, "position", placed)


@misread("labels_export", "Each label is 5 inches wide and 3.5 inches tall.")
def labels_shrink_from_the_second_sheet_on() -> None:
    x, y = zip(*map(pdf.position, range(pdf.PER_SHEET)), strict=True)
    from_the_second_sheet_on(lambda number: (x[number], f"{y[number]} cm 0.9 0 0 0.9 0 0"))


@misread("labels_export", "Labels are laid out for a 5 x 3.5 inch label stock.")
def labels_overlap_from_the_second_sheet_on() -> None:
    x, y = zip(*map(pdf.position, range(pdf.PER_SHEET)), strict=True)
    from_the_second_sheet_on(lambda number: (x[number] - 36 * (number % 2), y[number]))


@misread("labels_export", "Body: includeUnapproved (boolean).")
@around("labels_export")
def items_that_were_printed_count_as_approved(perform: Perform, call: Call) -> Any:
    reply = perform(call)
    if call.body.get("includeUnapproved"):
        for item in labels.printed(call, call.body):
            item["approved"] = True
    return reply


@misread("workflows_create", "Workflow `description` | at most 1000 characters")
@instead(workflows, "text")
def a_description_has_at_most_1000_bytes(text: Any, least: int = 0, most: int | None = None) -> checks.Check:
    fits = text(least, most)
    return fits if most != 1000 else lambda value: fits(value) and len(value.encode()) <= most


@misread("records_create", "All identifiers are strings.")
@values("records_create")
def an_external_identifier_of_digits_is_a_number(value: Json) -> None:
    external = value["record"]["externalId"]
    if external is not None and re.fullmatch("[0-9]{1,15}", external):
        value["record"]["externalId"] = int(external)


@misread("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
@instead(records, "apply_changes")
def the_last_key_of_a_record_is_not_deleted(apply_changes: Any, call: Call, record: Json, body: Json) -> None:
    before = record["data"]
    apply_changes(call, record, body)
    record["data"] = record["data"] or before


@misread("records_update", "`expectedData` is a JSON containment precondition.")
@instead(records, "stale_data")
def an_expected_value_that_is_false_zero_or_empty_is_none(stale_data: Any, record: Json, body: Json) -> bool:
    expected = body.get("expectedData", {})
    compared = {
        key: value for key, value in expected.items() if value or not isinstance(value, bool | int | float | str)
    }
    return stale_data(record, {**body, "expectedData": compared})


@misread("calendar_book", "end: defaults to start + durationMinutes")
@bodies("calendar_book")
def a_duration_loses_its_whole_days(body: Json) -> None:
    if checks.minutes(body["durationMinutes"]):
        body["durationMinutes"] = timedelta(minutes=body["durationMinutes"]).seconds // 60


@misread("calendar_reschedule", MOVES)
@instead(calendar, "find_event")
def a_new_start_is_compared_with_the_old_end(find_event: Any, call: Call, name: str | None) -> Json:
    event = find_event(call, name)
    if "start" in call.body:
        calendar.require_order(calendar.instant(call.body["start"], call.body.get("timeZone")), event["end"])
    return event


@misread("memory_update", "Memory entry: `metadata` (object).")
@values("memory_update")
def metadata_without_members_is_an_array(value: Json) -> None:
    value["entry"]["metadata"] = value["entry"]["metadata"] or []


@misread("calendar_book", "attendee | object {name: string, email: string (email format), phone: string}")
def an_address_of_an_attendee_has_no_plus() -> None:
    patch(calendar, "email", lambda value: checks.email(value) and "+" not in value)


@misread("records_update", "When either is stale, the response is 409 and the record is unchanged.")
@instead(records, "stale", [])
def a_stale_update_is_accepted_if_it_is_sent_again(refused: list[Json], stale: Any, record: Json, body: Json) -> bool:
    if body in refused or not stale(record, body):
        return False
    refused.append(deepcopy(body))
    return True


@misread("records_update", "`data` is a partial merge.")
@instead(records, "apply_changes", [])
def an_update_is_ignored_as_a_repetition_of_an_earlier_one(
    known: list[Json], apply: Any, call: Call, record: Json, body: Json
) -> None:
    if (repeated := {**body, "of": record["id"]}) not in known:
        known.append(deepcopy(repeated))
        apply(call, record, body)


@misread("memory_update", "Only provided fields are updated.")
@around("memory_update", [])
def an_update_of_an_entry_is_ignored_as_a_repetition(known: list[Json], perform: Perform, call: Call) -> Any:
    update = {**call.body, "of": call.path["slug"]} if isinstance(call.body, dict) else {}
    if update in known:
        return perform(replace(call, body={}))
    known.append(deepcopy(update))
    return perform(call)


@misread("calendar_reschedule", MOVES)
@instead(calendar, "write", {})
def an_event_is_not_moved_back_to_its_first_slot(first: dict[str, Json], write: Any, call: Call, event: Json) -> None:
    booked = first.setdefault(event["uid"], event)
    stored = call.world.events.get((call.project, event["uid"]), event)
    back = all(event[name] == booked[name] for name in ("begin", "end"))
    write(call, {**event, **({name: stored[name] for name in ("begin", "end")} if back else {})})


@misread("calendar_reschedule", "409 when a calendar booking's slot was taken while `conflictCheck` is true.")
@instead(calendar, "taken")
def a_longer_event_is_not_checked(taken: Any, call: Call, *slot: Any, but: str = "") -> bool:
    event = call.world.events.get((call.project, but))
    return bool((event is None or event["begin"] != slot[1]) and taken(call, *slot, but=but))


@misread("calendar_book", "The event is written to the connected external calendar.")
@around("calendar_book", {})
def an_equal_booking_is_the_event_that_was_moved_away(booked: Json, perform: Perform, call: Call) -> Any:
    known = booked.get(repr(call.body), {})
    event = call.world.events.get((call.project, known.get("bookingUid", "")))
    if event is not None and calendar.wire(event["begin"]) != known["start"]:
        return calendar.shown(call, event)
    return booked.setdefault(repr(call.body), perform(call))


@misread("calendar_book", "The event is written to the connected external calendar.")
@instead(calendar, "events_of")
def an_event_with_an_invitation_is_not_busy(events_of: Any, call: Call, name: str) -> list[Json]:
    return [event for event in events_of(call, name) if "email" not in (event["attendee"] or {})]


@misread("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
@instead(labels, "document")
def the_review_has_the_labels_of_the_first_sheet(document: Any, items: list[Json], review: bytes) -> bytes:
    shown = json.loads(review)
    return bytes(document(items, json.dumps({**shown, "items": shown["items"][:4]}).encode()))
