"""Other choices than those of the second implementation, each alone, and all of them at once."""

import json
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from ..mutant import HEALTHY, VARIATIONS, Kind, bodies, instead, patch
from ..service import OPERATIONS, app, calendar, checks, listings, records, settings
from ..service.app import Refusal, Reply
from .messages import clock
from .refusals import restate

chosen = Kind("another choice", registry=VARIATIONS)


@chosen("Numeric status codes are not shown.", "records_create calendar_reschedule")
def statuses_are_other_usual_ones():
    for name, operation in OPERATIONS.items():
        if operation.method != "GET" and name != "labels_export":
            patch(operation, "success", 202 if operation.method == "PATCH" else 201)
    restate(lambda refusal: {404: 403, 422: 400}.get(refusal.status, refusal.status))


def is_free(name, value):
    """Return whether a member is a free-form value, or one of its own."""
    keys = value.keys() if isinstance(value, dict) else set()
    return name in {"metadata", "triggerCondition", "actions", "config"} or (
        name == "data" and not {"posts", "media", "project"} & keys
    )


def without_nulls(value):
    """Return a value in which fields of resources without a value are left out; free-form values keep their nulls."""
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: member if is_free(name, member) else without_nulls(member)
        for name, member in value.items()
        if member is not None or is_free(name, member)
    }


@chosen.change(
    "silent: other members of responses, and whether a member without a value is shown",
    "records_create posts_list",
    at=instead(app, "json_reply"),
)
def members_without_a_value_are_left_out(json_reply, status, value):
    if status < 400:
        tagged = {name: {**value[name], "etag": uuid4().hex} for name in ("record", "entry") if name in value}
        value = {"requestId": uuid4().hex, **value, **tagged}
    body = json.dumps(without_nulls(value), indent=2).encode()
    return Reply(status, body, {"content-type": "application/json"})


@chosen.change(
    "Error body; silent: other members, and header fields", "records_create agents_list", at=instead(app, "error")
)
def errors_have_details_and_a_challenge(error, refusal):
    details = {"details": [{"path": [], "message": refusal.message}], "error": {"status": refusal.status}}
    if refusal.status != 401:
        return app.json_reply(refusal.status, {"message": refusal.message, **details})
    reply = app.json_reply(401, dict.fromkeys(("message", "code", "error"), "invalid_token"))
    return replace(reply, headers={**reply.headers, "www-authenticate": 'Bearer error="invalid_token"'})


def merged(old, changes):
    """Return the merge of an object with changes at the top."""
    return {key: deepcopy(value) for key, value in {**old, **changes}.items() if changes.get(key, 0) is not None}


@chosen(
    "`data` is a partial merge; silent: at which depth, and what an array contains", "records_create records_update"
)
def data_are_merged_and_compared_as_by_postgresql():
    patch(records, "merged", merged)

    @instead(records, "contains")
    def contains(compared, have, want):
        if isinstance(want, list):
            return isinstance(have, list) and all(any(records.contains(item, part) for item in have) for part in want)
        return compared(have, want)


@chosen("only provided fields are updated; silent: whether metadata are merged, and other members", "memory_update")
def metadata_are_merged():
    @instead(settings, "change")
    def changed(change, entry, body):
        metadata = {"metadata": merged(entry["metadata"], body["metadata"])} if "metadata" in body else {}
        change(entry, {**body, **metadata})

    patch(settings, "checked", lambda call, required, *_, **known: checks.checked(call, required, **known))


@chosen("silent: whether another record may have the same `externalId`", "records_create records_update")
def external_ids_are_not_unique():
    patch(records, "require_unused", lambda call, external_id, type_slug, owner: None)


@chosen("silent: defaults of a booking and of an update", "calendar_book calendar_reschedule calendar_busy")
def events_have_other_defaults():
    patch(calendar, "rechecks_conflicts", calendar.checks_conflicts)
    patch(calendar, "HOME", "America/New_York")
    bodies("calendar_book")(lambda body: "end" in body or body.setdefault("durationMinutes", 45))


@chosen.change("silent: what a new start alone does to the end", "calendar_reschedule")
def a_new_start_keeps_the_length(perform, call):
    with suppress(AttributeError, KeyError, TypeError, ValueError):
        if not {"end", "durationMinutes"} & call.body.keys():
            event = calendar.find_event(call, None)
            begin = calendar.instant(call.body["start"], call.body.get("timeZone"))
            call.body = {**call.body, "end": (begin + (event["end"] - event["begin"])).isoformat()}
    return perform(call)


@chosen.change("Busy interval; silent: whether they touch, and are cut to the range", "calendar_busy calendar_book")
def busy_intervals_are_joined_and_not_cut(perform, call):
    perform(call)
    begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
    named = calendar.named_calendar(call, call.query.get("calendarId"))
    spans = []
    for event in sorted(calendar.events_of(call, named), key=lambda event: event["begin"]):
        if spans and event["begin"] <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], event["end"])
        else:
            spans.append([event["begin"], event["end"]])
    shown = [span for span in spans if span[0] < end and begin < span[1]]
    return {"busy": [{"start": calendar.wire(first), "end": calendar.wire(last)} for first, last in shown]}


def utc(at):
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@chosen("Timestamps are ISO 8601 date-times; silent: their offset", "records_update calendar_book calendar_busy")
def times_are_in_utc():
    patch(calendar, "wire", utc)
    clock(lambda: utc(datetime.now(UTC)))


@chosen("silent: the order of lists, and the default of `limit`", "agents_list posts_list")
def lists_have_another_order_and_default():
    patch(listings, "DEFAULT_LIMIT", 3)
    for name in ("agents_of", "posts_of", "media_of"):
        instead(listings, name)(lambda listed, *arguments: listed(*arguments)[::-1])


@chosen.change("Query: one parameter carrying a permission value. Its name is not shown.", "auth_check_permission")
def the_permission_has_another_name_and_may_be_unknown(perform, call):
    if "permission" not in call.query:
        raise Refusal(400, "There is no permission.")
    with suppress(Refusal):
        return perform(replace(call, query={"scope": call.query["permission"]}))
    return {"allowed": False}


def choose():
    for choice in dict.fromkeys(each.apply for each in VARIATIONS.values() if each.kind == chosen.name):
        choice()


whole = Kind("healthy", registry=HEALTHY)
whole.add("its choices", "", "", lambda: None)
whole.add("other choices", "", "", choose)
