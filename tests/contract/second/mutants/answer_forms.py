"""Answers in the form of what is behind the service: a policy, a graph, a cache, a batch, or a provider."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any
from urllib.parse import quote

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import records
from ..service.app import Call, Refusal, json_reply

answer = Kind("form of what is behind")

ALLOWED = "Response: `{allowed: boolean}`."
BUSY = "Response: `{busy: array of {start, end}}`."
SIDEBAR = "Response: `{success: boolean, data: {sections: [...]}}`."


@answer("auth_check_permission", ALLOWED)
def the_answer_to_a_check_is_the_effect_of_a_policy() -> None:
    alter_value("auth_check_permission", lambda value: value.update(allowed="allow" if value["allowed"] else "deny"))


@answer("workflows_create", "Response: `{workflow: Workflow}`.")
def an_invalid_workflow_is_answered_with_success_and_errors() -> None:
    def answered(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code != "invalid":
                raise
            return {"workflow": None, "errors": [{"message": refusal.message, "path": ["createWorkflow"]}]}

    wrap("workflows_create", answered)


@answer("records_create", "`personRefId` | string | set when a person-linked type matches identity in data")
def a_person_that_was_just_created_is_answered_as_an_object() -> None:
    def connected(perform: Any, call: Call) -> Any:
        known = len(call.world.persons)
        value = perform(call)
        if len(call.world.persons) > known:
            value["record"]["personRefId"] = {"id": value["record"]["personRefId"], "created": True}
        return value

    wrap("records_create", connected)


@answer("records_create", "`displayName` | string")
def display_names_have_the_type_of_the_title() -> None:
    def typed(value: Json) -> None:
        record = value["record"]
        names = [record["data"][name] for name in ("title", "name") if name in record["data"]]
        record["displayName"] = names[0] if names else record["displayName"]

    alter_value("records_create", typed)


@answer("calendar_busy", BUSY)
def busy_intervals_are_pairs() -> None:
    def paired(value: Json) -> None:
        value["busy"] = [[each["start"], each["end"]] for each in value["busy"]]

    alter_value("calendar_busy", paired)


@answer("sidebar_replace", SIDEBAR)
def items_of_sections_are_answered_by_their_identifiers() -> None:
    def referred(value: Json) -> None:
        for section in value["data"]["sections"]:
            section["items"] = [item.get("id") for item in section["items"]]

    alter_value("sidebar_replace", referred)


@answer("sidebar_replace", SIDEBAR)
def a_list_that_is_sent_twice_is_answered_without_sections() -> None:
    sent: dict[str, Any] = {}

    def unmodified(perform: Any, call: Call) -> Any:
        value = perform(call)
        same = sent.get(call.project) == call.body["sections"]
        sent[call.project] = call.body["sections"]
        return {"success": True, "data": None} if same else value

    wrap("sidebar_replace", unmodified)


@answer("templates_apply", "`report.skipped`: array of {entity, name}.")
def parts_that_are_skipped_are_described_in_a_line() -> None:
    def described(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        report["skipped"] = [f"{part['entity']}: {part['name']}" for part in report["skipped"]]

    alter_value("templates_apply", described)


@answer("memory_update", "Slugs may contain `/` for hierarchical paths")
def slugs_are_answered_as_they_stand_in_the_address() -> None:
    alter_value("memory_update", lambda value: value["entry"].update(slug=quote(value["entry"]["slug"], safe="")))


@answer("engagement_like", "Response: `{success: boolean}`.")
def a_like_is_answered_as_a_batch_of_the_network() -> None:
    def batch(perform: Any, call: Call) -> Any:
        return json_reply(200, [{"code": 200, "body": json.dumps(perform(call))}])

    wrap("engagement_like", batch)


@answer("agents_list", "`limit` integer, `offset` integer, `hasMore` boolean.")
def whether_agents_follow_is_where_they_begin() -> None:
    def begin(value: Json) -> None:
        page = value["pagination"]
        page["hasMore"] = page["hasMore"] and page["offset"] + page["limit"]

    alter_value("agents_list", begin)


@answer("agents_list", "`maxSteps` | integer")
def no_limit_of_steps_is_a_word() -> None:
    def word(value: Json) -> None:
        for agent in value["agents"]:
            agent["maxSteps"] = agent["maxSteps"] or "unlimited"

    alter_value("agents_list", word)


@answer("web_analytics_get_config", "Response: `{config: Web analytics configuration}`")
def a_configuration_from_the_cache_is_not_parsed() -> None:
    cache: dict[str, str] = {}

    def cached(perform: Any, call: Call) -> Any:
        value = perform(call)
        if call.project in cache:
            return {"config": cache[call.project]}
        if value["config"] is not None:
            cache[call.project] = json.dumps(value["config"])
        return value

    wrap("web_analytics_get_config", cached)


@answer(
    "web_analytics_get_config",
    "`id`, `projectId`, `analyticsPropertyId`, `analyticsIntegrationAccountId`, `searchSiteUrl`, "
    "`searchIntegrationAccountId` (strings)",
)
def the_property_of_analytics_is_a_number() -> None:
    def number(value: Json) -> None:
        if value["config"]:
            value["config"]["analyticsPropertyId"] = int(value["config"]["analyticsPropertyId"].rpartition("/")[2])

    alter_value("web_analytics_get_config", number)


@answer("posts_list", "`sizeBytes` (integer), `orderIndex` (integer).")
def the_place_of_a_medium_is_between_its_neighbours() -> None:
    def between(value: Json) -> None:
        for post in value["data"]["posts"]:
            for medium in post["media"]:
                medium["orderIndex"] = 1 - 0.5 ** medium["orderIndex"]

    alter_value("posts_list", between)


@answer(
    "photo_analytics_list_media", "Response: `{success: boolean, data: {media: [Photo-network media analytics item]}}`."
)
def media_are_grouped_by_their_type() -> None:
    def kind(medium: Json) -> str:
        return str(medium["mediaType"])

    def grouped(value: Json) -> None:
        every = sorted(value["data"]["media"], key=kind)
        value["data"]["media"] = {name: list(group) for name, group in groupby(every, kind)}

    alter_value("photo_analytics_list_media", grouped)


@answer(
    "photo_analytics_list_media",
    "`likeCount`, `commentsCount`, `shares`, `impressions`, `reach`, `saved`, `engagement` (integers).",
)
def saved_is_whether_anybody_saved_a_medium() -> None:
    def anybody(value: Json) -> None:
        for medium in value["data"]["media"]:
            medium["saved"] = bool(medium["saved"])

    alter_value("photo_analytics_list_media", anybody)


@answer("records_update", "Response: `{record: Object record}`.")
def an_update_of_fields_alone_is_answered_without_the_data() -> None:
    shown = records.shown

    def partial(perform: Any, call: Call) -> Any:
        if "data" in call.body:
            return perform(call)
        patch(records, "shown", lambda record: {**shown(record), "data": None})
        try:
            return perform(call)
        finally:
            patch(records, "shown", shown)

    wrap("records_update", partial)
