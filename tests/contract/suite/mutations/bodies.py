"""Operations that accept any body, one at a time: validation is off, and the handler gets the invalid body."""

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
    """Return a mutation that disables the validation of the body of an operation."""
    check = Validator.body

    def lenient(self: Validator, operation: Operation, value: Any) -> None:
        if operation.id != id:
            check(self, operation, value)

    def apply() -> None:
        patch(Validator, "body", lenient)

    apply.__name__ = f"any_body_of_{id}_is_accepted"
    return apply


# Other rules that validate single fields of these bodies.
_ALSO = {
    "calendar_book": ("calendar.book.attendee-email", "calendar.book.summary-length"),
    "labels_export": ("labels.export.body-required", "labels.export.stock"),
}

for operation, rule in _RULES.items():
    mutation(rule, also=_ALSO.get(operation, ()))(unchecked(operation))
