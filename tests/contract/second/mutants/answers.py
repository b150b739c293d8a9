"""Services whose responses have a member of another type, or in another place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_value

fields = Kind("fields of the answer")
busy = Kind("busy intervals")
POST = "Scheduled post and post media, with the types of their fields."
RECORD = "Object record, with the types of its fields."


def value(operation: str, name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes the value of a successful response."""
    fields.add(name, operation, sentence, lambda: alter_value(operation, change))


def record(name: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that answers another record to a creation."""
    value("records_create", name, RECORD, lambda answer: change(answer["record"]))


record("amounts are numbers", lambda one: one.update(amountCents=0))


record("the time of occurrence is a date", lambda one: one.update(occurredAt="2031-01-31"))


record("the time of creation is a number", lambda one: one.update(createdAt=1_900_000_000))


record("the creator is an object", lambda one: one.update(createdBy={"id": one["createdBy"]}))


record(
    "the external identifier is that of the provider",
    lambda one: one.update(externalId=None, providerExternalId=one["externalId"]),
)


value(
    "records_update",
    "updates answer numbers of persons",
    RECORD,
    lambda answer: answer["record"].update(personRefId=17) if answer["record"].get("personRefId") else None,
)


value(
    "records_update",
    "the status of an updated record is an object",
    RECORD,
    lambda answer: answer["record"].update(status={"name": answer["record"]["status"]}),
)


value(
    "workflows_create",
    "revisions are numbers",
    "Workflows carry a string `revision` field.",
    lambda answer: answer["workflow"].update(revision=1),
)


value(
    "workflows_create",
    "the trigger of a workflow is swapped",
    "Workflow: `triggerTypeSlug`, `triggerEventType`.",
    lambda answer: answer["workflow"].update(
        triggerTypeSlug=answer["workflow"]["triggerEventType"], triggerEventType=answer["workflow"]["triggerTypeSlug"]
    ),
)


value(
    "workflows_create",
    "tags of workflows are objects",
    "`tags`: array of string.",
    lambda answer: answer["workflow"].update(tags=[{"name": tag} for tag in answer["workflow"]["tags"]]),
)


value(
    "calendar_reschedule",
    "moved events have a number",
    "`bookingUid`: string.",
    lambda answer: answer.update(bookingUid=4711),
)


value(
    "calendar_reschedule",
    "moved events are in the primary calendar by name",
    "`calendarId`: string.",
    lambda answer: answer.update(calendarId="primary"),
)


value(
    "calendar_reschedule",
    "times of moved events are objects",
    "`start`, `end`: strings.",
    lambda answer: answer.update(start={"dateTime": answer["start"]}, end={"dateTime": answer["end"]}),
)


value(
    "calendar_book",
    "links of events have a text",
    "`htmlLink`: string.",
    lambda answer: answer.update(htmlLink={"href": answer["htmlLink"]}),
)


value(
    "memory_update",
    "the slug of an entry ends at its slash",
    "Memory entry: `slug`.",
    lambda answer: answer["entry"].update(slug=answer["entry"]["slug"].rpartition("/")[2]),
)


value(
    "memory_update",
    "metadata of entries are text",
    "`metadata`: object.",
    lambda answer: answer["entry"].update(metadata=json.dumps(answer["entry"]["metadata"])),
)


value(
    "engagement_like", "success is a number", "Response: `{success: boolean}`.", lambda answer: answer.update(success=1)
)


value(
    "web_analytics_get_config",
    "the switch of analytics is a word",
    "`enabled`: boolean.",
    lambda answer: answer["config"].update(enabled="false") if answer["config"] else None,
)


value(
    "web_analytics_get_config",
    "a project without analytics has an empty configuration",
    "The configuration is null when not configured.",
    lambda answer: answer.update(config=answer["config"] or {}),
)


value(
    "web_analytics_get_config",
    "the project of a configuration is that of its account",
    "`projectId`: string.",
    lambda answer: answer["config"].update(projectId=answer["config"]["id"]) if answer["config"] else None,
)


value(
    "auth_check_permission",
    "a permission that is not held is not answered",
    "Response: `{allowed: boolean}`.",
    lambda answer: None if answer["allowed"] else answer.pop("allowed"),
)


def posts(name: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes each post of a list."""
    value("posts_list", name, POST, lambda answer: [change(post) for post in answer["data"]["posts"]])


posts(
    "the second medium of a post has a size in words",
    lambda post: [medium.update(sizeBytes=str(medium["sizeBytes"])) for medium in post["media"][1:]],
)


posts(
    "the second medium of a post has a short identifier",
    lambda post: [medium.update(id="2") for medium in post["media"][1:]],
)


posts(
    "the time of publication is a number",
    lambda post: post.update(publishedAt=1_932_000_000) if post["publishedAt"] else None,
)


posts(
    "errors of failed posts are objects",
    lambda post: post.update(errorMessage={"message": post["errorMessage"]}) if post["errorMessage"] else None,
)


posts(
    "drafts have no list of media",
    lambda post: post.update(media=post["media"][0]) if post["status"] == "draft" else None,
)


posts("the account of a post is its name", lambda post: post.update(account=post["account"]["username"]))


posts(
    "queued posts name another project",
    lambda post: post.update(projectId="00000000-0000-4000-8000-000000000000") if post["status"] == "queued" else None,
)


value(
    "photo_analytics_list_media",
    "figures of videos are text",
    "`likeCount`, `reach`: integers.",
    lambda answer: [
        medium.update(likeCount=str(medium["likeCount"]))
        for medium in answer["data"]["media"]
        if medium["mediaType"] == "VIDEO"
    ],
)


value(
    "photo_analytics_list_media",
    "engagement is a share",
    "`engagement`: integer.",
    lambda answer: [medium.update(engagement=medium["engagement"] / 97) for medium in answer["data"]["media"]],
)


@busy("calendar_busy", "Busy interval: {`start`, `end`} strings.")
def long_intervals_are_answered_from_their_end() -> None:
    def changed(answer: Json) -> None:
        for each in answer["busy"]:
            if each["start"][:10] != each["end"][:10]:
                each["start"], each["end"] = each["end"], each["start"]

    alter_value("calendar_busy", changed)
