"""Services that are wrong only if options are combined, or for one identity."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import calendar, listings, records, social, templates, tokens, workflows
from ..service import app
from ..service.app import Call, Refusal

preconditions = Kind("preconditions")
merge = Kind("merge and identity of records")
events = Kind("updates of events")
conflicts = Kind("conflicts of events")
done = Kind("answered and not done")
scope = Kind("resources of another project")
auth = Kind("tokens")
rights = Kind("permissions")
reports = Kind("template report")
fields = Kind("fields of the answer")
sidebar = Kind("sidebar")

EITHER = "When either is stale, the response is 409 and the record is unchanged."
MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
RECHECK = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409."
MOVES = "Moves start/end and/or changes title/description."
USER = "A real user identity is required. Creation by a service account is rejected."
TOKEN = "Its verification uses a published key set, and it must include a valid user identifier."


@preconditions("records_update", EITHER)
def preconditions_count_only_if_data_change() -> None:
    check = records.stale
    patch(records, "stale", lambda record, body: "data" in body and check(record, body))


@preconditions("records_update", EITHER)
def a_status_that_holds_is_enough() -> None:
    patch(records, "stale", lambda record, body: (
        records.stale_status(record, body) if "expectedStatus" in body else records.stale_data(record, body)
    ))  # fmt: skip


@preconditions("records_update", EITHER)
def both_preconditions_must_be_stale() -> None:
    patch(records, "stale", lambda record, body: all([
        *([records.stale_status(record, body)] if "expectedStatus" in body else []),
        *([records.stale_data(record, body)] if "expectedData" in body else []),
        bool(body.keys() & {"expectedStatus", "expectedData"}),
    ]))  # fmt: skip


@merge("records_update", MERGE)
def nulls_beside_an_external_identifier_are_ignored() -> None:
    alter_body("records_update", lambda body: (
        body.update(data={key: value for key, value in body["data"].items() if value is not None})
        if "externalId" in body
        else None
    ))  # fmt: skip


@merge("records_update", MERGE)
def data_beside_relations_are_not_written() -> None:
    alter_body("records_update", lambda body: body.pop("data") if body["relations"] is not None else None)


@merge("records_update", MERGE)
def a_member_of_the_expected_data_is_not_deleted() -> None:
    alter_body("records_update", lambda body: body.update(
        data={key: value for key, value in body["data"].items() if value is not None or key not in body["expectedData"]}
    ))  # fmt: skip


@merge("records_update", MERGE)
def only_the_first_null_deletes() -> None:
    def first(body: Json) -> None:
        nulls = [key for key, value in body["data"].items() if value is None]
        for key in nulls[1:]:
            del body["data"][key]

    alter_body("records_update", first)


@merge("records_update", MERGE)
def deleting_the_last_member_deletes_nothing() -> None:
    whole = records.merged
    patch(records, "merged", lambda old, changes: whole(old, changes) or old)


@conflicts("calendar_book", RECHECK)
def a_named_calendar_is_not_checked() -> None:
    alter_body("calendar_book", lambda body: body.update(conflictCheck=False) if body["calendarId"] else None)


@conflicts("calendar_book", RECHECK)
def a_booking_with_an_attendee_is_not_checked() -> None:
    alter_body("calendar_book", lambda body: body.update(conflictCheck=False) if body["attendee"] else None)


@conflicts("calendar_book", RECHECK)
def a_booking_with_metadata_is_not_checked() -> None:
    alter_body("calendar_book", lambda body: body.update(conflictCheck=False) if "metadata" in body else None)


@conflicts("calendar_book", RECHECK)
def events_within_the_slot_do_not_take_it() -> None:
    patch(calendar, "overlaps", lambda event, begin, end: (
        event["begin"] <= begin < event["end"] or event["begin"] < end <= event["end"]
    ))  # fmt: skip


@conflicts("calendar_book", RECHECK)
def only_the_hour_of_a_slot_is_checked() -> None:
    taken = calendar.taken

    def hour(call: Call, name: str, begin: Any, end: Any, but: str | None = None) -> bool:
        return taken(call, name, begin, min(end, begin.replace(minute=59, second=59)), but)

    patch(calendar, "taken", hour)


@conflicts("calendar_reschedule", "`conflictCheck`: boolean.")
def an_event_conflicts_with_itself() -> None:
    taken = calendar.taken
    patch(calendar, "taken", lambda call, name, begin, end, but=None: taken(call, name, begin, end))


@events("calendar_reschedule", MOVES)
def a_new_start_takes_the_old_duration() -> None:
    def kept(perform: Any, call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        body = call.body
        if event and "start" in body and "durationMinutes" in body:
            minutes = (event["end"] - event["begin"]).total_seconds() // 60
            call = replace(call, body={**body, "durationMinutes": int(minutes)})
        return perform(call)

    wrap("calendar_reschedule", kept)


@events("calendar_reschedule", "Attendees are re-notified unless `notifyAttendees` is false.")
def an_event_is_not_moved_without_notification() -> None:
    alter_body("calendar_reschedule", lambda body: (
        [body.pop(name, None) for name in ("start", "end", "durationMinutes")] if body["notifyAttendees"] is False else None
    ))  # fmt: skip


@events("calendar_reschedule", MOVES)
def a_new_description_moves_nothing() -> None:
    alter_body("calendar_reschedule", lambda body: (
        [body.pop(name, None) for name in ("start", "end")] if body["description"] else None
    ))  # fmt: skip


@events("calendar_book", "`end`: defaults to start + durationMinutes.")
def the_duration_is_preferred_to_the_end() -> None:
    alter_body("calendar_book", lambda body: body.pop("end") if body["durationMinutes"] else None)


@sidebar("sidebar_replace", "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel`.")
def items_of_a_feature_have_no_plugin() -> None:
    alter_body("sidebar_replace", lambda body: [
        item.pop("pluginId", None) for section in body["sections"] for item in section["items"] if "featureId" in item
    ])  # fmt: skip


@sidebar("sidebar_replace", "Each item has `label`, ... `customLabel` (all strings).")
def the_custom_label_is_the_label() -> None:
    alter_body("sidebar_replace", lambda body: [
        item.update(label=item["customLabel"] or item["label"])
        for section in body["sections"] for item in section["items"] if "customLabel" in item
    ])  # fmt: skip


@sidebar("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def sections_without_items_are_left_out() -> None:
    alter_body("sidebar_replace", lambda body: body.update(
        sections=[section for section in body["sections"] if section.get("items") != []]
    ))  # fmt: skip


@fields("workflows_create", "Body: `tags` (array of string), `isActive` (boolean).")
def tags_of_active_workflows_are_dropped() -> None:
    alter_body("workflows_create", lambda body: body.update(tags=[]) if body["isActive"] else None)


@fields("workflows_create", "Body: `name`, `triggerTypeSlug`, `triggerEventType`, `actions`, `description`, `tags`.")
def tags_of_the_workflow_before_are_taken() -> None:
    before: Json = {}

    def remembered(perform: Any, call: Call) -> Any:
        value = perform(replace(call, body={**before, **call.body}))
        if call.body.get("tags"):
            before["tags"] = call.body["tags"]
        return value

    wrap("workflows_create", remembered)


@rights("workflows_create", USER)
def service_accounts_create_inactive_workflows() -> None:
    real = workflows.is_real
    patch(workflows, "is_real", lambda call: real(call) or not call.body.get("isActive", False))


@rights("workflows_create", USER)
def service_accounts_create_workflows_with_actions() -> None:
    real = workflows.is_real
    patch(workflows, "is_real", lambda call: real(call) or bool(call.body.get("actions")))


@scope("web_analytics_get_config", "The configuration is null when not configured.")
def the_configuration_of_another_project_is_the_default() -> None:
    wrap("web_analytics_get_config", lambda perform, call: (
        {"config": perform(call)["config"] or next(iter(call.world.analytics.values()))}
    ))  # fmt: skip


@scope("photo_analytics_list_media", "`GET /socials/analytics/photonet/{projectId}/{accountId}/media`")
def accounts_are_found_in_all_projects() -> None:
    def anywhere(perform: Any, call: Call) -> Any:
        owners = [project for project, id in call.world.accounts if id == call.path["accountId"].lower()]
        return perform(replace(call, path={**call.path, "projectId": (owners or [call.project])[0]}))

    wrap("photo_analytics_list_media", anywhere)


@scope("posts_list", "Returns all scheduled posts of the project.")
def failed_posts_are_listed_in_all_projects() -> None:
    patch(listings, "posts_of", lambda call: [
        post for (project, _), post in call.world.posts.items() if project == call.project or post["status"] == "failed"
    ])  # fmt: skip


@scope("templates_apply", "`POST /projects/{projectId}/templates/{templateId}/apply`")
def templates_are_found_in_all_projects() -> None:
    def anywhere(call: Call) -> Json:
        for (_, id), template in call.world.templates.items():
            if id == call.path["templateId"]:
                return template
        raise Refusal(404, "There is no such template.")

    patch(templates, "find_template", anywhere)


@done("engagement_like", "Like a published page post as the page.")
def any_account_likes_after_a_first_like() -> None:
    require = social.require_page
    liked: list[str] = []

    def known(call: Call, account: str) -> None:
        if not liked:
            require(call, account)
            liked.append(account)

    patch(social, "require_page", known)


_missing = templates.missing_variables


@reports("templates_apply", "`report.missingVariables`: array of string.")
def values_of_variables_are_remembered() -> None:
    known: Json = {}

    def missing(template: Json, values: Json) -> list[str]:
        known.update(values)
        return _missing(template, known)

    patch(templates, "missing_variables", missing)


@reports("templates_apply", "The report shows what landed and what failed.")
def counts_include_those_of_the_application_before() -> None:
    sums: dict[str, int] = {}

    def added(perform: Any, call: Call) -> Any:
        value = perform(call)
        counts = value["data"]["templateApply"]["report"]["counts"]
        for name in counts:
            sums[name] = counts[name] = counts[name] + sums.get(name, 0)
        return value

    wrap("templates_apply", added)


@reports("templates_apply", "A new sub-project is created under the parent project.")
def a_template_is_applied_to_the_same_project_again() -> None:
    create = templates.new_project
    known: Json = {}

    def once(call: Call, name: str) -> Json:
        if call.path["templateId"] not in known:
            known[call.path["templateId"]] = create(call, name)
        return {**known[call.path["templateId"]], "name": name}

    patch(templates, "new_project", once)


def accepted(name: str, operation: str, claims: Any) -> None:
    """Register a mutant that verifies the tokens of an operation in another way."""

    def verified(world: Any, token: str) -> Json | None:
        head, _, signature = token.rpartition(".")
        try:
            header, body = (json.loads(tokens._bytes(part)) for part in head.split("."))  # noqa: SLF001
        except (ValueError, TypeError):
            return None
        if isinstance(header, dict) and isinstance(body, dict) and claims(world, header, body, signature):
            return body
        return _verified(world, token)

    auth.add(name, operation, TOKEN, lambda: patch(tokens, "verified", verified))


_verified = tokens.verified

accepted("signatures are only measured", "photo_analytics_list_media", lambda world, head, claims, signature: (
    head.get("kid") in world.keys and len(signature) > 80
))  # fmt: skip
accepted("tokens with an unknown key are not verified", "calendar_reschedule", lambda world, head, claims, signature: (
    head.get("kid") not in world.keys
))  # fmt: skip
accepted("the algorithm None is accepted", "web_analytics_get_config", lambda world, head, claims, signature: (
    str(head.get("alg")).lower() == "none"
))  # fmt: skip


@auth("agents_list", TOKEN)
def users_who_were_here_before_need_no_valid_token() -> None:
    seen: set[str] = set()
    expired = tokens.expired

    def remembered(claims: Json) -> bool:
        if not expired(claims):
            seen.add(str(claims.get("user_id")))
        return claims.get("user_id") not in seen

    patch(tokens, "expired", remembered)


@auth("engagement_like", TOKEN)
def tokens_are_valid_for_a_day_more() -> None:
    patch(tokens, "expired", lambda claims: claims.get("exp", 0) + 86_400 <= time.time())


@auth("sidebar_replace", TOKEN)
def a_user_that_is_unknown_is_the_owner_of_the_project() -> None:
    user_of = tokens.user_of

    def user(world: Any, authorization: str | None) -> str:
        claims = tokens.verified(world, (authorization or "").partition(" ")[2].strip())
        if claims and claims.get("user_id", "") not in world.users and not tokens.expired(claims):
            return "u-ada"
        return user_of(world, authorization)

    patch(app.tokens, "user_of", user)
