"""Healthy services that refuse more, or with other statuses."""

import json
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml
from jsonschema import Draft202012Validator

from ..mutant import around, instead, patch, replies, walk
from ..service import OPERATIONS, Service, app, calendar, checks, tokens
from ..service.app import Refusal, Reply
from ..service.world import HOME, PAGE
from .common import WRITERS, rows, varies

STATUSES = "Status codes of the other documented error responses are not shown."
PERMISSION = "The permission required by each other endpoint is not shown."
RATE = "Rate limits and maximum request sizes are not shown."
RECORDS = "records_create records_update"
EVENTS = "calendar_book calendar_reschedule"
READS = {
    "agents_list": {"limit", "offset"},
    "posts_list": {"state", "network"},
    "calendar_busy": {"timeMin", "timeMax", "calendarId"},
    "auth_check_permission": {"scope"},
}


def refuse(sentence, operations, changes, status=422):
    """Register services that refuse bodies which are not valid in addition; a malformed body is left to the service."""

    def at(valid):
        def checked(perform, call):
            with suppress(AttributeError, KeyError, TypeError, ValueError):
                if not valid(call.body):
                    raise Refusal(status, "The body is invalid.", "strict")
            return perform(call)

        for operation in operations.split():
            around(operation)(checked)

    rows(sentence, operations, at, changes)


for group in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8")):
    accepted = {name: Draft202012Validator(schema).is_valid for name, schema in group["accepts"].items()}
    refuse(f"silent: {group['silent']}", group["operations"], accepted, group.get("status", 422))


def all_texts(valid, value):
    """Return whether all strings below a value are valid."""
    invalid = []
    walk(value, lambda part: invalid.append(part) if isinstance(part, str) and not valid(part) else part)
    return not invalid


def times(body):
    """Return start and end of an event."""
    begin = calendar.instant(body["start"], body.get("timeZone"))
    return begin, calendar.end_of(body, begin) or begin


def is_worked(at):
    """Return whether a time is in working hours."""
    local = at.astimezone(ZoneInfo(calendar.HOME))
    return local.weekday() < 5 and 8 <= local.hour < 18


def differ(texts):
    return len({text.lower() for text in texts}) == len(texts)


refuse(
    "silent: which characters texts have",
    WRITERS,
    {
        "texts have no control characters": partial(all_texts, str.isprintable),
        "texts have only characters of the basic plane": partial(
            all_texts, lambda text: all("\0" < each < "\ud800" for each in text)
        ),
    },
    status=400,
)
refuse(
    "silent: how long events are, and at which times",
    EVENTS,
    {
        "events take quarters of at most two hours": lambda body: (
            (times(body)[1] - times(body)[0]).total_seconds() in range(0, 7201, 900)
        ),
        "events are in working hours": lambda body: all(map(is_worked, times(body))),
        "events are not in the past": lambda body: times(body)[0] > datetime.now(UTC),
    },
)
for name, sentence, operation, accepted, status in (
    (
        "tags are different words",
        "silent: which tags there are",
        "workflows_create",
        lambda body: differ(body["tags"]),
        422,
    ),
    (
        "sidebars have few sections",
        "`sections`: an ordered array; silent: how many, and whether identifiers may be repeated",
        "sidebar_replace",
        lambda body: len(body["sections"]) in {1, 2} and differ([str(each.get("id")) for each in body["sections"]]),
        422,
    ),
    (
        "entries have no markup",
        "`title`, `description`, `content` (strings); silent: markup",
        "memory_update",
        partial(all_texts, lambda text: not set(text) & set("<>&\n\r\t")),
        422,
    ),
    (
        "exports have one to five different items",
        "`itemIds`; silent: whether one twice, none or many",
        "labels_export",
        lambda body: 0 < len(body["itemIds"]) <= 5 and differ(body["itemIds"]),
        400,
    ),
    (
        "the account is that of the post",
        "`accountId`: string (uuid); silent: of which post, and in which case it is written",
        "engagement_like",
        lambda body: body["accountId"] == PAGE,
        400,
    ),
):
    refuse(sentence, operation, {name: accepted}, status)


