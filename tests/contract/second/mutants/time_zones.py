"""Times that are read, compared or shown in the wrong zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, alter_body, alter_query, alter_value, patch, wrap
from ..service import calendar, workflows
from ..service.app import Refusal
from ..service.checks import timestamp

time_zone = Kind("time zone")

ZONE = "`timeZone` | string | IANA zone for start and end"
RANGE = "`timeMin`: ISO timestamp, inclusive start of the range."
_OFFSET = re.compile(r"([Zz]|[+-]\d\d(:?\d\d)?)$")


def has_offset(text: str) -> bool:
    """Return whether a timestamp has an offset."""
    return _OFFSET.search(text.upper().partition("T")[2]) is not None


@time_zone("workflows_create", "Timestamps are ISO 8601 date-times.")
def times_of_workflows_are_local_and_marked_as_utc() -> None:
    patch(workflows, "now", lambda: f"{datetime.now(timezone(timedelta(hours=2))):%Y-%m-%dT%H:%M:%S.%fZ}")


@time_zone("calendar_book", ZONE)
def local_times_have_the_mean_solar_offset_of_their_zone() -> None:
    instant = calendar.instant

    def solar(value: str, name: str | None) -> datetime:
        if name is None or has_offset(value):
            return instant(value, name)
        offset = ZoneInfo(name).utcoffset(datetime(1800, 1, 1))
        minutes = round((offset or timedelta()).total_seconds() / 60)
        return instant(value, "UTC") - timedelta(minutes=minutes)

    patch(calendar, "instant", solar)


@time_zone("calendar_book", "`start` | string | ISO timestamp; event start")
def offsets_do_not_count_if_there_is_a_zone() -> None:
    def local(body: Json) -> None:
        if "timeZone" in body:
            for name in {"start", "end"} & body.keys():
                if has_offset(body[name]):
                    body[name] = _OFFSET.sub("", body[name])

    alter_body("calendar_book", local)


@time_zone("calendar_book", ZONE)
def the_zone_is_that_of_the_start_alone() -> None:
    def end_in_utc(body: Json) -> None:
        if "timeZone" in body and not has_offset(body["end"]):
            body["end"] += "Z"

    alter_body("calendar_book", end_in_utc)


@time_zone(
    "calendar_book", "Busy intervals are re-checked before insert and the response is 409 if the slot was taken."
)
def conflicts_are_sought_among_the_events_that_start_on_that_day() -> None:
    def taken(call: Any, name: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        return any(
            calendar.overlaps(event, begin, end)
            for event in calendar.events_of(call, name)
            if event["uid"] != but and event["begin"].date() == begin.date()
        )

    patch(calendar, "taken", taken)


@time_zone("calendar_book", "`end` | string | ISO timestamp; defaults to start + durationMinutes")
def durations_are_added_to_the_local_time() -> None:
    end_of = calendar.end_of

    def added(body: Json, begin: datetime) -> datetime | None:
        if "end" in body or "durationMinutes" not in body:
            return end_of(body, begin)
        local = begin.astimezone(ZoneInfo(body.get("timeZone", calendar.HOME)))
        return (local + timedelta(minutes=body["durationMinutes"])).astimezone(UTC)

    patch(calendar, "end_of", added)


@time_zone("calendar_reschedule", "Body: `calendarId`, `start`, `end`, `durationMinutes` (integer), `timeZone`.")
def the_zone_of_an_update_is_ignored() -> None:
    alter_body("calendar_reschedule", lambda body: body.pop("timeZone"))


@time_zone("calendar_reschedule", "Rules: moves start/end and/or changes title/description.")
def events_are_moved_to_times_in_utc_only() -> None:
    def utc_only(perform: Any, call: Any) -> Any:
        for name in ("start", "end"):
            text = call.body.get(name)
            if isinstance(text, str) and has_offset(text) and not text.upper().endswith("Z"):
                raise Refusal(422, f"{name} does not match the format YYYY-MM-DDTHH:MM:SSZ.", "invalid")
        return perform(call)

    wrap("calendar_reschedule", utc_only)


@time_zone("calendar_busy", "Response: `{busy: array of {start, end}}`.")
def busy_intervals_have_the_offset_of_winter() -> None:
    def winter(value: Json) -> None:
        for interval in value["busy"]:
            for name in ("start", "end"):
                interval[name] = interval[name].replace("+02:00", "+01:00")

    alter_value("calendar_busy", winter)


@time_zone("calendar_busy", RANGE)
def ranges_begin_at_midnight() -> None:
    def midnight(query: Json) -> None:
        if timestamp(query["timeMin"]):
            query["timeMin"] = f"{query['timeMin'][:10]}T00:00:00Z"

    alter_query("calendar_busy", midnight)


@time_zone("calendar_busy", RANGE)
def queries_are_decoded_twice() -> None:
    def spaced(query: Json) -> None:
        for name in {"timeMin", "timeMax"} & query.keys():
            query[name] = query[name].replace("+", " ")

    alter_query("calendar_busy", spaced)
