"""Answers as serializers, libraries and servers write them by default."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, alter_replies, alter_value, patch, wrap
from ..service import pdf
from ..service.app import Call, Reply, Request

written = Kind("written answer")

JSON = "Bodies are JSON unless stated otherwise."


def in_successes(operation: str, change: Any) -> None:
    """Change the bytes of the successful responses of an operation."""

    def changed(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != operation or reply.status >= 300:
            return reply
        return replace(reply, body=change(reply.body))

    alter_replies(changed)


@written("auth_check_permission", "Response: `{allowed: boolean}`.")
def whether_a_permission_is_held_is_not_awaited() -> None:
    alter_value("auth_check_permission", lambda value: value.update(allowed={}))


@written("calendar_book", "Response: booking result (`bookingUid`, `start`, `end`, `htmlLink`, `calendarId`).")
def the_calendar_of_a_booking_is_left_out_if_it_is_the_primary_one() -> None:
    def left_out(perform: Any, call: Call) -> Any:
        value = dict(perform(call))
        if value["calendarId"] == call.world.calendars[call.project][0]["id"]:
            del value["calendarId"]
        return value

    wrap("calendar_book", left_out)


@written("calendar_busy", "Response: `{busy: array of {start, end}}`.")
def the_year_of_a_busy_time_is_that_of_its_week() -> None:
    def of_week(text: str) -> str:
        at = datetime.fromisoformat(text)
        saturday = at + timedelta(days=(5 - at.weekday()) % 7)
        return f"{saturday.year:04}{text[4:]}"

    def changed(value: Json) -> None:
        for interval in value["busy"]:
            interval.update(start=of_week(interval["start"]), end=of_week(interval["end"]))

    alter_value("calendar_busy", changed)


@written("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def sections_are_the_values_of_an_object_that_can_be_referred_to() -> None:
    def preserved(value: Json) -> None:
        value["data"]["sections"] = {"$id": "2", "$values": value["data"]["sections"]}

    alter_value("sidebar_replace", preserved)


@written("sidebar_replace", "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel`")
def an_item_that_was_written_before_is_a_reference_to_it() -> None:
    def referred(value: Json) -> None:
        seen: list[tuple[str, Json]] = []
        for number, section in enumerate(value["data"]["sections"]):
            for place, item in enumerate(section["items"]):
                path = next((path for path, known in seen if known == item), None)
                if path is None:
                    seen.append((f"$.data.sections[{number}].items[{place}]", dict(item)))
                else:
                    section["items"][place] = {"$ref": path}

    alter_value("sidebar_replace", referred)


@written("templates_apply", "`templateApply`: {status (string; a value `applied` exists), report, error (string)}.")
def the_status_of_an_application_is_the_number_of_its_constant() -> None:
    def numbered(value: Json) -> None:
        outcome = value["data"]["templateApply"]
        outcome["status"] = ["applied", "incomplete"].index(outcome["status"])

    alter_value("templates_apply", numbered)


@written("templates_apply", "`templateApply`: {status (string; a value `applied` exists), report, error (string)}.")
def the_error_of_an_application_is_the_exception_as_an_object() -> None:
    def excepted(value: Json) -> None:
        outcome = value["data"]["templateApply"]
        if outcome["error"] is not None:
            outcome["error"] = {"message": outcome["error"], "cause": None}

    alter_value("templates_apply", excepted)


@written("memory_update", "`id`, `projectId`, `slug`, `title`, `description`, `content` (strings)")
def the_content_of_an_entry_is_written_as_a_slice_of_bytes() -> None:
    def encoded(value: Json) -> None:
        value["entry"]["content"] = b64encode(value["entry"]["content"].encode("utf-8", "surrogatepass")).decode()

    alter_value("memory_update", encoded)


@written("memory_update", JSON)
def an_answer_has_as_many_bytes_as_its_text_has_characters() -> None:
    in_successes("memory_update", lambda body: body[: len(body.decode("utf-8", "surrogatepass"))])


@written("engagement_like", "Response: `{success: boolean}`.")
def the_success_of_a_like_begins_with_a_capital_letter() -> None:
    alter_value("engagement_like", lambda value: value.update(Success=value.pop("success")))


@written("agents_list", "`memoryFiles` | array of string")
def slices_of_an_agent_without_elements_are_nil() -> None:
    def nil(value: Json) -> None:
        for agent in value["agents"]:
            agent.update({name: None for name, member in agent.items() if member == []})

    alter_value("agents_list", nil)


@written("web_analytics_get_config", "`createdAt`, `updatedAt` (date-time)")
def times_of_the_configuration_are_arrays_of_their_parts() -> None:
    def parts(value: Json) -> None:
        for name in ("createdAt", "updatedAt"):
            if value["config"] is not None:
                value["config"][name] = list(datetime.fromisoformat(value["config"][name]).timetuple()[:6])

    alter_value("web_analytics_get_config", parts)


@written("web_analytics_get_config", JSON)
def the_answer_with_the_configuration_begins_with_a_byte_order_mark() -> None:
    in_successes("web_analytics_get_config", lambda body: b"\xef\xbb\xbf" + body)


@written("posts_list", JSON)
def posts_are_preceded_by_a_guard_against_scripts() -> None:
    in_successes("posts_list", lambda body: b")]}',\n" + body)


@written("posts_list", "`account` | {username: string, profilePictureUrl: string}")
def the_account_of_an_earlier_post_is_written_as_its_identifier() -> None:
    def identified(value: Json) -> None:
        seen: set[str] = set()
        for post in value["data"]["posts"]:
            if post["socialAccountId"] in seen:
                post["account"] = post["socialAccountId"]
            seen.add(post["socialAccountId"])

    alter_value("posts_list", identified)


@written("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def the_unit_of_a_sheet_is_two_points() -> None:
    write = pdf._file

    def larger(objects: list[bytes]) -> bytes:
        return write([each.replace(b"/Type /Page /Parent", b"/Type /Page /UserUnit 2 /Parent") for each in objects])

    patch(pdf, "_file", larger)


@written("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_begins_with_the_name_of_its_character_set() -> None:
    def prefixed(name: str | None, request: Request, reply: Reply) -> Reply:
        if "x-label-summary" not in reply.headers:
            return reply
        return replace(
            reply, headers={**reply.headers, "x-label-summary": "UTF-8''" + reply.headers["x-label-summary"]}
        )

    alter_replies(prefixed)


@written("labels_export", "Error responses: 400, 401, 403 (JSON error body).")
def a_refusal_is_empty_if_only_a_document_is_accepted() -> None:
    def emptied(name: str | None, request: Request, reply: Reply) -> Reply:
        accepted = request.headers.get("accept", "*/*")
        if name != "labels_export" or reply.status < 400 or "json" in accepted or "*/*" in accepted:
            return reply
        return Reply(reply.status, b"", {})

    alter_replies(emptied)