def quota(limit):
    """Refuse an operation after it was successful a number of times."""
    operation, most, status = limit
    done = []

    @around(operation)
    def limited(perform, call):
        if len(done) >= most:
            raise Refusal(status, f"Your plan has {most}.", "quota")
        value = perform(call)
        done.append(call)
        return value


for name, *limit in (
    ("few records are possible", "records_create", 20, 402),
    ("few workflows are possible", "workflows_create", 6, 402),
    ("few sub-projects are possible", "templates_apply", 2, 402),
    ("few bookings are possible", "calendar_book", 40, 403),
):
    rows("silent: how many things a project may have", limit[0], quota, {name: limit})


def restate(status):
    """Change the statuses of refusals."""

    @instead(app, "error")
    def restated(error, refusal):
        return error(Refusal(status(refusal), refusal.message, refusal.code))


STATED = {"stale", "slot_taken", "duplicate"}
UNKNOWN = "records_update memory_update calendar_reschedule templates_apply"
REFUSED = "records_update workflows_create calendar_book templates_apply"
for name, operations, status_of in (
    (
        "refusals hide what there is",
        f"{REFUSED} memory_update",
        lambda refusal: 404 if refusal.status == 403 and "project" not in refusal.message else refusal.status,
    ),
    (
        "all refusals but stated ones are 418",
        f"{REFUSED} sidebar_replace",
        lambda refusal: refusal.status if refusal.code in STATED or refusal.status in {400, 401, 403} else 418,
    ),
    ("unknown things are gone", UNKNOWN, lambda refusal: 410 if refusal.status == 404 else refusal.status),
    (
        "no such post is a conflict",
        "engagement_like",
        lambda refusal: 409 if "no such p" in refusal.message else refusal.status,
    ),
    (
        "a missing scope is a failed dependency",
        EVENTS,
        lambda refusal: 424 if refusal.code == "scope_missing" else refusal.status,
    ),
    (
        "service accounts are rejected as invalid",
        "workflows_create",
        lambda refusal: 422 if refusal.code == "real_user_required" else refusal.status,
    ),
):
    rows(STATUSES, operations, restate, {name: status_of})


def unauthorized(status):
    """Refuse bad credentials with another status."""

    @instead(tokens, "user_of")
    def refused(user_of, *arguments):
        try:
            return user_of(*arguments)
        except Refusal as refusal:
            raise Refusal(status, refusal.message) from None


for name, status, operations in (
    ("are forbidden", 403, "records_create auth_check_permission labels_export agents_list"),
    ("are bad requests", 400, "records_create workflows_create memory_update"),
    ("hide what there is", 404, "posts_list calendar_busy"),
):
    rows(STATUSES, operations, unauthorized, {f"bad credentials {name}": status})


def limited(every, **headers):
    """Refuse some requests, with a status that says to try again."""
    number = count(1)
    body = json.dumps({"message": "Too many requests.", "code": "rate_limited"}).encode()

    @instead(Service, "__call__")
    def limiting(respond, self, request):
        if next(number) % every:
            return respond(self, request)
        return Reply(429, body, {"content-type": "application/json", **headers})


varies.add("every third request is one too many", RATE, UNKNOWN, partial(limited, 3))


@varies(RATE, "records_update engagement_like posts_list agents_list labels_export workflows_create")
def limits_are_until_a_date():
    limited(5, **{"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"})


@varies.change(
    RATE,
    "records_update calendar_book workflows_create memory_update",
    at=instead(Service, "__call__"),
    memory=threading.Lock(),
)
def one_request_at_a_time_is_served(lock, respond, self, request):
    if not lock.acquire(blocking=False):
        return app.json_reply(429, {"message": "Another request is being served."})
    try:
        time.sleep(0.01)
        return respond(self, request)
    finally:
        lock.release()


