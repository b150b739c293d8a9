"""Services whose responses have a wrong member: another type, another place, another status."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote_plus

from ..mutant import Json, Kind, alter_replies, alter_value, patch, wrap
from ..service import labels, listings, pdf
from ..service.app import Call, Refusal, Reply, Request, find

fields = Kind("fields of the answer")
lists = Kind("lists")
errors = Kind("error bodies")
reports = Kind("template report")
sheets = Kind("label sheets")
busy = Kind("busy intervals")

POST = "Scheduled post and post media, with the types of their fields."
RECORD = "Object record, with the types of its fields."
REPORT = "Template apply result, with the types of its fields."


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
record("the external identifier is that of the provider", lambda one: one.update(
    externalId=None, providerExternalId=one["externalId"]
))  # fmt: skip
value("records_update", "updates answer numbers of persons", RECORD, lambda answer: (
    answer["record"].update(personRefId=17) if answer["record"].get("personRefId") else None
))  # fmt: skip
value("records_update", "the status of an updated record is an object", RECORD, lambda answer: (
    answer["record"].update(status={"name": answer["record"]["status"]})
))  # fmt: skip
value("workflows_create", "revisions are numbers", "Workflows carry a string `revision` field.", lambda answer: (
    answer["workflow"].update(revision=1)
))  # fmt: skip
value("workflows_create", "the trigger of a workflow is swapped", "Workflow: `triggerTypeSlug`, `triggerEventType`.", lambda answer: (
    answer["workflow"].update(
        triggerTypeSlug=answer["workflow"]["triggerEventType"], triggerEventType=answer["workflow"]["triggerTypeSlug"]
    )
))  # fmt: skip
value("workflows_create", "tags of workflows are objects", "`tags`: array of string.", lambda answer: (
    answer["workflow"].update(tags=[{"name": tag} for tag in answer["workflow"]["tags"]])
))  # fmt: skip
value("calendar_reschedule", "moved events have a number", "`bookingUid`: string.", lambda answer: answer.update(bookingUid=4711))
value("calendar_reschedule", "moved events are in the primary calendar by name", "`calendarId`: string.", lambda answer: (
    answer.update(calendarId="primary")
))  # fmt: skip
value("calendar_reschedule", "times of moved events are objects", "`start`, `end`: strings.", lambda answer: (
    answer.update(start={"dateTime": answer["start"]}, end={"dateTime": answer["end"]})
))  # fmt: skip
value("calendar_book", "links of events have a text", "`htmlLink`: string.", lambda answer: (
    answer.update(htmlLink={"href": answer["htmlLink"]})
))  # fmt: skip
value("memory_update", "the slug of an entry ends at its slash", "Memory entry: `slug`.", lambda answer: (
    answer["entry"].update(slug=answer["entry"]["slug"].rpartition("/")[2])
))  # fmt: skip
value("memory_update", "metadata of entries are text", "`metadata`: object.", lambda answer: (
    answer["entry"].update(metadata=json.dumps(answer["entry"]["metadata"]))
))  # fmt: skip
value("engagement_like", "success is a number", "Response: `{success: boolean}`.", lambda answer: answer.update(success=1))
value("web_analytics_get_config", "the switch of analytics is a word", "`enabled`: boolean.", lambda answer: (
    answer["config"].update(enabled="false") if answer["config"] else None
))  # fmt: skip
value("web_analytics_get_config", "a project without analytics has an empty configuration", "The configuration is null when not configured.", lambda answer: (
    answer.update(config=answer["config"] or {})
))  # fmt: skip
value("web_analytics_get_config", "the project of a configuration is that of its account", "`projectId`: string.", lambda answer: (
    answer["config"].update(projectId=answer["config"]["id"]) if answer["config"] else None
))  # fmt: skip
value("auth_check_permission", "a permission that is not held is not answered", "Response: `{allowed: boolean}`.", lambda answer: (
    None if answer["allowed"] else answer.pop("allowed")
))  # fmt: skip


def posts(name: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes each post of a list."""
    value("posts_list", name, POST, lambda answer: [change(post) for post in answer["data"]["posts"]])


