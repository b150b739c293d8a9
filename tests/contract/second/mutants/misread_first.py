"""Services that misread a sentence of the first third of the specification: its terms, and the resources and their fields."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from functools import reduce
from typing import Any
from urllib.parse import quote

from ..mutant import Json, Kind, Perform, alter_body, alter_value, patch, wrap
from ..service import listings, records
from ..service.app import Call

misread = Kind("misreadings of terms and fields")

_TIMES = ("createdAt", "updatedAt")


@misread("records_update", "A project is the scope for most operations.")
def updates_with_a_precondition_find_records_of_every_project() -> None:
    find = records.find_record

    def found(call: Call) -> Json:
        if not {"expectedData", "expectedStatus"} & call.body.keys():
            return find(call)
        known = {id: record for (_, id), record in call.world.records.items()}
        return known.get(call.path["recordId"]) or find(call)

    patch(records, "find_record", found)


@misread("workflows_create", "A project can have sub-projects created from a template.")
def workflows_of_a_sub_project_are_those_of_its_parent() -> None:
    def changed(perform: Perform, call: Call) -> Any:
        root = call.world.projects[call.project].get("parent", call.project)
        return {"workflow": {**perform(call)["workflow"], "projectId": root}}

    wrap("workflows_create", changed)


@misread(
    "posts_list",
    "The `id` of an account is the `socialAccountId` that posting, scheduling and analytics calls take.",
)
def posts_have_the_account_that_was_connected_first() -> None:
    def changed(perform: Perform, call: Call) -> Any:
        answer = perform(call)
        first = next((id for project, id in call.world.accounts if project == call.project), None)
        for post in answer["data"]["posts"]:
            post["socialAccountId"] = first
        return answer

    wrap("posts_list", changed)


@misread("records_create", "All identifiers are strings.")
def external_identifiers_lose_their_leading_zeros() -> None:
    alter_body(
        "records_create",
        lambda body: body.update(externalId=str(int(body["externalId"]))) if body["externalId"].isdecimal() else None,
    )


@misread("agents_list", "Timestamps are ISO 8601 date-times.")
def agents_that_are_listed_again_have_numbers_as_times() -> None:
    listed: set[str] = set()

    def changed(perform: Perform, call: Call) -> Any:
        answer = perform(call)
        for agent in answer["agents"]:
            if agent["id"] in listed:
                agent.update({name: datetime.fromisoformat(agent[name]).timestamp() for name in _TIMES})
            listed.add(agent["id"])
        return answer

    wrap("agents_list", changed)


@misread("workflows_create", "`tags`: array of string, max 12 items, each 1-40 characters.")
def tags_are_split_at_their_commas() -> None:
    def split(value: Json) -> None:
        workflow = value["workflow"]
        workflow["tags"] = [part for tag in workflow["tags"] for part in tag.split(",")]

    alter_value("workflows_create", split)


@misread("workflows_create", "`triggerCondition`: any, shape not shown.")
def a_condition_that_is_a_json_text_is_decoded() -> None:
    def decode(value: Json) -> None:
        workflow = value["workflow"]
        with suppress(KeyError, TypeError, ValueError):
            workflow["triggerCondition"] = json.loads(workflow["triggerCondition"])

    alter_value("workflows_create", decode)


@misread("records_create", "`data`: free-form JSON keyed by field.")
def keys_with_dots_become_objects() -> None:
    def nested(key: str, value: Any) -> tuple[str, Any]:
        head, *rest = key.split(".")
        return head, reduce(lambda inner, part: {part: inner}, reversed(rest), value)

    patch(records, "stored", lambda data: dict(nested(key, value) for key, value in data.items()))


@misread("records_create", "`amountCents`: string, typed as a string.")
def amounts_in_the_data_are_numbers_of_the_record() -> None:
    shown = records.shown

    def with_amount(record: Json) -> Json:
        amount = record["data"].get("amountCents")
        return {**shown(record), **({"amountCents": int(amount)} if str(amount).isdecimal() else {})}

    patch(records, "shown", with_amount)


@misread("records_update", "`createdBy`, `updatedBy`: string.")
def who_updates_a_record_becomes_its_creator() -> None:
    change = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        change(call, record, body)
        record["createdBy"] = call.user

    patch(records, "apply_changes", changed)


@misread("memory_update", "Slugs may contain `/` for hierarchical paths.")
def slugs_are_answered_as_they_stand_in_the_path() -> None:
    alter_value("memory_update", lambda value: value["entry"].update(slug=quote(value["entry"]["slug"], safe="")))


@misread("memory_update", "Memory entry: `metadata` (object).")
def metadata_without_members_are_an_empty_array() -> None:
    alter_value("memory_update", lambda value: value["entry"].update(metadata=value["entry"]["metadata"] or []))


@misread("agents_list", "`memoryFiles`: array of string.")
def a_single_memory_file_is_not_in_an_array() -> None:
    def unpack(value: Json) -> None:
        for agent in value["agents"]:
            if len(agent["memoryFiles"]) == 1:
                agent["memoryFiles"] = agent["memoryFiles"][0]

    alter_value("agents_list", unpack)


@misread("agents_list", "`limit` integer, `offset` integer, `hasMore` boolean.")
def whether_agents_follow_is_told_for_the_default_limit() -> None:
    patch(listings, "has_more", lambda total, limit, offset: offset + listings.DEFAULT_LIMIT < total)


@misread("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def sections_without_entries_have_no_items() -> None:
    def omit(value: Json) -> None:
        for section in value["data"]["sections"]:
            if section["items"] == []:
                del section["items"]

    alter_value("sidebar_replace", omit)


@misread("templates_apply", "`report.failures`: array of {entity, name, error, code}.")
def all_failures_name_the_part_that_failed_last() -> None:
    def rename(value: Json) -> None:
        failures = value["data"]["templateApply"]["report"]["failures"]
        for failure in failures:
            failure.update(entity=failures[-1]["entity"], name=failures[-1]["name"])

    alter_value("templates_apply", rename)


@misread("posts_list", "`media`: array of post media.")
def several_media_of_a_post_are_an_object_with_their_order_as_keys() -> None:
    def key(value: Json) -> None:
        for post in value["data"]["posts"]:
            if len(post["media"]) > 1:
                post["media"] = {str(medium["orderIndex"]): medium for medium in post["media"]}

    alter_value("posts_list", key)


@misread("workflows_create", "`revision`: string.")
def revisions_of_active_workflows_are_numbers() -> None:
    alter_value(
        "workflows_create",
        lambda value: value["workflow"].update(revision=1) if value["workflow"]["isActive"] else None,
    )
