"""Falsy values that are taken for missing ones: the services say `if (body.x)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch
from ..service import listings, records, settings, templates, workflows

falsy = Kind("falsy values")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
PROVIDED = "only provided fields are updated; the entry is addressed by slug."
CONDITION = "`triggerCondition` (any)"
VARIABLES = "`variableValues` supplies values for each `{{variable}}` the template declares."

original = records.merged


def merging(name: str, ignored: Callable[[Any], bool], *, deletes: bool = False) -> None:
    """Register a mutant that ignores some values of an update, or deletes their keys."""

    def apply() -> None:
        def merged(old: Json, changes: Json) -> Json:
            result = original(
                old, {key: value for key, value in changes.items() if not ignored(value) or value is None}
            )
            if deletes and old:
                return {key: value for key, value in result.items() if key not in changes or not ignored(changes[key])}
            return result

        patch(records, "merged", merged)

    falsy.add(name, "records_update", MERGE, apply)


def is_zero(value: Any) -> bool:
    """Return whether a value is the number zero."""
    return value == 0 and not isinstance(value, bool)


merging("zero does not change a key", is_zero)
merging("false does not change a key", lambda value: value is False)
merging("an empty text does not change a key", lambda value: value == "")
merging("an empty array does not change a key", lambda value: value == [])
merging("falsy values do not change a key", lambda value: not value)
merging("an empty text deletes a key", lambda value: value == "", deletes=True)
merging("an empty array deletes a key", lambda value: value == [], deletes=True)
merging("zero deletes a key", is_zero, deletes=True)
merging("false deletes a key", lambda value: value is False, deletes=True)


@falsy("records_update", MERGE)
def an_update_with_a_falsy_value_changes_nothing() -> None:
    def merged(old: Json, changes: Json) -> Json:
        return original(old, changes) if all(value or value is None for value in changes.values()) else old

    patch(records, "merged", merged)


@falsy("records_update", MERGE)
def null_deletes_only_truthy_values() -> None:
    def merged(old: Json, changes: Json) -> Json:
        kept = {key: old[key] for key, value in changes.items() if value is None and key in old and not old[key]}
        return {**original(old, changes), **kept}

    patch(records, "merged", merged)


def memory(name: str, field: str, ignored: Callable[[Any], bool]) -> None:
    """Register a mutant that ignores a falsy member of an update."""

    def apply() -> None:
        change = settings.change
        patch(
            settings,
            "change",
            lambda entry, body: change(
                entry, {key: value for key, value in body.items() if key != field or not ignored(value)}
            ),
        )

    falsy.add(name, "memory_update", PROVIDED, apply)


memory("an empty title does not change an entry", "title", lambda value: value == "")
memory("an empty description does not change an entry", "description", lambda value: value == "")
memory("an empty content does not change an entry", "content", lambda value: value == "")
memory("empty metadata do not change an entry", "metadata", lambda value: value == {})


@falsy("memory_update", "`metadata` (object)")
def metadata_are_merged_without_falsy_values() -> None:
    change = settings.change

    def changed(entry: Json, body: Json) -> None:
        if "metadata" in body:
            body = {
                **body,
                "metadata": {key: value for key, value in body["metadata"].items() if value or value is None},
            }
        change(entry, body)

    patch(settings, "change", changed)


def condition(name: str, ignored: Callable[[Any], bool]) -> None:
    """Register a mutant that loses some trigger conditions."""
    falsy.add(
        name,
        "workflows_create",
        CONDITION,
        lambda: alter_value("workflows_create", lambda value: lose(value["workflow"], "triggerCondition", ignored)),
    )


def lose(value: Json, field: str, ignored: Callable[[Any], bool]) -> None:
    """Replace a member by null if its value is ignored."""
    if field in value and ignored(value[field]):
        value[field] = None


condition("a trigger condition that is false is lost", lambda value: value is False)
condition("a trigger condition that is zero is lost", is_zero)
condition("a trigger condition that is an empty text is lost", lambda value: value == "")
condition("a trigger condition that is empty is lost", lambda value: value in ({}, []))


@falsy("workflows_create", "| description | string | max 1000 chars |")
def an_empty_description_of_a_workflow_is_lost() -> None:
    alter_value("workflows_create", lambda value: lose(value["workflow"], "description", lambda text: text == ""))


@falsy("workflows_create", "| description | string | max 1000 chars |")
def an_empty_description_of_a_workflow_is_refused() -> None:
    text = workflows.text
    patch(workflows, "text", lambda least=0, most=None: text(max(least, 1), most))


@falsy("workflows_create", "| tags | array of string | max 12 items, each 1-40 chars |")
def an_empty_list_of_tags_is_refused() -> None:
    array = workflows.array
    patch(
        workflows,
        "array",
        lambda item, most=None: lambda value: array(item, most)(value) and (most is None or bool(value)),
    )


@falsy("workflows_create", "Body: `name`, `triggerTypeSlug`, `triggerEventType`, `actions` (array)")
def falsy_actions_of_a_workflow_are_lost() -> None:
    def shortened(value: Json) -> None:
        value["workflow"]["actions"] = [action for action in value["workflow"]["actions"] if action]

    alter_value("workflows_create", shortened)


def variables(name: str, ignored: Callable[[Any], bool]) -> None:
    """Register a mutant that takes a value of a variable for none."""

    def apply() -> None:
        missing = templates.missing_variables
        patch(
            templates,
            "missing_variables",
            lambda template, values: missing(
                template, {key: value for key, value in values.items() if not ignored(value)}
            ),
        )

    falsy.add(name, "templates_apply", VARIABLES, apply)


variables("an empty value of a variable is missing", lambda value: value == "")
variables("the value zero of a variable is missing", is_zero)
variables("the value false of a variable is missing", lambda value: value is False)


@falsy(
    "sidebar_replace",
    "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings).",
)
def empty_texts_of_a_sidebar_item_are_lost() -> None:
    item_of = settings.item_of
    patch(settings, "item_of", lambda value: {key: text for key, text in item_of(value).items() if text})


@falsy("sidebar_replace", "The entire section list of the project is replaced.")
def a_section_without_items_is_lost() -> None:
    alter_body(
        "sidebar_replace", lambda body: body.update(sections=[each for each in body["sections"] if each.get("items")])
    )


@falsy("sidebar_replace", "The entire section list of the project is replaced.")
def a_section_without_a_label_is_lost() -> None:
    alter_body(
        "sidebar_replace", lambda body: body.update(sections=[each for each in body["sections"] if each.get("label")])
    )


@falsy("web_analytics_get_config", "the configuration is null when not configured")
def a_configuration_that_is_not_enabled_is_null() -> None:
    alter_value(
        "web_analytics_get_config",
        lambda value: value.update(config=value["config"] if value["config"] and value["config"]["enabled"] else None),
    )


@falsy("agents_list", "`offset` (integer, at least 0)")
def an_offset_of_zero_is_missing_from_the_page() -> None:
    alter_value("agents_list", lambda value: value["pagination"].update(offset=value["pagination"]["offset"] or None))


@falsy("agents_list", "`hasMore` boolean")
def the_end_of_the_list_has_no_has_more() -> None:
    patch(listings, "has_more", lambda total, limit, offset: offset + limit < total or None)
