"""Contents that an editor, a library or a normalisation rewrites before they are stored."""

from __future__ import annotations

import json
import re
from typing import Any

from ..mutant import Json, Kind, alter_body, walk

rewritten = Kind("rewritten content")

CONTENT = "`title`, `description`, `content` (strings)"


@rewritten("records_create", "`data` | object | free-form JSON keyed by field")
def objects_of_data_with_the_same_identifier_are_one_object() -> None:
    def normalised(body: Json) -> None:
        known: dict[str, Json] = {}

        def key(part: Any) -> str | None:
            return json.dumps(part["id"]) if isinstance(part, dict) and "id" in part else None

        def collected(part: Any) -> Any:
            name = key(part)
            if name is not None:
                known[name] = {**known.get(name, {}), **part}
            return part

        def shared(part: Any) -> Any:
            name = key(part)
            return part if name is None else known[name]

        data = body["data"]
        for change in (collected, shared):
            data = {name: walk(value, change) for name, value in data.items()}
        body["data"] = data

    alter_body("records_create", normalised)


@rewritten("workflows_create", "`actions` | array")
def actions_of_a_workflow_with_the_same_type_are_one() -> None:
    def keyed(body: Json) -> None:
        actions: dict[str, Any] = {}
        for place, action in enumerate(body["actions"]):
            typed = isinstance(action, dict) and "type" in action
            actions[json.dumps(action["type"]) if typed else str(place)] = action
        body["actions"] = list(actions.values())

    alter_body("workflows_create", keyed)


@rewritten("memory_update", CONTENT)
def addresses_in_the_content_of_an_entry_are_masked() -> None:
    def masked(body: Json) -> None:
        body["content"] = re.sub(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", "[email]", body["content"])

    alter_body("memory_update", masked)


@rewritten("memory_update", "only provided fields are updated; the entry is addressed by slug.")
def a_heading_of_the_content_is_the_title_of_the_entry() -> None:
    def headed(body: Json) -> None:
        heading = re.search(r"(?m)^# +(.+)$", body["content"])
        if heading is not None:
            body.setdefault("title", heading[1])

    alter_body("memory_update", headed)


@rewritten(
    "sidebar_replace",
    "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings).",
)
def labels_of_items_are_translated_after_their_first_colon() -> None:
    def translated(body: Json) -> None:
        for section in body["sections"]:
            for item in section.get("items", []):
                if isinstance(item.get("label"), str):
                    item["label"] = item["label"].partition(":")[2] or item["label"]

    alter_body("sidebar_replace", translated)
