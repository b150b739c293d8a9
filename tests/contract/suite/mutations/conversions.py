"""Values of another type that are converted instead of refused (Endpoints 5, 6, 7, 9 and 16)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import mutation, patch, schema, with_body, wrap

_BODIES = {"calendar_book": "CreateBookingBody", "calendar_reschedule": "RescheduleEventBody"}


def _converted(operation: str, field: str, convert: Callable[[Any], Any]) -> None:
    """Accept any value of a field, and convert it."""
    node = schema(_BODIES[operation], field)
    for keyword in ("type", "minimum", "maximum", "$ref"):
        node.pop(keyword, None)

    def converted(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, **{field: convert(call.body[field])}) if field in call.body else call)

    wrap(operation, converted)


@mutation("calendar.book.body-types", also=("calendar.book.*",))
def a_conflict_check_may_be_any_value() -> None:
    _converted("calendar_book", "conflictCheck", bool)


@mutation("calendar.book.body-types", also=("calendar.book.*",))
def a_duration_may_be_a_string() -> None:
    _converted("calendar_book", "durationMinutes", lambda minutes: int(minutes) if str(minutes).isdecimal() else 30)


@mutation("calendar.book.body-types", also=("calendar.book.*",))
def metadata_may_be_falsy() -> None:
    _converted("calendar_book", "metadata", lambda metadata: metadata or {})


@mutation("calendar.book.body-types", also=("calendar.book.*",))
def a_summary_may_be_a_number() -> None:
    _converted("calendar_book", "summary", str)


@mutation("calendar.reschedule.body-types", also=("calendar.reschedule.*",))
def a_notification_may_be_any_value() -> None:
    _converted("calendar_reschedule", "notifyAttendees", lambda value: value not in {"false", "", 0})


@mutation("calendar.reschedule.body-types", also=("calendar.reschedule.*",))
def a_new_duration_is_rounded() -> None:
    _converted("calendar_reschedule", "durationMinutes", lambda minutes: round(float(str(minutes))))


@mutation("calendar.busy.parameter-types", "calendar.book.body-types", also=("calendar.*",))
def a_date_that_does_not_exist_is_the_next_one() -> None:
    read = calendar.read_time

    def lenient(text: str, zone: str | None, place: str) -> Any:
        try:
            return read(text, zone, place)
        except ApiError:
            return read(text.replace("02-30", "03-02"), zone, place)

    patch(calendar, "read_time", lenient)


@mutation("templates.apply.body-types", also=("templates.apply.*",))
def values_of_variables_may_be_a_list() -> None:
    schema("ApplyTemplateBody", "variableValues")["type"] = ["object", "array"]

    def converted(rule: Handler, call: Call) -> Answer:
        values = call.body.get("variableValues", {})
        return rule(with_body(call, variableValues=values if isinstance(values, dict) else {}))

    wrap("templates_apply", converted)


@mutation("labels.export.body-types", also=("labels.export.*",))
def unapproved_labels_may_be_requested_with_a_string() -> None:
    schema("ExportLabelsBody", "includeUnapproved")["type"] = ["boolean", "string"]
