"""Services whose database, driver or object mapper returns or stores something else than the operation means."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import count
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import listings, records
from ..service.app import Call, Refusal

database = Kind("databases and object mappers")

ATTACHED = "the service attaches an existing Person or creates one, and the record carries `personRefId`."
RECORD = "Response: `{record: Object record}`."
SECTIONS = "An object with `sections`: an ordered array of section {`id`, `label`, `items`}."
COLUMNS = {
    "id",
    "externalId",
    "displayName",
    "status",
    "currency",
    "amountCents",
    "occurredAt",
    "createdAt",
    "updatedAt",
}


@database("workflows_create", "`actions` | array")
def actions_are_the_text_of_a_json_column() -> None:
    alter_value(
        "workflows_create",
        lambda value: value["workflow"].update(actions=json.dumps(value["workflow"]["actions"])),
    )


@database("records_create", "`data` | object | free-form JSON keyed by field")
def members_of_the_data_with_the_name_of_a_column_are_not_stored() -> None:
    stored = records.stored
    patch(
        records,
        "stored",
        lambda data: {name: value for name, value in stored(data).items() if name not in COLUMNS},
    )


@database("records_create", ATTACHED)
def persons_are_visible_to_the_user_who_created_them() -> None:
    def link(call: Call, record: Json, identity: Json) -> None:
        address = records.identity_of(identity)
        if not call.world.types[record["typeSlug"]] or address is None:
            return
        persons = call.world.persons
        record["personRefId"] = persons.setdefault(
            (f"{call.project} {call.user}", address), f"per-{len(persons) + 1:05}"
        )

    patch(records, "link", link)


@database("records_update", RECORD)
def an_update_that_affects_no_row_has_found_no_record() -> None:
    apply_changes = records.apply_changes

    def columns(record: Json) -> Any:
        return deepcopy([record["data"], record["externalId"], record["relations"]])

    def changed(call: Call, record: Json, body: Json) -> None:
        before = columns(record)
        apply_changes(call, record, body)
        if "data" in body and columns(record) == before:
            raise Refusal(404, "There is no such record.")

    patch(records, "apply_changes", changed)


@database("records_update", RECORD)
def an_update_returns_the_document_that_it_has_found() -> None:
    def found(perform: Any, call: Call) -> Any:
        record = deepcopy(call.world.records.get((call.project, call.path["recordId"])))
        value = perform(call)
        return value if record is None else {"record": records.shown(record)}

    wrap("records_update", found)


@database("memory_update", "`content` (strings)")
def the_content_of_an_entry_ends_with_its_column() -> None:
    def shorten(body: Json) -> None:
        body["content"] = body["content"].encode("utf-8", "surrogatepass")[:65535].decode("utf-8", "ignore")

    alter_body("memory_update", shorten)


@database("sidebar_replace", SECTIONS)
def identifiers_of_sections_are_those_of_their_rows() -> None:
    rows = count(1)

    def numbered(value: Json) -> None:
        for section in value["data"]["sections"]:
            section["id"] = str(next(rows))

    alter_value("sidebar_replace", numbered)


@database("sidebar_replace", SECTIONS)
def sections_are_in_the_order_of_their_key() -> None:
    alter_value(
        "sidebar_replace",
        lambda value: value["data"]["sections"].sort(key=lambda section: str(section.get("id", ""))),
    )


@database("agents_list", "`toolCategories` | array of enum")
def tool_categories_are_the_text_of_an_array_of_the_database() -> None:
    def literal(value: Json) -> None:
        for agent in value["agents"]:
            agent["toolCategories"] = "{" + ",".join(agent["toolCategories"]) + "}"

    alter_value("agents_list", literal)


@database("posts_list", "Returns all scheduled posts of the project")
def readers_see_published_posts_only() -> None:
    posts_of = listings.posts_of

    def visible(call: Call) -> list[Json]:
        posts = posts_of(call)
        if call.world.members[call.project, call.user] != "reader":
            return posts
        return [post for post in posts if post["status"] == "published"]

    patch(listings, "posts_of", visible)
