"""Writes `docs/reference/error-catalogue.md`: every error by class, by status and by code, with what to do."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from project_platform import errors
from project_platform.calls.error_mapping import status_error_class

from .complaints import GenerationError, all_or_complaints
from .markdown import table
from .operation_pages.advice import CONFLICT_ADVICE, STATUS_ADVICE
from .operation_pages.schemas import one_line
from .operations import raw_operations
from .public_names import PUBLIC
from .tables import method

_DOUBT: Final = (
    "Do what the message ends with: [call `client.settle(error)`](../errors.md#when-the-response-is-lost), or look."
)
_ADVICE: Final = {
    "PlatformError": (
        "any",
        "Catch it as the last of several handlers, and log it: the message has no token and no body.",
    ),
    "TransportError": ("any", "Catch it for its subclasses."),
    "NotSentError": ("`no`", "Check the address, the network and the certificate. The call can be repeated."),
    "TimeoutError": (
        "`no`, or `unknown` for a write",
        "For a read, raise `timeout` or the deadline. For a write, see `OutcomeUnknownError`.",
    ),
    "ConnectionLostError": ("`no`, or `unknown` for a write", "Repeat a read. For a write, see `OutcomeUnknownError`."),
    "StatusError": ("see the status", "See [the status](#by-status)."),
    "BadRequestError": ("`no`", STATUS_ADVICE[400]),
    "AuthenticationError": ("`no`", STATUS_ADVICE[401]),
    "PermissionDeniedError": ("`no`", STATUS_ADVICE[403]),
    "NotFoundError": ("`no`", STATUS_ADVICE[404]),
    "ConflictError": ("`no`", STATUS_ADVICE[409]),
    "StalePreconditionError": ("`no`", "Take a newer record and decide again, or use `modify` of a type."),
    "SlotTakenError": ("`no`", CONFLICT_ADVICE["SlotTakenError"]),
    "UnprocessableEntityError": ("`no`", STATUS_ADVICE[422]),
    "RateLimitError": ("`no`", STATUS_ADVICE[429]),
    "ServerError": ("`no`, or `unknown` for a write", STATUS_ADVICE[500]),
    "InDoubtError": ("`unknown`", _DOUBT),
    "OutcomeUnknownError": ("`unknown`", _DOUBT),
    "UnsuccessfulError": ("`no`, or `unknown` for a write", f"Read the message of the service. For a write: {_DOUBT}"),
    "DecodingError": ("`yes`", "Do not repeat a write. Compare the service with the contract: `body` has the answer."),
    "ResponseTooLargeError": (
        "`yes`",
        "Do not repeat a write. For a read, raise `max_response_bytes`, or ask for less.",
    ),
    "PaginationStalledError": ("`no`", "Start again from `cursor`; report it to the operator of the service."),
    "MergeMismatchError": (
        "`yes`",
        "Compare `record` with the change: the service merges in another way, or stores other values.",
    ),
    "DataMismatchError": (
        "that of the write",
        "Compare `problems` with the class; `record` has the data. Do not repeat a write that was applied.",
    ),
    "GuardNeverHoldsError": (
        "`no`",
        "Check the `refresh` function: its record may not be newer. Otherwise use another guard.",
    ),
    "BulkStoppedError": (
        "per row",
        "Read the report: all first rows ended with an error. Correct its cause and run again.",
    ),
    "BulkWorkerError": ("per row", "Correct the worker that the message names; the same code continues."),
    "JournalError": ("per row", "Check the file and the disk. The journal is unchanged."),
    "JournalInUseError": ("nothing sent", "Wait for the other run, or end it."),
    "UsageError": ("nothing sent", "Correct the argument that the message names."),
    "InputChangedError": ("nothing sent", "Use the input with which the journal began, or a new journal."),
    "InexpressibleChangeError": ("nothing sent", "State how the service merges: `ChangeOptions(merge=...)`."),
    "WeakGuardError": ("nothing sent", "Guard a key with an exact value, such as a version number."),
    "FieldMissingError": ("not an error of a call", "Use `getattr(model, name, None)` where the field may be missing."),
}
_CODE_ADVICE: Final = {
    "account_not_found": "Use the identifier of a connected account.",
    "body_too_large": "Send less than 1 MiB.",
    "calendar_not_found": "Connect a calendar, or correct `calendar_id`.",
    "contract_broken": "The answer of the stub violated `openapi.yaml`: the message says where.",
    "duplicate_external_id": "Use the record that has the identifier already; its id is in the message.",
    "event_not_found": "Use the `booking_uid` of a booking of this calendar.",
    "internal_error": "A defect of the stub: its log has the traceback.",
    "invalid_request": "Correct the field that the message names.",
    "method_not_allowed": "Use a method that the header `Allow` lists.",
    "missing_scope": "Connect the calendar again, with the calendar-events write scope.",
    "no_such_path": "Correct the path; the journal has a hint.",
    "not_a_member": "Use a project of which the identity is a member.",
    "permission_denied": "Use an identity that has the permission that the message names.",
    "post_not_found": "Use the identifier of a published post of the page.",
    "rate_limited": "Wait as long as `Retry-After` says, and lower the rate.",
    "real_user_required": "Use a token of a person, not of a service account.",
    "record_not_found": "Use the `id` of a record, not its `external_id`.",
    "slot_taken": CONFLICT_ADVICE["SlotTakenError"],
    "stale_precondition": "Take a newer record and decide again.",
    "unauthorized": "Renew the token; the message says what is wrong with it.",
    "unsupported_media_type": "Send `application/json`.",
}
_NOT_FOUND: Final = "Use the identifier of a {} of this project."
_CALL: Final = re.compile(
    r'(?P<kind>ApiError|not_found|forbidden|conflict)\((?:(?P<status>\d{3}), )?.*?,\s*"(?P<code>[a-z_]+)"[,)]',
    re.DOTALL,
)
_STATUSES: Final = {"not_found": 404, "forbidden": 403, "conflict": 409}
_HEAD: Final = """\
<!-- Generated from openapi.yaml by `python -m codegen`. Do not edit. -->

