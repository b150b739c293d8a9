"""Services that are wrong only for particular characters, lengths or instants."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, members, patch, wrap
from ..service import calendar, checks, workflows
from ..service.app import Call, Refusal

falsy = Kind("falsy values")
limits = Kind("limits and what they count")
memory = Kind("memory entries")
sidebar = Kind("sidebar")
events = Kind("times of events")
START = "`start`: ISO timestamp; event start."


def begins(name: str, change: Callable[[str, str | None], datetime], *, operation: str = "calendar_book") -> None:
    """Register a mutant that reads timestamps in another way."""
    events.add(name, operation, START, lambda: patch(calendar, "instant", change))


_instant = calendar.instant


def at(change: Callable[[datetime], datetime]) -> Callable[[str, str | None], datetime]:
    """Return a function that reads timestamps and changes them."""
    return lambda value, zone: change(_instant(value, zone))


begins(
    "the second 59 is the next minute", at(lambda value: value + timedelta(seconds=1) if value.second == 59 else value)
)


begins(
    "the leap day is the first of March",
    at(lambda value: value + timedelta(days=1) if (value.month, value.day) == (2, 29) else value),
)


begins(
    "the last day of the year is the first of January",
    at(lambda value: value.replace(month=1, day=1) if (value.month, value.day) == (12, 31) else value),
)


begins(
    "minutes of offsets are ignored",
    lambda value, zone: _instant(re.sub(r"([+-]\d\d):?[1-9]\d$", r"\1:00", value), zone),
)


begins(
    "minutes of negative offsets are positive",
    lambda value, zone: (
        _instant(value, zone) - 2 * timedelta(minutes=int(found[1]))
        if (found := re.search(r"T.*-\d\d:?(\d\d)$", value))
        else _instant(value, zone)
    ),
)


begins(
    "zones of three parts are ignored",
    lambda value, zone: _instant(value, "UTC" if zone and zone.count("/") == 2 else zone),
)


begins(
    "zones have offsets of whole hours",
    lambda value, zone: (
        at + timedelta(minutes=at.astimezone(calendar.ZoneInfo(zone or calendar.HOME)).utcoffset().seconds % 3600 / 60)  # type: ignore[union-attr]
        if (at := _instant(value, zone)) and datetime.fromisoformat(value).tzinfo is None
        else at
    ),
)


begins(
    "the zone replaces the offset",
    lambda value, zone: _instant(re.sub(r"(T.*?)([+-]\d\d:?\d\d|Z)$", r"\1", value) if zone else value, zone),
)


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
        return lambda value: (
            alter_tags(item if most is None else checks.anything, most)(value)
            and (most is None or (all(map(item, value[:1])) and all(isinstance(tag, str) for tag in value)))
        )

    patch(workflows, "array", first)


@falsy("workflows_create", "Body: `triggerCondition` (any).")
def empty_trigger_conditions_are_dropped() -> None:
    alter_body(
        "workflows_create", lambda body: body.pop("triggerCondition") if body["triggerCondition"] in ({}, []) else None
    )


def entries(name: str, member: str, change: Callable[[Any], Any]) -> None:
    """Register a mutant that changes a member of the updates of memory entries."""
    sentence = "Body: `title`, `description`, `content` (strings), `metadata` (object)."
    memory.add(
        name,
        "memory_update",
        sentence,
        lambda: alter_body("memory_update", lambda body: body.update({member: change(body[member])})),
    )


entries(
    "content of entries has no front matter",
    "content",
    lambda text: re.sub(r"^---\n.*?\n---\n", "", text, flags=re.DOTALL),
)


entries("content of entries has at most 4000 characters", "content", lambda text: text[:4000])


entries("blank lines of content are one", "content", lambda text: re.sub(r"\n{3,}", "\n\n", text))


entries("titles of entries have one line", "title", lambda text: text.replace("\n", " "))


entries(
    "metadata of entries have names in lower case",
    "metadata",
    members(lambda part: {key.lower(): value for key, value in part.items()}),
)


entries(
    "metadata of entries are strings",
    "metadata",
    lambda value: {key: str(part) if isinstance(part, int | float) else part for key, part in value.items()},
)


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
