"""Healthy services that store, book, apply and print in another way; none may be said to violate the specification."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import count
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pikepdf

from ..mutant import VARIATIONS, Json, Kind, alter_value, patch, walk, wrap
from ..service import app, calendar, checks, labels, pdf, records, settings, workflows
from ..service.app import Call, Refusal, Reply
from .common import everywhere

allowed = Kind("allowed", registry=VARIATIONS)

REQUIRED = "Which body fields are required is not shown."
SHAPES = "The element shape of `actions` and the shape of `triggerCondition` are not shown."
WRITERS = ("workflows_create", "records_create", "records_update", "sidebar_replace", "memory_update", "calendar_book")
DATA = "`data`: free-form JSON keyed by field; object type definitions and their schemas are not shown."


def refusing(operation: str, valid: Callable[[Json], bool], status: int = 422) -> None:
    """Refuse bodies that are not valid in addition."""

    def checked(perform: Any, call: Call) -> Any:
        if not valid(call.body):
            raise Refusal(status, "The body is invalid.", "strict")
        return perform(call)

    wrap(operation, checked)


def some_text(valid: Callable[[str], bool], value: Any) -> bool:
    """Return whether all strings below a value are valid."""
    invalid: list[str] = []
    walk(value, lambda part: invalid.append(part) if isinstance(part, str) and not valid(part) else part)
    return not invalid


# Workflows


@allowed("workflows_create", "silent: whether two workflows may have the same name")
def names_of_workflows_are_unique() -> None:
    names: set[str] = set()

    def unique(perform: Any, call: Call) -> Any:
        if str(call.body.get("name")) in names:
            raise Refusal(409, "There is a workflow with this name.")
        answer = perform(call)
        names.add(answer["workflow"]["name"])
        return answer

    wrap("workflows_create", unique)


@allowed("workflows_create", "silent: which characters names have")
def names_have_only_some_characters() -> None:
    refusing(
        "workflows_create", lambda body: re.fullmatch(r"\w[\w -]*", str(body.get("name", "x")), re.ASCII) is not None
    )


@allowed(
    "workflows_create",
    "The catalogue of trigger event types that a workflow's `triggerEventType` may name is not shown.",
)
def only_some_events_exist() -> None:
    refusing("workflows_create", lambda body: body.get("triggerEventType") in ["record.created", "record.updated"])


@allowed("workflows_create", "silent: which slugs exist, and of which characters")
def slugs_have_the_form_of_slugs() -> None:
    slug = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")
    names = ("triggerTypeSlug", "triggerEventType")
    refusing("workflows_create", lambda body: all(slug.fullmatch(str(body.get(name, "a"))) for name in names))


@allowed("workflows_create", SHAPES)
def actions_have_a_type_and_there_is_one() -> None:
    def valid(body: Json) -> bool:
        actions = body.get("actions")
        known = isinstance(actions, list) and all(isinstance(each, dict) and "type" in each for each in actions)
        return known and 0 < len(actions) <= 3

    refusing("workflows_create", valid)


@allowed("workflows_create", SHAPES)
def there_are_no_actions_but_those_of_the_catalogue() -> None:
    refusing("workflows_create", lambda body: body.get("actions", []) == [])


@allowed("workflows_create", SHAPES)
def actions_get_an_identifier_and_defaults() -> None:
    def completed(answer: Json) -> None:
        steps = [each if isinstance(each, dict) else {"value": each} for each in answer["workflow"]["actions"]]
        answer["workflow"]["actions"] = [{"id": f"step-{n}", "retries": 3, **each} for n, each in enumerate(steps)]

    alter_value("workflows_create", completed)


@allowed("workflows_create", SHAPES)
def conditions_are_objects_with_an_operator() -> None:
    def valid(body: Json) -> bool:
        condition = body.get("triggerCondition")
        return condition is None or (isinstance(condition, dict) and "op" in condition)

    refusing("workflows_create", valid)


@allowed("workflows_create", SHAPES)
def conditions_are_compiled() -> None:
    alter_value(
        "workflows_create", lambda answer: answer["workflow"].update(triggerCondition={"all": [{"compiled": 1}]})
    )


@allowed("workflows_create", "silent: whether a tag may be given twice, and its characters")
def tags_are_different_words() -> None:
    def valid(body: Json) -> bool:
        tags = body.get("tags")
        return not isinstance(tags, list) or len({str(tag).lower() for tag in tags}) == len(tags)

    refusing("workflows_create", valid)


@allowed("workflows_create", "silent: which members without a value a workflow has")
def workflows_have_values_for_all_members() -> None:
    def complete(answer: Json) -> None:
        empty = {"description": "", "tags": [], "triggerCondition": None, "actions": [], "isActive": False}
        id = f" {answer['workflow']['id']}/ä?#"
        answer["workflow"] = {**empty, **answer["workflow"], "revision": "1", "id": id}

    alter_value("workflows_create", complete)


@allowed("workflows_create", "silent: how many workflows a project may have")
def a_project_has_at_most_six_workflows() -> None:
    def limited(perform: Any, call: Call) -> Any:
        if len(call.world.workflows) >= 6:
            raise Refusal(402, "Your plan has six workflows.", "quota")
        return perform(call)

    wrap("workflows_create", limited)


@allowed("workflows_create", "Creation by a service account is rejected; silent: with which status")
def service_accounts_are_rejected_as_invalid() -> None:
    def rejected(perform: Any, call: Call) -> Any:
        if not workflows.is_real(call):
            raise Refusal(422, "A workflow needs a real user.")
        return perform(call)

    wrap("workflows_create", rejected)


@everywhere("silent: what a repeated request does", *WRITERS)
def repeated_requests_are_refused() -> None:
    seen: set[str] = set()
    read_body = app.read_body

    def once(call: Call, request: app.Request) -> Any:
        key = f"{call.operation} {call.path} {request.body!r}"
        if call.operation in WRITERS and key in seen:
            raise Refusal(425, "This request has been made.", "repeated")
        seen.add(key)
        return read_body(call, request)

    patch(app, "read_body", once)


@everywhere("silent: which characters texts have", *WRITERS)
def texts_have_no_control_characters() -> None:
    for name in WRITERS:
        refusing(name, lambda body: some_text(lambda text: text.isprintable(), body), 400)


@everywhere("silent: which characters texts have", *WRITERS)
def texts_have_only_characters_of_the_basic_plane() -> None:
    for name in WRITERS:
        refusing(name, lambda body: some_text(lambda text: all("\0" < each < "\ud800" for each in text), body), 400)


# Records


@allowed("records_update", "`status`: string; silent: who moves it")
def each_update_moves_the_status() -> None:
    number = count()
    apply_changes = records.apply_changes

    def moving(call: Call, record: Json, body: Json) -> None:
        apply_changes(call, record, body)
        record["status"] = f"step {next(number)}"

    patch(records, "apply_changes", moving)


@allowed("records_create", "The payload carries matching identity; silent: in which member")
def the_identity_is_a_phone_number() -> None:
    patch(
        records,
        "identity_of",
        lambda data: data["phone"] if isinstance(data.get("phone"), str) and data["phone"].strip() else None,
    )


@allowed("records_create", "The payload carries matching identity; silent: in which member")
def the_identity_is_in_a_nested_member() -> None:
    identity_of = records.identity_of

    def nested(data: Json) -> str | None:
        contact = data.get("contact")
        return identity_of(contact) if isinstance(contact, dict) else None

    patch(records, "identity_of", nested)


@allowed("records_create", "The payload carries matching identity; silent: whether addresses with another case match")
def addresses_match_exactly() -> None:
    identity_of = records.identity_of
    patch(records, "identity_of", lambda data: identity_of(data) and data["email"])


@allowed("records_update", "Person-linked types may refresh `personRefId` from identity-bearing data.")
def updates_do_not_refresh_the_person() -> None:
    link = records.link
    patch(
        records,
        "link",
        lambda call, record, data: (
            None if "personRefId" in record or call.operation == "records_update" else link(call, record, data)
        ),
    )


@allowed("records_create", REQUIRED)
def linked_types_need_an_identity() -> None:
    def valid(body: Json) -> bool:
        data = body.get("data")
        return body.get("typeSlug") != "visitor" or (isinstance(data, dict) and isinstance(data.get("email"), str))

    refusing("records_create", valid)


@everywhere(DATA, "records_create", "records_update")
def fields_have_names_and_scalar_values() -> None:
    def valid(body: Json) -> bool:
        data = body.get("data", {})
        names = isinstance(data, dict) and all(re.fullmatch(r"[a-z]\w{0,30}", name, re.ASCII) for name in data)
        return names and not any(isinstance(value, dict | list) for value in data.values())

    for name in ("records_create", "records_update"):
        refusing(name, valid)


@everywhere(DATA, "records_create", "records_update")
def only_fields_of_the_schema_exist() -> None:
    known = {"title", "name", "email", "phone", "notes", "amount"}
    for name in ("records_create", "records_update"):
        refusing(name, lambda body: not isinstance(body.get("data"), dict) or body["data"].keys() <= known)


@everywhere(DATA, "records_create", "records_update")
def fields_have_defaults() -> None:
    wrap("records_create", lambda perform, call: perform(replace(call, body=_with_default(call.body))))


def _with_default(body: Json) -> Json:
    data = body.get("data", {})
    return {**body, "data": {"priority": "normal", **data}} if isinstance(data, dict) else body


@allowed("records_create", "silent: what a creation with an `externalId` that is in use does")
def creations_with_a_known_external_id_answer_the_record() -> None:
    def found(perform: Any, call: Call) -> Any:
        for (project, _), record in call.world.records.items():
            key = record["externalId"], record["typeSlug"]
            if project == call.project and key == (call.body.get("externalId"), call.body.get("typeSlug")) and key[0]:
                return {"record": records.shown(record)}
        return perform(call)

    wrap("records_create", found)


@everywhere("silent: which members of a record have a value", "records_create", "records_update")
def records_have_values_for_all_members() -> None:
    def complete(perform: Any, call: Call) -> Any:
        record = deepcopy(perform(call)["record"])
        more = {"amountCents": "0", "currency": "EUR", "occurredAt": record["createdAt"], "companyRefId": "c-1"}
        names = {"createdBy": "Ada", "updatedBy": "", "displayName": record["id"], "providerExternalId": ""}
        return {"record": {**record, **more, **names}}

    for name in ("records_create", "records_update"):
        wrap(name, complete)


@allowed("records_update", "silent: what an update without a change does")
def updates_without_a_change_are_refused_unless_stale() -> None:
    apply_changes = records.apply_changes

    def changing(call: Call, record: Json, body: Json) -> None:
        if not body.keys() & {"data", "externalId", "relations"}:
            raise Refusal(400, "There is nothing to update.")
        apply_changes(call, record, body)

    patch(records, "apply_changes", changing)


@allowed("records_update", REQUIRED)
def updates_need_a_precondition() -> None:
    refusing("records_update", lambda body: bool(body.keys() & {"expectedData", "expectedStatus"}), 428)


@allowed("records_create", REQUIRED)
def records_need_an_external_id() -> None:
    refusing("records_create", lambda body: "externalId" in body)


@everywhere("`relations` (object); silent: which relations there are", "records_create", "records_update")
def there_are_no_relations() -> None:
    for name in ("records_create", "records_update"):
        refusing(name, lambda body: body.get("relations", {}) == {}, 404)


@allowed("records_update", "Error body: `message` and `code`; silent: other members")
def conflicts_show_the_record() -> None:
    error = app.error

    def showing(refusal: Refusal) -> Reply:
        reply = error(refusal)
        more = {"record": {"status": "archived", "data": {}}, "expected": None} if refusal.status == 409 else {}
        return app.json_reply(reply.status, {**json.loads(reply.body), **more})

    patch(app, "error", showing)


# Calendar


@everywhere("silent: that a `bookingUid` is an `eventId`", "calendar_book", "calendar_reschedule")
def booking_uids_are_not_event_ids() -> None:
    alter_value("calendar_book", lambda answer: answer.update(bookingUid=f"{uuid4()}@ical"))
    alter_value("calendar_reschedule", lambda answer: answer.update(bookingUid=f"{uuid4()}@ical"))


@everywhere("silent: that a rescheduled event keeps its `bookingUid`", "calendar_reschedule", "calendar_book")
def reschedules_give_a_new_uid() -> None:
    def renewed(perform: Any, call: Call) -> Any:
        answer = perform(call)
        event = call.world.events.pop((call.project, call.path["eventId"]))
        uid = f"{event['uid'].partition('.')[0]}.{uuid4().hex[:4]}"
        call.world.events[call.project, uid] = {**event, "uid": uid}
        return {**answer, "bookingUid": uid}

    wrap("calendar_reschedule", renewed)


BUSY = "Busy interval {`start`, `end`}; silent: which times around events are busy"


def _spans(change: Callable[[datetime, datetime], list[tuple[datetime, datetime]]]) -> None:
    """Answer other busy intervals; those that touch stay apart."""

    def spans(perform: Any, call: Call) -> Any:
        answer = perform(call)
        read = [[calendar.instant(each[name], None) for name in ("start", "end")] for each in answer["busy"]]
        other = [span for begin, end in read for span in change(begin, end)]
        return {"busy": [{"start": calendar.wire(begin), "end": calendar.wire(end)} for begin, end in other]}

    wrap("calendar_busy", spans)


@everywhere(BUSY, "calendar_busy", "calendar_book")
def busy_intervals_are_split() -> None:
    def split(begin: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
        middle = begin + (end - begin) / 2
        return [(middle, end), (begin, middle)]

    _spans(split)


@everywhere("silent: others book events meanwhile", "calendar_busy", "calendar_book", "calendar_reschedule")
def others_book_events_meanwhile() -> None:
    def booked(perform: Any, call: Call) -> Any:
        answer = perform(call)
        begin = calendar.instant(answer["end"], None) + timedelta(hours=3)
        texts = {"summary": "Other", "description": None, "attendee": None, "metadata": None}
        times = {"begin": begin, "end": begin + timedelta(minutes=10)}
        call.world.events[call.project, f"other-{uuid4()}"] = {
            "uid": "o",
            "calendar": answer["calendarId"],
            **times,
            **texts,
        }
        return answer

    wrap("calendar_book", booked)


def _times(body: Json) -> tuple[datetime, datetime] | None:
    try:
        begin = calendar.instant(body["start"], body.get("timeZone"))
        return begin, calendar.end_of(body, begin) or begin
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


@everywhere("`durationMinutes`: integer; silent: its range", "calendar_book", "calendar_reschedule")
def events_take_quarters_of_at_most_two_hours() -> None:
    def valid(body: Json) -> bool:
        times = _times(body)
        return times is None or (times[1] - times[0]).total_seconds() in range(0, 7201, 900)

    for name in ("calendar_book", "calendar_reschedule"):
        refusing(name, valid)


@everywhere("silent: at which times events may be", "calendar_book", "calendar_reschedule")
def events_are_in_working_hours() -> None:
    def valid(body: Json) -> bool:
        times = _times(body)
        local = times and [time.astimezone(ZoneInfo(calendar.HOME)) for time in times]
        return not local or all(time.weekday() < 5 and 8 <= time.hour < 18 for time in local)

    for name in ("calendar_book", "calendar_reschedule"):
        refusing(name, valid)


@everywhere("silent: whether past times can be booked", "calendar_book", "calendar_reschedule")
def events_are_not_in_the_past() -> None:
    for name in ("calendar_book", "calendar_reschedule"):
        refusing(name, lambda body: (times := _times(body)) is None or times[0] > datetime.now(UTC))


@everywhere(
    "silent: how long a range of busy intervals may be", "calendar_busy", "calendar_book", "calendar_reschedule"
)
def ranges_have_at_most_two_days() -> None:
    def short(perform: Any, call: Call) -> Any:
        answer = perform(call)
        begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
        if end - begin > timedelta(days=2):
            raise Refusal(400, "The range is too long.")
        return answer

    wrap("calendar_busy", short)


@everywhere(
    "Timestamps are ISO 8601; silent: whether those of a booking have an offset",
    "calendar_book",
    "calendar_busy",
    "calendar_reschedule",
)
def local_times_have_no_offset() -> None:
    wire = calendar.wire
    patch(calendar, "wire", lambda at: wire(at)[:19])


@everywhere(
    "Timestamps are ISO 8601; silent: which format, and which precision",
    "calendar_book",
    "calendar_busy",
    "calendar_reschedule",
)
def times_of_events_have_the_basic_format() -> None:
    patch(calendar, "wire", lambda at: f"{at.astimezone(ZoneInfo('Asia/Kolkata')):%Y%m%dT%H%M%S,%f%z}")


@everywhere("Busy intervals are re-checked; silent: those of which calendars", "calendar_book", "calendar_reschedule")
def other_calendars_are_checked_too() -> None:
    def taken(call: Call, named: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        events = [event for (project, _), event in call.world.events.items() if project == call.project]
        return any(calendar.overlaps(event, begin, end) for event in events if event["uid"] != but)

    patch(calendar, "taken", taken)


@everywhere(
    "The connection must have granted the write scope; silent: which status says so",
    "calendar_book",
    "calendar_reschedule",
)
def a_missing_scope_is_a_failed_dependency() -> None:
    error = app.error
    patch(
        app,
        "error",
        lambda refusal: error(Refusal(424, "Connect again.") if refusal.code == "scope_missing" else refusal),
    )


@allowed("calendar_book", "attendee: {name, email, phone}; silent: which are required, and of which form")
def attendees_have_a_name_and_a_phone_number() -> None:
    def valid(body: Json) -> bool:
        attendee = body.get("attendee")
        full = isinstance(attendee, dict) and {"name", "email", "phone"} <= attendee.keys()
        return attendee is None or (full and re.fullmatch(r"\+[1-9]\d{6,14}", str(attendee["phone"])) is not None)

    refusing("calendar_book", valid)


@allowed("calendar_book", "silent: to whom invitations are sent")
def only_some_domains_are_invited() -> None:
    def valid(body: Json) -> bool:
        attendee = body.get("attendee")
        return not isinstance(attendee, dict) or str(attendee.get("email", "@second.example")).endswith(
            "@second.example"
        )

    refusing("calendar_book", valid, 403)


@everywhere(
    "silent: whether a zone may be given for times with an offset; whether an end and a duration",
    "calendar_book",
    "calendar_reschedule",
)
def contradictory_times_are_refused() -> None:
    def valid(body: Json) -> bool:
        offset = re.search(r"([Zz]|[+-]\d\d:?\d\d)$", str(body.get("start"))) is not None
        return not ((offset and "timeZone" in body) or {"end", "durationMinutes"} <= body.keys())

    for name in ("calendar_book", "calendar_reschedule"):
        refusing(name, valid)


@everywhere(
    "`calendarId` defaults to the connected primary calendar; silent: under which name",
    "calendar_book",
    "calendar_reschedule",
)
def the_default_calendar_has_an_alias() -> None:
    def alias(perform: Any, call: Call) -> Any:
        answer = perform(call)
        return answer if "calendarId" in call.body else {**answer, "calendarId": "primary"}

    for name in ("calendar_book", "calendar_reschedule"):
        wrap(name, alias)


@allowed(
    "calendar_reschedule", "Moves start/end and/or changes title/description; silent: which fields are needed together"
)
def a_start_needs_an_end() -> None:
    refusing("calendar_reschedule", lambda body: ("start" in body) == bool({"end", "durationMinutes"} & body.keys()))


@allowed("calendar_reschedule", REQUIRED)
def reschedules_name_the_calendar() -> None:
    refusing("calendar_reschedule", lambda body: "calendarId" in body)


@allowed("calendar_book", "`metadata`: object; silent: what it holds")
def metadata_of_events_is_text() -> None:
    def valid(body: Json) -> bool:
        metadata = body.get("metadata", {})
        return (
            isinstance(metadata, dict)
            and len(metadata) < 4
            and all(isinstance(text, str) for text in metadata.values())
        )

    refusing("calendar_book", valid)


@allowed("calendar_book", REQUIRED)
def bookings_need_nearly_everything() -> None:
    needed = {"start", "end", "timeZone", "summary", "calendarId", "description"}
    refusing("calendar_book", lambda body: needed <= body.keys())


# Sidebars, templates and memory entries


@allowed("sidebar_replace", "Each item has `label`, `icon`, ... (all strings); silent: which values they have")
def sidebars_have_known_icons_and_own_paths() -> None:
    def valid(body: Json) -> bool:
        sections = body.get("sections")
        items = [item for section in sections for item in section["items"]] if isinstance(sections, list) else []
        paths = all(item.get("href", "/").startswith("/") for item in items)
        return paths and all(item.get("icon", "home") in {"home", "star", "folder"} for item in items)

    def safe(body: Json) -> bool:
        try:
            return valid(body)
        except (KeyError, TypeError, AttributeError):
            return False

    refusing("sidebar_replace", safe)


@allowed("sidebar_replace", "`sections`: an ordered array; silent: how many, and whether identifiers may be repeated")
def sidebars_have_few_sections() -> None:
    def valid(body: Json) -> bool:
        sections = body.get("sections")
        ids = (
            [str(each.get("id")) for each in sections if isinstance(each, dict)] if isinstance(sections, list) else [""]
        )
        return 0 < len(ids) <= 2 and len(set(ids)) == len(ids)

    refusing("sidebar_replace", valid)


@allowed("sidebar_replace", "Each item has `label`, `icon`, ... (all strings); silent: what is not given")
def sidebars_are_completed() -> None:
    names = ("label", "icon", "id", "featureId", "pluginId", "href", "customLabel")
    patch(settings, "item_of", lambda item: {**dict.fromkeys(names, ""), **item, "badge": {"count": 0}, "order": 1})


@allowed("templates_apply", "silent: whether two sub-projects may have the same name, and its characters")
def names_of_sub_projects_are_unique_and_short() -> None:
    def unique(perform: Any, call: Call) -> Any:
        name = str(call.body.get("name", "x"))
        names = {project["name"].lower() for project in call.world.projects.values()}
        if name.lower() in names or not re.fullmatch(r"[A-Za-z][\w -]{0,39}", name):
            raise Refusal(409, "This name cannot be used.")
        return perform(call)

    wrap("templates_apply", unique)


@allowed("templates_apply", "silent: the order of the entries of a report")
def reports_have_another_order() -> None:
    def other(answer: Json) -> None:
        report = answer["data"]["templateApply"]["report"]
        for name in ("skipped", "failures", "missingVariables"):
            report[name] = report[name][::-1]

    alter_value("templates_apply", other)


@allowed(
    "templates_apply",
    "`variableValues` supplies values for each `{{variable}}` the template declares; silent: other values",
)
def variables_are_declared_texts() -> None:
    def valid(body: Json) -> bool:
        values = body.get("variableValues", {})
        texts = isinstance(values, dict) and all(isinstance(text, str) and text for text in values.values())
        return texts and values.keys() <= {"client", "town"}

    refusing("templates_apply", valid)


@allowed("templates_apply", "silent: how many sub-projects there may be")
def there_are_at_most_two_sub_projects() -> None:
    def limited(perform: Any, call: Call) -> Any:
        if sum("parent" in project for project in call.world.projects.values()) >= 2:
            raise Refusal(402, "Your plan has two sub-projects.")
        return perform(call)

    wrap("templates_apply", limited)


@allowed(
    "templates_apply", "`project`: {id (uuid), name, slug, createdAt}; silent: which slug, and how a UUID is written"
)
def sub_projects_have_unusual_names() -> None:
    def unusual(answer: Json) -> None:
        answer["data"]["project"].update(id=answer["data"]["project"]["id"].upper(), slug="Ü/1", parent=None)
        answer["data"]["templateApply"]["error"] = answer["data"]["templateApply"]["error"] or ""

    alter_value("templates_apply", unusual)


@allowed("memory_update", "silent: an agent changes the entry meanwhile; only `updatedAt` shows it")
def an_agent_touches_entries() -> None:
    number = count()
    alter_value(
        "memory_update",
        lambda answer: answer["entry"].update(updatedAt=f"2031-05-01T00:00:00.{next(number):06}Z", lastReadBy="agt"),
    )


@allowed("memory_update", "`title`, `description`, `content` (strings), `metadata` (object); silent: their limits")
def entries_have_limits() -> None:
    def valid(body: Json) -> bool:
        texts = [body[name] for name in ("title", "content") if name in body]
        metadata = body.get("metadata", {})
        flat = isinstance(metadata, dict) and not any(isinstance(value, dict | list) for value in metadata.values())
        return bool(body) and flat and all(isinstance(text, str) and 0 < len(text.strip()) < 120 for text in texts)

    refusing("memory_update", valid)


@allowed("memory_update", "silent: whether `description` and `content` may hold markup, and several lines")
def entries_have_no_markup() -> None:
    refusing("memory_update", lambda body: some_text(lambda text: not set(text) & set("<>&\n\r\t"), body))


# Label sheets


def rewritten(change: Callable[[pikepdf.Pdf], Any], **options: Any) -> None:
    """Change the documents, and how they are written."""
    document = labels.document

    def changed(*arguments: Any) -> bytes:
        written = BytesIO()
        with pikepdf.open(BytesIO(document(*arguments))) as file:
            change(file)
            file.save(written, **options)
        return written.getvalue()

    patch(labels, "document", changed)


def _drawn(prefix: bytes, **members: Any) -> None:
    """Draw pages in other coordinates."""

    def change(file: pikepdf.Pdf) -> None:
        for page in file.pages:
            page.contents_add(b"q " + prefix + b" cm", prepend=True)
            page.contents_add(b"Q")
            for name, value in members.items():
                page[f"/{name}"] = value

    rewritten(change)


UPRIGHT = b"0 -1 1 0 0 612"


@allowed("labels_export", "Landscape Letter pages; silent: whether they are rotated")
def pages_are_not_rotated() -> None:
    _drawn(UPRIGHT, Rotate=0, MediaBox=[0, 0, 792, 612])


@allowed("labels_export", "Landscape Letter pages; silent: where their origin is")
def pages_have_their_origin_in_the_middle() -> None:
    _drawn(b"1 0 0 1 -306 -396", MediaBox=[-306, -396, 306, 396])


@allowed("labels_export", "Landscape Letter pages; silent: in which units, and how far they are rotated")
def pages_are_measured_in_halves_of_inches() -> None:
    _drawn(b"0 -.5 .5 0 0 306", Rotate=0, MediaBox=[0, 0, 396, 306], UserUnit=2)


@allowed("labels_export", "Landscape Letter pages; silent: other boxes; rotated by 270 degrees")
def pages_have_a_larger_medium_than_the_crop_box() -> None:
    _drawn(b"-1 0 0 -1 612 792", Rotate=270, MediaBox=[-20, -20, 632, 812], CropBox=[0, 0, 612, 792])


@allowed("labels_export", "silent: the version of the PDF, and how it is written")
def documents_are_written_in_the_newest_way() -> None:
    rewritten(
        lambda file: None, object_stream_mode=pikepdf.ObjectStreamMode.generate, linearize=True, force_version="2.0"
    )


@allowed("labels_export", "silent: the version of the PDF, and how it is written")
def documents_are_written_in_the_oldest_way() -> None:
    rewritten(
        lambda file: None,
        compress_streams=False,
        stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
        force_version="1.4",
    )


@allowed("labels_export", "silent: whether the PDF may only be printed")
def documents_may_only_be_printed() -> None:
    rights = pikepdf.Permissions(extract=False, modify_other=False)
    rewritten(lambda file: None, encryption=pikepdf.Encryption(owner="secret", user="", R=6, allow=rights))


def _annotated(file: pikepdf.Pdf) -> None:
    spec = file.attachments["label-review.json"].obj
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.FileAttachment, Rect=[0, 0, 9, 9], FS=spec, Contents="Review", F=2
    )
    file.pages[0].Annots = pikepdf.Array([file.make_indirect(note)])
    del file.Root.Names


@allowed("labels_export", "The full review is attached inside the PDF as `label-review.json`; silent: to what")
def the_review_is_attached_to_a_page() -> None:
    rewritten(_annotated)


@allowed("labels_export", "silent: other attachments, and under which key one is listed")
def there_are_other_attachments() -> None:
    def attach(file: pikepdf.Pdf) -> None:
        review = bytes(file.attachments["label-review.json"].get_file().read_bytes())
        del file.attachments["label-review.json"]
        for key, name, content in (("a", "a.json", b"[]"), ("key-ü", "label-review.json", review), ("z", "ö.txt", b"")):
            file.attachments[key] = pikepdf.AttachedFileSpec(file, content, filename=name, mime_type="text/plain")

    rewritten(attach)


@allowed("labels_export", "`label-review.json`; silent: what JSON it is")
def the_review_is_an_array() -> None:
    document = labels.document
    patch(labels, "document", lambda items, review: document(items, b"\n[ " + review + b" , null ]\n"))


def _text_of_labels(change: Callable[[bytes], bytes]) -> None:
    form = pdf.form
    patch(pdf, "form", lambda lines: change(form(lines)))


@allowed("labels_export", "silent: whether the edges of labels are drawn")
def labels_have_no_edge() -> None:
    _text_of_labels(lambda content: content.partition(b"\n")[2])


@allowed("labels_export", "silent: whether the edges of labels are drawn")
def labels_have_a_frame_inside() -> None:
    _text_of_labels(lambda content: b"9 9 342 234 re S 30 30 40 10 re f\n" + content.partition(b"\n")[2])


@allowed("labels_export", "silent: how the edges of labels are drawn")
def labels_have_crop_marks() -> None:
    marks = b"0 0 m 9 0 l 0 0 m 0 9 l 360 252 m 351 252 l 360 252 m 360 243 l S\n"
    _text_of_labels(lambda content: marks + content.partition(b"\n")[2])


@allowed("labels_export", "silent: how text is shown")
def each_letter_is_shown_alone() -> None:
    def letters(content: bytes) -> bytes:
        return re.sub(
            rb"<(\w+)> Tj",
            lambda match: b"[" + b" -20 ".join(b"<%b>" % each for each in re.findall(rb"..", match[1])) + b"] TJ",
            content,
        )

    _text_of_labels(letters)


@allowed("labels_export", "silent: how text is shown")
def each_word_is_a_text_object_and_the_last_is_first() -> None:
    def words(lines: list[str]) -> bytes:
        parts = []
        for number, line in enumerate(lines):
            for place, word in enumerate(line.split()):
                at = f"{12 + 60 * place} {232 - 15 * number}"
                parts.append(f"BT /F 8 Tf 1 0 0 1 {at} Tm <{word.encode('cp1252').hex()}> Tj ET".encode())
        return b"\n".join([*parts[::-1], b"0 0 360 252 re S"])

    patch(pdf, "form", words)


@allowed("labels_export", "silent: what a label says, and that it can be read as text")
def labels_are_pictures() -> None:
    _text_of_labels(lambda content: re.sub(rb"BT .* ET", b"12 200 90 9 re f", content))


@allowed("labels_export", "silent: what a label says")
def labels_shout() -> None:
    patch(pdf, "lines_of", lambda item: [item["name"].upper()])


@allowed("labels_export", "Four labels per sheet; silent: where on the sheet")
def labels_have_gaps() -> None:
    patch(pdf, "position", lambda place: (24 + 384 * (place % 2), 36 + 288 * (1 - place // 2)))


@allowed("labels_export", "Four labels per sheet; silent: which place is first")
def labels_begin_at_the_bottom_right() -> None:
    position = pdf.position
    patch(pdf, "position", lambda place: position(3 - place))


@allowed("labels_export", "Four labels per sheet; silent: what unused labels show")
def unused_labels_are_empty_frames() -> None:
    sheets = pdf.sheets
    patch(pdf, "sheets", lambda texts, files: sheets([*texts, *[[] for _ in range(-len(texts) % 4)]], files))


@allowed("labels_export", "`X-Label-Summary` carries URI-encoded JSON; silent: which JSON")
def the_summary_is_an_array_with_all_kinds_of_characters() -> None:
    patch(
        labels, "summary", lambda body, items: json.dumps(["é%20+&\u2028😀", None, len(items), 1.5], ensure_ascii=False)
    )


@allowed("labels_export", "URI-encoded; silent: which characters are encoded")
def the_summary_is_encoded_as_little_as_possible() -> None:
    patch(labels, "quote", lambda text: re.sub(r'[ "%{}<>\\^`|]', lambda match: f"%{ord(match[0]):02x}", text))


@allowed("labels_export", "URI-encoded; silent: which characters are encoded")
def the_summary_is_encoded_as_much_as_possible() -> None:
    patch(labels, "quote", lambda text: "".join(f"%{byte:02x}" for byte in text.encode()))


@allowed("labels_export", "Body (required as a whole, JSON): `menuMonth`, `itemIds`, `includeUnapproved`, `stock`.")
def all_fields_of_an_export_are_required() -> None:
    needed = {"menuMonth", "itemIds", "includeUnapproved", "stock"}
    refusing("labels_export", lambda body: needed <= body.keys(), 400)


@allowed("labels_export", "silent: how many items may be printed, whether none, and whether one twice")
def exports_have_one_to_five_different_items() -> None:
    def valid(body: Json) -> bool:
        ids = body.get("itemIds")
        return not isinstance(ids, list) or (0 < len(ids) <= 5 and len({str(id).lower() for id in ids}) == len(ids))

    refusing("labels_export", valid, 400)


@allowed("labels_export", "silent: whether unapproved items may be printed by the caller")
def unapproved_items_are_never_printed() -> None:
    def valid(perform: Any, call: Call) -> Any:
        if call.body.get("includeUnapproved") is True:
            raise Refusal(403, "You may not print unapproved items.")
        return perform(call)

    wrap("labels_export", valid)


@allowed("labels_export", "silent: what is done with an item of another month, or that does not exist")
def unknown_items_are_left_out() -> None:
    def lenient(perform: Any, call: Call) -> Any:
        known, ids = {id for _, id in call.world.menu}, call.body.get("itemIds")
        if not isinstance(ids, list):
            return perform(call)
        kept = [id for id in ids if not checks.uuid(id) or id.lower() in known]
        return perform(replace(call, body={**call.body, "itemIds": kept}))

    wrap("labels_export", lenient)
