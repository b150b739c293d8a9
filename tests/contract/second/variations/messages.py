"""Healthy services that write, sign and encode in another way."""

import gzip
import json
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from zoneinfo import ZoneInfo

from ..mutant import instead, patch, replies, walk
from ..service import OPERATIONS, app, calendar, records, settings, templates, tokens, workflows
from ..service.app import Reply
from .common import rows, varies

NUMERIC = "Numeric success status codes other than the label export's 200 are not shown."
TIMES = "Timestamps are ISO 8601 date-times unless a field is typed differently below."
TOKEN = "The request and response shape of the token endpoint is not shown."


@varies.change(
    "silent: the media types of JSON, and how they are spelled; 'Bodies are JSON unless stated otherwise'",
    "records_create records_update agents_list workflows_create labels_export",
    at=replies,
)
def media_types_are_spelled_in_another_way(name, request, reply):
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


@varies.change("silent: other header fields", "records_update calendar_book labels_export", at=replies, memory=count())
def there_are_many_header_fields(number, name, request, reply):
    own = {"etag": f'W/"{next(number)}"', "set-cookie": f"session={next(number)}; Path=/; HttpOnly"}
    challenge = {"www-authenticate": 'Basic realm="x", Digest realm="y"'} if reply.status == 401 else {}
    return replace(reply, headers={**reply.headers, **HEADERS, **own, **challenge})


@varies.change("silent: how long a response takes", "calendar_book labels_export", at=replies)
def responses_are_slow(name, request, reply):
    time.sleep(0.05)
    return reply


@varies(NUMERIC, "records_update agents_list calendar_book sidebar_replace memory_update")
def successes_have_unusual_statuses():
    for name, operation in OPERATIONS.items():
        if name != "labels_export":
            patch(operation, "success", 203 if operation.method == "GET" else 207)


@varies.change(
    "silent: how JSON is written", "records_update sidebar_replace posts_list", at=instead(app, "json_reply")
)
def json_is_escaped_and_padded(json_reply, status, value):
    text = json.dumps(value, ensure_ascii=True, indent="\t", separators=(" , ", " : ")).replace("/", "\\/")
    return Reply(status, f"\r\n {text} \n\n".encode(), {"content-type": "application/json"})


@varies.change(
    "silent: how whole numbers are written; JSON knows one kind of numbers",
    "records_update agents_list posts_list photo_analytics_list_media templates_apply workflows_create",
    at=instead(app, "plain"),
)
def whole_numbers_have_a_decimal_point(plain, value):
    return walk(value, lambda part: float(part) if type(part) is int and abs(part) < 2**53 else part)


@varies.change("Bodies are JSON; silent: with which content coding", "posts_list", at=replies)
def posts_are_compressed(name, request, reply):
    if name != "posts_list" or "gzip" not in request.headers.get("accept-encoding", ""):
        return reply
    headers = {**reply.headers, "content-encoding": "gzip", "vary": "accept-encoding"}
    return Reply(reply.status, gzip.compress(reply.body), headers)


ERRORS = "Error body (JSON): `message` (string, always present) and `code` (string, optional); silent: other members"


@varies.change(ERRORS, "records_update agents_list", at=instead(app, "error"))
def messages_and_codes_are_empty(error, refusal):
    return app.json_reply(refusal.status, {"message": "", "code": ""})


def errors(statuses, more):
    """Give the error bodies of some statuses other members."""

    @instead(app, "error")
    def longer(error, refusal):
        reply = error(refusal)
        return app.json_reply(reply.status, {**json.loads(reply.body), **(more if reply.status in statuses else {})})


LONG = {"message": "Ungültig\n" * 900, "code": "42", "errors": [{"message": None, "code": 7}], "statusCode": "4xx"}
NOTHING = {"success": False, "data": None, "allowed": False, "config": {}}
ALL = range(400, 600)
for name, statuses, more, operations in (
    ("errors are long", ALL, LONG | NOTHING, "calendar_book labels_export"),
    ("errors have no success", ALL, {"success": False}, "records_update sidebar_replace posts_list"),
    ("errors have no data", ALL, {"data": None}, "records_create engagement_like agents_list"),
    ("errors allow nothing", ALL, {"allowed": False}, "auth_check_permission"),
    ("conflicts show the record", range(409, 410), {"record": {"status": "x", "data": {}}}, "records_update"),
):
    varies.add(name, ERRORS, operations, partial(errors, statuses, more))


