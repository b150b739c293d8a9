"""The other choices: lets the second implementation differ from itself wherever the specification leaves a choice.

Each function states the sentence that leaves it. All choices are made at once, so that one run judges them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from .service import OPERATIONS, app, calendar, listings, records, settings, social, workflows
from .service.app import Call, Refusal, Reply

Json = dict[str, Any]
Patch = Callable[[Any, str, Any], None]

INFERRED = frozenset({"permissions.check.other-values"})
"""Inferred rules of which the service differs in addition."""


def differ(patch: Patch) -> None:
    """Make the other choices.

    Args:
        patch: Replaces an attribute of an object.
    """
    for choice in (statuses, bodies, merges, defaults, orders, answers):
        choice(patch)


def statuses(patch: Patch) -> None:
    """Give other statuses.

    Endpoints: "Numeric success status codes other than the label export's 200 are not shown." Errors: "Status codes of the
    other documented error responses are not shown."
    """
    for name, operation in OPERATIONS.items():
        if operation.bad_request == 422:
            patch(operation, "bad_request", 400)
        if operation.method != "GET" and name != "labels_export":
            patch(operation, "success", 202 if operation.method == "PATCH" else 201)
    initialize = Refusal.__init__

    def refuse(self: Refusal, status: int, message: str, code: str | None = None) -> None:
        initialize(self, {404: 403, 422: 400}.get(status, status), message, code)

    patch(Refusal, "__init__", refuse)


def bodies(patch: Patch) -> None:
    """Write JSON in another way, with other members, which differ in each response; a member without a value is left out.

    Errors: "Error body (JSON): `message` (string, always present) and `code` (string, optional)".
    """

    def json_reply(status: int, value: Any) -> Reply:
        value = {**app.noise("requestId"), **value} if status < 400 else value
        tagged = {
            name: {**value[name], **app.noise("etag")} for name in ("record", "entry", "workflow") if name in value
        }
        value = {**value, **tagged}
        body = json.dumps(_without_nulls(value), indent=2).encode()
        return Reply(status, body, {"content-type": "application/json"})

    def error(refusal: Refusal) -> Reply:
        details = {"details": [{"path": [], "message": refusal.message}], "error": {"status": refusal.status}}
        reply = json_reply(refusal.status, {"message": refusal.message, **details})
        if refusal.status == 401:
            challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
            value = {"message": "invalid_token", "code": "invalid_token", "error": "invalid_token"}
            return Reply(401, json.dumps(value).encode(), {**reply.headers, **challenge})
        return reply

    patch(app, "json_reply", json_reply)
    patch(app, "error", error)


def _without_nulls(value: Json) -> Json:
    """Return a response in which fields of resources without a value are left out; free-form objects keep their nulls."""
    free = {"data", "metadata", "triggerCondition", "actions", "config"}
    return {
        name: member
        if name in free and not {"posts", "media", "project"} & set(member if isinstance(member, dict) else ())
        else _without_nulls(member)
        if isinstance(member, dict)
        else [_without_nulls(item) if isinstance(item, dict) else item for item in member]
        if isinstance(member, list)
        else member
        for name, member in value.items()
        if member is not None or name in free
    }


def merges(patch: Patch) -> None:
    """Merge the keys at the top level only, and compare arrays as sets, as PostgreSQL does.

    Endpoints 4: "`data` is a partial merge; a key whose value is `null` is deleted" does not say at which depth, and "a JSON
    containment precondition" not what it means for arrays. Endpoints 10 does not say whether metadata is merged.
    """

    def merged(old: Json, changes: Json) -> Json:
        return {key: deepcopy(value) for key, value in {**old, **changes}.items() if changes.get(key, 0) is not None}

    def contains(have: Any, want: Any) -> bool:
        if isinstance(want, list):
            return isinstance(have, list) and all(any(contains(item, part) for item in have) for part in want)
        return compared(have, want)

    compared = records.contains

    def change(entry: Json, body: Json) -> None:
        metadata = {"metadata": merged(entry["metadata"], body["metadata"])} if "metadata" in body else {}
        original(entry, {**body, **metadata})

    original = settings.change
    patch(records, "merged", merged)
    patch(records, "contains", contains)
    patch(settings, "change", change)


def defaults(patch: Patch) -> None:
    """Use other defaults, and accept or refuse otherwise.

    A second like, an `externalId` that is in use, members and parameters with other names, a permission that is none, an empty
    update, an event without an end, a time without a zone, and whether an update of an event checks for
    conflicts have no sentence. "Default values of list `limit` and `offset` are not shown." "Which body fields are required is
    not shown."
    """
    patch(listings, "DEFAULT_LIMIT", 3)
    patch(social, "require_first", lambda call, post: None)
    patch(records, "require_unused", lambda call, external_id, type_slug, owner: None)
    patch(calendar, "rechecks_conflicts", lambda body: bool(body.get("conflictCheck", True)))
    patch(calendar, "HOME", "America/New_York")
    checked = settings.checked

    def lenient(call: Call, required: tuple[str, ...], strict: bool = False, /, **members: Any) -> Json:
        return checked(call, required, not strict, **members)

    patch(settings, "checked", lenient)

    def strict(call: Call, required: tuple[str, ...], lenient: bool = False, /, **members: Any) -> Json:
        return checked(call, (*required, "actions"), True, **members)

    patch(workflows, "checked", strict)
    patch(OPERATIONS["calendar_book"], "perform", _booked)
    patch(OPERATIONS["records_update"], "perform", _updated)
    for name, known in _PARAMETERS.items():
        patch(OPERATIONS[name], "perform", _without_other_parameters(OPERATIONS[name].perform, known))
    perform = OPERATIONS["auth_check_permission"].perform

    def check(call: Call) -> Any:
        query = {"scope": call.query["permission"]} if "permission" in call.query else {}
        try:
            return perform(Call(call.operation, call.world, call.user, call.path, query))
        except Refusal:
            if not query:
                raise
            return {"allowed": False}

    patch(OPERATIONS["auth_check_permission"], "perform", check)


_PARAMETERS = {
    "agents_list": {"limit", "offset"},
    "posts_list": {"state", "network"},
    "calendar_busy": {"timeMin", "timeMax", "calendarId"},
    "photo_analytics_list_media": set(),
    "web_analytics_get_config": set(),
}
_book = OPERATIONS["calendar_book"].perform
_update = OPERATIONS["records_update"].perform


def _booked(call: Call) -> Any:
    if not {"end", "durationMinutes"} & call.body.keys():
        call.body["durationMinutes"] = 45
    return _book(call)


def _updated(call: Call) -> Any:
    if not call.body:
        raise Refusal(400, "An update needs a field.", "invalid")
    return _update(call)


def _without_other_parameters(perform: Callable[[Call], Any], known: set[str]) -> Callable[[Call], Any]:
    def refusing(call: Call) -> Any:
        if call.query.keys() - known:
            raise Refusal(400, "There is no such parameter.", "invalid")
        return perform(call)

    return refusing


def orders(patch: Patch) -> None:
    """List in another order: no list but the sidebar's is said to have one."""
    agents_of, posts_of, media_of = listings.agents_of, listings.posts_of, listings.media_of
    patch(listings, "agents_of", lambda call: agents_of(call)[::-1])
    patch(listings, "posts_of", lambda call: posts_of(call)[::-1])
    patch(listings, "media_of", lambda call, account: media_of(call, account)[::-1])


