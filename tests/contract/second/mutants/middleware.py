"""Requests and responses that are changed between the network and the operation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_replies, members, patch
from ..service import records, settings
from ..service.app import Refusal, Reply, Request

middleware = Kind("middleware")


@middleware("memory_update", "Bodies are JSON unless stated otherwise.")
def entries_are_encoded_in_latin_1() -> None:
    def encoded(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != "memory_update":
            return reply
        body = reply.body.decode("utf-8", "replace").encode("latin-1", "replace")
        return replace(reply, body=body, headers={"content-type": "application/json"})

    alter_replies(encoded)


@middleware("engagement_like", "Bodies are JSON unless stated otherwise.")
def likes_are_answered_as_html() -> None:
    def typed(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != "engagement_like":
            return reply
        return replace(reply, headers={**reply.headers, "content-type": "text/html; charset=UTF-8"})

    alter_replies(typed)


@middleware(
    "memory_update",
    "Slugs may contain `/` for hierarchical paths; the slug path parameter is described as a single segment.",
)
def encoded_slashes_separate_segments() -> None:
    find_entry = settings.find_entry

    def routed(call: Any) -> Any:
        if "/" in call.path["slug"]:
            raise Refusal(404, "There is nothing here.")
        return find_entry(call)

    patch(settings, "find_entry", routed)


@middleware("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_is_encoded_like_a_form() -> None:
    def encoded(name: str | None, request: Request, reply: Reply) -> Reply:
        summary = reply.headers.get("x-label-summary")
        if summary is None:
            return reply
        return replace(reply, headers={**reply.headers, "x-label-summary": summary.replace("%20", "+")})

    alter_replies(encoded)


@middleware("records_create", "`data` | object | free-form JSON keyed by field")
def keys_that_look_like_operators_or_paths_are_removed() -> None:
    stored = records.stored
    clean = members(
        lambda part: {key: value for key, value in part.items() if not key.startswith("$") and "." not in key}
    )
    patch(records, "stored", lambda data: clean(stored(data)))


@middleware("workflows_create", "`description` | string | max 1000 chars")
def markup_is_removed_from_descriptions() -> None:
    def clean(body: Json) -> None:
        body["description"] = re.sub("<[^>]*>", "", body["description"])

    alter_body("workflows_create", clean)
