"""Bodies that do not fit are taken, one operation after the other: nothing is checked, whatever then comes of it."""

from __future__ import annotations

from typing import Any

from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.validation import Validator

from .mutation import Break, mutation, patch

_RULES = {
    "workflows_create": "workflows.create.body-types",
    "records_create": "records.create.body-types",
    "records_update": "records.update.body-types",
    "calendar_book": "calendar.book.body-types",
    "calendar_reschedule": "calendar.reschedule.body-types",
    "sidebar_replace": "sidebar.replace.body-types",
    "templates_apply": "templates.apply.body-types",
    "memory_update": "memory.update.body-types",
    "labels_export": "labels.export.body-types",
}


def unchecked(id: str) -> Break:
    """Return what makes an operation take any body."""
    check = Validator.body

    def lenient(self: Validator, operation: Operation, value: Any) -> None:
        if operation.id != id:
            check(self, operation, value)

    def apply() -> None:
        patch(Validator, "body", lenient)

    apply.__name__ = f"any_body_of_{id}_is_taken"
    return apply


# Some fields of these have a rule of their own.
_ALSO = {
    "calendar_book": ("calendar.book.attendee-email", "calendar.book.summary-length"),
    "labels_export": ("labels.export.stock",),
}

for operation, rule in _RULES.items():
    mutation(rule, also=_ALSO.get(operation, ()))(unchecked(operation))
