"""Sidebars that are answered in another way than requested."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any
from urllib.parse import quote

from ..mutant import Json, Kind, alter_body, wrap

sidebars = Kind("sidebar")


SECTIONS = "An object with `sections`: an ordered array of section {`id`, `label`, `items`}."


ITEM = "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings)."


REPLACED = "The entire section list of the project is replaced."


def sections(name: str, sentence: str, change: Callable[[list[Json]], list[Json]]) -> None:
    """Register a mutant that changes the sections that it stores and answers."""

    def changed(body: Json) -> None:
        if isinstance(body.get("sections"), list) and all(
            isinstance(each, dict) and isinstance(each.get("items", []), list) for each in body["sections"]
        ):
            body["sections"] = change(body["sections"])

    sidebars.add(name, "sidebar_replace", sentence, lambda: alter_body("sidebar_replace", changed))


def items(change: Callable[[list[Json]], list[Json]]) -> Callable[[list[Json]], list[Json]]:
    """Return a function that changes the items of all sections."""
    return lambda value: [{**each, "items": change(each["items"])} if "items" in each else each for each in value]


def fields(change: Callable[[str, Any], Any], *, of_section: bool = False) -> Callable[[list[Json]], list[Json]]:
    """Return a function that changes the fields of all items, or of all sections."""

    def changed(value: Json) -> Json:
        return {name: change(name, field) if isinstance(field, str) else field for name, field in value.items()}

    return (
        (lambda value: [changed(each) for each in value])
        if of_section
        else items(lambda value: [changed(each) if isinstance(each, dict) else each for each in value])
    )


def by_id(value: list[Json]) -> list[Json]:
    """Return the values, the last of each identifier."""
    return list({each.get("id", place): each for place, each in enumerate(value) if isinstance(each, dict)}.values())


sections("sections have at most ten", REPLACED, lambda value: value[:10])


sections("items of a section have at most eight", ITEM, items(lambda value: value[:8]))


sections("sections with the same identifier are one", SECTIONS, by_id)


sections("items with the same identifier are one", ITEM, items(by_id))


sections(
    "items are sorted by label",
    SECTIONS,
    items(lambda value: sorted(value, key=lambda each: str(each.get("label")) if isinstance(each, dict) else "")),
)


sections(
    "addresses of items have no query",
    ITEM,
    fields(lambda name, text: text.partition("?")[0] if name == "href" else text),
)


sections(
    "addresses of items are percent-encoded", ITEM, fields(lambda name, text: quote(text) if name == "href" else text)
)


sections(
    "custom labels of items are trimmed",
    ITEM,
    fields(lambda name, text: text.strip() if name == "customLabel" else text),
)


sections(
    "labels of items are escaped",
    ITEM,
    fields(lambda name, text: text.replace("&", "&amp;").replace("<", "&lt;") if name == "label" else text),
)


sections(
    "features and plugins of items are swapped",
    ITEM,
    items(
        lambda value: [
            {
                **each,
                **{
                    other: each[name]
                    for name, other in (("featureId", "pluginId"), ("pluginId", "featureId"))
                    if name in each
                },
            }
            if isinstance(each, dict)
            else each
            for each in value
        ]
    ),
)


@sidebars("sidebar_replace", REPLACED)
def sections_with_new_identifiers_are_added() -> None:
    def added(perform: Any, call: Any) -> Any:
        before = call.world.sidebars[call.project]
        value = perform(call)
        known = {each.get("id") for each in value["data"]["sections"]}
        if value["data"]["sections"]:
            call.world.sidebars[call.project] += [each for each in before if each.get("id") not in known]
        value["data"]["sections"] = deepcopy(call.world.sidebars[call.project])
        return value

    wrap("sidebar_replace", added)


@sidebars("sidebar_replace", REPLACED)
def items_of_a_section_that_remains_are_kept() -> None:
    def kept(perform: Any, call: Any) -> Any:
        before = {each.get("id"): each["items"] for each in call.world.sidebars[call.project]}
        value = perform(call)
        for each in call.world.sidebars[call.project]:
            each["items"] += [item for item in before.get(each.get("id"), []) if item not in each["items"]]
        value["data"]["sections"] = deepcopy(call.world.sidebars[call.project])
        return value

    wrap("sidebar_replace", kept)


@sidebars("sidebar_replace", "Response: `{success: boolean, data: {sections: [...]}}`.")
def the_answer_has_the_sections_before_the_replacement() -> None:
    def before(perform: Any, call: Any) -> Any:
        old = deepcopy(call.world.sidebars[call.project])
        perform(call)
        return {"success": True, "data": {"sections": old}}

    wrap("sidebar_replace", before)


@sidebars(
    "sidebar_replace",
    "Hiding an entry never denies authority: a user with read access to the underlying resource can still reach it by URL.",
)
def agents_cannot_be_read_without_an_entry() -> None:
    hidden_is_denied("agents_list")


@sidebars(
    "sidebar_replace",
    "Hiding an entry never denies authority: a user with read access to the underlying resource can still reach it by URL.",
)
def the_calendar_cannot_be_read_without_an_entry() -> None:
    hidden_is_denied("calendar_busy")


def hidden_is_denied(operation: str) -> None:
    """Let an operation refuse if the sidebar has no items."""
    from ..service.app import Refusal

    def refused(perform: Any, call: Any) -> Any:
        if not any(each["items"] for each in call.world.sidebars.get(call.project, [])):
            raise Refusal(403, "The entry is hidden.")
        return perform(call)

    wrap(operation, refused)
