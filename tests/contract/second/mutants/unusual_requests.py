"""Services that are wrong only for requests that few clients send."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_replies, patch
from ..service import calendar, records, tokens
from ..service.app import OPERATIONS, Reply, Request

merge = Kind("merge and identity of records")
memory = Kind("memory entries")
limits = Kind("limits and what they count")
busy = Kind("busy intervals")
conflicts = Kind("conflicts of events")
reports = Kind("template report")
auth = Kind("tokens")
errors = Kind("error bodies")
sidebar = Kind("sidebar")


def unchanged(name: str, same: Callable[[Any, Any], bool]) -> None:
    """Register a mutant that does not write values that it considers the same as the old ones."""

    def merged(old: Json, changes: Json) -> Json:
        return _merged(
            old,
            {key: part for key, part in changes.items() if key not in old or part is None or not same(old[key], part)},
        )

    sentence = "`data` is a partial merge; a key whose value is `null` is deleted."
    merge.add(name, "records_update", sentence, lambda: patch(records, "merged", merged))


_merged = records.merged

unchanged("values that differ in case are not written", lambda old, new: str(old).lower() == str(new).lower())
unchanged("values that differ in blanks are not written", lambda old, new: str(old).split() == str(new).split())
unchanged(
    "lists that differ in order are not written",
    lambda old, new: isinstance(old, list) and isinstance(new, list) and sorted(map(str, old)) == sorted(map(str, new)),
)
unchanged("numbers that are equal to booleans are not written", lambda old, new: bool(old == new))
unchanged(
    "numbers that differ little are not written",
    lambda old, new: isinstance(old, float) and isinstance(new, float) and abs(old - new) < 1e-3,
)
unchanged(
    "lists of the same length are not written",
    lambda old, new: isinstance(old, list) and isinstance(new, list) and len(old) == len(new),
)
unchanged(
    "longer texts with the same beginning are not written",
    lambda old, new: isinstance(old, str) and isinstance(new, str) and len(old) > 20 and new.startswith(old),
)


@merge("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
def an_update_changes_at_most_twenty_keys() -> None:
    alter_body("records_update", lambda body: body.update(data=dict(list(body["data"].items())[:20])))


FIELDS = "Body: `title`, `description`, `content` (strings), `metadata` (object)."
NAME = "`project`: {id (uuid), name, slug, createdAt (date-time)}."


def cut(name: str, operation: str, member: str, change: Callable[[str], str]) -> None:
    """Register a mutant that changes a text of a body."""
    kind, sentence = (memory, FIELDS) if operation == "memory_update" else (reports, NAME)
    kind.add(
        name,
        operation,
        sentence,
        lambda: alter_body(operation, lambda body: body.update({member: change(body[member])})),
    )


cut("titles of entries have at most 120 characters", "memory_update", "title", lambda text: text[:120])
cut("descriptions of entries are cut", "memory_update", "description", lambda text: text[:500])
cut("names of sub-projects are cut", "templates_apply", "name", lambda text: text[:60])
cut("names of sub-projects are written in capitals", "templates_apply", "name", str.title)
cut(
    "names of sub-projects have no characters of four bytes",
    "templates_apply",
    "name",
    lambda text: "".join(each for each in text if each <= "\uffff"),
)


def tags(name: str, change: Callable[[list[str]], list[str]]) -> None:
    """Register a mutant that changes the tags of workflows."""
    limits.add(
        name,
        "workflows_create",
        "`tags` (array of string).",
        lambda: alter_body("workflows_create", lambda body: body.update(tags=change(body["tags"]))),
    )


tags("tags that differ in case are one", lambda value: list({tag.lower(): tag for tag in value}.values()))
tags("tags are divided at commas", lambda value: [part for tag in value for part in tag.split(",")])
tags("tags have no number sign", lambda value: [tag.removeprefix("#") for tag in value])


RECHECK = "Busy intervals are re-checked before insert and the response is 409 if the slot was taken."
LISTED = "`timeMin`: inclusive start of the range; `timeMax`: exclusive end of the range."


def seen(name: str, of: str, keep: Callable[[Json, Any, Any], bool]) -> None:
    """Register a mutant whose calendar does not see some events in a range."""

    def apply() -> None:
        whole = getattr(calendar, of)
        patch(calendar, of, lambda event, begin, end: whole(event, begin, end) and keep(event, begin, end))

    if of == "overlaps":
        conflicts.add(name, "calendar_book", RECHECK, apply)
    else:
        busy.add(name, "calendar_busy", LISTED, apply)


DAY = timedelta(days=1)

seen(
    "events of the day before are not checked",
    "overlaps",
    lambda event, begin, end: event["begin"].date() == begin.date(),
)
seen(
    "long events are not checked",
    "overlaps",
    lambda event, begin, end: event["end"] - event["begin"] < DAY,
)
seen(
    "short events are not checked",
    "overlaps",
    lambda event, begin, end: event["end"] - event["begin"] > timedelta(minutes=1),
)
seen(
    "events after a month are not listed",
    "in_range",
    lambda event, begin, end: event["begin"] < begin + 31 * DAY,
)
seen(
    "events that include the range are not listed",
    "in_range",
    lambda event, begin, end: event["begin"] >= begin or event["end"] <= end,
)
seen(
    "events that end on the next day are not listed",
    "in_range",
    lambda event, begin, end: event["begin"].date() == event["end"].date(),
)
seen(
    "events of less than a minute are not listed",
    "in_range",
    lambda event, begin, end: event["end"] - event["begin"] >= timedelta(minutes=1),
)


@busy("calendar_busy", "Response: `{busy: array of {start, end}}`.")
def at_most_forty_intervals_are_listed() -> None:
    whole = calendar.busy
    OPERATIONS["calendar_busy"].perform = lambda call: {"busy": whole(call)["busy"][:40]}


@auth("posts_list", "The token is a JWT.")
def what_follows_a_token_is_ignored() -> None:
    verified = tokens.verified
    patch(tokens, "verified", lambda world, token: verified(world, ".".join(token.split(".")[:3])))


def failing(name: str, operation: str, status: int, body: Any, kind: str = "application/json") -> None:
    """Register a mutant with another body of one error of an operation."""

    def changed(called: str | None, request: Request, reply: Reply) -> Reply:
        if (called, reply.status) != (operation, status):
            return reply
        content = body if isinstance(body, str) else json.dumps(body)
        return replace(reply, body=content.encode(), headers={"content-type": kind})

    sentence = "Error body (JSON): `message` (string, always present) and `code` (string, optional)."
    errors.add(name, operation, sentence, lambda: alter_replies(changed))


failing("a taken slot has no message", "calendar_book", 409, {"code": "slot_taken"})
failing("a taken slot of an update has no message", "calendar_reschedule", 409, {"code": "slot_taken"})
failing("an unknown post is not found as text", "engagement_like", 404, "Not found", "text/plain")
failing("an unknown template has problem details", "templates_apply", 404, {"title": "Not found", "status": 404})
failing("a refused service account has no message", "workflows_create", 403, {"error": "forbidden"})
failing("an unknown calendar has no message", "calendar_busy", 404, {})
failing("an unknown account has a list of messages", "photo_analytics_list_media", 404, {"message": ["not found"]})
failing("an invalid sidebar has no message", "sidebar_replace", 422, {"errors": {"sections": ["invalid"]}})
failing("a limit of agents is refused as text", "agents_list", 400, "limit", "text/plain")
