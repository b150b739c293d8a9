"""Valid requests that the service answers with an internal error."""

from __future__ import annotations

import json
from typing import Any

from ..mutant import Kind, wrap
from ..service.app import Call, Refusal

crash = Kind("internal error")


def failing(operation: str, test: Any) -> None:
    """Answer the calls that pass a test with an internal error."""

    def failed(perform: Any, call: Call) -> Any:
        if test(call):
            raise Refusal(500, "Internal server error")
        return perform(call)

    wrap(operation, failed)


def astral(call: Call) -> bool:
    """Return whether a body has a character of four bytes."""
    return any(ord(sign) > 0xFFFF for sign in json.dumps(call.body, ensure_ascii=False))


@crash("records_create", "`data` | object | free-form JSON keyed by field")
def a_character_of_four_bytes_in_a_record_is_an_internal_error() -> None:
    failing("records_create", astral)


@crash("memory_update", "Body: `title`, `description`, `content` (strings), `metadata` (object).")
def a_character_of_four_bytes_in_an_entry_is_an_internal_error() -> None:
    failing("memory_update", astral)


@crash("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
def deleting_a_key_that_is_not_there_is_an_internal_error() -> None:
    def test(call: Call) -> bool:
        record = call.world.records.get((call.project, call.path["recordId"]), {"data": {}})
        data = call.body.get("data")
        return isinstance(data, dict) and any(
            value is None and key not in record["data"] for key, value in data.items()
        )

    failing("records_update", test)


@crash("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def an_export_of_more_than_a_sheet_is_an_internal_error() -> None:
    failing("labels_export", lambda call: len(call.body.get("itemIds") or ()) > 4)


@crash("calendar_book", "`end` | string | ISO timestamp; defaults to start + durationMinutes")
def a_booking_with_an_end_and_no_duration_is_an_internal_error() -> None:
    failing("calendar_book", lambda call: "end" in call.body and "durationMinutes" not in call.body)


@crash("web_analytics_get_config", "The configuration is null when not configured.")
def a_project_without_a_configuration_is_an_internal_error() -> None:
    failing("web_analytics_get_config", lambda call: call.project not in call.world.analytics)


@crash("agents_list", "`offset` (integer, at least 0)")
def an_offset_beyond_the_end_is_an_internal_error() -> None:
    failing(
        "agents_list",
        lambda call: (
            call.query.get("offset", "").isdecimal()
            and int(call.query["offset"]) >= len(call.world.agents[call.project]) > 0
        ),
    )
