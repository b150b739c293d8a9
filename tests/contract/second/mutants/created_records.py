"""Records whose data is stored in another form, and persons that are attached wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, members, patch, texts, wrap
from ..service import records
from ..service.app import Call
from .races import interrupted

formed = Kind("form of stored data")
attached = Kind("attached person")

DATA = "data | object | free-form JSON keyed by field"
LINKED = (
    "When the type has `linksToPerson` enabled and the payload carries matching identity, the service attaches an "
    "existing Person or creates one, and the record carries `personRefId`."
)


def data(name: str, sentence: str, change: Callable[[Any], Any]) -> None:
    """Register a mutant that stores other data than is sent to create a record."""

    def changed(body: Json) -> None:
        if isinstance(body.get("data"), dict):
            body["data"] = change(body["data"])

    formed.add(name, "records_create", sentence, lambda: alter_body("records_create", changed))


def deeper(value: Any, depth: int) -> Any:
    """Return a value in which objects and arrays below a depth are text."""
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        return "[Object]" if isinstance(value, dict) else "[Array]"
    if isinstance(value, dict):
        return {key: deeper(member, depth - 1) for key, member in value.items()}
    return [deeper(item, depth - 1) for item in value]


def typed(value: str) -> Any:
    """Return the number or boolean that a text looks like, or the text."""
    if value in {"true", "false"}:
        return value == "true"
    return int(value) if re.fullmatch(r"-?[0-9]{1,15}", value) else value


data("text that looks like a number is one", DATA, texts(typed))


data(
    "keys with a dollar sign are removed",
    DATA,
    members(lambda part: {key: value for key, value in part.items() if not key.startswith("$")}),
)


data(
    "empty text is not stored",
    DATA,
    members(lambda part: {key: value for key, value in part.items() if value != ""}),
)


data(
    "dates are times at midnight",
    DATA,
    texts(lambda value: f"{value}T00:00:00.000Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else value),
)


data("objects below the fourth level are text", DATA, lambda value: deeper(value, 4))


data(
    "characters outside the basic plane are question marks",
    DATA,
    texts(lambda value: re.sub("[\U00010000-\U0010ffff]", "?", value)),
)


@formed("records_create", DATA)
def data_with_the_name_of_a_field_is_moved_to_the_record() -> None:
    show = records.shown

    def shown(record: Json) -> Json:
        result = show(record)
        for name in ("status", "currency", "occurredAt"):
            if isinstance(result["data"].get(name), str):
                result[name] = result["data"].pop(name)
        return result

    patch(records, "shown", shown)


@formed("records_create", DATA)
def data_of_earlier_records_is_the_default() -> None:
    defaults: dict[str, Json] = {}

    def completed(perform: Any, call: Call) -> Any:
        value = perform(call)
        record = call.world.records[call.project, value["record"]["id"]]
        default = defaults.setdefault(record["typeSlug"], {})
        default.update(record["data"])
        record["data"] = deepcopy(default)
        return {"record": records.shown(record)}

    wrap("records_create", completed)


@attached("records_create", LINKED)
def underscores_of_addresses_match_any_character() -> None:
    link_exactly = records.link

    def link(call: Call, record: Json, identity: Json) -> None:
        address = records.identity_of(identity)
        if call.world.types[record["typeSlug"]] and address is not None:
            like = re.compile(re.escape(address).replace("_", "."))
            for (project, known), person in call.world.persons.items():
                if project == call.project and like.fullmatch(known):
                    record["personRefId"] = person
                    return
        link_exactly(call, record, identity)

    patch(records, "link", link)


@attached("records_create", LINKED)
def the_person_is_attached_after_the_answer() -> None:
    alter_value("records_create", lambda value: value["record"].pop("personRefId", None))


@attached("records_create", LINKED)
def records_with_relations_have_no_person() -> None:
    link_always = records.link

    def link(call: Call, record: Json, identity: Json) -> None:
        if not call.body.get("relations"):
            link_always(call, record, identity)

    patch(records, "link", link)


@attached("records_create", LINKED)
def simultaneous_records_of_a_new_person_create_two() -> None:
    persons: list[Json] = []

    def existing(project: str, address: str) -> str | None:
        return next((each["id"] for each in persons if (each["project"], each["address"]) == (project, address)), None)

    find = interrupted(existing)

    def link(call: Call, record: Json, identity: Json) -> None:
        address = records.identity_of(identity)
        if call.world.types[record["typeSlug"]] and address is not None:
            person = find(call.project, address)
            if person is None:
                person = f"per-{len(persons) + 1:05}"
                persons.append({"id": person, "project": call.project, "address": address})
            record["personRefId"] = person

    patch(records, "link", link)
