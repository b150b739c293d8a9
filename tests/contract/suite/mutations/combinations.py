"""Fields that have no effect, or another one, if certain others are sent, and values that are compared or stored in part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from project_platform_stub.dispatch.authenticator import Authenticator
from project_platform_stub.http.errors import ApiError, bad_request
from project_platform_stub.operations import calendar, records, templates
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support.template_parts import Report, apply_parts
from project_platform_stub.world.domain import Event, Identity, Json, Template
from project_platform_stub.world.views import Project
from project_platform_stub.world.world import World

from .label_contents import reviewed
from .mutation import alter_value, mutation, patch, with_body, without, wrap
from .scope import in_the_first_project

_EXACT = "records.update.expected-data-exact"


def _lost(operation: str, field: str, other: str) -> Callable[[], None]:
    """Return a mutation that ignores a field of the body if another one is sent."""

    def apply() -> None:
        wrap(operation, lambda rule, call: rule(without(call, field) if other in call.body else call))

    apply.__name__ = f"{operation}_ignores_{field}_beside_{other}"
    return apply


for kill, *lost in (
    ("records.create.relations-stored", "records_create", "relations", "externalId"),
    ("records.update.relations-stored", "records_update", "relations", "data"),
    ("records.update.answers-record", "records_update", "externalId", "expectedStatus"),
    ("workflows.create.answers-workflow", "workflows_create", "description", "triggerCondition"),
    ("calendar.book.title", "calendar_book", "description", "attendee"),
    ("calendar.book.metadata", "calendar_book", "metadata", "timeZone"),
    ("calendar.book.attendee", "calendar_book", "attendee", "timeZone"),
    ("calendar.reschedule.title", "calendar_reschedule", "summary", "start"),
    ("calendar.reschedule.title", "calendar_reschedule", "description", "summary"),
):
    also = ("records.*", "workflows.*") if kill.startswith(("records", "workflows")) else ("calendar.book.invitation",)
    mutation(kill, also=also)(_lost(*lost))


@mutation("scope.own-things.records-create")
def records_are_created_in_the_first_project() -> None:
    wrap("records_create", in_the_first_project)


@mutation("records.create.external-id-blanks")
def the_external_id_of_a_new_record_is_trimmed() -> None:
    wrap(
        "records_create",
        lambda rule, call: rule(
            with_body(call, externalId=call.body["externalId"].strip()) if call.body.get("externalId") else call
        ),
    )


@mutation("records.create.external-id")
def an_external_id_has_64_characters() -> None:
    wrap(
        "records_create",
        lambda rule, call: rule(
            with_body(call, externalId=call.body["externalId"][:64]) if call.body.get("externalId") else call
        ),
    )


@mutation("records.update.person-refresh")
def a_new_name_takes_the_person_away() -> None:
    def unlinked(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        record = call.project.records[call.path["recordId"]]
        if "name" not in call.body.get("data", {}):
            return answer
        call.project.records[record["id"]] = {**record, "personRefId": None}
        return Answer({"record": call.project.records[record["id"]]})

    wrap("records_update", unlinked)


@mutation("records.update.answers-record", also=("records.update.*",))
def the_data_of_an_update_set_the_external_id() -> None:
    def keyed(rule: Handler, call: Call) -> Answer:
        named = call.body.get("data", {}).get("externalId")
        return rule(with_body(call, externalId=named) if isinstance(named, str) else call)

    wrap("records_update", keyed)


def _compared(change: Callable[[Any], Any]) -> None:
    """Compare data and expected data after a change of both."""
    contains = records.contains
    patch(records, "contains", lambda data, expected: contains(change(data), change(expected)))


def _walk(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key: _walk(member, change) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item, change) for item in value]
    return change(value)


@mutation(_EXACT)
def expected_texts_are_compared_in_their_first_200_characters() -> None:
    _compared(lambda value: _walk(value, lambda part: part[:200] if isinstance(part, str) else part))


@mutation(_EXACT)
def expected_timestamps_are_instants() -> None:
    def instant(part: Any) -> Any:
        try:
            return datetime.fromisoformat(part).astimezone(UTC).isoformat() if len(part) > len("2026-11-22") else part
        except (TypeError, ValueError):
            return part

    _compared(lambda value: _walk(value, instant))


@mutation(_EXACT)
def expected_texts_below_the_top_level_have_no_case() -> None:
    def folded(data: Json) -> Json:
        lower = {
            name: _walk(member, lambda part: part.lower() if isinstance(part, str) else part)
            for name, member in data.items()
        }
        return {name: lower[name] if isinstance(data[name], dict | list) else data[name] for name in data}

    _compared(folded)


@mutation(_EXACT, also=("records.update.*",))
def the_fields_of_a_record_count_as_data() -> None:
    def counted(rule: Handler, call: Call) -> Answer:
        record = call.project.records.get(call.path["recordId"], {})
        expected = call.body.get("expectedData", {})
        own = {key: value for key, value in expected.items() if key not in record or record[key] != value}
        return rule(with_body(call, expectedData=own) if expected else call)

    wrap("records_update", counted)


@mutation("workflows.create.actions", also=("workflows.create.*",))
def actions_of_a_workflow_are_sorted_by_their_texts() -> None:
    alter_value("workflows_create", lambda value: value["workflow"]["actions"].sort(key=str))


@mutation("workflows.create.texts-unchanged", also=("workflows.create.stored",))
def an_empty_description_of_a_workflow_is_null() -> None:
    alter_value(
        "workflows_create", lambda value: value["workflow"].update(description=value["workflow"]["description"] or None)
    )


@mutation("workflows.create.texts-unchanged")
def the_trigger_of_a_workflow_is_in_lower_case() -> None:
    alter_value(
        "workflows_create",
        lambda value: value["workflow"].update(triggerTypeSlug=value["workflow"]["triggerTypeSlug"].lower()),
    )


@mutation("calendar.book.answers-booking", also=("calendar.*",))
def metadata_of_a_booking_has_the_slot() -> None:
    def moved(rule: Handler, call: Call) -> Answer:
        times = {name: text for name, text in (call.body.get("metadata") or {}).items() if name in {"start", "end"}}
        return rule(with_body(call, **times))

    wrap("calendar_book", moved)


@mutation("calendar.book.conflict", also=("calendar.*",))
def conflicts_are_not_checked_with_a_time_zone_and_a_description() -> None:
    def unchecked(rule: Handler, call: Call) -> Answer:
        both = {"timeZone", "description"} <= call.body.keys()
        return rule(with_body(call, conflictCheck=False) if both else call)

    wrap("calendar_book", unchecked)


@mutation("calendar.book.invitation", also=("calendar.*",))
def no_invitation_is_sent_for_a_booking_with_a_duration() -> None:
    send = calendar._mail

    def silent(call: Call, event: Event, kind: str) -> None:
        if kind != "invitation" or "durationMinutes" not in call.body:
            send(call, event, kind)

    patch(calendar, "_mail", silent)


@mutation("calendar.reschedule.moves", also=("calendar.*",))
def an_event_is_not_moved_with_a_new_description() -> None:
    times = ("start", "end", "durationMinutes", "timeZone")
    wrap(
        "calendar_reschedule",
        lambda rule, call: rule(without(call, *times) if "description" in call.body else call),
    )


@mutation("calendar.reschedule.moves", also=("calendar.*",))
def an_event_is_moved_by_a_week_at_most() -> None:
    def limited(rule: Handler, call: Call) -> Answer:
        before = call.project.events.get(call.path["eventId"])
        answer = rule(call)
        event = call.project.events[call.path["eventId"]]
        if before is None or event.start - before.start <= timedelta(days=7):
            return answer
        call.project.events[event.uid] = before
        return Answer(calendar._booking(call.project.calendars[before.calendar_id], before))

    wrap("calendar_reschedule", limited)


@mutation("calendar.reschedule.moves", also=("calendar.*",))
def events_with_the_same_end_are_moved_together() -> None:
    def together(rule: Handler, call: Call) -> Answer:
        before = call.project.events.get(call.path["eventId"])
        answer = rule(call)
        event = call.project.events[call.path["eventId"]]
        for other in [other for other in call.project.events.values() if before and other.end == before.end]:
            call.project.events[other.uid] = replace(other, start=event.start, end=event.end)
        return answer

    wrap("calendar_reschedule", together)


@mutation("calendar.reschedule.conflict-check", also=("calendar.*",))
def conflicts_of_an_update_are_not_checked_with_a_new_start_alone() -> None:
    def unchecked(rule: Handler, call: Call) -> Answer:
        return rule(call if {"end", "durationMinutes"} & call.body.keys() else with_body(call, conflictCheck=False))

    wrap("calendar_reschedule", unchecked)


@mutation("calendar.book.time-zone", "calendar.reschedule.time-zone", also=("calendar.*",))
def offsets_of_time_zones_are_half_hours() -> None:
    read = calendar.read_time

    def rounded(text: str, zone: str | None, place: str) -> datetime:
        time = read(text, zone, place)
        offset = (
            time.astimezone(ZoneInfo(zone)).utcoffset()
            if zone and datetime.fromisoformat(text).tzinfo is None
            else None
        )
        return time + (offset or timedelta()) % timedelta(minutes=30)

    patch(calendar, "read_time", rounded)


@mutation("calendar.book.time-zone", "calendar.reschedule.time-zone", also=("calendar.*",))
def a_time_zone_has_a_region() -> None:
    read = calendar.read_zone

    def with_region(name: str, place: str) -> str:
        if "/" not in name:
            raise bad_request(place, "has no region")
        return read(name, place)

    patch(calendar, "read_zone", with_region)


@mutation("calendar.busy.every-event", also=("calendar.*",))
def busy_intervals_of_ten_days_are_listed() -> None:
    overlap = calendar._overlap
    patch(
        calendar,
        "_overlap",
        lambda one, other: overlap(one, (other[0], min(other[1], other[0] + timedelta(days=10)))),
    )


@mutation("fields.sidebar.types")
def an_item_with_an_address_has_no_icon() -> None:
    def shortened(value: Json) -> None:
        for section in value["data"]["sections"]:
            for item in section.get("items", ()):
                if "href" in item and "label" not in item:
                    item.pop("icon", None)

    alter_value("sidebar_replace", shortened)


@mutation("sidebar.replace.whole-list", also=("sidebar.*",))
def sections_with_the_same_identifier_are_merged() -> None:
    def merged(value: Json) -> None:
        value["data"]["sections"] = list({section.get("id"): section for section in value["data"]["sections"]}.values())

    alter_value("sidebar_replace", merged)


@mutation("templates.apply.another-sub-project")
def a_variable_without_a_declaration_is_missing() -> None:
    def reported(template: Template, given: Json, project: Project, call: Call) -> Report:
        report = apply_parts(template, given, project, call)
        report.missing.extend(name for name in given if name == "contractUndeclared")
        return report

    patch(templates, "apply_parts", reported)


@mutation("templates.apply.under-parent", also=("templates.*", "calendar.*", "sidebar.*"))
def a_template_changes_the_parent_as_well() -> None:
    def both(template: Template, given: Json, project: Project, call: Call) -> Report:
        report = apply_parts(template, given, project, call)
        apply_parts(template, given, call.project, call)
        return report

    patch(templates, "apply_parts", both)


@mutation("labels.export.review-items", also=("labels.export.*",))
def the_review_is_an_empty_object() -> None:
    reviewed(lambda review: {})


@mutation("labels.export.review-full", also=("labels.export.*",))
def the_review_has_all_labels_but_the_last() -> None:
    reviewed(lambda review: {**review, "labels": review["labels"][:-1]})


@mutation("auth.session-refused.*")
def a_session_credential_is_an_access_token() -> None:
    identify = Authenticator.identify

    def known(self: Authenticator, authorization: str | None) -> tuple[World, Identity]:
        try:
            return identify(self, authorization)
        except ApiError as refusal:
            try:
                return self.identify_session(authorization)
            except ApiError:
                raise refusal from None

    patch(Authenticator, "identify", known)
