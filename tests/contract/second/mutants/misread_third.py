"""Services that misread a sentence of the last third of the specification: endpoints 9 to 16, tokens, errors, limits."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, Perform, alter_body, alter_replies, alter_value, patch, wrap
from ..service import OPERATIONS, Service, calendar, labels, listings, records, settings, templates
from ..service import tokens as access_tokens
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import World

misread = Kind("misreadings of the last endpoints and of common rules")


@misread("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
def who_can_read_templates_can_apply_them() -> None:
    OPERATIONS["templates_apply"].needs = "project_templates:read"


@misread("templates_apply", "The report shows what landed and what failed.")
def reports_count_what_landed_in_all_applications() -> None:
    totals: Counter[str] = Counter()

    def total(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        totals.update(report["counts"])
        report.update(counts=dict(totals), appliedCount=totals.total())

    alter_value("templates_apply", total)


@misread("templates_apply", "A new sub-project is created under the parent project.")
def a_template_is_applied_to_the_sub_project_that_has_the_name() -> None:
    create = templates.new_project
    known: dict[tuple[str, str], Json] = {}

    def found(call: Call, name: str) -> Json:
        if (call.project, name) not in known:
            known[call.project, name] = create(call, name)
        return known[call.project, name]

    patch(templates, "new_project", found)


@misread("memory_update", "The entry is addressed by slug.")
def entries_are_addressed_by_the_last_part_of_their_slug() -> None:
    find = settings.find_entry

    def found(call: Call) -> Json:
        entries = {slug.split("/")[-1]: entry for (project, slug), entry in call.world.memory.items()}
        entry = entries.get(call.path["slug"].split("/")[-1])
        return entry if entry is not None and entry["projectId"] == call.project else find(call)

    patch(settings, "find_entry", found)


@misread("memory_update", "Only provided fields are updated; the entry is addressed by slug.")
def a_new_title_gives_an_entry_a_new_slug() -> None:
    def renamed(perform: Perform, call: Call) -> Any:
        entry = perform(call)["entry"]
        slug = re.sub(r"\W+", "-", call.body.get("title", "").lower()).strip("-") or entry["slug"]
        memory = call.world.memory
        memory[call.project, slug] = memory.pop((call.project, entry["slug"]))
        memory[call.project, slug]["slug"] = slug
        return {"entry": {**entry, "slug": slug}}

    wrap("memory_update", renamed)


@misread("engagement_like", "Response: `{success: boolean}`.")
def the_success_of_a_like_is_the_number_of_new_likes() -> None:
    alter_value("engagement_like", lambda value: value.update(success=1))


@misread("agents_list", "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).")
def an_offset_without_a_limit_skips_nothing() -> None:
    def changed(perform: Perform, call: Call) -> Any:
        answer = perform(call)
        if "limit" in call.query:
            return answer
        return {**answer, "agents": listings.agents_of(call)[: listings.DEFAULT_LIMIT]}

    wrap("agents_list", changed)


@misread("agents_list", "List agents `offset`: 0 or more.")
def an_offset_after_the_last_agent_is_not_found() -> None:
    def changed(perform: Perform, call: Call) -> Any:
        answer = perform(call)
        if answer["pagination"]["offset"] and not answer["agents"]:
            raise Refusal(404, "That page has no results.")
        return answer

    wrap("agents_list", changed)


@misread("web_analytics_get_config", "The configuration is null when not configured.")
def the_configuration_is_null_while_it_is_disabled() -> None:
    alter_value(
        "web_analytics_get_config",
        lambda value: value.update(config=None) if value["config"] and not value["config"]["enabled"] else None,
    )


@misread("posts_list", "Returns all scheduled posts of the project.")
def a_post_is_listed_once_for_each_of_its_media() -> None:
    def join(value: Json) -> None:
        value["data"]["posts"] = [post for post in value["data"]["posts"] for _ in post["media"]]

    alter_value("posts_list", join)


@misread("labels_export", "`includeUnapproved` (boolean)")
def unapproved_items_are_included_if_the_option_is_named() -> None:
    alter_body(
        "labels_export",
        lambda body: body.update(includeUnapproved=True) if body["includeUnapproved"] is False else None,
    )


@misread("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def a_last_sheet_that_is_not_full_is_portrait() -> None:
    document = labels.document

    def turned(items: list[Json], review: bytes) -> bytes:
        content = document(items, review)
        before, _, after = content.rpartition(b"/Rotate 90")
        return before + b"/Rotate 00" + after if len(items) % 4 else content

    patch(labels, "document", turned)


@misread("agents_list", "Its verification uses a published key set, and it must include a valid user identifier.")
def the_signature_of_claims_that_were_verified_before_is_ignored() -> None:
    verify = access_tokens.verified
    known: dict[str, Json | None] = {}

    def verified(world: World, token: str) -> Json | None:
        signed = token.rpartition(".")[0]
        if known.get(signed) is None:
            known[signed] = verify(world, token)
        return known[signed]

    patch(access_tokens, "verified", verified)


@misread("posts_list", "Every endpoint uses HTTP bearer authentication. The token is a JWT.")
def tokens_that_have_expired_can_still_read() -> None:
    respond, expired = Service.__call__, access_tokens.expired
    method: ContextVar[str] = ContextVar("method")

    def noted(self: Service, request: Request) -> Reply:
        method.set(request.method)
        return respond(self, request)

    patch(Service, "__call__", noted)
    patch(access_tokens, "expired", lambda claims: method.get() != "GET" and expired(claims))


class _Anybody(dict[str, Json]):
    """Users, of whom each text is one."""

    def __contains__(self, user: object) -> bool:
        return isinstance(user, str)


@misread("auth_check_permission", "The token must include a valid user identifier.")
def a_user_who_does_not_exist_is_a_caller_without_permissions() -> None:
    user_of = access_tokens.user_of
    patch(
        access_tokens,
        "user_of",
        lambda world, authorization: user_of(replace(world, users=_Anybody(world.users)), authorization),
    )


@misread("records_update", "409 when a conditional object-record update has a stale precondition.")
def a_stale_status_is_a_failed_precondition_of_http() -> None:
    stale = records.stale_status

    def refused(record: Json, body: Json) -> bool:
        if stale(record, body):
            raise Refusal(412, "The status has changed.")
        return False

    patch(records, "stale_status", refused)


@misread("calendar_book", "409 when a calendar booking's slot was taken while `conflictCheck` is true.")
def two_events_of_a_calendar_cannot_start_together() -> None:
    write = calendar.write

    def inserted(call: Call, event: Json) -> None:
        others = [known for known in calendar.events_of(call, event["calendar"]) if known["uid"] != event["uid"]]
        if any(known["begin"] == event["begin"] for known in others):
            raise Refusal(409, "This key exists.")
        write(call, event)

    patch(calendar, "write", inserted)


@misread("workflows_create", "Error body (JSON): `message` (string, always present).")
def the_message_of_an_invalid_workflow_is_a_list() -> None:
    def listed(operation: str | None, request: Request, reply: Reply) -> Reply:
        if operation != "workflows_create" or reply.status != OPERATIONS[operation].bad_request:
            return reply
        value = json.loads(reply.body)
        return Reply(reply.status, json.dumps({**value, "message": [value["message"]]}).encode(), reply.headers)

    alter_replies(listed)


@misread("workflows_create", "Workflow `tags`: at most 12 items, each 1-40 characters.")
def tags_that_are_repeated_are_counted_once() -> None:
    def changed(perform: Perform, call: Call) -> Any:
        tags = call.body.get("tags")
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            return perform(call)
        answer = perform(replace(call, body={**call.body, "tags": list(dict.fromkeys(tags))}))
        return {"workflow": {**answer["workflow"], "tags": tags}}

    wrap("workflows_create", changed)


@misread("workflows_create", "Workflow `triggerTypeSlug`, `triggerEventType`: 1-120 characters each.")
def an_empty_event_type_stands_for_any_event() -> None:
    def changed(perform: Perform, call: Call) -> Any:
        if call.body.get("triggerEventType") != "":
            return perform(call)
        answer = perform(replace(call, body={**call.body, "triggerEventType": "*"}))
        return {"workflow": {**answer["workflow"], "triggerEventType": ""}}

    wrap("workflows_create", changed)