@varies.change(
    "silent: paths and methods that are none of its endpoints",
    "records_update auth_check_permission agents_list",
    at=replies,
)
def other_paths_are_served_by_a_website(name, request, reply):
    if name is not None or request.target.partition("?")[0] in {"/api/auth/token", "/.well-known/jwks.json"}:
        return reply
    return Reply(200, b"<!doctype html><title>App</title>", {"content-type": "text/html"})


@varies.change(
    "silent: how a project identifier is written",
    "agents_list workflows_create memory_update posts_list",
    at=replies,
    memory=re.compile(rb'("projectId":")([0-9a-f-]{36})"'),
)
def project_identifiers_are_in_capitals(uuid, name, request, reply):
    return replace(reply, body=uuid.sub(lambda match: match[1] + match[2].upper() + b'"', reply.body))


# Credentials


@varies.change(
    "silent: the case of the scheme, blanks, and other places of the credential",
    "records_create agents_list",
    at=instead(tokens, "user_of"),
)
def credentials_are_read_leniently(user_of, world, authorization):
    scheme, _, token = (authorization or "").strip().replace("\t", " ").partition(" ")
    known = scheme.lower() in {"bearer", "jwt", "token"}
    return user_of(world, "Bearer " + token.strip().strip('"') if known else None)


def token_endpoint(change):
    @replies
    def changed(name, request, reply):
        return change(request, reply) if request.target.startswith("/api/auth/token") else reply


def token_in(reply):
    return str(json.loads(reply.body)["access"]["jwt"])


@varies.change(TOKEN, "auth_check_permission records_create", at=token_endpoint)
def there_are_several_tokens(request, reply):
    if reply.status != 200:
        return reply
    other = tokens.issue(tokens.new_key(), "u-ada", kid="identity")
    value = {"id_token": other, "refresh_token": other, "expires_in": 60, "access_token": token_in(reply)}
    return app.json_reply(201, {**value, "token_type": "Bearer"})


@varies.change(TOKEN, "auth_check_permission agents_list", at=token_endpoint)
def the_token_is_plain_text(request, reply):
    text = {"content-type": "text/plain"}
    return Reply(200, token_in(reply).encode(), text) if reply.status == 200 else Reply(401, b"no", text)


@varies.change(TOKEN, "auth_check_permission agents_list", at=token_endpoint)
def the_token_endpoint_wants_a_form(request, reply):
    is_form = request.headers.get("content-type", "") == "application/x-www-form-urlencoded"
    wanted = request.method == "POST" and is_form and b"grant_type=" in request.body
    return reply if wanted else app.json_reply(400, {"error": "invalid_request"})


@varies.change("silent: where the key set is published", "auth_check_permission records_create", at=replies)
def the_key_set_is_elsewhere(name, request, reply):
    return app.json_reply(404, {"error": "Not Found"}) if request.target.endswith("jwks.json") else reply


@varies.change(
    "silent: other keys of the published key set",
    "auth_check_permission records_create",
    at=instead(tokens, "key_set"),
    memory=[
        {"kty": "OKP", "crv": "Ed25519", "x": "AA"},
        {"kty": "oct"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": 7},
    ],
)
def the_key_set_has_other_keys(other, key_set, world):
    return {"keys": [*other, *key_set(world)["keys"]], "next": None}


# Times


def clock(now):
    for module in (records, settings, workflows, templates):
        patch(module, "now", now)


rows(
    TIMES,
    "records_update workflows_create memory_update templates_apply",
    clock,
    {
        "times have the basic format": lambda: f"{datetime.now(UTC) + timedelta(hours=2):%Y%m%dT%H%M%S,%f}+02",
        "times have nanoseconds": lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.{time.time_ns() % 10**9:09}Z",
        "times have no offset and no seconds": lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M}",
        "the clock ticks every two milliseconds": lambda: datetime.fromtimestamp(
            time.time_ns() // 2_000_000 / 500, UTC
        ).isoformat(),
        "the clock is years behind": lambda: f"{datetime.now(UTC) - timedelta(days=2000):%Y-%m-%dT%H:%M:%S.%fZ}",
    },
)
rows(
    "Timestamps are ISO 8601; silent: those of a booking",
    "calendar_book calendar_busy calendar_reschedule",
    instead(calendar, "wire"),
    {
        "local times have no offset": lambda wire, at: wire(at)[:19],
        "times of events have the basic format": lambda wire, at: (
            f"{at.astimezone(ZoneInfo('Asia/Kolkata')):%Y%m%dT%H%M%S,%f%z}"
        ),
    },
)