def answers(patch: Patch) -> None:
    """Answer with other forms of the same times, and with busy intervals that are merged and not cut to the range.

    Resources: "Timestamps are ISO 8601 date-times". Endpoints 6 does not say what a new start alone does to the end; here the
    event keeps its length.
    """
    patch(calendar, "wire", _utc)
    for module in (records, settings, workflows):
        patch(module, "now", lambda: _utc(datetime.now(UTC)))
    busy = OPERATIONS["calendar_busy"].perform
    patch(OPERATIONS["calendar_busy"], "perform", lambda call: busy(call) and _merged_busy(call))
    end_of = calendar.end_of

    def reschedule(call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        length = None if event is None else event["end"] - event["begin"]

        def keeping(body: Json, begin: datetime) -> datetime | None:
            return end_of(body, begin) or (None if length is None or "start" not in body else begin + length)

        calendar.end_of = keeping
        try:
            return perform(call)
        finally:
            calendar.end_of = end_of

    perform = OPERATIONS["calendar_reschedule"].perform
    patch(OPERATIONS["calendar_reschedule"], "perform", reschedule)


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _merged_busy(call: Call) -> Json:
    """List busy intervals, oldest first; those that touch are one."""
    begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
    named = calendar.named_calendar(call, call.query.get("calendarId"))
    spans: list[list[datetime]] = []
    for event in sorted(calendar.events_of(call, named), key=lambda event: event["begin"]):
        if not calendar.in_range(event, begin, end):
            continue
        if spans and event["begin"] <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], event["end"])
        else:
            spans.append([event["begin"], event["end"]])
    return {"busy": [{"start": calendar.wire(first), "end": calendar.wire(last)} for first, last in spans]}
