"""Bookings, templates, workflows and label sheets as a library or a provider limits and encodes them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_replies, alter_value, patch, wrap
from ..service import app, calendar, labels, templates, workflows
from ..service.app import Call, Refusal, Reply, Request
from ..service.checks import Check, length, text
from ..service.workflows import is_real

provider = Kind("limit of a provider")
document = Kind("document of a library")
body = Kind("body of a request")
application = Kind("library of templates")

CONFLICT = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken."
ATTENDEE = "attendee | object {name: string, email: string (email format), phone: string}"
WRITTEN = "The event is written to the connected external calendar."
SHOWS = "The report shows what landed and what failed."
VALUES = "`variableValues` supplies values for each `{{variable}}` the template declares."
COUNTS = "`report.counts`: integers `objectTypes`, `objectRelations`, `roles`, `workflows`, `sidebarSections`, `perRoleHides`."
PDF = "Success response 200, content type `application/pdf`, binary body"
REVIEW = "The full review is attached inside the PDF as `label-review.json`."
HEADER = "Response header `X-Label-Summary` carries URI-encoded JSON."
JSON = "Bodies are JSON unless stated otherwise."
PAGE = 20  # events of a provider's list
BUFFER = 2048  # bytes


@provider("calendar_book", CONFLICT)
def conflicts_are_sought_on_the_first_page_of_the_calendar() -> None:
    def taken(call: Call, named: str, begin: Any, end: Any, but: str | None = None) -> bool:
        page = calendar.events_of(call, named)[:PAGE]
        return any(calendar.overlaps(event, begin, end) for event in page if event["uid"] != but)

    patch(calendar, "taken", taken)


@provider("calendar_book", ATTENDEE)
def telephone_numbers_of_attendees_are_international() -> None:
    attendee = calendar.attendee

    def international(value: Any) -> bool:
        return attendee(value) and re.fullmatch(r"\+\d{6,15}", value.get("phone", "+000000")) is not None

    patch(calendar, "attendee", international)


@provider("calendar_busy", WRITTEN)
def bookings_of_service_accounts_are_in_a_calendar_of_their_own() -> None:
    write = calendar.write
    hidden: set[str] = set()

    def written(call: Call, event: Json) -> None:
        if not is_real(call):
            hidden.add(event["uid"])
        write(call, event)

    def listed(perform: Any, call: Call) -> Any:
        events = {key: event for key, event in call.world.events.items() if key[1] not in hidden}
        return perform(replace(call, world=replace(call.world, events=events)))

    patch(calendar, "write", written)
    wrap("calendar_busy", listed)


@provider("workflows_create", "`description` | string | max 1000 chars")
def line_ends_of_a_description_count_twice() -> None:
    def of_a_form(least: int = 0, most: int | None = None) -> Check:
        check = text(least, most)
        if most != 1000:
            return check
        return lambda value: check(value) and length(value) + value.count("\n") <= most

    patch(workflows, "text", of_a_form)


@provider("workflows_create", "Workflow `triggerTypeSlug`, `triggerEventType` | 1-120 characters each")
def type_and_event_of_a_trigger_have_200_characters_together() -> None:
    def in_one_column(perform: Any, call: Call) -> Any:
        parts = [call.body.get(name) for name in ("triggerTypeSlug", "triggerEventType")]
        if sum(len(part) for part in parts if isinstance(part, str)) > 199:
            raise Refusal(422, "The trigger is too long.", "invalid")
        return perform(call)

    wrap("workflows_create", in_one_column)


@application("templates_apply", VALUES)
def values_with_braces_are_variables_without_a_value() -> None:
    def given(sent: Json) -> None:
        sent["variableValues"] = {
            name: value for name, value in sent["variableValues"].items() if "{{" not in str(value)
        }

    alter_body("templates_apply", given)


@application("templates_apply", SHOWS)
def parts_after_the_first_failure_are_neither_applied_nor_reported() -> None:
    find_template = templates.find_template

    def until_the_failure(call: Call) -> Json:
        template = find_template(call)
        broken = [place for place, part in enumerate(template["parts"]) if part.get("broken")]
        return {**template, "parts": template["parts"][: broken[0] + 1]} if broken else template

    patch(templates, "find_template", until_the_failure)


@application("templates_apply", COUNTS)
def parts_of_one_kind_are_counted_once() -> None:
    def once(value: Json) -> None:
        counts = value["data"]["templateApply"]["report"]["counts"]
        counts.update({name: min(count, 1) for name, count in counts.items()})

    alter_value("templates_apply", once)


def exported(name: str, sentence: str, change: Callable[[Reply], Reply]) -> None:
    """Register a mutant that answers exports in another form."""

    def altered(operation: str | None, request: Request, reply: Reply) -> Reply:
        return change(reply) if operation == "labels_export" and reply.status == 200 else reply

    document.add(name, "labels_export", sentence, lambda: alter_replies(altered))


exported("only the first buffer of an export is sent", PDF, lambda reply: replace(reply, body=reply.body[:BUFFER]))
exported(
    "the bytes of an export are decoded as text",
    PDF,
    lambda reply: replace(reply, body=reply.body.decode("utf-8", "replace").encode()),
)


@document("labels_export", REVIEW)
def the_review_is_attached_in_base64() -> None:
    write = labels.document
    patch(labels, "document", lambda items, review: write(items, b64encode(review)))


@document("labels_export", HEADER)
def the_summary_is_the_text_of_a_dictionary() -> None:
    summary = labels.summary
    patch(labels, "summary", lambda sent, items: str(json.loads(summary(sent, items))))


def reading(change: Callable[[Call, Request], Any]) -> None:
    """Read other bodies; None stands for the body as it is."""
    read_body = app.read_body

    def read(call: Call, request: Request) -> Any:
        value = change(call, request)
        return read_body(call, request) if value is None else value

    patch(app, "read_body", read)


@body("labels_export", "Body (required as a whole, JSON)")
def the_body_null_is_an_export_of_everything() -> None:
    reading(lambda call, request: {} if call.operation == "labels_export" and request.body.strip() == b"null" else None)


@body("memory_update", JSON)
def a_content_type_with_a_charset_is_not_JSON() -> None:
    def strict(call: Call, request: Request) -> None:
        if call.operation == "memory_update" and ";" in request.headers.get("content-type", ""):
            raise Refusal(415, "The body is not application/json.")

    reading(strict)
