"""Updates that change more, less or something else than what was sent."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import records

update = Kind("partial update")

STALE = "When either is stale, the response is 409 and the record is unchanged."
MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
PROVIDED = "Only provided fields are updated; the entry is addressed by slug."
REPLACED = "The entire section list of the project is replaced."
FEATURES = frozenset({"crm", "cms", "calendar", "social", "workflows", "billing", "settings"})
ICONS = frozenset({"home", "users", "calendar", "chart", "settings", "mail"})


@update("records_update", STALE)
def the_external_identifier_is_assigned_before_the_preconditions() -> None:
    stale = records.stale

    def assigned(record: Json, body: Json) -> bool:
        if "externalId" in body:
            record["externalId"] = body["externalId"]
        return stale(record, body)

    patch(records, "stale", assigned)


@update("records_update", STALE)
def the_person_is_refreshed_before_the_preconditions() -> None:
    find_record = records.find_record

    def refreshed(call: Any) -> Json:
        record = find_record(call)
        if isinstance(call.body.get("data"), dict):
            records.link(call, record, call.body["data"])
        return record

    patch(records, "find_record", refreshed)


@update("records_update", MERGE)
def a_deleted_key_that_was_not_there_is_null() -> None:
    apply_changes = records.apply_changes

    def assigned(call: Any, record: Json, body: Json) -> None:
        absent = {key for key, value in body.get("data", {}).items() if value is None and key not in record["data"]}
        apply_changes(call, record, body)
        record["data"].update(dict.fromkeys(absent))

    patch(records, "apply_changes", assigned)


@update("records_update", MERGE)
def arrays_are_merged_by_index() -> None:
    merged = records.merged

    def by_index(old: Json, changes: Json) -> Json:
        result = merged(old, changes)
        for key, value in changes.items():
            if isinstance(value, list) and isinstance(old.get(key), list):
                result[key] += deepcopy(old[key][len(value) :])
        return result

    patch(records, "merged", by_index)


@update("records_update", STALE)
def preconditions_are_checked_for_updates_of_data() -> None:
    stale = records.stale
    patch(records, "stale", lambda record, body: "data" in body and stale(record, body))


@update("memory_update", PROVIDED)
def a_new_title_is_a_new_slug() -> None:
    def renamed(perform: Any, call: Any) -> Any:
        value = perform(call)
        slug = re.sub("[^a-z0-9]+", "-", value["entry"]["title"].lower()).strip("-")
        if "title" in call.body and slug:
            entry = call.world.memory.pop((call.project, call.path["slug"]))
            entry["slug"] = value["entry"]["slug"] = slug
            call.world.memory[call.project, slug] = entry
        return value

    wrap("memory_update", renamed)


@update("memory_update", PROVIDED)
def metadata_that_change_in_place_are_not_saved() -> None:
    def unsaved(perform: Any, call: Any) -> Any:
        entry = call.world.memory.get((call.project, call.path["slug"]), {})
        before = deepcopy(entry.get("metadata"))
        value = perform(call)
        entry["metadata"] = before
        return value

    wrap("memory_update", unsaved)


def items(change: Any) -> None:
    """Change the list of the items of each section."""

    def changed(body: Json) -> None:
        for section in body["sections"]:
            if "items" in section:
                section["items"] = change(section["items"])

    alter_body("sidebar_replace", changed)


@update("sidebar_replace", REPLACED)
def items_of_unknown_features_are_dropped() -> None:
    items(lambda every: [item for item in every if item.get("featureId", "crm") in FEATURES])


@update("sidebar_replace", REPLACED)
def icons_that_are_not_in_the_list_are_circles() -> None:
    items(
        lambda every: [
            {**item, "icon": "circle"} if isinstance(item.get("icon"), str) and item["icon"] not in ICONS else item
            for item in every
        ]
    )


@update("sidebar_replace", REPLACED)
def custom_labels_are_the_labels() -> None:
    items(lambda every: [{**item, "label": item["customLabel"]} if item.get("customLabel") else item for item in every])
