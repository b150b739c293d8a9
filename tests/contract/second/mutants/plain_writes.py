"""Services whose records, workflows, memory entries and events are written in another way than requested."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import calendar, checks, records, settings, workflows
from ..service.app import Call, Refusal

writes = Kind("everyday writes")

CONTAINMENT = "`expectedData` is a JSON containment precondition"
STATUS = "`expectedStatus` is a status precondition"
STALE = "When either is stale, the response is 409 and the record is unchanged."
MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
FREE = "`data`: object, free-form JSON keyed by field."
ENTRY = "Body: `title`, `description`, `content` (strings), `metadata` (object)."
PROVIDED = "only provided fields are updated; the entry is addressed by slug"
ZONE = "`timeZone`: IANA zone for start and end."
TAKEN = "409 when a calendar booking's slot was taken while `conflictCheck` is true."
MOVES = "moves start/end and/or changes title/description"


@writes("records_update", CONTAINMENT)
def objects_in_expected_arrays_are_compared_as_text() -> None:
    contains = records.contains

    def as_text(have: Any, want: Any) -> bool:
        if isinstance(want, list) and any(isinstance(each, dict) for each in want):
            return json.dumps(have) == json.dumps(want)
        return contains(have, want)

    patch(records, "contains", as_text)


@writes("records_update", CONTAINMENT)
def nulls_in_expected_arrays_are_not_compared() -> None:
    contains = records.contains

    def without_nulls(have: Any, want: Any) -> bool:
        return contains(have, [each for each in want if each is not None] if isinstance(want, list) else want)

    patch(records, "contains", without_nulls)


@writes("records_update", CONTAINMENT)
def an_underscore_in_an_expected_text_is_any_character() -> None:
    contains = records.contains

    def like(have: Any, want: Any) -> bool:
        if isinstance(have, str) and isinstance(want, str):
            return re.fullmatch(re.escape(want).replace("_", "."), have, re.DOTALL) is not None
        return contains(have, want)

    patch(records, "contains", like)


@writes("records_update", STALE)
def a_change_that_is_in_place_already_has_no_preconditions() -> None:
    stale = records.stale

    def stale_change(record: Json, body: Json) -> bool:
        in_place = bool(body.get("data")) and records.merged(record["data"], body["data"]) == record["data"]
        return stale(record, body) and not in_place

    patch(records, "stale", stale_change)


@writes("records_update", STALE)
def a_stale_update_attaches_its_person() -> None:
    def attached(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code == "stale":
                records.link(call, records.find_record(call), call.body.get("data", {}))
            raise

    wrap("records_update", attached)


@writes("records_update", STATUS)
def the_expected_status_is_that_of_the_data_if_there_is_one() -> None:
    stale_status = records.stale_status
    patch(
        records,
        "stale_status",
        lambda record, body: stale_status({"status": record["data"].get("status", record["status"])}, body),
    )


@writes("records_update", MERGE)
def a_text_in_place_of_an_object_is_spread_into_it() -> None:
    merged = records.merged

    def spread(old: Json, changes: Json) -> Json:
        return {
            **merged(old, changes),
            **{
                key: {**old[key], **{str(place): character for place, character in enumerate(value)}}
                for key, value in changes.items()
                if isinstance(value, str) and isinstance(old.get(key), dict)
            },
        }

    patch(records, "merged", spread)


@writes("records_update", MERGE)
def a_deleted_key_cannot_be_set_again() -> None:
    apply_changes = records.apply_changes
    deleted: dict[str, set[str]] = {}

    def changed(call: Call, record: Json, body: Json) -> None:
        gone = deleted.setdefault(record["id"], set())
        data = {key: value for key, value in body.get("data", {}).items() if key not in gone}
        gone |= {key for key, value in data.items() if value is None and key in record["data"]}
        apply_changes(call, record, {**body, "data": data})

    patch(records, "apply_changes", changed)


@writes("records_update", "A project is the scope for most operations")
def an_update_changes_the_record_of_another_project_with_the_external_id() -> None:
    apply_changes = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        apply_changes(call, record, body)
        for (project, _), other in call.world.records.items():
            if project != call.project and other["externalId"] == record["externalId"] is not None:
                other["data"] = records.merged(other["data"], body.get("data", {}))

    patch(records, "apply_changes", changed)


@writes("records_create", FREE)
def members_of_data_with_the_name_of_a_record_field_are_dropped() -> None:
    fields = {"id", "status", "createdAt", "updatedAt", "createdBy", "updatedBy"}
    patch(records, "stored", lambda data: {key: value for key, value in data.items() if key not in fields})


@writes(
    "records_create", "the service attaches an existing Person or creates one, and the record carries `personRefId`"
)
def a_person_is_attached_to_one_record_only() -> None:
    link = records.link

    def once(call: Call, record: Json, identity: Json) -> None:
        link(call, record, identity)
        for other in call.world.records.values():
            if other is not record and other.get("personRefId") == record.get("personRefId"):
                record.pop("personRefId", None)

    patch(records, "link", once)


@writes("workflows_create", "`triggerCondition` (any)")
def a_condition_that_is_a_text_is_read_as_json() -> None:
    alter_body("workflows_create", lambda body: body.update(triggerCondition=json.loads(body["triggerCondition"])))


@writes("workflows_create", "Body: `actions` (array)")
def an_action_that_equals_the_one_before_is_dropped() -> None:
    def without_repeats(body: Json) -> None:
        actions = body["actions"]
        body["actions"] = [action for place, action in enumerate(actions) if not place or action != actions[place - 1]]

    alter_body("workflows_create", without_repeats)


@writes("workflows_create", "Response: `{workflow: Workflow}`.")
def a_trigger_event_without_a_dot_is_prefixed_with_its_type() -> None:
    def prefixed(value: Json) -> None:
        workflow = value["workflow"]
        if "." not in workflow["triggerEventType"]:
            workflow["triggerEventType"] = f"{workflow['triggerTypeSlug']}.{workflow['triggerEventType']}"

    alter_value("workflows_create", prefixed)


@writes("workflows_create", "Workflow `tags`: at most 12 items, each 1-40 characters.")
def tags_that_are_repeated_count_once() -> None:
    def array(item: checks.Check, most: int | None = None) -> checks.Check:
        check = checks.array(item)
        return lambda value: check(value) and (most is None or len(set(value)) <= most)

    patch(workflows, "array", array)


@writes("workflows_create", "Workflow `tags`: at most 12 items, each 1-40 characters.")
def a_tag_of_forty_emoji_is_too_long() -> None:
    def text(least: int = 0, most: int | None = None) -> checks.Check:
        check = checks.text(least, most)
        return lambda value: check(value) and (most != 40 or len(value.encode("utf-16-le", "surrogatepass")) <= 80)

    patch(workflows, "text", text)


@writes("memory_update", PROVIDED)
def new_content_without_a_description_writes_its_first_line_there() -> None:
    change = settings.change

    def described(entry: Json, body: Json) -> None:
        change(entry, body)
        if body.get("content") and "description" not in body:
            entry["description"] = body["content"].splitlines()[0].lstrip("# ")

    patch(settings, "change", described)


@writes("memory_update", ENTRY)
def front_matter_of_content_is_removed() -> None:
    alter_body(
        "memory_update",
        lambda body: body.update(content=re.sub(r"\A---\n.*?\n---\n", "", body["content"], flags=re.DOTALL)),
    )


@writes("memory_update", ENTRY)
def metadata_below_the_third_level_is_text() -> None:
    def limited(value: Any, levels: int) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: limited(part, levels - 1) for key, part in value.items()} if levels else "[object Object]"

    alter_body("memory_update", lambda body: body.update(metadata=limited(body["metadata"], 3)))


@writes("calendar_book", ZONE)
def local_times_have_the_offset_that_the_zone_has_today() -> None:
    instant = calendar.instant

    def today(value: str, name: str | None) -> datetime:
        read = datetime.fromisoformat(value.upper().replace(",", "."))
        offset = datetime.now(ZoneInfo(name or calendar.HOME)).utcoffset() or timedelta()
        return instant(value, name) if read.tzinfo else read.replace(tzinfo=timezone(offset)).astimezone(UTC)

    patch(calendar, "instant", today)


@writes("calendar_book", ZONE)
def a_local_end_has_the_offset_of_the_start() -> None:
    end_of = calendar.end_of

    def with_offset(body: Json, begin: datetime) -> datetime | None:
        end = end_of(body, begin)
        if end is None or datetime.fromisoformat(body.get("end", "2000-01-01T00:00Z").upper()).tzinfo:
            return end
        first, last = (at.astimezone(ZoneInfo(body.get("timeZone", calendar.HOME))) for at in (begin, end))
        return end + ((last.utcoffset() or timedelta()) - (first.utcoffset() or timedelta()))

    patch(calendar, "end_of", with_offset)


@writes("calendar_book", TAKEN)
def conflicts_are_sought_among_the_events_that_start_on_the_day() -> None:
    overlaps = calendar.overlaps
    patch(
        calendar,
        "overlaps",
        lambda event, begin, end: event["begin"].date() == begin.date() and overlaps(event, begin, end),
    )


@writes("calendar_book", TAKEN)
def a_refused_booking_frees_the_slot() -> None:
    taken = calendar.taken

    def freed(call: Call, name: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        result = taken(call, name, begin, end, but)
        for event in calendar.events_of(call, name):
            if call.operation == "calendar_book" and calendar.overlaps(event, begin, end):
                call.world.events.pop((call.project, event["uid"]))
        return result

    patch(calendar, "taken", freed)


@writes("calendar_reschedule", MOVES)
def a_duration_counts_from_the_former_start() -> None:
    def counted(perform: Any, call: Call) -> Any:
        body = call.body
        if "durationMinutes" in body and "end" not in body:
            with suppress(TypeError, OverflowError):
                begin = calendar.find_event(call, body.get("calendarId"))["begin"]
                call.body = {**body, "end": calendar.wire(begin + timedelta(minutes=body["durationMinutes"]))}
        return perform(call)

    wrap("calendar_reschedule", counted)


@writes("calendar_reschedule", MOVES)
def the_calendar_takes_one_update_of_a_booking() -> None:
    write = calendar.write
    written: Counter[str] = Counter()

    def sequenced(call: Call, event: Json) -> None:
        written[event["uid"]] += 1
        if written[event["uid"]] <= 2:
            write(call, event)

    patch(calendar, "write", sequenced)
