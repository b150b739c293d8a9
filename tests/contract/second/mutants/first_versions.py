"""Services in whose first version a condition is a little wrong: a bound, a default, a field, or a case that was forgotten."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, alter_body, alter_query, alter_value, patch, wrap
from ..service import calendar, listings, permissions, records, social, workflows
from ..service.app import Call, Refusal

condition = Kind("conditions of a first version")
bound = Kind("bounds of a first version")

REAL = "A real user identity is required. Creation by a service account is rejected."
STALE = "When either is stale, the response is 409 and the record is unchanged."
SLOT = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken."
MOVES = "Rules: moves start/end and/or changes title/description."
PERSON = "when the type has `linksToPerson` enabled and the payload carries matching identity, the service attaches an existing"


@condition(
    "auth_check_permission",
    "It resolves the caller identity and returns whether it holds the given project-scoped permission.",
)
def actions_of_permissions_are_compared_in_alphabetical_order() -> None:
    highest = {"owner": "write", "robot": "write", "reader": "read"}
    patch(permissions, "allows", lambda role, permission: permission.partition(":")[2] <= highest[role])


@condition("workflows_create", "`isActive` is retained for backward compatibility.")
def a_new_workflow_is_inactive_until_its_review() -> None:
    def inactive(body: Json) -> None:
        if body["isActive"] is True:
            body["isActive"] = False

    alter_body("workflows_create", inactive)


@condition("workflows_create", REAL)
def a_service_account_is_known_by_its_role_in_the_project() -> None:
    patch(workflows, "is_real", lambda call: call.world.members[call.project, call.user] != "robot")


@bound("workflows_create", "`tags` | at most 12 items, each 1-40 characters")
def empty_tags_are_removed_before_the_check() -> None:
    def remove(body: Json) -> None:
        if isinstance(body["tags"], list):
            body["tags"] = [tag for tag in body["tags"] if tag != ""]

    alter_body("workflows_create", remove)


@bound("workflows_create", "Workflow `description`: at most 1000 characters")
def the_description_of_a_workflow_has_at_most_1024_characters() -> None:
    text = workflows.text
    patch(workflows, "text", lambda least=0, most=None: text(least, 1024 if most == 1000 else most))


@condition("records_create", PERSON)
def records_with_an_external_identifier_are_not_linked() -> None:
    link = records.link

    def imported(call: Call, record: Json, identity: Json) -> None:
        if record["externalId"] is None:
            link(call, record, identity)

    patch(records, "link", imported)


@condition("records_create", "`personRefId` | string | set when a person-linked type matches identity in data")
def records_of_all_types_are_linked() -> None:
    def link(call: Call, record: Json, identity: Json) -> None:
        address = records.identity_of(identity)
        if address is not None:
            persons = call.world.persons
            record["personRefId"] = persons.setdefault((call.project, address), f"per-{len(persons) + 1:05}")

    patch(records, "link", link)


@condition("records_update", "`expectedStatus` is a status precondition.")
def the_expected_status_is_compared_with_that_in_the_data() -> None:
    def stale(record: Json, body: Json) -> bool:
        return "expectedStatus" in body and body["expectedStatus"] != record["data"].get("status", record["status"])

    patch(records, "stale_status", stale)


@condition("records_update", STALE)
def an_expected_status_that_no_record_has_is_invalid() -> None:
    def known(perform: Any, call: Call) -> Any:
        if call.body.get("expectedStatus", "active") not in {"active", "archived"}:
            raise Refusal(422, "expectedStatus is not a status.", "invalid")
        return perform(call)

    wrap("records_update", known)


@condition("records_update", "`expectedData` is a JSON containment precondition")
def only_the_top_of_the_expected_data_may_be_a_part() -> None:
    def equal(one: Any, other: Any) -> bool:
        return records.contains(one, other) and records.contains(other, one)

    def stale(record: Json, body: Json) -> bool:
        expected, data = body.get("expectedData", {}), record["data"]
        return any(name not in data or not equal(data[name], value) for name, value in expected.items())

    patch(records, "stale_data", stale)


@condition("calendar_book", "`conflictCheck` | boolean | default true")
def the_conflict_check_is_off_unless_it_is_requested() -> None:
    patch(calendar, "checks_conflicts", lambda body: body.get("conflictCheck", False))


@bound("calendar_book", SLOT)
def a_slot_includes_both_of_its_ends() -> None:
    patch(calendar, "overlaps", lambda event, begin, end: event["begin"] <= end and begin <= event["end"])


@bound("calendar_book", "Calendar booking `summary`: at least 1 character")
def an_empty_summary_is_replaced_by_a_default() -> None:
    def default(body: Json) -> None:
        if body["summary"] == "":
            body["summary"] = "(No title)"

    alter_body("calendar_book", default)


@condition("calendar_book", SLOT)
def a_refused_booking_stays_in_the_calendar() -> None:
    def tentative(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.status == 409:
                perform(replace(call, body={**call.body, "conflictCheck": False}))
            raise

    wrap("calendar_book", tentative)


@condition("calendar_reschedule", MOVES)
def a_new_text_saves_the_local_time_as_universal_time() -> None:
    def saved(perform: Any, call: Call) -> Any:
        value = perform(call)
        if call.body.keys() & {"start", "end", "durationMinutes"}:
            return value
        event = call.world.events[call.project, call.path["eventId"]]
        local = {name: event[name].astimezone(ZoneInfo(calendar.HOME)).replace(tzinfo=UTC) for name in ("begin", "end")}
        calendar.write(call, {**event, **local})
        return calendar.shown(call, {**event, **local})

    wrap("calendar_reschedule", saved)


@condition("calendar_reschedule", MOVES)
def a_new_start_is_compared_with_the_end_before() -> None:
    def compared(perform: Any, call: Call) -> Any:
        late = False
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            begin = calendar.instant(call.body["start"], call.body.get("timeZone"))
            late = begin >= call.world.events[call.project, call.path["eventId"]]["end"]
        if late:
            raise Refusal(422, "The start is not before the end.", "invalid")
        return perform(call)

    wrap("calendar_reschedule", compared)


@condition("calendar_reschedule", MOVES)
def an_event_without_an_attendee_cannot_be_updated() -> None:
    def notified(perform: Any, call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        value = perform(call)
        if event is not None and event["attendee"] is None and call.body.get("notifyAttendees") is not False:
            calendar.write(call, event)
            raise Refusal(500, "Internal server error")
        return value

    wrap("calendar_reschedule", notified)


@condition("calendar_reschedule", "`start` | string | ISO timestamp; event start")
def the_offset_of_a_new_time_is_replaced() -> None:
    def universal(body: Json) -> None:
        for name in body.keys() & {"start", "end"}:
            body[name] = re.sub(r"(?<=[Tt].{5})(.*?)[+-]\d\d(:?\d\d)?$", r"\1Z", body[name])

    alter_body("calendar_reschedule", universal)


@bound("calendar_busy", "`timeMax`: ISO timestamp, exclusive end of the range.")
def an_event_that_begins_at_the_end_of_the_range_is_listed() -> None:
    patch(calendar, "in_range", lambda event, begin, end: event["begin"] <= end and begin < event["end"])


@bound("calendar_busy", "`timeMin`: ISO timestamp, inclusive start of the range.")
def an_event_that_begins_with_the_range_is_not_listed() -> None:
    in_range = calendar.in_range
    patch(
        calendar,
        "in_range",
        lambda event, begin, end: in_range(event, begin, end) and event["begin"] != begin,
    )


@condition("calendar_busy", "`timeMin`: ISO timestamp, inclusive start of the range.")
def events_that_are_over_are_not_busy() -> None:
    in_range = calendar.in_range
    patch(
        calendar,
        "in_range",
        lambda event, begin, end: in_range(event, begin, end) and event["end"] > datetime.now(UTC),
    )


@condition("sidebar_replace", "The entire section list of the project is replaced.")
def a_sidebar_without_sections_is_the_default() -> None:
    def default(body: Json) -> None:
        if body["sections"] == []:
            body["sections"] = [
                {"id": "main", "label": "Main", "items": [{"id": "home", "label": "Home", "href": "/"}]}
            ]

    alter_body("sidebar_replace", default)


@condition("templates_apply", "The report shows what landed and what failed.")
def a_template_is_applied_after_the_answer() -> None:
    alter_value(
        "templates_apply",
        lambda value: value["data"].update(templateApply={"status": "queued", "report": None, "error": None}),
    )


@condition("engagement_like", "Like a published page post as the page.")
def a_photo_account_is_a_page() -> None:
    def require_account(call: Call, account_id: str) -> None:
        if (call.project, account_id) not in call.world.accounts:
            raise Refusal(404, "There is no such account.")

    patch(social, "require_page", require_account)


@condition("engagement_like", "Like a published page post as the page.")
def a_post_is_liked_before_it_is_published() -> None:
    def page_post(call: Call) -> Json:
        post: Json | None = call.world.posts.get((call.project, call.path["postId"]))
        if post is None or post["platform"] != "pagenet":
            raise Refusal(404, "There is no such post.")
        return post

    patch(social, "published_post", page_post)


@bound("agents_list", "List agents `limit`: 1 to 100")
def a_limit_of_agents_is_below_100() -> None:
    number = listings.number
    patch(
        listings,
        "number",
        lambda call, name, default, least, most: number(call, name, default, least, most and most - 1),
    )


@condition("agents_list", "`offset` (integer, at least 0).")
def an_offset_without_a_limit_is_not_read() -> None:
    alter_query("agents_list", lambda query: None if "limit" in query else query.pop("offset", None))


@condition(
    "web_analytics_get_config",
    "Response: `{config: Web analytics configuration}`; the configuration is null when not configured.",
)
def a_project_without_analytics_has_no_configuration_to_find() -> None:
    def required(perform: Any, call: Call) -> Any:
        value = perform(call)
        if value["config"] is None:
            raise Refusal(404, "Web analytics are not configured.")
        return value

    wrap("web_analytics_get_config", required)
