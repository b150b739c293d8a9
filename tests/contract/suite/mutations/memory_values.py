"""Broken values of memory entries (Endpoints 10)."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import alter_value, mutation, with_body, without, wrap
from .record_values import each, rounded

ALSO = ("memory.update.*",)
LONGER = 1000  # than most contents


def alter_field(change: Callable[[Any], Any], *names: str) -> None:
    """Change what an update of a memory entry stores as some of its fields."""

    def altered(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, **{name: change(call.body[name]) for name in names if name in call.body}))

    wrap("memory_update", altered)


def without_if(omitted: Callable[[str, Any], bool]) -> None:
    """Omit fields of updates."""

    def lenient(rule: Handler, call: Call) -> Answer:
        return rule(without(call, *(name for name, value in call.body.items() if omitted(name, value))))

    wrap("memory_update", lenient)


@mutation("memory.update.texts-unchanged", also=ALSO)
def the_title_of_an_entry_is_trimmed() -> None:
    alter_field(str.strip, "title")


@mutation("memory.update.texts-unchanged", also=ALSO)
def the_content_of_an_entry_ends_with_a_line_end() -> None:
    alter_field(lambda text: text.rstrip() + "\n", "content")


@mutation("memory.update.texts-unchanged", also=ALSO)
def the_description_of_an_entry_is_composed() -> None:
    alter_field(lambda text: unicodedata.normalize("NFC", text), "description")


@mutation("memory.update.texts-unchanged", also=ALSO)
def the_content_of_an_entry_is_escaped() -> None:
    alter_field(html.escape, "content")


@mutation("memory.update.texts-unchanged", also=ALSO)
def the_line_ends_of_a_content_are_changed() -> None:
    alter_field(lambda text: text.replace("\r\n", "\n"), "content")


@mutation("memory.update.texts-unchanged", also=ALSO)
def the_content_of_an_entry_is_cut() -> None:
    alter_field(lambda text: text[:65_535], "content")


@mutation("memory.update.metadata-unchanged", also=ALSO)
def the_numbers_of_metadata_are_rounded() -> None:
    alter_field(lambda metadata: each(rounded, metadata), "metadata")


@mutation("memory.update.metadata-unchanged", also=ALSO)
def the_booleans_of_metadata_are_numbers() -> None:
    alter_field(lambda data: each(lambda value: int(value) if isinstance(value, bool) else value, data), "metadata")


@mutation("memory.update.metadata-unchanged", also=ALSO)
def the_values_of_metadata_are_texts() -> None:
    alter_field(
        lambda data: {key: str(value) if isinstance(value, int | bool) else value for key, value in data.items()},
        "metadata",
    )


@mutation("memory.update.metadata-unchanged", "memory.update.falsy-values", also=ALSO)
def falsy_metadata_is_dropped() -> None:
    alter_field(lambda data: {key: value for key, value in data.items() if value}, "metadata")


@mutation("memory.update.falsy-values", also=ALSO)
def an_empty_text_is_not_provided() -> None:
    without_if(lambda name, value: value == "")


@mutation("memory.update.falsy-values", also=ALSO)
def an_empty_description_is_not_provided() -> None:
    without_if(lambda name, value: name == "description" and not value)


@mutation("memory.update.falsy-values", also=ALSO)
def falsy_metadata_does_not_replace_other_metadata() -> None:
    def merged(rule: Handler, call: Call) -> Answer:
        if "metadata" not in call.body:
            return rule(call)
        before = (call.project.memory.get(call.path["slug"]) or {}).get("metadata") or {}
        kept = {key: before[key] for key, value in call.body["metadata"].items() if not value and key in before}
        return rule(with_body(call, metadata={**call.body["metadata"], **kept}))

    wrap("memory_update", merged)


@mutation("memory.update.only-provided", also=ALSO)
def one_field_at_a_time_is_updated() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        return rule(without(call, *list(call.body)[1:]) if len(call.body) == 2 else call)

    wrap("memory_update", first)


@mutation("memory.update.only-provided", also=ALSO)
def a_title_with_a_description_clears_the_content() -> None:
    def cleared(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, content="") if call.body.keys() == {"title", "description"} else call)

    wrap("memory_update", cleared)


@mutation("memory.update.by-slug", also=ALSO)
def an_entry_is_found_by_the_beginning_of_its_slug() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        known = [slug for slug in call.project.memory if call.path["slug"].startswith(slug)]
        return rule(replace(call, path={**call.path, "slug": known[0]}) if known else call)

    wrap("memory_update", found)


@mutation("memory.update.by-slug", also=ALSO)
def an_entry_is_found_by_the_end_of_its_slug() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        known = [slug for slug in call.project.memory if call.path["slug"].endswith(slug)]
        return rule(replace(call, path={**call.path, "slug": known[0]}) if known else call)

    wrap("memory_update", found)


@mutation("memory.update.by-slug", also=ALSO)
def an_entry_is_answered_as_one_of_another_project() -> None:
    alter_value("memory_update", lambda value: value["entry"].update(projectId="0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"))


@mutation("memory.update.by-slug", also=ALSO)
def an_update_of_an_entry_changes_its_creation() -> None:
    def created(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        entry = {**call.project.memory[call.path["slug"]]}
        if "title" in call.body:
            entry["createdAt"] = call.timestamp
        call.project.memory[call.path["slug"]] = entry
        return Answer({"entry": entry}, answer.headers)

    wrap("memory_update", created)


@mutation("memory.update.sequence", also=ALSO)
def a_long_content_hides_new_metadata() -> None:
    wrap(
        "memory_update",
        lambda rule, call: rule(without(call, "metadata") if len(str(call.body.get("content"))) > LONGER else call),
    )


@mutation("memory.update.time", also=ALSO)
def an_entry_was_updated_when_it_was_created() -> None:
    alter_value("memory_update", lambda value: value["entry"].update(updatedAt=value["entry"]["createdAt"]))


@mutation("memory.update.time", also=ALSO)
def new_metadata_leave_the_time_of_an_update() -> None:
    def kept(rule: Handler, call: Call) -> Answer:
        before = call.project.memory.get(call.path["slug"])
        answer = rule(call)
        if set(call.body) != {"metadata"} or before is None:
            return answer
        call.project.memory[before["slug"]] = {**call.project.memory[before["slug"]], "updatedAt": before["updatedAt"]}
        return Answer({"entry": call.project.memory[before["slug"]]})

    wrap("memory_update", kept)
