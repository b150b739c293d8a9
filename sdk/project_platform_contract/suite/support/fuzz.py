"""Requests that Schemathesis generates from the contract, without side effects on people.

They are generated from what the specification states: assumptions of the contract (`x-assumed`, such as required fields)
are removed first. Only the body and the query are generated; `Api` sends the request through the fuse.
"""

from __future__ import annotations

import json
import unicodedata
import uuid
from functools import cache
from typing import Any, Final

from hypothesis import assume
from hypothesis import strategies as st

from project_platform_contract.fuse.request_inspection import REFERENCES
from project_platform_contract.operations import operation_by_id, operations
from project_platform_contract.request_schema import stated_contract

from .json_equality import with_texts

# Members that are removed from generated bodies, because they would have side effects.
_REMOVED: Final = {
    # Attendees are invited, and another calendar may belong to other people.
    "calendar_book": ("attendee", "calendarId"),
    "calendar_reschedule": ("attendee", "calendarId", "notifyAttendees"),
    # Active workflows and actions run later.
    "workflows_create": ("isActive", "actions"),
}
# Members that get the run's tag as their prefix.
_NAMES: Final = {
    "workflows_create": "name",
    "records_create": "externalId",
    "calendar_book": "summary",
    "calendar_reschedule": "summary",
    "templates_apply": "name",
}
_READS: Final = frozenset(operation.id for operation in operations() if operation.effect == "read")
_LONGEST_NAME: Final = 200  # "Limits": the longest name of a workflow.


def requests(operation: str, valid: dict[str, Any], tag: str, *, fit: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for arguments of a call.

    Args:
        operation: The operationId.
        valid: Arguments of a valid call; generated members are mixed with its members.
        tag: Prefix of generated names.
        fit: Whether the arguments should conform to the contract, or violate it in the body or the query.
    """
    effect = operation_by_id(operation).effect
    # Imported here because it takes a second to load, and few tests need it.
    from schemathesis.core import NOT_SET
    from schemathesis.generation import GenerationMode

    mode = GenerationMode.POSITIVE if fit else GenerationMode.NEGATIVE
    path = {name: value for name, value in valid.items() if name not in {"json", "query"}}
    cases = _operation(operation).as_strategy(
        generation_mode=mode,
        path_parameters={"projectId": "0b9c4c6e-0000-4000-8000-000000000000", **path},
        headers={"Authorization": "of the caller"},  # Otherwise many invalid requests have no other defect.
    )

    @st.composite
    def arguments(draw: st.DrawFn) -> dict[str, Any]:
        case = draw(cases)
        result: dict[str, Any] = dict(path)
        if case.body is not NOT_SET:
            body = _without_addresses(case.body) if effect in {"notify", "irreversible"} else case.body
            valid_body = valid.get("json")
            result["json"] = _safe(operation, _mixed(draw, valid_body, body, some=fit), tag, valid_body)
            assume(_is_json(result["json"]))
        query = {name: value for name, value in (case.query or {}).items() if value is not None}
        if query or "query" in valid:
            result["query"] = {**valid.get("query", {}), **query}
        return result

    return arguments()


def _mixed(draw: st.DrawFn, valid: Any, generated: Any, *, some: bool) -> Any:
    """Return the generated body, or the valid body with some or all members of the generated one."""
    if not isinstance(valid, dict) or not isinstance(generated, dict) or draw(st.booleans()):
        return generated
    names = sorted(generated)
    if not some:  # the invalid member must be among them
        return {**valid, **generated}
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return {**valid, **{name: generated[name] for name in chosen}}


def _safe(operation: str, body: Any, tag: str, valid: Any) -> Any:
    if not isinstance(body, dict):
        return body
    if operation not in _READS:
        known = valid if isinstance(valid, dict) else {}
        body = {
            name: _reference(value, tag, known.get(name)) if name in REFERENCES else value
            for name, value in body.items()
        }
    body = {name: value for name, value in body.items() if name not in _REMOVED.get(operation, ())}
    name = _NAMES.get(operation)
    text = body.get(name) if name is not None else None
    if isinstance(text, str) and 0 < len(text) <= _LONGEST_NAME:  # a name that is too long must remain invalid
        body[name] = f"{tag} {text}"[:_LONGEST_NAME]
    return body


def _reference(value: Any, tag: str, known: Any) -> Any:
    """Return a value that addresses nothing but what the run may change: the fuse would hold the request back."""
    if isinstance(value, str) and known is not None and _is_uuid(value):
        return known
    return with_texts(value, lambda text: f"{tag} {text}" if text else text)


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _without_addresses(value: Any) -> Any:
    """Return a value without anything that may be an email address: the fuse would hold the request back."""
    if isinstance(value, dict):
        return {_without_addresses(key): _without_addresses(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_without_addresses(item) for item in value]
    if isinstance(value, str):
        return "".join("a" if "@" in unicodedata.normalize("NFKC", character) else character for character in value)
    return value


def _is_json(body: Any) -> bool:
    """Return whether a body can be serialized; Schemathesis generates bytes, too."""
    try:
        json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError):
        return False
    return True


@cache
def _operation(operation: str) -> Any:
    import schemathesis

    schema = schemathesis.openapi.from_dict(stated_contract())
    schema.config.generation.update(allow_x00=False)
    return schema.find_operation_by_id(operation)
