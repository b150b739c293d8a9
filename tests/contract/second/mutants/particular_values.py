"""Services that are wrong only for particular values: characters, lengths, numbers, instants."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, arrays, members, numbers, patch, texts, wrap
from ..service import calendar, checks, records, workflows
from ..service.app import Call, Refusal

data = Kind("free-form data")
preconditions = Kind("preconditions")
falsy = Kind("falsy values")
limits = Kind("limits and what they count")
memory = Kind("memory entries")
sidebar = Kind("sidebar")
events = Kind("times of events")

FREE = "`data`: object, free-form JSON keyed by field."
CONTAINED = "`expectedData` is a JSON containment precondition."
STATUS = "`expectedStatus` is a status precondition. When either is stale, the response is 409."
START = "`start`: ISO timestamp; event start."


def stored(name: str, change: Callable[[Any], Any]) -> None:
    """Register a mutant that changes the data of records before it stores them."""
    data.add(name, "records_create", FREE, lambda: patch(records, "stored", change))


def written(name: str, change: Callable[[str], Any]) -> None:
    """Register a mutant that changes the strings in the data of records before it stores them."""
    stored(name, texts(change))


def keys(keep: Callable[[str], bool]) -> Callable[[Any], Any]:
    """Return a function that drops members with some names."""
    return members(lambda part: {key: value for key, value in part.items() if keep(key)})


def single(value: float) -> float:
    """Return a number in the precision of four bytes."""
    if isinstance(value, int):
        return value
    with suppress(OverflowError):
        return float(struct.unpack("f", struct.pack("f", value))[0])
    return value


stored("members whose names begin with a dollar sign are dropped", keys(lambda key: not key.startswith("$")))
stored("members whose names begin with an underscore are dropped", keys(lambda key: not key.startswith("_")))
stored("members named like those of objects are dropped", keys(lambda key: key not in {"__proto__", "constructor"}))
stored("members named id are dropped below the top", lambda value: {
    key: keys(lambda name: name != "id")(part) for key, part in value.items()
})  # fmt: skip
stored("members with an empty name are dropped", keys(bool))
stored("numbers have the precision of four bytes", numbers(single))
stored("tiny numbers are zero", numbers(lambda value: 0 if abs(value) < 1e-6 else value))
stored("arrays of one element are that element", arrays(lambda part: part[0] if len(part) == 1 else part))
stored("arrays in arrays are one array", arrays(lambda part: [
    inner for item in part for inner in (item if isinstance(item, list) else [item])
]))  # fmt: skip
stored("equal elements of arrays are one element", arrays(lambda part: [
    item for place, item in enumerate(part) if item not in part[:place]
]))  # fmt: skip
written("dates in data are timestamps", lambda text: (
    text + "T00:00:00Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else text
))  # fmt: skip
written("timestamps in data are in universal time", lambda text: (
    datetime.fromisoformat(text).astimezone(UTC).isoformat()
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", text)
    else text
))  # fmt: skip
written("strings of digits are numbers", lambda text: int(text) if re.fullmatch(r"[0-9]{1,15}", text) else text)
written("the words true and false are booleans", lambda text: {"true": True, "false": False}.get(text, text))
written("strings of data have at most 255 characters", lambda text: text[:255])
written("strings of data have at most 65535 bytes", lambda text: text.encode("utf-8", "surrogatepass")[:65535].decode("utf-8", "ignore"))  # fmt: skip
written("characters of four bytes are question marks", lambda text: re.sub(r"[^\u0000-\uffff]", "?", text))
written("ends of lines are line feeds", lambda text: text.replace("\r\n", "\n"))
written("characters of no width are removed", lambda text: re.sub("[\u200b-\u200d\u00ad\ufeff]", "", text))
written("entities are decoded", lambda text: text.replace("&amp;", "&").replace("&lt;", "<"))
written("percent-encoded characters are decoded", lambda text: text.replace("%20", " ").replace("%2F", "/"))
written("tags are stripped", lambda text: re.sub(r"<[^<>]*>", "", text))


def contained(name: str, change: Callable[[Any, Any], bool]) -> None:
    """Register a mutant with other preconditions that hold, given the data and the expected data."""
    preconditions.add(
        name,
        "records_update",
        CONTAINED,
        lambda: patch(
            records,
            "stale_data",
            lambda record, body: "expectedData" in body and not change(record["data"], body["expectedData"]),
        ),
    )


def folded(change: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    """Return a containment of values that are changed before."""
    contains = records.contains
    return lambda have, want: contains(change(have), change(want))


def dotted(have: Any, want: Json) -> bool:
    """Return whether data has the expected values, where dots in names separate the names of a path."""
    for key, value in want.items():
        at = have
        for part in key.split("."):
            at = at.get(part) if isinstance(at, dict) else None
        if not records.contains(have.get(key, at), value):
            return False
    return True


contained("true equals one", lambda have, want: all(key in have and have[key] == part for key, part in want.items()))
contained("only the last of the expected members is compared", lambda have, want: records.contains(
    have, dict(list(want.items())[-1:])
))  # fmt: skip
contained("dots of expected names are paths", dotted)
contained("expected strings are compared up to 64 characters", folded(texts(lambda text: text[:64])))
contained("expected strings without accents are equal", folded(texts(lambda text: re.sub("[^\x00-\x7f]", "?", text))))
contained("large expected numbers are equal if nearly so", folded(numbers(float)))
contained("objects in expected arrays are not compared", folded(arrays(lambda part: [
    {} if isinstance(item, dict) else item for item in part
])))  # fmt: skip
contained("empty expected objects are equal to anything", lambda have, want: records.contains(
    have, {key: part for key, part in want.items() if part != {}}
))  # fmt: skip
contained("expected arrays are contained if the first element is", folded(arrays(lambda part: part[:1])))


@preconditions("records_update", STATUS)
def an_underscore_in_the_expected_status_is_any_character() -> None:
    def stale(record: Json, body: Json) -> bool:
        pattern = re.escape(body.get("expectedStatus", record["status"])).replace("_", ".").replace("%", ".*")
        return re.fullmatch(pattern, record["status"]) is None

    patch(records, "stale_status", stale)


def begins(name: str, change: Callable[[str, str | None], datetime], *, operation: str = "calendar_book") -> None:
    """Register a mutant that reads timestamps in another way."""
    events.add(name, operation, START, lambda: patch(calendar, "instant", change))


_instant = calendar.instant


def at(change: Callable[[datetime], datetime]) -> Callable[[str, str | None], datetime]:
    """Return a function that reads timestamps and changes them."""
    return lambda value, zone: change(_instant(value, zone))


begins("the second 59 is the next minute", at(lambda value: (
    value + timedelta(seconds=1) if value.second == 59 else value
)))  # fmt: skip
begins("the leap day is the first of March", at(lambda value: (
    value + timedelta(days=1) if (value.month, value.day) == (2, 29) else value
)))  # fmt: skip
begins("the last day of the year is the first of January", at(lambda value: (
    value.replace(month=1, day=1) if (value.month, value.day) == (12, 31) else value
)))  # fmt: skip
begins("minutes of offsets are ignored", lambda value, zone: _instant(
    re.sub(r"([+-]\d\d):?[1-9]\d$", r"\1:00", value), zone
))  # fmt: skip
begins("minutes of negative offsets are positive", lambda value, zone: (
    _instant(value, zone) - 2 * timedelta(minutes=int(found[1]))
    if (found := re.search(r"T.*-\d\d:?(\d\d)$", value))
    else _instant(value, zone)
))  # fmt: skip
begins("zones of three parts are ignored", lambda value, zone: _instant(
    value, "UTC" if zone and zone.count("/") == 2 else zone
))  # fmt: skip
begins("zones have offsets of whole hours", lambda value, zone: (
    at + timedelta(minutes=at.astimezone(calendar.ZoneInfo(zone or calendar.HOME)).utcoffset().seconds % 3600 / 60)  # type: ignore[union-attr]
    if (at := _instant(value, zone)) and datetime.fromisoformat(value).tzinfo is None
    else at
))  # fmt: skip
begins("the zone replaces the offset", lambda value, zone: _instant(
    re.sub(r"(T.*?)([+-]\d\d:?\d\d|Z)$", r"\1", value) if zone else value, zone
))  # fmt: skip


@events("calendar_book", "`end`: defaults to start + durationMinutes.")
def durations_are_multiples_of_five() -> None:
    alter_body("calendar_book", lambda body: body.update(durationMinutes=max(5, body["durationMinutes"] // 5 * 5)))


@events("calendar_book", "`end`: defaults to start + durationMinutes.")
def durations_are_at_most_eight_hours() -> None:
    alter_body("calendar_book", lambda body: body.update(durationMinutes=min(480, body["durationMinutes"])))


@limits("workflows_create", "`tags`: max 12 items, each 1-40 chars.")
def equal_tags_count_once() -> None:
    wrap(
        "workflows_create",
        lambda perform, call: perform(
            Call(**{**vars(call), "body": {**call.body, "tags": list(dict.fromkeys(call.body["tags"]))}})
            if isinstance(call.body.get("tags"), list) and all(isinstance(tag, str) for tag in call.body["tags"])
            else call
        ),
    )


@limits("workflows_create", "Body: `actions` (array).")
def workflows_have_at_most_ten_actions() -> None:
    alter_body("workflows_create", lambda body: body.update(actions=body["actions"][:10]))


@limits("workflows_create", "Workflow `name`: 1-200 characters.")
def names_of_workflows_have_no_line_ends() -> None:
    def refused(perform: Any, call: Call) -> Any:
        if "\n" in str(call.body.get("name")):
            raise Refusal(422, "The name has more than one line.")
        return perform(call)

    wrap("workflows_create", refused)


@limits("workflows_create", "Workflow `description`: at most 1000 characters.")
def blanks_at_the_end_do_not_count() -> None:
    patch(checks, "length", lambda value: len(value.rstrip()) if len(value) > 1 else len(value))


@limits("workflows_create", "Workflow `tags`: at most 12 items, each 1-40 characters.")
def only_the_first_tag_is_measured() -> None:
    alter_tags = checks.array

    def first(item: Any, most: int | None = None) -> Any:
        return lambda value: alter_tags(item if most is None else checks.anything, most)(value) and (
            most is None or all(map(item, value[:1])) and all(isinstance(tag, str) for tag in value)
        )

    patch(workflows, "array", first)


@falsy("workflows_create", "Body: `triggerCondition` (any).")
def empty_trigger_conditions_are_dropped() -> None:
    alter_body("workflows_create", lambda body: body.pop("triggerCondition") if body["triggerCondition"] in ({}, []) else None)  # fmt: skip


def entries(name: str, member: str, change: Callable[[Any], Any]) -> None:
    """Register a mutant that changes a member of the updates of memory entries."""
    sentence = "Body: `title`, `description`, `content` (strings), `metadata` (object)."
    memory.add(name, "memory_update", sentence, lambda: alter_body("memory_update", lambda body: (
        body.update({member: change(body[member])})
    )))  # fmt: skip


entries("content of entries has no front matter", "content", lambda text: re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S))  # fmt: skip
entries("content of entries has at most 4000 characters", "content", lambda text: text[:4000])
entries("blank lines of content are one", "content", lambda text: re.sub(r"\n{3,}", "\n\n", text))
entries("titles of entries have one line", "title", lambda text: text.replace("\n", " "))
entries("metadata of entries have names in lower case", "metadata", members(lambda part: {
    key.lower(): value for key, value in part.items()
}))  # fmt: skip
entries("metadata of entries are strings", "metadata", lambda value: {
    key: str(part) if isinstance(part, int | float) else part for key, part in value.items()
})  # fmt: skip


def links(name: str, change: Callable[[str], Any], member: str = "href") -> None:
    """Register a mutant that changes a member of the items of sidebars."""

    def changed(body: Json) -> None:
        for section in body["sections"]:
            for item in section.get("items", []):
                if isinstance(item.get(member), str):
                    item[member] = change(item[member])

    sentence = "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings)."
    sidebar.add(name, "sidebar_replace", sentence, lambda: alter_body("sidebar_replace", changed))


links("fragments of addresses are dropped", lambda text: text.partition("#")[0])
links("addresses end without a slash", lambda text: text.rstrip("/") or "/")
links("icons have no prefix", lambda text: text.rpartition(":")[2], "icon")
links("labels have at most forty characters", lambda text: text[:40], "label")
links("labels have no characters of four bytes", lambda text: re.sub(r"[^\u0000-\uffff]", "", text), "label")
links("identifiers of items are in lower case", str.lower, "id")
