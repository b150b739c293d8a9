"""Services of authors who read only the specification, which the suite did not notice at first sight."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, Perform, alter_body, alter_value, patch, wrap
from ..service import calendar, checks, labels, pdf, records, workflows
from ..service.app import Call
from ..service.checks import uuid

misread = Kind("misread")

MOVES = "Moves start/end and/or changes title/description."


@misread("workflows_create", "Workflow: tags, array of string, each 1-40 chars.")
def a_tag_with_a_comma_comes_apart() -> None:
    def joined(value: Json) -> None:
        tags = value["workflow"]["tags"]
        value["workflow"]["tags"] = ",".join(tags).split(",") if tags else []

    alter_value("workflows_create", joined)


@misread("calendar_reschedule", "Response: booking result.")
def a_moved_event_has_no_link() -> None:
    alter_value("calendar_reschedule", lambda value: value.pop("htmlLink"))


@misread("calendar_reschedule", MOVES)
def a_moved_event_gets_a_new_identifier() -> None:
    def renewed(perform: Perform, call: Call) -> Any:
        value = perform(call)
        if "start" not in call.body:
            return value
        event = call.world.events.pop((call.project, call.path["eventId"]))
        uid = f"{uuid4().hex}@second"
        call.world.events[call.project, uid] = {**event, "uid": uid}
        return {**value, "bookingUid": uid}

    wrap("calendar_reschedule", renewed)


@misread("memory_update", "Slugs may contain `/` for hierarchical paths.")
def a_slug_is_its_last_segment() -> None:
    wrap(
        "memory_update",
        lambda perform, call: perform(replace(call, path={**call.path, "slug": call.path["slug"].rpartition("/")[2]})),
    )


@misread("memory_update", "Only provided fields are updated; the entry is addressed by slug.")
def a_new_title_makes_a_new_slug() -> None:
    def renamed(perform: Perform, call: Call) -> Any:
        value = perform(call)
        slug = "-".join(value["entry"]["title"].lower().split())
        if "title" not in call.body or not slug or (call.project, slug) in call.world.memory:
            return value
        entry = {**call.world.memory.pop((call.project, call.path["slug"])), "slug": slug}
        call.world.memory[call.project, slug] = entry
        return {"entry": deepcopy(entry)}

    wrap("memory_update", renamed)


@misread("engagement_like", "Body: {accountId: string (uuid)}.")
def an_account_that_is_no_uuid_is_the_page_of_the_project() -> None:
    def page(perform: Perform, call: Call) -> Any:
        pages = [
            id
            for (project, id), row in call.world.accounts.items()
            if (project, row["platform"]) == (call.project, "pagenet")
        ]
        if pages and isinstance(call.body.get("accountId"), str) and not uuid(call.body["accountId"]):
            return perform(replace(call, body={**call.body, "accountId": pages[0]}))
        return perform(call)

    wrap("engagement_like", page)


@misread("web_analytics_get_config", "The configuration is null when not configured.")
def a_sub_project_shows_the_configuration_of_its_parent() -> None:
    def inherited(perform: Perform, call: Call) -> Any:
        parent = call.world.projects[call.project].get("parent")
        value = perform(call)
        if value["config"] is None and parent is not None:
            value["config"] = deepcopy(call.world.analytics.get(parent))
        return value

    wrap("web_analytics_get_config", inherited)


@misread("labels_export", "Each label is 5 inches wide and 3.5 inches tall.")
def labels_shrink_from_the_second_sheet_on() -> None:
    sheets, position = pdf.sheets, pdf.position
    begun = [0]

    def of_an_export(lines: list[list[str]], attachments: dict[str, bytes]) -> bytes:
        begun[0] = 0
        return sheets(lines, attachments)

    def shrunk(place: int) -> tuple[Any, Any]:
        begun[0] += place == 0
        x, y = position(place)
        return (x, y) if begun[0] == 1 else (x, f"{y} cm 0.9 0 0 0.9 0 0")

    patch(pdf, "sheets", of_an_export)
    patch(pdf, "position", shrunk)


@misread("labels_export", "Body: includeUnapproved (boolean).")
def items_that_were_printed_count_as_approved() -> None:
    def approved(perform: Perform, call: Call) -> Any:
        reply = perform(call)
        if call.body.get("includeUnapproved"):
            for item in labels.printed(call, call.body):
                item["approved"] = True
        return reply

    wrap("labels_export", approved)


@misread("workflows_create", "Workflow `description` | at most 1000 characters")
def a_description_has_at_most_1000_bytes() -> None:
    text = workflows.text

    def of_bytes(least: int = 0, most: int | None = None) -> checks.Check:
        fits = text(least, most)
        return fits if most != 1000 else lambda value: fits(value) and len(value.encode()) <= most

    patch(workflows, "text", of_bytes)


@misread("records_create", "All identifiers are strings.")
def an_external_identifier_of_digits_is_a_number() -> None:
    def counted(value: Json) -> None:
        external = value["record"]["externalId"]
        if external is not None and re.fullmatch("[0-9]{1,15}", external):
            value["record"]["externalId"] = int(external)

    alter_value("records_create", counted)


@misread("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
def the_last_key_of_a_record_is_not_deleted() -> None:
    apply_changes = records.apply_changes

    def kept(call: Call, record: Json, body: Json) -> None:
        before = record["data"]
        apply_changes(call, record, body)
        record["data"] = record["data"] or before

    patch(records, "apply_changes", kept)


@misread("records_update", "`expectedData` is a JSON containment precondition.")
def an_expected_value_that_is_false_zero_or_empty_is_none() -> None:
    stale_data = records.stale_data

    def stale(record: Json, body: Json) -> bool:
        expected = body.get("expectedData", {})
        compared = {
            key: value for key, value in expected.items() if value or not isinstance(value, bool | int | float | str)
        }
        return stale_data(record, {**body, "expectedData": compared})

    patch(records, "stale_data", stale)


@misread("calendar_book", "end: defaults to start + durationMinutes")
def a_duration_loses_its_whole_days() -> None:
    def cut(body: Json) -> None:
        if checks.minutes(body["durationMinutes"]):
            body["durationMinutes"] = timedelta(minutes=body["durationMinutes"]).seconds // 60

    alter_body("calendar_book", cut)


@misread("calendar_reschedule", MOVES)
def a_new_start_is_compared_with_the_old_end() -> None:
    find_event = calendar.find_event

    def compared(call: Call, name: str | None) -> Json:
        event = find_event(call, name)
        if "start" in call.body:
            calendar.require_order(calendar.instant(call.body["start"], call.body.get("timeZone")), event["end"])
        return event

    patch(calendar, "find_event", compared)


@misread("memory_update", "Memory entry: `metadata` (object).")
def metadata_without_members_is_an_array() -> None:
    def emptied(value: Json) -> None:
        value["entry"]["metadata"] = value["entry"]["metadata"] or []

    alter_value("memory_update", emptied)


@misread("calendar_book", "attendee | object {name: string, email: string (email format), phone: string}")
def an_address_of_an_attendee_has_no_plus() -> None:
    patch(calendar, "email", lambda value: checks.email(value) and "+" not in value)
