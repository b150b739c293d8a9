"""Values that come back from a database or an index in another form than they were stored."""

from __future__ import annotations

from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, wrap
from ..service.app import Call

stored = Kind("stored value")


@stored("records_create", "`externalId` | string")
def external_identifiers_are_padded_to_the_length_of_their_column() -> None:
    def padded(body: Json) -> None:
        body["externalId"] = body["externalId"].ljust(64)

    alter_body("records_create", padded)


@stored("records_create", "`data` | object | free-form JSON keyed by field")
def a_field_has_the_type_of_its_first_value_in_the_index() -> None:
    types: dict[tuple[str, str], str] = {}

    def type_of(value: Any) -> str:
        return "number" if type(value) in {int, float} else type(value).__name__

    def mapped(perform: Any, call: Call) -> Any:
        data = call.body.get("data")
        if isinstance(data, dict):
            kept = {
                key: value
                for key, value in data.items()
                if value is None or types.setdefault((call.project, key), type_of(value)) == type_of(value)
            }
            call.body = {**call.body, "data": kept}
        return perform(call)

    wrap("records_create", mapped)


@stored("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
def data_without_a_key_are_null() -> None:
    def null(value: Json) -> None:
        value["record"]["data"] = value["record"]["data"] or None

    alter_value("records_update", null)


@stored("memory_update", "`id`, `projectId`, `slug`, `title`, `description`, `content` (strings)")
def texts_of_an_entry_without_characters_are_null() -> None:
    def null(value: Json) -> None:
        for name in ("title", "description", "content"):
            value["entry"][name] = value["entry"][name] or None

    alter_value("memory_update", null)


@stored("calendar_busy", "Book, reschedule and list busy intervals on a connected external calendar.")
def one_event_of_each_day_is_selected() -> None:
    def distinct(value: Json) -> None:
        value["busy"] = list({interval["start"][:10]: interval for interval in value["busy"]}.values())

    alter_value("calendar_busy", distinct)


@stored("workflows_create", "`tags` | array of string | max 12 items, each 1-40 characters")
def tags_are_joined_with_each_action() -> None:
    def joined(value: Json) -> None:
        workflow = value["workflow"]
        workflow["tags"] = [tag for tag in workflow["tags"] for _ in workflow["actions"] or [None]]

    alter_value("workflows_create", joined)


@stored("templates_apply", "`project`: {id (uuid), name, slug, createdAt (date-time)}.")
def a_sub_project_is_answered_before_the_database_has_set_its_time() -> None:
    alter_value("templates_apply", lambda value: value["data"]["project"].update(createdAt=None))


@stored("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def positions_of_sections_are_sorted_as_texts() -> None:
    def sorted_as_texts(value: Json) -> None:
        sections = value["data"]["sections"]
        value["data"]["sections"] = [sections[place] for place in sorted(range(len(sections)), key=str)]

    alter_value("sidebar_replace", sorted_as_texts)