# Error catalogue

Every error of a call, by class, by status and by code: what it means, whether a write was applied, and what to do.
[Errors](../errors.md) explains how they belong together.
{ .lead }
"""
_CODES: Final = """\
## By code

`error.code` is the `code` of the error body. The specification does not show its values: these are those of the stub server.
Compare them only if you know those of your deployment.
"""


def page(document: Mapping[str, Any], stub: Path) -> str:
    """Return the page, as Markdown.

    Args:
        document: The OpenAPI document.
        stub: Folder of the package of the stub server, whose error codes are listed.

    Raises:
        GenerationError: Classes, statuses or codes have no advice.
    """
    rows = all_or_complaints([lambda: list(_classes()), lambda: list(_statuses(document)), lambda: list(_codes(stub))])
    headers = (
        ("Error", "Meaning", "Applied", "What to do"),
        ("Status", "Error", "Operations", "What to do"),
        ("Code", "Status", "What to do"),
    )
    classes, statuses, codes = map(table, headers, rows)
    return (
        f"{_HEAD}\n## By class\n\n{_block(classes)}\n## By status\n\nA proxy can answer with a status that no operation lists.\n\n"
        f"{_block(statuses)}\n{_CODES}\n{_block(codes)}"
    )


def _classes() -> Iterable[tuple[str, ...]]:
    _require("_ADVICE", PUBLIC["errors"], _ADVICE)
    for name, (applied, advice) in _ADVICE.items():
        sentence = inspect.cleandoc(getattr(errors, name).__doc__).partition("\n\n")[0]
        linked = f"[`{name}`](errors.md#project_platform.{name})" if name != "FieldMissingError" else f"`{name}`"
        yield linked, one_line(sentence), applied, advice


def _statuses(document: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    operations = raw_operations(dict(document))
    users: dict[int, list[str]] = defaultdict(list)
    classes: dict[int, dict[str, None]] = defaultdict(dict)
    for operation in operations.values():
        for status in operation["responses"]:
            if status[0] in "45":
                users[int(status)].append(f"`{method(operation)}`")
                conflict = operation["x-sdk"].get("conflict")
                error = status_error_class(int(status), getattr(errors, conflict) if conflict else None)
                classes[int(status)][f"`{error.__name__}`"] = None
    _require("STATUS_ADVICE of operation_pages/advice.py", users, STATUS_ADVICE)
    for status, advice in STATUS_ADVICE.items():
        used = users[status]
        few = ", ".join(used) if used else "none; a proxy may send it"
        shown = "all" if len(used) == len(operations) else f"{len(used)} of {len(operations)}" if len(used) > 3 else few  # noqa: PLR2004  # a longer list is hard to read
        raised = ", ".join(classes[status]) or f"`{status_error_class(status).__name__}`"
        yield str(status), raised, shown, advice


def _codes(stub: Path) -> Iterable[tuple[str, ...]]:
    found: dict[str, set[str]] = defaultdict(set)
    for folder in ("http", "dispatch", "operations"):
        for path in sorted((stub / folder).rglob("*.py")):
            for line in path.read_text("utf-8").splitlines():
                for call in _CALL.finditer(line):
                    found[call["code"]].add(call["status"] or str(_STATUSES.get(call["kind"])))
    found["unauthorized"].add("401")
    advice = {
        code: _NOT_FOUND.format(code.removesuffix("_not_found").replace("_", " "))
        for code in found
        if code.endswith("_not_found")
    }
    advice |= _CODE_ADVICE
    _require("_CODE_ADVICE", found, advice)
    for code, statuses in sorted(found.items()):
        yield f"`{code}`", ", ".join(sorted(statuses)), advice[code]


def _require(table: str, names: Iterable[object], advice: Container[object]) -> None:
    if missing := [name for name in names if name not in advice]:
        raise GenerationError(
            f"sdk/codegen/error_catalogue.py: {name} has no advice; add it to {table}" for name in missing
        )


def _block(content: str) -> str:
    return f'<div class="errors" markdown>\n\n{content}\n\n</div>\n'