posts("the second medium of a post has a size in words", lambda post: [
    medium.update(sizeBytes=str(medium["sizeBytes"])) for medium in post["media"][1:]
])  # fmt: skip
posts("the second medium of a post has a short identifier", lambda post: [
    medium.update(id="2") for medium in post["media"][1:]
])  # fmt: skip
posts("the time of publication is a number", lambda post: (
    post.update(publishedAt=1_932_000_000) if post["publishedAt"] else None
))  # fmt: skip
posts("errors of failed posts are objects", lambda post: (
    post.update(errorMessage={"message": post["errorMessage"]}) if post["errorMessage"] else None
))  # fmt: skip
posts("drafts have no list of media", lambda post: (
    post.update(media=post["media"][0]) if post["status"] == "draft" else None
))  # fmt: skip
posts("the account of a post is its name", lambda post: post.update(account=post["account"]["username"]))
posts("queued posts name another project", lambda post: (
    post.update(projectId="00000000-0000-4000-8000-000000000000") if post["status"] == "queued" else None
))  # fmt: skip

value("photo_analytics_list_media", "figures of videos are text", "`likeCount`, `reach`: integers.", lambda answer: [
    medium.update(likeCount=str(medium["likeCount"])) for medium in answer["data"]["media"] if medium["mediaType"] == "VIDEO"
])  # fmt: skip
value("photo_analytics_list_media", "engagement is a share", "`engagement`: integer.", lambda answer: [
    medium.update(engagement=medium["engagement"] / 97) for medium in answer["data"]["media"]
])  # fmt: skip


def agents(name: str, sentence: str, change: Callable[[Call, Json], Any]) -> None:
    """Register a mutant that answers another page of agents."""

    def changed(perform: Any, call: Call) -> Any:
        answer = perform(call)
        change(call, answer)
        return answer

    lists.add(name, "agents_list", sentence, lambda: wrap("agents_list", changed))


LISTS = "Lists all agent definitions of the project."
LIMIT = "List agents `limit`: 1 to 100; `offset`: 0 or more."

agents("the offset of agents counts pages", LIMIT, lambda call, answer: (
    answer.update(agents=listings.agents_of(call)[answer["pagination"]["offset"] * answer["pagination"]["limit"] :][: answer["pagination"]["limit"]])
))  # fmt: skip
agents("odd offsets sort agents the other way", LISTS, lambda call, answer: (
    answer.update(agents=listings.agents_of(call)[::-1][answer["pagination"]["offset"] :][: answer["pagination"]["limit"]])
    if answer["pagination"]["offset"] % 2 else None
))  # fmt: skip
agents("pages after the first have no next page", "`hasMore`: boolean.", lambda call, answer: (
    answer["pagination"].update(hasMore=answer["pagination"]["hasMore"] and not answer["pagination"]["offset"])
))  # fmt: skip
agents("the limit of the last page is its length", "`limit`: integer.", lambda call, answer: (
    answer["pagination"].update(limit=len(answer["agents"]))
))  # fmt: skip
agents("steps of agents are text below ten", "`maxSteps`: integer.", lambda call, answer: [
    agent.update(maxSteps=str(agent["maxSteps"])) for agent in answer["agents"] if agent["maxSteps"] < 10
])  # fmt: skip
agents("headers of servers are pairs", "`mcpServers`: array of {name: string, url: string, headers: object}.", lambda call, answer: [
    server.update(headers=[list(pair) for pair in server["headers"].items()])
    for agent in answer["agents"] for server in agent["mcpServers"]
])  # fmt: skip


@lists("agents_list", "Query: `limit` (integer, 1 to 100).")
def digits_before_other_characters_are_a_limit() -> None:
    read = listings.number

    def number(call: Call, name: str, *rest: Any) -> Any:
        text = call.query.get(name, "")
        digits = text[: next((at for at, each in enumerate(text) if not each.isdecimal()), len(text))]
        return read(replace(call, query={**call.query, name: digits}) if digits else call, name, *rest)

    patch(listings, "number", number)


def applied(name: str, change: Callable[[Json, Json], Any]) -> None:
    """Register a mutant that changes the project or the report of an applied template."""
    reports.add(name, "templates_apply", REPORT, lambda: alter_value("templates_apply", lambda answer: (
        change(answer["data"]["project"], answer["data"]["templateApply"]["report"])
    )))  # fmt: skip