@varies.change(
    "silent: which error comes first", "records_create calendar_book workflows_create memory_update", at=replies
)
def routes_and_bodies_come_before_credentials(name, request, reply):
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


PERMITTED = "records_create records_update agents_list labels_export workflows_create calendar_book"


def needing(action):
    """Let all operations need a permission with this action, but the one whose permission the specification states."""
    for name, operation in OPERATIONS.items():
        if operation.needs and name != "templates_apply":
            patch(operation, "needs", operation.needs.partition(":")[0] + f":{action}")


rows(PERMISSION, f"{PERMITTED} auth_check_permission", needing, {"everything needs manage": "manage"})
rows(PERMISSION, f"{PERMITTED} memory_update", needing, {"reading is enough to write": "read"})


@varies.change(
    "`Authorization: Bearer <ACCESS_TOKEN>`", "records_create auth_check_permission", at=instead(tokens, "user_of")
)
def the_scheme_is_compared_exactly(user_of, world, authorization):
    parts = (authorization or "").split(" ")
    return user_of(world, authorization if len(parts) == 2 and parts[0] == "Bearer" else None)


@varies(
    "silent: other members, parameters and header fields of requests",
    f"agents_list posts_list calendar_busy auth_check_permission {RECORDS} {EVENTS} labels_export",
)
def everything_unknown_is_refused():
    for module_name in ("calendar", "records", "settings", "social", "workflows", "templates", "labels"):
        module = __import__(f"{app.__package__}.{module_name}", fromlist=["checked"])
        patch(module, "checked", lambda call, required, *_, **known: checks.checked(call, required, True, **known))

    @instead(app, "enter")
    def entering(enter, call):
        if call.query.keys() - READS.get(call.operation, set()):
            raise Refusal(400, "There is no such parameter.")
        enter(call)


def before_reading(status):
    """Refuse a request, before its body is read, if a function of the call and the request returns true."""

    def way(refuses):
        @instead(app, "read_body")
        def read(read_body, call, request):
            if refuses(call, request):
                raise Refusal(400 if call.operation == "labels_export" else status, "The body is not accepted.")
            return read_body(call, request)

    return way


@varies.change(
    RATE, "records_create workflows_create memory_update sidebar_replace calendar_book", at=before_reading(413)
)
def bodies_have_at_most_sixteen_kilobytes(call, request):
    return len(request.body) > 16384


@varies.change(
    "silent: the header fields of requests; 'Bodies are JSON'",
    "records_create labels_export memory_update",
    at=before_reading(415),
)
def the_media_type_of_requests_is_compared_exactly(call, request):
    has_a_body = OPERATIONS[call.operation].method != "GET"
    return "user-agent" not in request.headers or (
        has_a_body and request.headers.get("content-type") != "application/json"
    )


@varies.change("silent: what a repeated request does", WRITERS, at=before_reading(425), memory=set())
def repeated_requests_are_refused(seen, call, request):
    key = f"{call.operation} {call.path} {request.body!r}"
    known = call.operation in WRITERS.split() and key in seen
    seen.add(key)
    return known


@varies("silent: whether two things may have the same name", "workflows_create templates_apply")
def names_are_unique():
    names = set()

    @around("workflows_create")
    @around("templates_apply")
    def unique(perform, call):
        name = call.operation, str(call.body.get("name")).lower()
        if name in names:
            raise Refusal(409, "This name cannot be used.")
        value = perform(call)
        names.add(name)
        return value


@varies.change("silent: how long a range of busy intervals may be", f"calendar_busy {EVENTS}")
def ranges_have_at_most_two_days(perform, call):
    response = perform(call)
    begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
    if end - begin > timedelta(days=2):
        raise Refusal(400, "The range is too long.")
    return response
