"""Healthy services that answer, refuse, sign and list in another way; none may be said to violate the specification."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from ..mutant import VARIATIONS, Break, Json, Kind, alter_replies, alter_value, patch, wrap
from ..service import OPERATIONS, Service, app, listings, records, settings, templates, tokens, workflows
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import HOME, PAGE, uuid_of

allowed = Kind("allowed", registry=VARIATIONS)

STATUSES = "Status codes of the other documented error responses are not shown."
NUMERIC = "Numeric success status codes other than the label export's 200 are not shown."
PERMISSION = "The permission required by each other endpoint is not shown."
RATE = "Rate limits and maximum request sizes are not shown."
TIMES = "Timestamps are ISO 8601 date-times unless a field is typed differently below."
TOKEN = "The request and response shape of the token endpoint is not shown."
AGENTS = "Lists all agent definitions of the project; silent: others create, change and delete agents meanwhile."


def everywhere(sentence: str, *operations: str) -> Callable[[Break], Break]:
    """Register a change of all operations under some of them."""

    def register(function: Break) -> Break:
        for operation in operations:
            allowed.add(f"{function.__name__.replace('_', ' ')} at {operation}", operation, sentence, function)
        return function

    return register


def with_headers(reply: Reply, **fields: str) -> Reply:
    """Return a response with other header fields."""
    return replace(reply, headers={**reply.headers, **{name.replace("_", "-"): text for name, text in fields.items()}})


@everywhere(
    "silent: the media types of JSON; 'Bodies are JSON unless stated otherwise'", "records_create", "labels_export"
)
def errors_are_problem_json() -> None:
    alter_replies(
        lambda name, request, reply: (
            with_headers(reply, content_type="application/problem+json") if reply.status >= 400 else reply
        )
    )


@everywhere(
    "silent: the media types of JSON; 'Bodies are JSON unless stated otherwise'", "records_update", "agents_list"
)
def json_has_a_vendor_type() -> None:
    alter_replies(
        lambda name, request, reply: (
            with_headers(reply, content_type="application/vnd.platform.v1+json")
            if "json" in reply.headers["content-type"]
            else reply
        )
    )


@everywhere("silent: how media types are spelled", "workflows_create", "labels_export")
def media_types_are_spelled_with_capitals_and_parameters() -> None:
    def spelled(name: str | None, request: Request, reply: Reply) -> Reply:
        pdf = "pdf" in reply.headers["content-type"]
        kind = 'Application/PDF ; version="1.7"' if pdf else 'Application/JSON ; Charset="UTF-8"'
        return with_headers(reply, content_type=kind)

    alter_replies(spelled)


@everywhere("silent: other header fields", "calendar_book", "labels_export")
def there_are_many_header_fields() -> None:
    number = count()
    alter_replies(
        lambda name, request, reply: with_headers(
            reply,
            etag=f'W/"{next(number)}"',
            last_modified="Mon, 01 Jan 2001 00:00:00 GMT",
            set_cookie=f"session={next(number)}; Path=/; HttpOnly",
            cache_control="public, max-age=3600",
            age="12",
            deprecation="true",
            sunset="Wed, 01 Jan 2020 00:00:00 GMT",
            content_disposition='attachment; filename="x.bin"',
            link='</next>; rel="next"',
            x_ratelimit_remaining="0",
            **({"www-authenticate": 'Basic realm="x", Digest realm="y"'} if reply.status == 401 else {}),
        )
    )


@everywhere("silent: Retry-After", "records_update", "calendar_book")
def every_answer_says_retry_after() -> None:
    alter_replies(lambda name, request, reply: with_headers(reply, retry_after="120"))


def limited(every: int, **fields: str) -> None:
    """Refuse one of some requests."""
    number = count(1)
    body = json.dumps({"message": "Too many requests.", "code": "rate_limited"}).encode()

    def change(name: str | None, request: Request, reply: Reply) -> Reply:
        return reply

    respond = Service.__call__

    def limiting(self: Service, request: Request) -> Reply:
        if next(number) % every:
            return change(None, request, respond(self, request))
        return with_headers(Reply(429, body, {"content-type": "application/json"}), **fields)

    patch(Service, "__call__", limiting)


@everywhere(RATE, "records_update", "agents_list", "calendar_book", "labels_export", "workflows_create")
def every_seventh_request_is_one_too_many() -> None:
    limited(7, retry_after="0")


@everywhere(RATE, "records_update", "memory_update", "calendar_reschedule", "templates_apply")
def every_third_request_is_one_too_many() -> None:
    limited(3)


@everywhere(RATE, "engagement_like", "posts_list")
def limits_are_until_a_date() -> None:
    limited(5, retry_after="Mon, 01 Jan 2001 00:00:00 GMT")


@everywhere(RATE, "records_update", "calendar_book", "workflows_create", "memory_update")
def one_request_at_a_time_is_served() -> None:
    respond, lock = Service.__call__, threading.Lock()
    body = json.dumps({"message": "Another request is being served."}).encode()

    def alone(self: Service, request: Request) -> Reply:
        if not lock.acquire(blocking=False):
            return Reply(429, body, {"content-type": "application/json"})
        try:
            time.sleep(0.01)
            return respond(self, request)
        finally:
            lock.release()

    patch(Service, "__call__", alone)


@everywhere("silent: how long a response takes", "calendar_book", "labels_export")
def answers_are_slow() -> None:
    def slow(name: str | None, request: Request, reply: Reply) -> Reply:
        time.sleep(0.05)
        return reply

    alter_replies(slow)


@everywhere(NUMERIC, "records_update", "agents_list", "calendar_book", "sidebar_replace", "memory_update")
def successes_have_unusual_statuses() -> None:
    for name, operation in OPERATIONS.items():
        if name != "labels_export":
            patch(operation, "success", 203 if operation.method == "GET" else 207)


@everywhere("silent: how JSON is written", "records_update", "sidebar_replace", "posts_list")
def json_is_escaped_and_padded() -> None:
    def json_reply(status: int, value: Any) -> Reply:
        text = json.dumps(value, ensure_ascii=True, indent="\t", separators=(" , ", " : ")).replace("/", "\\/")
        return Reply(status, f"\r\n {text} \n\n".encode(), {"content-type": "application/json"})

    patch(app, "json_reply", json_reply)


def _decimal(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _decimal(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_decimal(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else value


@everywhere(
    "silent: how whole numbers are written; JSON knows one kind of numbers",
    *(
        "records_update",
        "agents_list",
        "posts_list",
        "photo_analytics_list_media",
        "templates_apply",
        "workflows_create",
    ),
)
def whole_numbers_have_a_decimal_point() -> None:
    patch(app, "plain", _decimal)


@everywhere(
    "Error body: `message` (string, always present) and `code` (string, optional).",
    "records_update",
    "auth_check_permission",
)
def messages_and_codes_are_empty() -> None:
    patch(app, "error", lambda refusal: app.json_reply(refusal.status, {"message": "", "code": ""}))


@everywhere("silent: other members of error bodies, and the texts of messages", "calendar_book", "labels_export")
def errors_are_long() -> None:
    def error(refusal: Refusal) -> Reply:
        more = {
            "errors": [{"message": None, "code": 7}],
            "success": False,
            "data": None,
            "allowed": False,
            "config": {},
        }
        return app.json_reply(
            refusal.status, {"message": "Ungültig\n" * 900, "code": "42", "statusCode": "4xx", **more}
        )

    patch(app, "error", error)


def _credentials(status: int) -> None:
    user_of = tokens.user_of

    def refused(*arguments: Any) -> str:
        try:
            return user_of(*arguments)
        except Refusal as refusal:
            raise Refusal(status, refusal.message) from None

    patch(tokens, "user_of", refused)


@everywhere(STATUSES, "records_create", "auth_check_permission", "labels_export", "agents_list")
def bad_credentials_are_forbidden() -> None:
    _credentials(403)


@everywhere(STATUSES, "records_create", "workflows_create", "memory_update")
def bad_credentials_are_bad_requests() -> None:
    _credentials(400)


@everywhere(STATUSES, "posts_list", "calendar_busy")
def nothing_is_found_without_credentials() -> None:
    _credentials(404)


@everywhere("silent: which error comes first", "records_create", "calendar_book", "workflows_create", "memory_update")
def routes_and_bodies_come_before_credentials() -> None:
    def earlier(name: str | None, request: Request, reply: Reply) -> Reply:
        if reply.status != 401 or name is None:
            return reply
        try:
            valid = OPERATIONS[name].method == "GET" or isinstance(json.loads(request.body), dict)
        except ValueError:
            valid = False
        if not valid:
            return app.error(Refusal(400, "The body is not an object."))
        return (
            reply
            if HOME in request.target or "check" in request.target
            else app.error(Refusal(404 if name != "labels_export" else 403, "No."))
        )

    alter_replies(earlier)


@everywhere(
    "silent: paths and methods that are none of its endpoints", "records_update", "auth_check_permission", "agents_list"
)
def other_paths_are_served_by_a_website() -> None:
    def website(name: str | None, request: Request, reply: Reply) -> Reply:
        if name is not None or request.target.partition("?")[0] in {"/api/auth/token", "/.well-known/jwks.json"}:
            return reply
        return Reply(200, b"<!doctype html><title>App</title>", {"content-type": "text/html"})

    alter_replies(website)


@everywhere("`Authorization: Bearer <ACCESS_TOKEN>`", "records_create", "auth_check_permission")
def the_scheme_is_compared_exactly() -> None:
    user_of = tokens.user_of

    def exact(world: Any, authorization: str | None) -> str:
        parts = (authorization or "").split(" ")
        return user_of(world, authorization if len(parts) == 2 and parts[0] == "Bearer" else None)

    patch(tokens, "user_of", exact)


@everywhere(
    "silent: the case of the scheme, blanks, and other places of the credential", "records_create", "agents_list"
)
def credentials_are_read_leniently() -> None:
    user_of = tokens.user_of

    def lenient(world: Any, authorization: str | None) -> str:
        scheme, _, token = (authorization or "").strip().replace("\t", " ").partition(" ")
        return user_of(
            world, f"Bearer {token.strip().strip(chr(34))}" if scheme.lower() in {"bearer", "jwt", "token"} else None
        )

    patch(tokens, "user_of", lenient)


def _token_endpoint(change: Callable[[Request, Reply], Reply]) -> None:
    alter_replies(
        lambda name, request, reply: change(request, reply) if request.target.startswith("/api/auth/token") else reply
    )


@everywhere(TOKEN, "auth_check_permission", "records_create")
def there_are_several_tokens() -> None:
    def several(request: Request, reply: Reply) -> Reply:
        if reply.status != 200:
            return reply
        other = tokens.issue(tokens.new_key(), "u-ada", kid="identity")
        token = json.loads(reply.body)["access"]["jwt"]
        value = {
            "id_token": other,
            "refresh_token": other,
            "expires_in": 60,
            "access_token": token,
            "token_type": "Bearer",
        }
        return app.json_reply(201, value)

    _token_endpoint(several)


@everywhere(TOKEN, "auth_check_permission", "agents_list")
def the_token_is_plain_text() -> None:
    _token_endpoint(
        lambda request, reply: (
            Reply(200, json.loads(reply.body)["access"]["jwt"].encode(), {"content-type": "text/plain"})
            if reply.status == 200
            else Reply(401, b"no", {"content-type": "text/plain"})
        )
    )


@everywhere(TOKEN, "auth_check_permission", "agents_list")
def the_token_endpoint_wants_a_form() -> None:
    def form(request: Request, reply: Reply) -> Reply:
        kind = request.headers.get("content-type", "")
        wanted = (
            request.method == "POST" and kind == "application/x-www-form-urlencoded" and b"grant_type=" in request.body
        )
        return reply if wanted else app.json_reply(400, {"error": "invalid_request"})

    _token_endpoint(form)


@everywhere("silent: where the key set is published", "auth_check_permission", "records_create")
def the_key_set_is_elsewhere() -> None:
    alter_replies(
        lambda name, request, reply: (
            app.json_reply(404, {"error": "Not Found"}) if request.target.endswith("jwks.json") else reply
        )
    )


@everywhere("silent: other keys of the published key set", "auth_check_permission", "records_create")
def the_key_set_has_other_keys() -> None:
    key_set = tokens.key_set
    other = [
        {"kty": "OKP", "crv": "Ed25519", "x": "AA"},
        {"kty": "oct"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": 7},
    ]
    patch(tokens, "key_set", lambda world: {"keys": [*other, *key_set(world)["keys"]], "next": None})


@everywhere(
    PERMISSION,
    "records_create",
    "agents_list",
    "labels_export",
    "workflows_create",
    "calendar_busy",
    "auth_check_permission",
)
def everything_needs_manage() -> None:
    for name, operation in OPERATIONS.items():
        if operation.needs and name != "templates_apply":
            patch(operation, "needs", operation.needs.partition(":")[0] + ":manage")


@everywhere(
    PERMISSION,
    "records_create",
    "records_update",
    "labels_export",
    "workflows_create",
    "calendar_book",
    "memory_update",
)
def reading_is_enough_to_write() -> None:
    for name, operation in OPERATIONS.items():
        if operation.needs and name != "templates_apply":
            patch(operation, "needs", operation.needs.partition(":")[0] + ":read")


@everywhere(STATUSES, "records_update", "workflows_create", "calendar_book", "templates_apply", "memory_update")
def refusals_hide_what_there_is() -> None:
    initialize = Refusal.__init__

    def hidden(self: Refusal, status: int, message: str, code: str | None = None) -> None:
        initialize(self, 404 if status == 403 and "project" not in message else status, message, code)

    patch(Refusal, "__init__", hidden)


@everywhere(STATUSES, "records_update", "workflows_create", "calendar_book", "templates_apply", "sidebar_replace")
def all_refusals_but_stated_ones_are_418() -> None:
    error = app.error

    def teapot(refusal: Refusal) -> Reply:
        stated = {"stale", "slot_taken", "duplicate"}
        return error(refusal if refusal.code in stated or refusal.status in {400, 401, 403} else Refusal(418, "No."))

    patch(app, "error", teapot)


@allowed("auth_check_permission", "Query: one parameter carrying a permission value. Its name is not shown.")
def the_permission_has_a_prefixed_name() -> None:
    def named(perform: Any, call: Call) -> Any:
        return perform(replace(call, query={"scope": call.query.get("filter[permission][eq]", "")}))

    wrap("auth_check_permission", named)


def _now(function: Callable[[], str]) -> None:
    for module in (records, settings, workflows, templates):
        patch(module, "now", function)


TIMED = ("records_update", "workflows_create", "memory_update", "templates_apply")


@everywhere(TIMES, *TIMED)
def times_have_the_basic_format() -> None:
    _now(lambda: f"{datetime.now(UTC) + timedelta(hours=2):%Y%m%dT%H%M%S,%f}+02")


@everywhere(TIMES, *TIMED)
def times_have_nanoseconds() -> None:
    _now(lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.{time.time_ns() % 10**9:09}Z")


@everywhere(TIMES, *TIMED)
def times_have_no_offset_and_no_seconds() -> None:
    _now(lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M}")


@everywhere("silent: whose clock gives the times", *TIMED)
def the_clock_is_years_behind() -> None:
    _now(lambda: f"{datetime.now(UTC) - timedelta(days=2000):%Y-%m-%dT%H:%M:%S.%fZ}")


def _agent_list(change: Callable[[Call, list[Json]], list[Json]]) -> None:
    agents_of = listings.agents_of
    patch(listings, "agents_of", lambda call: change(call, agents_of(call)))


def _new_agent(agents: list[Json], number: int) -> Json:
    return {**agents[0], "id": f"new-{number}", "name": f"New {number}"} if agents else {}


@allowed("agents_list", AGENTS)
def an_agent_comes_and_goes_at_the_front() -> None:
    number = count()
    _agent_list(lambda call, every: [_new_agent(every, next(number)), *every] if every and next(number) % 3 else every)


@allowed("agents_list", AGENTS)
def each_request_meets_another_agent_at_the_end() -> None:
    number = count()
    _agent_list(lambda call, every: [*every, *(_new_agent(every, n) for n in range(next(number) % 7) if every)])


@allowed("agents_list", "silent: other values of `access` and `toolCategories`, and what other fields of an agent say")
def agents_have_other_values() -> None:
    _agent_list(
        lambda call, every: [
            {
                **agent,
                "access": "PUBLIC",
                "toolCategories": [],
                "maxSteps": -1,
                "name": "",
                "model": "",
                "builtIn": True,
                "allowedRoles": ["", ""],
                "memoryFiles": ["/x", "/x"],
                "metadata": {"": {"": [None]}},
            }
            for agent in every
        ]
    )


@allowed("posts_list", "Returns all scheduled posts; silent: others schedule and publish posts meanwhile")
def posts_come_and_move_on() -> None:
    posts_of, number = listings.posts_of, count()

    def moving(call: Call) -> list[Json]:
        every = [dict(post) for post in posts_of(call)]
        new = {**every[0], "id": uuid_of(f"new {next(number)}"), "status": "queued"} if every else {}
        moved = [{**post, "status": f"step {next(number)}"} if post["status"] == "queued" else post for post in every]
        return [*([new] if new and next(number) % 2 else []), *moved]

    patch(listings, "posts_of", moving)


@allowed("posts_list", "`scheduledFor`, `timezone`, `publishedAt`, `createdAt`, `updatedAt`: string")
def times_of_posts_are_any_text() -> None:
    texts = {"scheduledFor": "tomorrow, 9 am", "timezone": "+02:00", "publishedAt": "", "createdAt": "1711789200"}
    more = {"permalink": "p/1", "caption": "", "platform": "Page Net", "mediaType": "", "linkUrl": "not a URL"}
    alter_value("posts_list", lambda answer: [post.update(texts, **more) for post in answer["data"]["posts"]])


@allowed("photo_analytics_list_media", "silent: figures move, and photos are published and deleted meanwhile")
def figures_move_up_and_down() -> None:
    media_of, number = listings.media_of, count()

    def moving(call: Call, account: Json) -> list[Json]:
        figures = ("likeCount", "commentsCount", "shares", "impressions", "reach", "saved", "engagement")
        every = [{**item, **{name: 1000 - next(number) % 900 for name in figures}} for item in media_of(call, account)]
        return [{**every[0], "mediaId": f"new-{next(number)}"}, *every[::-1]][next(number) % 2 :]

    patch(listings, "media_of", moving)


@allowed("photo_analytics_list_media", "integers; silent: their range and relation; `timestamp`: string")
def figures_are_extreme() -> None:
    figures = {"likeCount": -1, "impressions": 0, "reach": 10**17 + 1, "engagement": 0, "timestamp": "1711789200"}
    alter_value("photo_analytics_list_media", lambda answer: [item.update(figures) for item in answer["data"]["media"]])


READS = {
    "agents_list": {"limit", "offset"},
    "posts_list": {"state", "network"},
    "calendar_busy": {"timeMin", "timeMax", "calendarId"},
    "auth_check_permission": {"scope"},
}


@everywhere(
    "silent: other members, parameters and header fields of requests",
    *READS,
    "records_create",
    "calendar_book",
    "labels_export",
)
def everything_unknown_is_refused() -> None:
    for module_name in ("calendar", "records", "settings", "social", "workflows", "templates", "labels"):
        module = __import__(f"{app.__package__}.{module_name}", fromlist=["checked"])
        checked = module.checked
        patch(
            module,
            "checked",
            lambda call, required, *_, checked=checked, **known: checked(call, required, True, **known),
        )
    enter = app.enter

    def entering(call: Call) -> None:
        if call.query.keys() - READS.get(call.operation, set()):
            raise Refusal(400, "There is no such parameter.")
        enter(call)

    patch(app, "enter", entering)


@everywhere(RATE, "records_create", "workflows_create", "memory_update", "sidebar_replace", "calendar_book")
def bodies_have_at_most_sixteen_kilobytes() -> None:
    read_body = app.read_body

    def short(call: Call, request: Request) -> Any:
        if len(request.body) > 16384:
            raise Refusal(400 if call.operation == "labels_export" else 413, "The body is too long.")
        return read_body(call, request)

    patch(app, "read_body", short)


@everywhere(
    "silent: the header fields of requests; 'Bodies are JSON'", "records_create", "labels_export", "memory_update"
)
def the_media_type_of_requests_is_compared_exactly() -> None:
    read_body = app.read_body

    def exact(call: Call, request: Request) -> Any:
        body = OPERATIONS[call.operation].method != "GET"
        if (body and request.headers.get("content-type") != "application/json") or "user-agent" not in request.headers:
            raise Refusal(400 if call.operation == "labels_export" else 415, "The body is not JSON.")
        return read_body(call, request)

    patch(app, "read_body", exact)


@allowed("engagement_like", "Response: `{success: boolean}`; silent: whether the page may like a post that it likes")
def the_page_likes_the_post_already() -> None:
    wrap("engagement_like", lambda perform, call: {"success": not perform(call)})


@allowed("engagement_like", "silent: which status says that there is no such page or post")
def no_such_post_is_a_conflict() -> None:
    def conflict(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            raise Refusal(409, refusal.message, "conflict") from None

    wrap("engagement_like", conflict)


@allowed("engagement_like", "silent: in which case an identifier is written; `accountId`: string (uuid)")
def the_account_is_that_of_the_post() -> None:
    def compared(perform: Any, call: Call) -> Any:
        if call.body.get("accountId") != PAGE:
            raise Refusal(400, "The post is of another account.")
        return perform(call)

    wrap("engagement_like", compared)
