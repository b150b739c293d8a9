"""Healthy services that refuse more, or with other statuses."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Perform, around, instead, patch, replies, walk, wrap
from ..service import OPERATIONS, Service, app, calendar, checks, tokens
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import HOME, PAGE
from .common import UPDATES, WRITERS, varies, vary

STATUSES = "Status codes of the other documented error responses are not shown."
PERMISSION = "The permission required by each other endpoint is not shown."
RATE = "Rate limits and maximum request sizes are not shown."
REQUIRED = "Which body fields are required is not shown."
RECORDS = ("records_create", "records_update")
EVENTS = ("calendar_book", "calendar_reschedule")
READS = {
    "agents_list": {"limit", "offset"},
    "posts_list": {"state", "network"},
    "calendar_busy": {"timeMin", "timeMax", "calendarId"},
    "auth_check_permission": {"scope"},
}


def refuse(sentence: str, rows: Mapping[str, Callable[[Json], Any]], *operations: str, status: int = 422) -> None:
    """Register services that refuse bodies which are not valid in addition; a malformed body is left to the service."""

    def apply(valid: Callable[[Json], Any]) -> None:
        def checked(perform: Any, call: Call) -> Any:
            with suppress(AttributeError, KeyError, TypeError, ValueError):
                if not valid(call.body):
                    raise Refusal(status, "The body is invalid.", "strict")
            return perform(call)

        for operation in operations:
            wrap(operation, checked)

    for name, valid in rows.items():
        vary(name, sentence, operations, partial(apply, valid))


def all_texts(valid: Callable[[str], bool], value: Any) -> bool:
    """Return whether all strings below a value are valid."""
    invalid: list[str] = []
    walk(value, lambda part: invalid.append(part) if isinstance(part, str) and not valid(part) else part)
    return not invalid


def is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


SLUG = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")

refuse(
    "silent: which names, slugs, events, actions, conditions and tags there are",
    {
        "names have only some characters": lambda body: re.fullmatch(r"\w[\w -]*", body["name"], re.ASCII),
        "only some events exist": lambda body: body["triggerEventType"] in ["record.created", "record.updated"],
        "slugs have the form of slugs": lambda body: all(
            SLUG.fullmatch(body[name]) for name in ("triggerTypeSlug", "triggerEventType")
        ),
        "actions have a type and there is one": lambda body: (
            0 < len(body.get("actions", [])) <= 3
            and all(isinstance(each, dict) and "type" in each for each in body["actions"])
        ),
        "there are no actions but those of the catalogue": lambda body: body.get("actions", []) == [],
        "an active workflow has actions": lambda body: body.get("actions") or not body.get("isActive"),
        "conditions are objects with an operator": lambda body: (
            body["triggerCondition"] is None
            or (isinstance(body["triggerCondition"], dict) and "op" in body["triggerCondition"])
        ),
        "tags are different words": lambda body: len({tag.lower() for tag in body["tags"]}) == len(body["tags"]),
    },
    "workflows_create",
)
refuse(
    REQUIRED,
    {
        "records need an external id": lambda body: "externalId" in body,
        "linked types need an identity": lambda body: (
            body["typeSlug"] != "visitor" or isinstance(body.get("data", {}).get("email"), str)
        ),
    },
    "records_create",
)
refuse(
    "`data`: free-form JSON keyed by field; object type definitions and their schemas are not shown.",
    {
        "fields have names and scalar values": lambda body: (
            all(re.fullmatch(r"[a-z]\w{0,30}", name, re.ASCII) for name in body["data"])
            and all(map(is_scalar, body["data"].values()))
        ),
        "only fields of the schema exist": lambda body: (
            body["data"].keys() <= {"title", "name", "email", "phone", "notes", "amount"}
        ),
    },
    *RECORDS,
)
refuse(
    "`relations` (object); silent: which relations there are",
    {"there are no relations": lambda body: body.get("relations", {}) == {}},
    *RECORDS,
    status=404,
)
refuse(
    REQUIRED,
    {"updates need a precondition": lambda body: body.keys() & {"expectedData", "expectedStatus"}},
    "records_update",
    status=428,
)
refuse(
    "silent: whether an update that changes nothing is one", {"empty updates are refused": bool}, *UPDATES, status=400
)
refuse(
    "silent: which characters texts have",
    {
        "texts have no control characters": partial(all_texts, str.isprintable),
        "texts have only characters of the basic plane": partial(
            all_texts, lambda text: all("\0" < each < "\ud800" for each in text)
        ),
    },
    *WRITERS,
    status=400,
)


def times(body: Json) -> tuple[datetime, datetime]:
    """Return start and end of an event."""
    begin = calendar.instant(body["start"], body.get("timeZone"))
    return begin, calendar.end_of(body, begin) or begin


def is_worked(at: datetime) -> bool:
    """Return whether a time is in working hours."""
    local = at.astimezone(ZoneInfo(calendar.HOME))
    return local.weekday() < 5 and 8 <= local.hour < 18


def has_offset(text: str) -> bool:
    return re.search(r"([Zz]|[+-]\d\d:?\d\d)$", text) is not None


refuse(
    "silent: how long events are, at which times, and which of their times are given together",
    {
        "events take quarters of at most two hours": lambda body: (
            (times(body)[1] - times(body)[0]).total_seconds() in range(0, 7201, 900)
        ),
        "events are in working hours": lambda body: all(map(is_worked, times(body))),
        "events are not in the past": lambda body: times(body)[0] > datetime.now(UTC),
        "contradictory times are refused": lambda body: (
            not {"end", "durationMinutes"} <= body.keys()
            and not (has_offset(body.get("start", "")) and "timeZone" in body)
        ),
    },
    *EVENTS,
)
refuse(
    REQUIRED,
    {
        "a start needs an end": lambda body: ("start" in body) == bool({"end", "durationMinutes"} & body.keys()),
        "reschedules name the calendar": lambda body: "calendarId" in body,
    },
    "calendar_reschedule",
)
refuse(
    "attendee: {name, email, phone}; `metadata`: object; silent: what is required, and in which form",
    {
        "bookings need nearly everything": lambda body: (
            {"start", "end", "timeZone", "summary", "calendarId", "description"} <= body.keys()
        ),
        "attendees have a name and a phone number": lambda body: (
            {"name", "email"} <= body["attendee"].keys()
            and re.fullmatch(r"\+[1-9]\d{6,14}", body["attendee"].get("phone", ""))
        ),
        "metadata of events is text": lambda body: (
            len(body["metadata"]) < 4 and all(isinstance(text, str) for text in body["metadata"].values())
        ),
    },
    "calendar_book",
)
refuse(
    "silent: to whom invitations are sent",
    {"only some domains are invited": lambda body: body["attendee"]["email"].endswith("@second.example")},
    "calendar_book",
    status=403,
)
refuse(
    "`sections`: an ordered array; silent: how many, which icons and paths, and whether identifiers may be repeated",
    {
        "sidebars have known icons and own paths": lambda body: all(
            item.get("href", "/").startswith("/") and item.get("icon", "home") in {"home", "star", "folder"}
            for section in body["sections"]
            for item in section["items"]
        ),
        "sidebars have few sections": lambda body: (
            0 < len(body["sections"]) <= 2
            and len({str(section.get("id")) for section in body["sections"]}) == len(body["sections"])
        ),
    },
    "sidebar_replace",
)
refuse(
    "`variableValues` supplies values for each `{{variable}}` the template declares; silent: other values",
    {
        "variables are declared texts": lambda body: (
            body["variableValues"].keys() <= {"client", "town"}
            and all(isinstance(text, str) and text for text in body["variableValues"].values())
        )
    },
    "templates_apply",
)
refuse(
    "`title`, `description`, `content` (strings), `metadata` (object); silent: their limits, and markup",
    {
        "entries have limits": lambda body: (
            bool(body)
            and all(map(is_scalar, body.get("metadata", {}).values()))
            and all(0 < len(body[name].strip()) < 120 for name in ("title", "content") if name in body)
        ),
        "entries have no markup": partial(all_texts, lambda text: not set(text) & set("<>&\n\r\t")),
    },
    "memory_update",
)
refuse(
    "Body (required as a whole, JSON): `menuMonth`, `itemIds`, ...; silent: whether one twice, none or many",
    {
        "all fields of an export are required": lambda body: (
            {"menuMonth", "itemIds", "includeUnapproved", "stock"} <= body.keys()
        ),
        "exports have one to five different items": lambda body: (
            0 < len(body["itemIds"]) <= 5 and len({id.lower() for id in body["itemIds"]}) == len(body["itemIds"])
        ),
    },
    "labels_export",
    status=400,
)
refuse(
    "silent: whether unapproved items may be printed by the caller",
    {"unapproved items are never printed": lambda body: body.get("includeUnapproved") is not True},
    "labels_export",
    status=403,
)
refuse(
    "`accountId`: string (uuid); silent: of which post, and in which case it is written",
    {"the account is that of the post": lambda body: body["accountId"] == PAGE},
    "engagement_like",
    status=400,
)


def quota(operation: str, most: int, status: int) -> None:
    """Refuse an operation after it was successful a number of times."""
    done: list[Call] = []

    def limited(perform: Any, call: Call) -> Any:
        if len(done) >= most:
            raise Refusal(status, f"Your plan has {most}.", "quota")
        value = perform(call)
        done.append(call)
        return value

    wrap(operation, limited)


for name, operation, most, status in (
    ("few records are possible", "records_create", 20, 402),
    ("few workflows are possible", "workflows_create", 6, 402),
    ("few sub-projects are possible", "templates_apply", 2, 402),
    ("few bookings are possible", "calendar_book", 40, 403),
):
    vary(name, "silent: how many things a project may have", (operation,), partial(quota, operation, most, status))


def restate(status: Callable[[Refusal], int]) -> None:
    """Change the statuses of refusals."""
    error = app.error
    patch(app, "error", lambda refusal: error(Refusal(status(refusal), refusal.message, refusal.code)))


STATED = {"stale", "slot_taken", "duplicate"}
for name, operations, status_of in (
    (
        "refusals hide what there is",
        ("records_update", "workflows_create", "calendar_book", "templates_apply", "memory_update"),
        lambda refusal: 404 if refusal.status == 403 and "project" not in refusal.message else refusal.status,
    ),
    (
        "all refusals but stated ones are 418",
        ("records_update", "workflows_create", "calendar_book", "templates_apply", "sidebar_replace"),
        lambda refusal: refusal.status if refusal.code in STATED or refusal.status in {400, 401, 403} else 418,
    ),
    (
        "unknown things are gone",
        ("records_update", "memory_update", "calendar_reschedule", "templates_apply"),
        lambda refusal: 410 if refusal.status == 404 else refusal.status,
    ),
    (
        "no such post is a conflict",
        ("engagement_like",),
        lambda refusal: 409 if "no such p" in refusal.message else refusal.status,
    ),
    (
        "a missing scope is a failed dependency",
        EVENTS,
        lambda refusal: 424 if refusal.code == "scope_missing" else refusal.status,
    ),
    (
        "service accounts are rejected as invalid",
        ("workflows_create",),
        lambda refusal: 422 if refusal.code == "real_user_required" else refusal.status,
    ),
):
    vary(name, STATUSES, operations, partial(restate, status_of))


def unauthorized(status: int) -> None:
    """Refuse bad credentials with another status."""
    user_of = tokens.user_of

    def refused(*arguments: Any) -> str:
        try:
            return user_of(*arguments)
        except Refusal as refusal:
            raise Refusal(status, refusal.message) from None

    patch(tokens, "user_of", refused)


for name, status, operations in (
    ("are forbidden", 403, ("records_create", "auth_check_permission", "labels_export", "agents_list")),
    ("are bad requests", 400, ("records_create", "workflows_create", "memory_update")),
    ("hide what there is", 404, ("posts_list", "calendar_busy")),
):
    vary(f"bad credentials {name}", STATUSES, operations, partial(unauthorized, status))


def limited(every: int, **headers: str) -> None:
    number, respond = count(1), Service.__call__
    body = json.dumps({"message": "Too many requests.", "code": "rate_limited"}).encode()

    def limiting(self: Service, request: Request) -> Reply:
        if next(number) % every:
            return respond(self, request)
        return Reply(429, body, {"content-type": "application/json", **headers})

    patch(Service, "__call__", limiting)


@varies(RATE, "records_update", "memory_update", "calendar_reschedule", "templates_apply")
def every_third_request_is_one_too_many() -> None:
    limited(3)


@varies(RATE, "records_update", "engagement_like", "posts_list", "agents_list", "labels_export", "workflows_create")
def limits_are_until_a_date() -> None:
    limited(5, **{"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"})


@varies(RATE, "records_update", "calendar_book", "workflows_create", "memory_update")
@instead(Service, "__call__", threading.Lock())
def one_request_at_a_time_is_served(lock: Any, respond: Any, self: Service, request: Request) -> Reply:
    if not lock.acquire(blocking=False):
        return app.json_reply(429, {"message": "Another request is being served."})
    try:
        time.sleep(0.01)
        return respond(self, request)
    finally:
        lock.release()


@varies("silent: which error comes first", "records_create", "calendar_book", "workflows_create", "memory_update")
@replies()
def routes_and_bodies_come_before_credentials(name: str | None, request: Request, reply: Reply) -> Reply:
    if reply.status != 401 or name is None:
        return reply
    try:
        valid = OPERATIONS[name].method == "GET" or isinstance(json.loads(request.body), dict)
    except ValueError:
        valid = False
    if not valid:
        return app.error(Refusal(400, "The body is not an object."))
    if HOME in request.target or "check" in request.target:
        return reply
    return app.error(Refusal(404 if name != "labels_export" else 403, "No."))


PERMITTED = ("records_create", "records_update", "agents_list", "labels_export", "workflows_create", "calendar_book")


def needing(action: str) -> None:
    """Let all operations need a permission with this action, but the one whose permission the specification states."""
    for name, operation in OPERATIONS.items():
        if operation.needs and name != "templates_apply":
            patch(operation, "needs", operation.needs.partition(":")[0] + f":{action}")


vary("everything needs manage", PERMISSION, (*PERMITTED, "auth_check_permission"), partial(needing, "manage"))
vary("reading is enough to write", PERMISSION, (*PERMITTED, "memory_update"), partial(needing, "read"))


@varies("`Authorization: Bearer <ACCESS_TOKEN>`", "records_create", "auth_check_permission")
@instead(tokens, "user_of")
def the_scheme_is_compared_exactly(user_of: Any, world: Any, authorization: str | None) -> str:
    parts = (authorization or "").split(" ")
    return user_of(world, authorization if len(parts) == 2 and parts[0] == "Bearer" else None)


@varies("silent: other members, parameters and header fields of requests", *READS, *RECORDS, *EVENTS, "labels_export")
def everything_unknown_is_refused() -> None:
    for module_name in ("calendar", "records", "settings", "social", "workflows", "templates", "labels"):
        module = __import__(f"{app.__package__}.{module_name}", fromlist=["checked"])
        patch(module, "checked", lambda call, required, *_, **known: checks.checked(call, required, True, **known))
    enter = app.enter

    def entering(call: Call) -> None:
        if call.query.keys() - READS.get(call.operation, set()):
            raise Refusal(400, "There is no such parameter.")
        enter(call)

    patch(app, "enter", entering)


def refuse_before_reading(refuses: Callable[[Call, Request], bool], status: int) -> None:
    read_body = app.read_body

    def read(call: Call, request: Request) -> Any:
        if refuses(call, request):
            raise Refusal(400 if call.operation == "labels_export" else status, "The body is not accepted.")
        return read_body(call, request)

    patch(app, "read_body", read)


@varies(RATE, "records_create", "workflows_create", "memory_update", "sidebar_replace", "calendar_book")
def bodies_have_at_most_sixteen_kilobytes() -> None:
    refuse_before_reading(lambda call, request: len(request.body) > 16384, 413)


@varies("silent: the header fields of requests; 'Bodies are JSON'", "records_create", "labels_export", "memory_update")
def the_media_type_of_requests_is_compared_exactly() -> None:
    refuse_before_reading(
        lambda call, request: (
            (OPERATIONS[call.operation].method != "GET" and request.headers.get("content-type") != "application/json")
            or "user-agent" not in request.headers
        ),
        415,
    )


@varies("silent: what a repeated request does", *WRITERS)
def repeated_requests_are_refused() -> None:
    seen: set[str] = set()

    def repeated(call: Call, request: Request) -> bool:
        key = f"{call.operation} {call.path} {request.body!r}"
        known = call.operation in WRITERS and key in seen
        seen.add(key)
        return known

    refuse_before_reading(repeated, 425)


@varies("silent: whether two things may have the same name", "workflows_create", "templates_apply")
def names_are_unique() -> None:
    for operation in ("workflows_create", "templates_apply"):
        names: set[str] = set()

        def unique(perform: Any, call: Call, names: set[str] = names) -> Any:
            name = str(call.body.get("name")).lower()
            if name in names:
                raise Refusal(409, "This name cannot be used.")
            value = perform(call)
            names.add(name)
            return value

        wrap(operation, unique)


@varies("silent: how long a range of busy intervals may be", "calendar_busy", *EVENTS)
@around("calendar_busy")
def ranges_have_at_most_two_days(perform: Perform, call: Call) -> Any:
    response = perform(call)
    begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
    if end - begin > timedelta(days=2):
        raise Refusal(400, "The range is too long.")
    return response
