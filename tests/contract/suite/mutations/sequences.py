"""Stubs that are right for one request, and wrong after others: what is remembered, and what several events do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.http.errors import ApiError, bad_request, conflict
from project_platform_stub.http.messages import Response
from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Calendar
from project_platform_stub.world.views import Contents

from .mutation import mutation, patch, with_body, with_query, wrap
from .record_updates import keep_what_failed

Slot = tuple[datetime, datetime]


@mutation("calendar.book.conflict-only-taken", also=("calendar.*",))
def a_slot_between_two_events_is_taken() -> None:
    require = calendar._require_free

    def require_free(
        call: Call, named: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
    ) -> None:
        require(call, named, start, end, ignored=ignored)
        slots = calendar._busy(call, named, ignored)
        if start in {slot[1] for slot in slots} and end in {slot[0] for slot in slots}:
            raise conflict("The slot was taken.", "slot_taken")

    patch(calendar, "_require_free", require_free)


@mutation("calendar.sequence", also=("calendar.*",))
def an_event_that_is_booked_after_a_refused_request_ends_early() -> None:
    refused: list[str] = []

    def shortened(rule: Handler, call: Call) -> Answer:
        try:
            answer = rule(call)
        except ApiError:
            refused.append(call.caller.id)
            raise
        assert isinstance(answer.value, dict)
        if refused:
            refused.clear()
            event = call.project.events[answer.value["bookingUid"]]
            call.project.events[event.uid] = replace(event, end=event.end - timedelta(seconds=30))
        return answer

    wrap("calendar_book", shortened)


@mutation("calendar.sequence-long", also=("calendar.*",))
def an_update_of_an_event_of_hours_ends_it_early() -> None:
    def shortened(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        event = call.project.events[call.path["eventId"]]
        if timedelta(hours=3) < event.end - event.start < timedelta(days=1):
            call.project.events[event.uid] = replace(event, end=event.end - timedelta(seconds=30))
        return answer

    wrap("calendar_reschedule", shortened)


@mutation("calendar.sequence-checked", also=("calendar.reschedule.*",))
def only_the_first_two_updates_of_an_event_are_checked() -> None:
    updates: dict[str, int] = {}

    def unchecked(rule: Handler, call: Call) -> Answer:
        uid = call.path["eventId"]
        updates[uid] = updates.get(uid, 0) + 1
        return rule(with_body(call, conflictCheck=False) if updates[uid] > 2 else call)

    wrap("calendar_reschedule", unchecked)


@mutation("calendar.sequence-stored", also=("calendar.*",))
def an_update_by_another_caller_loses_the_attendee() -> None:
    bookers: dict[str, str] = {}

    def booked(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        bookers[answer.value["bookingUid"]] = call.caller.id
        return answer

    def lost(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        uid = call.path["eventId"]
        if bookers.get(uid) != call.caller.id:
            call.project.events[uid] = replace(call.project.events[uid], attendee=None)
        return answer

    wrap("calendar_book", booked)
    wrap("calendar_reschedule", lost)


@mutation("calendar.reschedule.concurrent", also=("calendar.*",))
def every_fifth_update_is_answered_with_the_event_of_the_one_before() -> None:
    answers: list[Answer] = []

    def answered(rule: Handler, call: Call) -> Answer:
        answers.append(rule(call))
        return answers[-2] if len(answers) % 5 == 0 else answers[-1]

    wrap("calendar_reschedule", answered)


@mutation("calendar.busy.concurrent", also=("calendar.*",))
def ranges_of_ten_minutes_are_those_of_the_query_before() -> None:
    before: list[dict[str, Any]] = []

    def stale(rule: Handler, call: Call) -> Answer:
        times = {name: call.query[name] for name in ("timeMin", "timeMax")}
        asked = times if len(before) < 20 else before[-1]
        before.append(times)
        return rule(with_query(call, **asked) if times["timeMin"][:13] == asked["timeMin"][:13] else call)

    wrap("calendar_busy", stale)


@mutation("calendar.book.other-project", also=("calendar.*",))
def events_of_all_projects_are_busy() -> None:
    busy = calendar._busy

    def everywhere(call: Call, named: Calendar, ignored: str | None = None) -> list[Slot]:
        others = [project for project in call.world.projects.values() if project.id != call.project.id]
        slots = [(event.start, event.end) for project in others for event in project.events.all()]
        return [*busy(call, named, ignored), *slots]

    patch(calendar, "_busy", everywhere)


@mutation("sidebar.replace.sequence", also=("sidebar.replace.*",))
def items_keep_the_fields_that_a_new_list_lacks() -> None:
    def kept(rule: Handler, call: Call) -> Answer:
        before = {item.get("id"): item for section in call.project.sidebar for item in section.get("items") or []}
        sections = [
            {**section, "items": [{**before.get(item.get("id"), {}), **item} for item in section["items"]]}
            if "items" in section
            else section
            for section in call.body["sections"]
        ]
        return rule(with_body(call, sections=sections))

    wrap("sidebar_replace", kept)


@mutation("sidebar.replace.refused-changes-nothing", also=("sidebar.*",))
def an_invalid_list_empties_the_sidebar() -> None:
    keep_what_failed()
    handle = OperationDispatcher._call_handler

    def emptied(
        self: OperationDispatcher, operation: Operation, texts: Mapping[str, str], contents: Contents, *others: Any
    ) -> Response:
        try:
            return handle(self, operation, texts, contents, *others)
        except ApiError as refusal:
            if operation.id == "sidebar_replace" and refusal.status == 400:
                contents.projects[texts["projectId"]].sidebar = []
            raise

    patch(OperationDispatcher, "_call_handler", emptied)


def _every_seventh(operation: str) -> Callable[[], None]:
    """Return a mutation that answers every seventh call as the one before."""

    def apply() -> None:
        answers: list[Answer] = []

        def repeated(rule: Handler, call: Call) -> Answer:
            answers.append(answers[-1] if len(answers) % 7 == 6 else rule(call))
            return answers[-1]

        wrap(operation, repeated)

    apply.__name__ = f"every_seventh_{operation}_is_answered_as_the_one_before"
    return apply


for area, operation in (
    ("agents", "agents_list"),
    ("posts", "posts_list"),
    ("web-analytics", "web_analytics_get_config"),
    ("photo-analytics", "photo_analytics_list_media"),
    ("labels", "labels_export"),
):
    rule_id = f"scope.any-order.{operation.replace('_', '-')}"
    mutation(rule_id, also=(f"{area}.*", "scope.*", "fields.*"))(_every_seventh(operation))


@mutation("calendar.book.any-text", also=("calendar.*",))
def names_of_attendees_are_in_latin_letters() -> None:
    def latin(rule: Handler, call: Call) -> Answer:
        name = (call.body.get("attendee") or {}).get("name", "")
        if name.encode("latin-1", "replace").decode("latin-1") != name:
            raise bad_request("body.attendee.name", "is not in latin letters")
        return rule(call)

    wrap("calendar_book", latin)