applied("name and slug of a sub-project are swapped", lambda project, _: project.update(
    name=project["slug"], slug=project["name"]
))  # fmt: skip
applied("sub-projects are created at a number", lambda project, _: project.update(createdAt=1_900_000_000_000))
applied("failures after the first are names", lambda _, report: report.update(
    failures=report["failures"][:1] + [failure["name"] for failure in report["failures"][1:]]
))  # fmt: skip
applied("failures after the first have swapped members", lambda _, report: [
    failure.update(entity=failure["name"], name=failure["entity"]) for failure in report["failures"][1:]
])  # fmt: skip
applied("skipped parts are counted as applied", lambda _, report: report.update(
    appliedCount=report["appliedCount"] + len(report["skipped"])
))  # fmt: skip
applied("missing variables have braces", lambda _, report: report.update(
    missingVariables=["{{" + name + "}}" for name in report["missingVariables"]]
))  # fmt: skip
applied("counts of zero are left out", lambda _, report: report.update(
    counts={name: count for name, count in report["counts"].items() if count}
))  # fmt: skip


def failing(name: str, statuses: set[int], change: Callable[[Json], Any], operation: str = "records_update") -> None:
    """Register a mutant that changes the bodies of error responses with some statuses."""

    def changed(called: str | None, request: Request, reply: Reply) -> Reply:
        if reply.status not in statuses or called is None:
            return reply
        return replace(reply, body=json.dumps(change(json.loads(reply.body))).encode())

    sentence = "Error body (JSON): `message` (string, always present) and `code` (string, optional)."
    errors.add(name, operation, sentence, lambda: alter_replies(changed))


failing("messages of invalid requests are lists", {422}, lambda body: {**body, "message": [body["message"]]})
failing("codes of conflicts are numbers", {409}, lambda body: {**body, "code": 40901})
failing("errors of permission are nested", {403}, lambda body: {"error": body}, "sidebar_replace")
failing("what is not found has no message", {404}, lambda body: {"detail": body["message"]})
failing("bodies that are not JSON have no message", {400}, lambda body: {"error": body["message"]}, "memory_update")
failing("refused tokens are answered by a text", {401}, lambda body: body["message"], "posts_list")
failing("refused exports have a list of errors", {400}, lambda body: [body], "labels_export")


def export(name: str, status: int, to: int) -> None:
    """Register a mutant that answers another status to a refused export."""
    errors.add(name, "labels_export", "Error responses: 400, 401, 403 (JSON error body).", lambda: alter_replies(
        lambda called, _, reply: replace(reply, status=to) if (called, reply.status) == ("labels_export", status) else reply
    ))  # fmt: skip


export("invalid exports are unprocessable", 400, 422)
export("exports without permission are not found", 403, 404)
export("exports without a token are forbidden", 401, 403)


@sheets("labels_export", "`stock` (enum: `5x3.5`).")
def the_stock_is_read_without_case() -> None:
    patch(labels, "stock", lambda value: isinstance(value, str) and value.strip().lower() == "5x3.5")


@sheets("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def blanks_of_the_summary_are_plus_signs() -> None:
    patch(labels, "quote", quote_plus)


@sheets("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_is_a_query() -> None:
    patch(labels, "summary", lambda body, items: f"printed={len(items)}")


@sheets("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_review_of_more_than_one_sheet_is_not_attached() -> None:
    whole = pdf.sheets
    patch(pdf, "sheets", lambda lines, files: whole(lines, files if len(lines) <= pdf.PER_SHEET else {}))


@sheets("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_review_ends_with_a_comma() -> None:
    whole = labels.document
    patch(labels, "document", lambda items, review: whole(items, review[:-1] + b",}"))


@sheets("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def the_last_sheet_is_filled_with_the_last_label() -> None:
    whole = pdf.sheets
    patch(pdf, "sheets", lambda lines, files: whole(lines + lines[-1:] * (-len(lines) % pdf.PER_SHEET), files))


@sheets("labels_export", "Each label is 5 inches wide and 3.5 inches tall.")
def labels_in_the_lower_row_are_lower() -> None:
    place = pdf.position
    patch(pdf, "position", lambda at: (place(at)[0], place(at)[1] - 40 * (at // 2)))


@busy("calendar_busy", "Busy interval: {`start`, `end`} strings.")
def long_intervals_are_answered_from_their_end() -> None:
    def changed(answer: Json) -> None:
        for each in answer["busy"]:
            if each["start"][:10] != each["end"][:10]:
                each["start"], each["end"] = each["end"], each["start"]

    alter_value("calendar_busy", changed)
