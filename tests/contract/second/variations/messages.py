"""Healthy services that write, sign and encode in another way."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, alter_replies, decorating, instead, patch, replies, walk
from ..service import OPERATIONS, app, calendar, records, settings, templates, tokens, workflows
from ..service.app import Refusal, Reply, Request
from .common import varies, vary

NUMERIC = "Numeric success status codes other than the label export's 200 are not shown."
TIMES = "Timestamps are ISO 8601 date-times unless a field is typed differently below."
TOKEN = "The request and response shape of the token endpoint is not shown."
TIMED = ("records_update", "workflows_create", "memory_update", "templates_apply")


@varies(
    "silent: the media types of JSON, and how they are spelled; 'Bodies are JSON unless stated otherwise'",
    *("records_create", "records_update", "agents_list", "workflows_create", "labels_export"),
)
@replies()
def media_types_are_spelled_in_another_way(name: str | None, request: Request, reply: Reply) -> Reply:
    kind = 'Application/Problem+JSON ; Charset="UTF-8"' if reply.status >= 400 else "application/vnd.v1+json"
    if "pdf" in reply.headers["content-type"]:
        kind = 'Application/PDF ; version="1.7"'
    return replace(reply, headers={**reply.headers, "content-type": kind})


HEADERS = {
    "last-modified": "Mon, 01 Jan 2001 00:00:00 GMT",
    "cache-control": "public, max-age=3600",
    "age": "12",
    "deprecation": "true",
    "sunset": "Wed, 01 Jan 2020 00:00:00 GMT",
    "content-disposition": 'attachment; filename="x.bin"',
    "link": '</next>; rel="next"',
    "x-ratelimit-remaining": "0",
    "retry-after": "120",
}


@varies("silent: other header fields", "records_update", "calendar_book", "labels_export")
@replies(count())
def there_are_many_header_fields(number: count[int], name: str | None, request: Request, reply: Reply) -> Reply:
    own = {"etag": f'W/"{next(number)}"', "set-cookie": f"session={next(number)}; Path=/; HttpOnly"}
    challenge = {"www-authenticate": 'Basic realm="x", Digest realm="y"'} if reply.status == 401 else {}
    return replace(reply, headers={**reply.headers, **HEADERS, **own, **challenge})


@varies("silent: how long a response takes", "calendar_book", "labels_export")
@replies()
def responses_are_slow(name: str | None, request: Request, reply: Reply) -> Reply:
    time.sleep(0.05)
    return reply


@varies(NUMERIC, "records_update", "agents_list", "calendar_book", "sidebar_replace", "memory_update")
def successes_have_unusual_statuses() -> None:
    for name, operation in OPERATIONS.items():
        if name != "labels_export":
            patch(operation, "success", 203 if operation.method == "GET" else 207)


@varies("silent: how JSON is written", "records_update", "sidebar_replace", "posts_list")
def json_is_escaped_and_padded() -> None:
    def json_reply(status: int, value: Any) -> Reply:
        text = json.dumps(value, ensure_ascii=True, indent="\t", separators=(" , ", " : ")).replace("/", "\\/")
        return Reply(status, f"\r\n {text} \n\n".encode(), {"content-type": "application/json"})

    patch(app, "json_reply", json_reply)


@varies(
    "silent: how whole numbers are written; JSON knows one kind of numbers",
    *("records_update", "agents_list", "posts_list", "photo_analytics_list_media", "templates_apply"),
    "workflows_create",
)
def whole_numbers_have_a_decimal_point() -> None:
    def is_whole(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53

    patch(app, "plain", partial(walk, change=lambda value: float(value) if is_whole(value) else value))


@varies("Bodies are JSON; silent: with which content coding", "posts_list")
@replies()
def posts_are_compressed(name: str | None, request: Request, reply: Reply) -> Reply:
    if name != "posts_list" or "gzip" not in request.headers.get("accept-encoding", ""):
        return reply
    headers = {**reply.headers, "content-encoding": "gzip", "vary": "accept-encoding"}
    return Reply(reply.status, gzip.compress(reply.body), headers)


@varies(
    "Error body: `message` (string, always present) and `code` (string, optional).", "records_update", "agents_list"
)
def messages_and_codes_are_empty() -> None:
    patch(app, "error", lambda refusal: app.json_reply(refusal.status, {"message": "", "code": ""}))


ERRORS = "Error body (JSON): `message` (string, always present) and `code` (string, optional); silent: other members"


def errors(statuses: range, more: Json) -> None:
    """Give the error bodies of some statuses other members."""
    error = app.error

    def longer(refusal: Refusal) -> Reply:
        reply = error(refusal)
        return app.json_reply(reply.status, {**json.loads(reply.body), **(more if reply.status in statuses else {})})

    patch(app, "error", longer)


LONG = {"message": "Ungültig\n" * 900, "code": "42", "errors": [{"message": None, "code": 7}], "statusCode": "4xx"}
NOTHING = {"success": False, "data": None, "allowed": False, "config": {}}
for name, statuses, more, operations in (
    ("errors are long", range(400, 600), LONG | NOTHING, ("calendar_book", "labels_export")),
    (
        "errors have no success",
        range(400, 600),
        {"success": False},
        ("records_update", "sidebar_replace", "posts_list"),
    ),
    ("errors have no data", range(400, 600), {"data": None}, ("records_create", "engagement_like", "agents_list")),
    ("errors allow nothing", range(400, 600), {"allowed": False}, ("auth_check_permission",)),
    ("conflicts show the record", range(409, 410), {"record": {"status": "x", "data": {}}}, ("records_update",)),
):
    vary(name, ERRORS, operations, partial(errors, statuses, more))


@varies(
    "silent: paths and methods that are none of its endpoints", "records_update", "auth_check_permission", "agents_list"
)
@replies()
def other_paths_are_served_by_a_website(name: str | None, request: Request, reply: Reply) -> Reply:
    if name is not None or request.target.partition("?")[0] in {"/api/auth/token", "/.well-known/jwks.json"}:
        return reply
    return Reply(200, b"<!doctype html><title>App</title>", {"content-type": "text/html"})


@varies("silent: how a project identifier is written", "agents_list", "workflows_create", "memory_update", "posts_list")
@replies(re.compile(rb'("projectId":")([0-9a-f-]{36})"'))
def project_identifiers_are_in_capitals(uuid: Any, name: str | None, request: Request, reply: Reply) -> Reply:
    return replace(reply, body=uuid.sub(lambda match: match[1] + match[2].upper() + b'"', reply.body))


# Credentials


@varies("silent: the case of the scheme, blanks, and other places of the credential", "records_create", "agents_list")
@instead(tokens, "user_of")
def credentials_are_read_leniently(user_of: Any, world: Any, authorization: str | None) -> str:
    scheme, _, token = (authorization or "").strip().replace("\t", " ").partition(" ")
    known = scheme.lower() in {"bearer", "jwt", "token"}
    return user_of(world, "Bearer " + token.strip().strip('"') if known else None)


def token_endpoint(change: Callable[[Request, Reply], Reply]) -> None:
    alter_replies(
        lambda name, request, reply: change(request, reply) if request.target.startswith("/api/auth/token") else reply
    )


def token_in(reply: Reply) -> str:
    return str(json.loads(reply.body)["access"]["jwt"])


@varies(TOKEN, "auth_check_permission", "records_create")
@decorating(token_endpoint)
def there_are_several_tokens(request: Request, reply: Reply) -> Reply:
    if reply.status != 200:
        return reply
    other = tokens.issue(tokens.new_key(), "u-ada", kid="identity")
    value = {"id_token": other, "refresh_token": other, "expires_in": 60, "access_token": token_in(reply)}
    return app.json_reply(201, {**value, "token_type": "Bearer"})


@varies(TOKEN, "auth_check_permission", "agents_list")
@decorating(token_endpoint)
def the_token_is_plain_text(request: Request, reply: Reply) -> Reply:
    text = {"content-type": "text/plain"}
    return Reply(200, token_in(reply).encode(), text) if reply.status == 200 else Reply(401, b"no", text)


@varies(TOKEN, "auth_check_permission", "agents_list")
@decorating(token_endpoint)
def the_token_endpoint_wants_a_form(request: Request, reply: Reply) -> Reply:
    is_form = request.headers.get("content-type", "") == "application/x-www-form-urlencoded"
    wanted = request.method == "POST" and is_form and b"grant_type=" in request.body
    return reply if wanted else app.json_reply(400, {"error": "invalid_request"})


@varies("silent: where the key set is published", "auth_check_permission", "records_create")
@replies()
def the_key_set_is_elsewhere(name: Any, request: Any, reply: Any) -> Any:
    return app.json_reply(404, {"error": "Not Found"}) if request.target.endswith("jwks.json") else reply


@varies("silent: other keys of the published key set", "auth_check_permission", "records_create")
@instead(
    tokens,
    "key_set",
    [
        {"kty": "OKP", "crv": "Ed25519", "x": "AA"},
        {"kty": "oct"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": 7},
    ],
)
def the_key_set_has_other_keys(other: Any, key_set: Any, world: Any) -> Any:
    return {"keys": [*other, *key_set(world)["keys"]], "next": None}


# Times


def clock(now: Callable[[], str]) -> None:
    for module in (records, settings, workflows, templates):
        patch(module, "now", now)


for name, now in {
    "times have the basic format": lambda: f"{datetime.now(UTC) + timedelta(hours=2):%Y%m%dT%H%M%S,%f}+02",
    "times have nanoseconds": lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.{time.time_ns() % 10**9:09}Z",
    "times have no offset and no seconds": lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M}",
    "the clock ticks every two milliseconds": lambda: datetime.fromtimestamp(
        time.time_ns() // 2_000_000 / 500, UTC
    ).isoformat(),
    "the clock is years behind": lambda: f"{datetime.now(UTC) - timedelta(days=2000):%Y-%m-%dT%H:%M:%S.%fZ}",
}.items():
    vary(name, TIMES, TIMED, partial(clock, now))


wire = calendar.wire
for name, written in {
    "local times have no offset": lambda at: wire(at)[:19],
    "times of events have the basic format": lambda at: f"{at.astimezone(ZoneInfo('Asia/Kolkata')):%Y%m%dT%H%M%S,%f%z}",
}.items():
    vary(
        name,
        "Timestamps are ISO 8601; silent: those of a booking",
        ("calendar_book", "calendar_busy", "calendar_reschedule"),
        partial(patch, calendar, "wire", written),
    )
