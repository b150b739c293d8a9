"""Services that keep a default of their framework, serializer, gateway or printing library that the specification excludes."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from datetime import datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import unquote

from ..mutant import Json, Kind, alter_body, alter_refusal, alter_replies, alter_value, patch, wrap
from ..service import calendar, labels, listings, tokens
from ..service.app import Call, Reply, Request, Service, find, success

framework = Kind("defaults of frameworks")
gateway = Kind("gateways")


@framework("auth_check_permission", "Response: `{allowed: boolean}`.")
def the_permission_is_wrapped_like_other_answers() -> None:
    wrap("auth_check_permission", lambda perform, call: {"success": True, "data": perform(call)})


@framework("workflows_create", "Timestamps are ISO 8601 date-times unless a field is typed differently below.")
def times_of_workflows_are_dates_of_http() -> None:
    def formatted(value: Json) -> None:
        for name in ("createdAt", "updatedAt"):
            value["workflow"][name] = format_datetime(datetime.fromisoformat(value["workflow"][name]))

    alter_value("workflows_create", formatted)


@framework(
    "records_update", "409 when a conditional object-record update has a stale precondition (the record is unchanged)."
)
def a_stale_precondition_is_a_failed_precondition_of_http() -> None:
    alter_refusal("records_update", "stale", 412)


@framework("calendar_book", "attendee | object {name: string, email: string (email format), phone: string}")
def addresses_of_attendees_with_a_plus_sign_are_invalid() -> None:
    email = calendar.email
    patch(calendar, "email", lambda value: email(value) and "+" not in value)


@framework("templates_apply", "`report.missingVariables`: array of string.")
def lists_of_a_report_without_elements_are_null() -> None:
    def nulls(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        report.update({name: report[name] or None for name in ("skipped", "failures", "missingVariables")})

    alter_value("templates_apply", nulls)


@framework(
    "templates_apply",
    "`report.counts`: integers `objectTypes`, `objectRelations`, `roles`, `workflows`, `sidebarSections`, `perRoleHides`.",
)
def counts_of_a_report_are_named_in_snake_case() -> None:
    def snake(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        report["counts"] = {
            re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name): number
            for name, number in report["counts"].items()
        }

    alter_value("templates_apply", snake)


@framework("memory_update", "`metadata` (object)")
def names_in_metadata_are_in_camel_case() -> None:
    def camel(body: Json) -> None:
        body["metadata"] = {
            re.sub("(?<=[a-z0-9])_([a-z])", lambda match: match[1].upper(), name): value
            for name, value in body["metadata"].items()
        }

    alter_body("memory_update", camel)


@framework("memory_update", "`id`, `projectId`, `slug`, `title`, `description`, `content` (strings)")
def an_updated_entry_is_serialized_like_those_of_a_list() -> None:
    alter_value("memory_update", lambda value: value["entry"].pop("content"))


@framework("agents_list", "`metadata` | object")
def empty_objects_of_agents_are_arrays() -> None:
    def associative(value: Json) -> None:
        for agent in value["agents"]:
            agent["metadata"] = agent["metadata"] or []

    alter_value("agents_list", associative)


@framework(
    "web_analytics_get_config",
    "Response: `{config: Web analytics configuration}`; the configuration is null when not configured.",
)
def a_configuration_that_is_null_is_not_serialized() -> None:
    wrap(
        "web_analytics_get_config",
        lambda perform, call: {name: value for name, value in perform(call).items() if value is not None},
    )


@framework("web_analytics_get_config", "Error body (JSON): `message` (string, always present)")
def unauthenticated_requests_for_analytics_have_a_detail() -> None:
    def detailed(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != "web_analytics_get_config" or reply.status != 401:
            return reply
        return replace(reply, body=b'{"detail":"Not authenticated"}')

    alter_replies(detailed)


@framework("posts_list", "Response: `{success: boolean, data: {posts: [Scheduled post]}}`.")
def the_data_of_posts_are_the_list_itself() -> None:
    alter_value("posts_list", lambda value: value.update(data=value["data"]["posts"]))


@framework(
    "photo_analytics_list_media",
    "Response: `{success: boolean, data: {media: [Photo-network media analytics item]}}`.",
)
def media_are_in_a_page_of_the_network() -> None:
    def paged(value: Json) -> None:
        value["data"]["media"] = {"data": value["data"]["media"], "paging": {"cursors": {}}}

    alter_value("photo_analytics_list_media", paged)


@framework("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def sheets_are_in_the_orientation_of_the_printing_library() -> None:
    document = labels.document
    # The same number of bytes, as the table of a PDF has the offsets of its objects.
    patch(labels, "document", lambda items, review: document(items, review).replace(b"/Rotate 90", b"/Rotate 0 "))


@framework("labels_export", "Success response 200, content type `application/pdf`, binary body")
def an_export_is_a_stream_of_octets() -> None:
    def sent(perform: Any, call: Call) -> Reply:
        reply: Reply = perform(call)
        return replace(reply, headers={**reply.headers, "content-type": "application/octet-stream"})

    wrap("labels_export", sent)


@gateway("labels_export", "Success response 200, content type `application/pdf`, binary body")
def binary_bodies_are_in_base64() -> None:
    def encoded(perform: Any, call: Call) -> Reply:
        reply: Reply = perform(call)
        return replace(reply, body=b64encode(reply.body))

    wrap("labels_export", encoded)


@gateway("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_of_more_than_one_sheet_is_removed() -> None:
    def limited(perform: Any, call: Call) -> Reply:
        reply: Reply = perform(call)
        if json.loads(unquote(reply.headers["x-label-summary"]))["sheets"] == 1:
            return reply
        return replace(reply, headers={"content-type": reply.headers["content-type"]})

    wrap("labels_export", limited)


@gateway("labels_export", "Error responses: 400, 401, 403 (JSON error body).")
def an_unauthenticated_export_is_redirected_to_the_login() -> None:
    def redirected(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != "labels_export" or reply.status != 401:
            return reply
        return Reply(302, b"", {"location": "/login?next=/"})

    alter_replies(redirected)


@gateway("web_analytics_get_config", "Every endpoint requires the bearer credential described under Authentication.")
def paths_of_web_analytics_are_public() -> None:
    respond = Service.__call__

    def public(self: Service, request: Request) -> Reply:
        reply = respond(self, request)
        if reply.status != 401:
            return reply
        name, path = find(request.method, request.target.partition("?")[0])
        if name != "web_analytics_get_config":
            return reply
        call = Call(name, self.world, "anonymous", {"projectId": path["projectId"].lower()}, {})
        return success(call, listings.analytics(call))

    patch(Service, "__call__", public)


@gateway("posts_list", "Every endpoint uses HTTP bearer authentication: `Authorization: Bearer <ACCESS_TOKEN>`.")
def the_scheme_of_a_credential_is_not_compared() -> None:
    user_of = tokens.user_of

    def of_the_last_word(world: Any, authorization: str | None) -> str:
        words = (authorization or "").split()
        return user_of(world, f"Bearer {words[-1]}" if words else None)

    patch(tokens, "user_of", of_the_last_word)
