"""Requests that Schemathesis generates from the contract, without side effects on people.

They are generated from what the specification states: assumptions of the contract (`x-assumed`, such as required fields)
are removed first. Only the body and the query are generated; `Api` sends the request through the fuse.
"""

from __future__ import annotations

import json
import unicodedata
from copy import deepcopy
from functools import cache
from typing import Any, Final

from hypothesis import assume
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from project_platform_contract.operations import contract

# Members that are removed from generated bodies, because they would have side effects.
_REMOVED: Final = {
    # Attendees are invited, and another calendar may belong to other people.
    "calendar_book": ("attendee", "calendarId"),
    "calendar_reschedule": ("calendarId", "notifyAttendees"),
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
_LONGEST_NAME: Final = 200  # "Limits": the longest name of a workflow.


def requests(operation: str, valid: dict[str, Any], tag: str, *, fit: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for arguments of a call.

    Args:
        operation: The operationId.
        valid: Arguments of a valid call; generated members are mixed with its members.
        tag: Prefix of generated names.
        fit: Whether the arguments should conform to the contract, or violate it in the body or the query.
    """
    effect = _node(operation)["x-sdk"]["effect"]
    # Imported here because it takes a second to load, and few tests need it.
    from schemathesis.core import NOT_SET
    from schemathesis.generation import GenerationMode

    mode = GenerationMode.POSITIVE if fit else GenerationMode.NEGATIVE
    path = {name: value for name, value in valid.items() if name not in {"json", "query"}}
    cases = _operation(operation).as_strategy(
        generation_mode=mode, path_parameters={"projectId": "0b9c4c6e-0000-4000-8000-000000000000", **path}
    )

    @st.composite
    def arguments(draw: st.DrawFn) -> dict[str, Any]:
        case = draw(cases)
        result: dict[str, Any] = dict(path)
        if case.body is not NOT_SET:
            body = _without_addresses(case.body) if effect in {"notify", "irreversible"} else case.body
            result["json"] = _safe(operation, _mixed(draw, valid.get("json"), body, some=fit), tag)
            assume(_is_json(result["json"]))
        query = {name: value for name, value in (case.query or {}).items() if value is not None}
        if query or "query" in valid:
            result["query"] = {**valid.get("query", {}), **query}
        return result

    return arguments()


def breaks(operation: str, arguments: dict[str, Any]) -> bool:
    """Return whether a call violates what the specification states.

    Members that are null are ignored, because the specification does not say whether null means "omitted".
    """
    if "json" in arguments:
        body = arguments["json"]
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if value is not None}
        if not _body(operation).is_valid(body):
            return True
    return any(not _is_valid_query(operation, name, value) for name, value in arguments.get("query", {}).items())


def may_break(operation: str) -> bool:
    """Return whether the specification constrains the body or the query of an operation."""
    node = _node(operation)
    return "requestBody" in node or any(_limits(parameter) for parameter in node.get("parameters", []))


def _mixed(draw: st.DrawFn, valid: Any, generated: Any, *, some: bool) -> Any:
    """Return the generated body, or the valid body with some or all members of the generated one."""
    if not isinstance(valid, dict) or not isinstance(generated, dict) or draw(st.booleans()):
        return generated
    names = sorted(generated)
    if not some:  # the invalid member must be among them
        return {**valid, **generated}
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return {**valid, **{name: generated[name] for name in chosen}}


def _safe(operation: str, body: Any, tag: str) -> Any:
    if not isinstance(body, dict):
        return body
    body = {name: value for name, value in body.items() if name not in _REMOVED.get(operation, ())}
    name = _NAMES.get(operation)
    text = body.get(name) if name is not None else None
    if isinstance(text, str) and 0 < len(text) <= _LONGEST_NAME:  # a name that is too long must remain invalid
        body[name] = f"{tag} {text}"[:_LONGEST_NAME]
    return body


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
def _stated() -> dict[str, Any]:
    """Return the contract without its assumptions about requests."""
    document = deepcopy(contract())
    for schema in document["components"]["schemas"].values():
        if "x-assumed" in schema:
            schema.pop("required", None)
        for member in schema.get("properties", {}).values():
            if "x-assumed" in member:
                member.pop("required", None)
    return document


@cache
def _operation(operation: str) -> Any:
    import schemathesis

    schema = schemathesis.openapi.from_dict(_stated())
    schema.config.generation.update(allow_x00=False)
    return schema.find_operation_by_id(operation)


@cache
def _body(operation: str) -> Draft202012Validator:
    media = _node(operation)["requestBody"]["content"]["application/json"]
    return Draft202012Validator(
        {**media["schema"], "components": _stated()["components"]}, format_checker=FormatChecker()
    )


def _is_valid_query(operation: str, name: str, value: Any) -> bool:
    for parameter in _node(operation).get("parameters", []):
        resolved = _resolved(parameter)
        if resolved["name"] == name and (limits := _limits(parameter)):
            try:
                number = int(str(value))
            except ValueError:
                return False
            return bool(limits.get("minimum", number) <= number <= limits.get("maximum", number))
    return True


def _limits(parameter: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an integer query parameter, whose range the specification limits; {} for others."""
    resolved = _resolved(parameter)
    schema: dict[str, Any] = resolved["schema"]
    return schema if resolved["in"] == "query" and schema.get("type") == "integer" else {}


def _resolved(parameter: dict[str, Any]) -> dict[str, Any]:
    resolved: dict[str, Any] = contract()["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
    return resolved


def _node(operation: str) -> dict[str, Any]:
    return next(
        node for item in contract()["paths"].values() for node in item.values() if node.get("operationId") == operation
    )
