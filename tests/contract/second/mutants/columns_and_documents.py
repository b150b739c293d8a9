"""Values that the database, or the code before it, stores in another way than they were sent."""

from __future__ import annotations

import json
import re
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, numbers, patch, walk, wrap
from ..service import records, settings

storage = Kind("storage")

DATA = "`data` | object | free-form JSON keyed by field"


@storage("workflows_create", "Response: `{workflow: Workflow}`.")
def a_new_workflow_is_not_in_an_envelope() -> None:
    wrap("workflows_create", lambda perform, call: perform(call)["workflow"])


@storage("workflows_create", "`actions` (array)")
def actions_of_an_inactive_workflow_are_not_stored() -> None:
    def stored(value: Json) -> None:
        if not value["workflow"]["isActive"]:
            value["workflow"]["actions"] = []

    alter_value("workflows_create", stored)


@storage("workflows_create", "`triggerCondition` (any)")
def decimals_of_a_trigger_condition_are_texts() -> None:
    def decimals(body: Json) -> None:
        change = numbers(lambda value: str(value) if isinstance(value, float) else value)
        body["triggerCondition"] = change(body["triggerCondition"])

    alter_body("workflows_create", decimals)


@storage("workflows_create", "`name` | string | 1-200 chars")
def several_blanks_in_the_name_of_a_workflow_are_one() -> None:
    def fewer(value: Json) -> None:
        value["workflow"]["name"] = re.sub(" +", " ", value["workflow"]["name"])

    alter_value("workflows_create", fewer)


@storage(
    "records_create",
    "when the type has `linksToPerson` enabled and the payload carries matching identity, the service attaches an existing "
    "Person or creates one, and the record carries `personRefId`.",
)
def an_address_with_capital_letters_is_no_identity() -> None:
    identity_of = records.identity_of

    def lower(data: Json) -> str | None:
        address = identity_of(data)
        return None if address is None or data["email"] != data["email"].lower() else address

    patch(records, "identity_of", lower)


@storage("records_create", DATA)
def flags_in_data_are_numbers() -> None:
    def small(body: Json) -> None:
        body["data"] = walk(body["data"], lambda part: int(part) if isinstance(part, bool) else part)

    alter_body("records_create", small)


@storage("records_create", DATA)
def data_of_a_new_record_are_text() -> None:
    alter_value("records_create", lambda value: value["record"].update(data=json.dumps(value["record"]["data"])))


@storage("records_create", DATA)
def data_of_one_object_are_that_object() -> None:
    def unwrapped(body: Json) -> None:
        if len(body["data"]) == 1 and isinstance(inner := next(iter(body["data"].values())), dict):
            body["data"] = inner

    alter_body("records_create", unwrapped)


@storage("records_create", DATA)
def relations_of_a_new_record_are_among_its_data() -> None:
    def joined(body: Json) -> None:
        if isinstance(body["data"], dict) and isinstance(body["relations"], dict):
            body["data"] = {**body["relations"], **body["data"]}

    alter_body("records_create", joined)


@storage("sidebar_replace", "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel`")
def icons_are_addresses_of_images() -> None:
    item_of = settings.item_of

    def with_image(value: Json) -> Json:
        item = item_of(value)
        return {**item, "icon": f"/icons/{item['icon']}.svg"} if "icon" in item else item

    patch(settings, "item_of", with_image)


@storage("sidebar_replace", "`sections`: an ordered array of section {`id`, `label`, `items`}.")
def sections_with_the_same_label_are_one() -> None:
    def joined(value: Json) -> None:
        sections: dict[Any, Json] = {}
        for number, section in enumerate(value["data"]["sections"]):
            first = sections.setdefault(section.get("label", number), section)
            if first is not section:
                first["items"] += section["items"]
        value["data"]["sections"] = list(sections.values())

    alter_value("sidebar_replace", joined)


@storage("sidebar_replace", "The entire section list of the project is replaced.")
def an_item_without_an_identifier_has_that_of_the_item_before() -> None:
    def carried(value: Json) -> None:
        for section in value["data"]["sections"]:
            last: Json = {}
            for item in section["items"]:
                if "id" not in item:
                    item.update(last)
                last = {"id": item["id"]} if "id" in item else {}

    alter_value("sidebar_replace", carried)


@storage("memory_update", "Body: `title`, `description`, `content` (strings), `metadata` (object).")
def content_beside_a_title_begins_with_it() -> None:
    def headed(body: Json) -> None:
        title, content = body["title"], body["content"]
        if isinstance(title, str) and isinstance(content, str):
            body["content"] = f"# {title}\n\n{content}"

    alter_body("memory_update", headed)


@storage("memory_update", "only provided fields are updated; the entry is addressed by slug.")
def new_content_removes_the_description() -> None:
    def removed(body: Json) -> None:
        if "content" in body and "description" not in body:
            body["description"] = ""

    alter_body("memory_update", removed)
