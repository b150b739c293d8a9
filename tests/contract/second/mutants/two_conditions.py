"""Services whose defects show only if two ordinary conditions meet in one request."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote

from ..mutant import (
    Json,
    Kind,
    Perform,
    alter_body,
    alter_query,
    around,
    decorating,
    instead,
    patch,
    values,
)
from ..service import calendar, labels, listings, records, settings, social
from ..service.app import Call, Refusal
from ..service.workflows import is_real

meeting = Kind("two conditions")

TIMES = ("start", "end", "durationMinutes")


@meeting(
    "auth_check_permission",
    "It resolves the caller identity and returns whether it holds the given project-scoped permission.",
)
@around("auth_check_permission")
def service_accounts_hold_no_permission_of_two_words(perform: Perform, call: Call) -> Any:
    value = perform(call)
    return value if is_real(call) or "_" not in call.query["scope"] else {"allowed": False}


@meeting(
    "workflows_create",
    "Body: `name`, `triggerTypeSlug`, `triggerEventType`, `actions` (array), `description`, `tags` (array of string), `triggerCondition` (any), `isActive` (boolean).",
)
def a_workflow_with_a_condition_is_active_though_it_was_switched_off() -> None:
    alter_body(
        "workflows_create",
        lambda body: (
            body.update(isActive=True) if body.get("triggerCondition") and body.get("isActive") is False else None
        ),
    )


@meeting("workflows_create", "Workflow `name`: 1-200 characters. Workflow `description`: at most 1000 characters.")
@around("workflows_create")
def a_long_name_and_a_long_description_do_not_fit_together(perform: Perform, call: Call) -> Any:
    if sum(len(str(call.body.get(name, ""))) for name in ("name", "description")) > 1100:
        raise Refusal(422, "The workflow is too large.", "invalid")
    return perform(call)


@meeting(
    "records_create",
    "when the type has `linksToPerson` enabled and the payload carries matching identity, the service attaches an existing "
    "Person or creates one, and the record carries `personRefId`.",
)
@instead(records, "link")
def a_visitor_with_an_external_identifier_has_no_person(link: Any, call: Call, record: Json, identity: Json) -> None:
    if call.operation != "records_create" or record["externalId"] is None:
        link(call, record, identity)


@meeting("records_update", "When either is stale, the response is 409 and the record is unchanged.")
def a_stale_status_is_overlooked_if_the_data_are_as_expected() -> None:
    patch(
        records,
        "stale",
        lambda record, body: (
            records.stale_data(record, body) if "expectedData" in body else records.stale_status(record, body)
        ),
    )


@meeting("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
@instead(records, "merged")
def a_null_beside_an_object_deletes_nothing(merged: Any, old: Json, changes: Json) -> Json:
    nested = any(isinstance(value, dict) for value in changes.values())
    return merged(old, {key: value for key, value in changes.items() if value is not None or not nested})


@meeting("calendar_reschedule", "moves start/end and/or changes title/description.")
def an_event_that_gets_a_new_title_is_not_moved() -> None:
    alter_body(
        "calendar_reschedule", lambda body: [body.pop(name, None) for name in TIMES] if "summary" in body else None
    )


@meeting("calendar_reschedule", "moves start/end and/or changes title/description.")
@instead(calendar, "write")
def an_update_that_neither_checks_nor_notifies_is_not_written(write: Any, call: Call, event: Json) -> None:
    flags = [call.body.get(name, True) for name in ("conflictCheck", "notifyAttendees")]
    if call.operation != "calendar_reschedule" or any(flags):
        write(call, event)


@meeting(
    "calendar_busy",
    "`timeMin`: ISO timestamp, inclusive start of the range. `timeMax`: ISO timestamp, exclusive end of the range.",
)
@instead(calendar, "in_range")
def an_event_from_before_the_range_until_after_it_is_not_busy(in_range: Any, event: Any, begin: Any, end: Any) -> Any:
    return in_range(event, begin, end) and not (event["begin"] < begin and end < event["end"])


@meeting("calendar_busy", "`timeMin`: ISO timestamp, inclusive start of the range.")
@decorating(partial(alter_query, "calendar_busy"))
def offsets_of_a_range_in_a_named_calendar_are_ignored(query: Json) -> None:
    if "calendarId" in query:
        query.update({name: re.sub(r"[+-]\d\d:?\d\d$", "", query[name]) for name in ("timeMin", "timeMax")})


@meeting("sidebar_replace", "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel`")
def the_label_of_a_feature_with_a_custom_label_is_lost() -> None:
    def item(value: Json) -> Json:
        custom = {"customLabel", "featureId"} <= value.keys()
        return {**value, "label": value["customLabel"]} if custom else dict(value)

    patch(settings, "item_of", item)


@meeting("templates_apply", "The report shows what landed and what failed.")
@around("templates_apply")
def reports_for_service_accounts_have_no_failures(perform: Perform, call: Call) -> Any:
    value = perform(call)
    if not is_real(call):
        value["data"]["templateApply"]["report"]["failures"].clear()
    return value


@meeting("memory_update", "only provided fields are updated")
@instead(settings, "change")
def an_entry_in_a_folder_is_named_after_its_slug_unless_a_title_is_sent(change: Any, entry: Json, body: Json) -> None:
    folder, _, name = entry["slug"].rpartition("/")
    change(entry, {"title": name, **body} if folder else body)


@meeting("engagement_like", "Accounts are the social accounts connected to a project.")
@instead(social, "require_page")
def a_page_of_another_project_of_the_caller_may_like(require_page: Any, call: Call, account_id: str) -> None:
    homes = [project for project, id in call.world.accounts if id == account_id]
    for project in homes:
        if (project, call.user) in call.world.members:
            return require_page(replace(call, path={**call.path, "projectId": project}), account_id)
    return require_page(call, account_id)


@meeting("agents_list", "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).")
@around("agents_list")
def a_page_begins_at_a_multiple_of_the_limit(perform: Perform, call: Call) -> Any:
    value = perform(call)
    limit, offset = (value["pagination"][name] for name in ("limit", "offset"))
    value["agents"] = listings.agents_of(call)[offset - offset % limit :][:limit]
    return value


@meeting("web_analytics_get_config", "the configuration is null when not configured.")
@around("web_analytics_get_config")
def a_configuration_that_is_not_enabled_is_null_for_readers(perform: Perform, call: Call) -> Any:
    value = perform(call)
    hidden = call.world.members[call.project, call.user] == "reader" and not (value["config"] or {}).get("enabled")
    return {"config": None} if hidden else value


@meeting(
    "photo_analytics_list_media",
    "`likeCount`, `commentsCount`, `shares`, `impressions`, `reach`, `saved`, `engagement` (integers).",
)
@values("photo_analytics_list_media")
def engagement_is_a_rate_if_the_reach_is_known_and_impressions_are_not(value: Json) -> None:
    for item in value["data"]["media"]:
        if item["reach"] and item["impressions"] is None:
            item["engagement"] /= item["reach"]


@meeting("labels_export", "`itemIds` (array of uuid), `includeUnapproved` (boolean)")
@instead(labels, "printed")
def the_last_label_of_full_sheets_is_lost_if_unapproved_ones_are_included(
    printed: Any, call: Call, body: Json
) -> list[Json]:
    items = printed(call, body)
    return items if len(items) % 4 or not body.get("includeUnapproved") else items[:-1]


@meeting("calendar_book", "Rules: 409 when the slot was taken while `conflictCheck` is true.")
@instead(calendar, "checks_conflicts")
def an_attendee_with_an_address_is_booked_into_a_taken_slot(checks_conflicts: Any, body: Any) -> Any:
    return checks_conflicts(body) and not (body.get("attendee") or {}).get("email")


@meeting("labels_export", "The response header `X-Label-Summary` carries URI-encoded JSON.")
@around("labels_export")
def the_summary_of_a_whole_month_is_not_encoded(perform: Perform, call: Call) -> Any:
    reply = perform(call)
    if "itemIds" in call.body:
        return reply
    summary = unquote(reply.headers["x-label-summary"])
    return replace(reply, headers={**reply.headers, "x-label-summary": summary})


@meeting("calendar_book", "Calendar booking `summary`: at least 1 character.")
def an_empty_summary_is_accepted_beside_a_description() -> None:
    alter_body(
        "calendar_book",
        lambda body: body.update(summary="-") if body["summary"] == "" and body.get("description") else None,
    )


@meeting("agents_list", "Lists all agent definitions of the project.")
@instead(listings, "agents_of")
def agents_of_another_project_follow_behind_the_first_page(agents_of: Any, call: Call) -> list[Json]:
    found = agents_of(call)
    others = [agent for project, agents in call.world.agents.items() if project != call.project for agent in agents]
    return found + others if len(found) > listings.DEFAULT_LIMIT else found
