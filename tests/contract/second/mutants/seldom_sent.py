"""Services that misread what few clients send, and services in which a request that was refused has an effect."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import app, calendar, labels, permissions
from ..service.app import OPERATIONS, Call, Refusal, Request

notations = Kind("notations of instants")
encodings = Kind("encodings of paths and queries")
leftovers = Kind("effects of refused requests")
bodies = Kind("bodies of the wrong kind")
first_reads = Kind("first and later reads")
combinations = Kind("labels and templates")

START = "`start` | string | ISO timestamp; event start"
RANGE = "`timeMin`: ISO timestamp, inclusive start of the range."

_instant = calendar.instant


@notations("calendar_reschedule", "Moves start/end and/or changes title/description.")
def minutes_of_a_negative_offset_are_added() -> None:
    def instant(value: str, name: str | None) -> datetime:
        found = re.search(r"-(\d\d):(\d\d)$", value)
        return _instant(value, name) - timedelta(minutes=2 * int(found[2]) if found else 0)

    patch(calendar, "instant", instant)


@notations("calendar_book", "`timeZone` | string | IANA zone for start and end")
def offsets_are_dropped_if_a_zone_is_named() -> None:
    def instant(value: str, name: str | None) -> datetime:
        read = _instant(value, name)
        return read if name is None else read.astimezone(ZoneInfo(name)).replace(fold=0).astimezone(UTC)

    patch(calendar, "instant", instant)


@notations("calendar_busy", RANGE)
def more_than_six_digits_of_a_range_are_seconds() -> None:
    busy = OPERATIONS["calendar_busy"].perform

    def misread(call: Call) -> Any:
        query = dict(call.query)
        found = re.search(r"\.(\d{7,})", query.get("timeMin", ""))
        if found and calendar.timestamp(query["timeMin"]):
            late = _instant(query["timeMin"], "UTC") + timedelta(seconds=int(found[1]) / 1e6)
            query["timeMin"] = late.isoformat()
        return busy(Call(call.operation, call.world, call.user, call.path, query, call.body))

    OPERATIONS["calendar_busy"].perform = misread


@encodings("records_update", "`PATCH /projects/{projectId}/object-records/{recordId}`")
def lower_case_digits_of_a_path_are_not_decoded() -> None:
    patch(app, "unquote", lambda text: re.sub(r"%[0-9A-F]{2}", lambda found: unquote(found[0]), text))


@encodings("calendar_busy", "`calendarId`: string; defaults to the connected primary calendar.")
def blanks_around_a_calendar_are_ignored() -> None:
    named = calendar.named_calendar
    patch(calendar, "named_calendar", lambda call, name: named(call, name and name.strip()))


@leftovers("sidebar_replace", "Hiding an entry never denies authority.")
def an_empty_sidebar_denies_views() -> None:
    check = OPERATIONS["auth_check_permission"].perform

    def checked(call: Call) -> Any:
        answer = check(call)
        home = next(project for project, user in call.world.members if user == call.user)
        return (
            answer if call.world.sidebars.get(home, True) else {"allowed": answer["allowed"] and call.user == "u-ada"}
        )

    OPERATIONS["auth_check_permission"].perform = checked


@leftovers("records_create", "Body: `typeSlug` (string), `data` (object), `externalId` (string), `relations` (object).")
def a_refused_record_reserves_its_external_id() -> None:
    reserved: dict[Any, str] = {}

    def reserving(perform: Any, call: Call) -> Any:
        body = call.body
        key = call.project, body.get("externalId")
        text = json.dumps(body)
        if key[1] and reserved.get(key, text) != text:
            raise Refusal(409, "Another record has this externalId.", "duplicate")
        try:
            return perform(call)
        except Refusal:
            reserved[key] = text
            raise

    wrap("records_create", reserving)


@leftovers("auth_check_permission", "It returns whether the caller holds the given project-scoped permission.")
def a_refused_check_denies_the_next_ones() -> None:
    role, denied = permissions.home_role, set()

    def checked(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal:
            denied.add(call.user)
            raise

    wrap("auth_check_permission", checked)
    patch(permissions, "home_role", lambda call: None if call.user in denied else role(call))


@leftovers("records_update", "When either is stale, the response is 409 and the record is unchanged.")
def a_stale_update_locks_the_record() -> None:
    locked: set[str] = set()

    def locking(perform: Any, call: Call) -> Any:
        id = call.path["recordId"]
        if id in locked and call.body:
            locked.discard(id)
            raise Refusal(409, "The record is locked.")
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code == "stale":
                locked.add(id)
            raise

    wrap("records_update", locking)


def _read_body(change: Any) -> None:
    read = app.read_body

    def altered(call: Call, request: Request) -> Any:
        try:
            value = json.loads(request.body or b"0")
        except ValueError:
            value = 0
        changed = change(call, value)
        return read(call, request) if changed is None else changed

    patch(app, "read_body", altered)


@bodies("records_create", "Body: `typeSlug` (string), `data` (object), `externalId` (string), `relations` (object).")
def the_first_body_of_a_list_is_the_body() -> None:
    _read_body(
        lambda call, value: value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else None
    )


@bodies("workflows_create", "Body: `name`, `triggerTypeSlug`, `triggerEventType`, `actions` (array).")
def a_body_may_be_text_of_json() -> None:
    _read_body(lambda call, value: json.loads(value) if isinstance(value, str) and value.startswith("{") else None)


@first_reads("agents_list", "Lists all agent definitions of the project.")
def the_first_page_after_a_new_limit_is_that_of_the_last_limit() -> None:
    last: dict[str, str] = {}

    def listed(perform: Any, call: Call) -> Any:
        before, now = last.get(call.project), call.query.get("limit")
        if now is not None:
            last[call.project] = now
            call.query["limit"] = before or now
        return perform(call)

    wrap("agents_list", listed)


@combinations("labels_export", "`itemIds` (array of uuid)")
def an_item_that_is_named_twice_takes_the_place_of_another() -> None:
    printed = labels.printed

    def first(call: Call, body: Json) -> list[Json]:
        ids = body.get("itemIds")
        distinct = len({id.lower() for id in ids}) if ids else 0
        return printed(call, {**body, "itemIds": ids[:distinct]} if ids else body)

    patch(labels, "printed", first)


@combinations("templates_apply", "`report.missingVariables`: array of string.")
def an_absent_object_of_values_has_all_of_them() -> None:
    alter_body("templates_apply", lambda body: body.setdefault("variableValues", {"client": "", "town": ""}))
