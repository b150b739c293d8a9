"""Services that convert particular texts and members, and read particular requests in another way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_body, members, patch, walk
from ..service import app, checks, records, workflows
from ..service.app import OPERATIONS, Call, Refusal, Request

words = Kind("texts that mean something else")
data = Kind("free-form data")
limits = Kind("limits and what they count")
requests = Kind("unusual requests")
preconditions = Kind("preconditions")

FREE = "`data`: object, free-form JSON keyed by field."
CONTAINED = "`expectedData` is a JSON containment precondition. When either is stale, the response is 409."
JSON = "Bodies are JSON unless stated otherwise."
SECRETS = {"password", "token", "secret", "apiKey", "authorization"}
CARRIERS = {"phone", "tel", "mobile", "fax"}


@words("memory_update", "Rules: only provided fields are updated.")
def titles_that_say_null_are_not_provided() -> None:
    alter_body("memory_update", lambda body: body.pop("title") if body["title"] in {"null", "undefined"} else None)


@words("workflows_create", "Response: `{workflow: Workflow}`; `description`: max 1000 chars.")
def descriptions_of_workflows_are_templates() -> None:
    alter_body("workflows_create", lambda body: body.update(description=re.sub(r"\$\{\w+\}", "", body["description"])))


@words("sidebar_replace", "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href` (all strings).")
def features_of_items_that_are_zero_are_missing() -> None:
    def changed(body: Json) -> None:
        for section in body["sections"]:
            for item in section["items"]:
                if item.get("featureId") in {"0", "00"}:
                    del item["featureId"]

    alter_body("sidebar_replace", changed)


@words("records_update", FREE)
def texts_that_say_no_are_false_in_updates() -> None:
    answers = {"yes": True, "no": False, "on": True, "off": False}
    apply = records.apply_changes

    def converted(call: Call, record: Json, body: Json) -> None:
        changes = {
            key: answers.get(value, value) if isinstance(value, str) else value
            for key, value in body.get("data", {}).items()
        }
        apply(call, record, {**body, "data": changes})

    patch(records, "apply_changes", converted)


def stored(name: str, change: Callable[[Any], Any]) -> None:
    """Register a mutant that changes the data of records before it stores them."""
    data.add(name, "records_create", FREE, lambda: patch(records, "stored", change))


def within(names: set[str], change: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Return a function that changes the texts of members with some names, at any depth."""
    return members(
        lambda part: {
            key: change(value) if key in names and isinstance(value, str) else value for key, value in part.items()
        }
    )


stored("telephone numbers have no punctuation", within(CARRIERS, lambda text: re.sub(r"[ ()/-]", "", text)))


def listed(value: Any) -> Any:
    """Return a list for an object that has a length, as libraries for collections do."""
    if isinstance(value, dict) and isinstance(value.get("length"), int):
        return [value.get(str(place)) for place in range(value["length"])]
    return value


stored(
    "objects with a length are lists",
    lambda value: {key: walk(part, listed) for key, part in value.items()},
)


@data("records_create", FREE)
def addresses_of_linked_records_are_in_lower_case() -> None:
    attach = records.link

    def lowered(call: Call, record: Json, identity: Json) -> None:
        attach(call, record, identity)
        if record.get("personRefId") and isinstance(record["data"].get("email"), str):
            record["data"]["email"] = record["data"]["email"].lower()

    patch(records, "link", lowered)


@data("memory_update", "Memory entry: `metadata` (object).")
def secrets_of_metadata_are_hidden() -> None:
    hidden = within(SECRETS, lambda text: "***")
    alter_body("memory_update", lambda body: body.update(metadata=hidden(body["metadata"])))


def counting(name: str, field: str, most: int, sentence: str, length: Callable[[str], int]) -> None:
    """Register a mutant that also limits a field of workflows by another length."""

    def apply() -> None:
        checked = workflows.checked

        def longer(*arguments: Any, **known: Any) -> Any:
            check = known[field]
            known[field] = lambda value: check(value) and (not isinstance(value, str) or length(value) <= most)
            return checked(*arguments, **known)

        patch(workflows, "checked", longer)

    limits.add(name, "workflows_create", sentence, apply)


counting(
    "line ends of descriptions count twice",
    "description",
    1000,
    "Workflow `description` | at most 1000 characters",
    lambda text: len(re.sub(r"\r?\n", "\r\n", text)),
)
counting(
    "ampersands of names count as entities",
    "name",
    200,
    "Workflow `name` | 1-200 characters",
    lambda text: len(text.replace("&", "&amp;").replace("<", "&lt;")),
)


@limits(
    "workflows_create", "Workflow `name`: 1-200, `description`: at most 1000, `tags`: at most 12 of 1-40 characters."
)
def workflows_have_1900_characters_in_all() -> None:
    create = OPERATIONS["workflows_create"].perform

    def checked(call: Call) -> Any:
        fields = [value for value in call.body.values() if isinstance(value, str)]
        tags = call.body.get("tags")
        fields += [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
        if sum(map(checks.length, fields)) > 1900:
            raise Refusal(422, "The workflow is too large.", "invalid")
        return create(call)

    OPERATIONS["workflows_create"].perform = checked


def reading(operation: str, change: Callable[[Any, Call, Request], Any]) -> None:
    """Change how the bodies of an operation are read."""
    read = app.read_body
    patch(
        app,
        "read_body",
        lambda call, request: change(read, call, request) if call.operation == operation else read(call, request),
    )


@requests("calendar_reschedule", JSON)
def content_types_with_quotes_are_refused() -> None:
    def checked(read: Any, call: Call, request: Request) -> Any:
        if '"' in request.headers.get("content-type", ""):
            raise Refusal(415, "The content type is not JSON.")
        return read(call, request)

    reading("calendar_reschedule", checked)


@requests("memory_update", JSON)
def bodies_with_a_charset_are_not_read() -> None:
    reading(
        "memory_update",
        lambda read, call, request: {} if "charset" in request.headers.get("content-type", "") else read(call, request),
    )


@preconditions("records_update", CONTAINED)
def deleted_keys_can_still_be_expected() -> None:
    merge, contains = records.merged, records.contains
    deleted: dict[str, Json] = {}

    def remembering(old: Json, changes: Json) -> Json:
        gone = {key: old[key] for key, value in changes.items() if value is None and key in old}
        deleted.setdefault(str(old.get("title")), {}).update(gone)
        return merge(old, changes)

    def expected(record: Json, body: Json) -> bool:
        before = deleted.get(str(record["data"].get("title")), {})
        return "expectedData" in body and not contains({**before, **record["data"]}, body["expectedData"])

    patch(records, "merged", remembering)
    patch(records, "stale_data", expected)


@preconditions("records_update", CONTAINED)
def emptied_values_can_still_be_expected() -> None:
    apply, contains = records.apply_changes, records.contains
    kept: dict[str, Json] = {}

    def remembering(call: Call, record: Json, body: Json) -> None:
        before = kept.setdefault(record["id"], {})
        before.update({key: value for key, value in record["data"].items() if value})
        apply(call, record, body)

    def expected(record: Json, body: Json) -> bool:
        before = kept.get(record["id"], {})
        have = {key: value or before.get(key, value) for key, value in record["data"].items()}
        return "expectedData" in body and not (
            contains(have, body["expectedData"]) or contains(record["data"], body["expectedData"])
        )

    patch(records, "apply_changes", remembering)
    patch(records, "stale_data", expected)
