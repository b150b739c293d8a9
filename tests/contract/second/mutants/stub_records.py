"""Broken stub servers: preconditions and lists that need values that only the stub server has."""

from __future__ import annotations

from collections.abc import Callable

from project_platform_stub.http.errors import ApiError, conflict
from project_platform_stub.operations import records
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support.containment import contains

from ...suite.mutations.mutation import alter_value, without, wrap
from ...suite.mutations.record_updates import keep_what_failed
from ..mutant import Json, Kind

preconditions = Kind("preconditions", "stub")


lists = Kind("lists", "stub")


STATUS = "`expectedStatus` is a status precondition"


@preconditions("records_update", STATUS)
def an_expected_status_is_compared_after_the_merge() -> None:
    def merged_first(rule: Handler, call: Call) -> Answer:
        record = call.project.records.get(call.path["recordId"])
        status = call.body.get("data", {}).get("status")
        if record is not None and "expectedStatus" in call.body and isinstance(status, str):
            if call.body["expectedStatus"] != status:
                raise conflict("expectedStatus is stale.", "stale_precondition")
            return rule(without(call, "expectedStatus"))
        return rule(call)

    wrap("records_update", merged_first)


@preconditions("records_update", "`expectedData` is a JSON containment precondition")
def expected_data_is_compared_with_the_fields_as_well() -> None:
    def either(rule: Handler, call: Call) -> Answer:
        record = call.project.records.get(call.path["recordId"])
        if (
            record is not None
            and "expectedData" in call.body
            and contains({**record, **record["data"]}, call.body["expectedData"])
        ):
            return rule(without(call, "expectedData"))
        return rule(call)

    wrap("records_update", either)


@preconditions("records_update", "When either is stale, the response is 409 and the record is unchanged.")
def a_stale_update_of_a_linked_record_creates_a_person() -> None:
    keep_what_failed()

    def linked(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            record = call.project.records.get(call.path["recordId"])
            if refusal.status == 409 and record is not None:
                object_type = call.project.object_types[record["typeSlug"]]
                data = call.body.get("data", {})
                person = records._person(call, object_type, data, data)
                call.project.records[record["id"]] = {**record, "personRefId": person or record["personRefId"]}
            raise

    wrap("records_update", linked)


def cut(
    name: str, operation: str, sentence: str, path: tuple[str, ...], change: Callable[[list[Json]], list[Json]]
) -> None:
    """Register a mutant that lists fewer items."""

    def shorter(value: Json) -> None:
        *outer, last = path
        for step in outer:
            value = value[step]
        value[last] = change(value[last])

    lists.add(name, operation, sentence, lambda: alter_value(operation, shorter))


POSTS = "Returns all scheduled posts of the project, with optional filters."


MEDIA = "Returns per-post engagement, reach and interaction figures."


cut("the last post is not listed", "posts_list", POSTS, ("data", "posts"), lambda items: items[:-1])


cut("the last medium is not listed", "photo_analytics_list_media", MEDIA, ("data", "media"), lambda items: items[:-1])


cut(
    "media of a kind are not listed",
    "photo_analytics_list_media",
    MEDIA,
    ("data", "media"),
    lambda items: [item for item in items if item["mediaType"] == items[0]["mediaType"]],
)


cut(
    "figures of media are those of their neighbours",
    "photo_analytics_list_media",
    MEDIA,
    ("data", "media"),
    lambda items: [
        {**item, "engagement": items[place - 1]["engagement"], "likeCount": items[place - 1]["likeCount"]}
        for place, item in enumerate(items)
    ],
)


cut(
    "the last of all agents is not listed",
    "agents_list",
    "Lists all agent definitions of the project.",
    ("agents",),
    lambda items: items[:-1] if len(items) > 1 else items,
)
