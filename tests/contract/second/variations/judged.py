"""Healthy services that were said to violate the specification, where it is silent."""

from __future__ import annotations

from typing import Any

from ..mutant import VARIATIONS, Kind, alter_body, alter_value, patch
from ..service import app, records

judged = Kind("judged", registry=VARIATIONS)


@judged("workflows_create", "Body: `isActive` (boolean); silent: whether a workflow without it is active.")
def workflows_are_active_by_default() -> None:
    alter_body("workflows_create", lambda body: body.setdefault("isActive", True))


@judged("templates_apply", "`report.counts`: integers; silent: whether parts of other kinds are counted.")
def counts_have_another_kind() -> None:
    def count_emails(value: Any) -> None:
        value["data"]["templateApply"]["report"]["counts"].update(agents=0, emails=2)

    alter_value("templates_apply", count_emails)


@judged("records_update", "`expectedData` is a JSON containment precondition; silent: whether 12 and 12.0 are equal.")
def numbers_are_compared_as_written() -> None:
    contains = records.contains

    def strict(have: Any, want: Any) -> bool:
        if {type(have), type(want)} == {int, float}:
            return False
        return bool(contains(have, want))

    patch(records, "contains", strict)
    patch(app, "plain", lambda value: value)
