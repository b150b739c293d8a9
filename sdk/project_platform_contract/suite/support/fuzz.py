"""Requests that Schemathesis makes up from the contract, kept to what a run may do.

Only what the specification states counts: what the contract assumes beyond it (`x-assumed`: which fields are required, for
instance) is taken out before anything is made up. What is made up names no method and no path of its own; it is sent by
`Api`, through the fuse, as everything else.
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

# Where a made-up body reaches people or acts by itself, and what stands in it instead.
_LEFT_OUT: Final = {
    # An attendee is invited, and any calendar may be somebody's.
    "calendar_book": ("attendee", "calendarId"),
    "calendar_reschedule": ("calendarId", "notifyAttendees"),
    # An active workflow, and actions, do something later.
    "workflows_create": ("isActive", "actions"),
}
_NAMES: Final = {
    "workflows_create": "name",
    "records_create": "externalId",
    "calendar_book": "summary",
    "calendar_reschedule": "summary",
    "templates_apply": "name",
}
_LONGEST_NAME: Final = 200  # "Limits": the longest name of a workflow.


def requests(operation: str, fitting: dict[str, Any], tag: str, *, fit: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Return made-up arguments of a call, beginning with some that are carried out.

    Args:
        operation: The operation.
        fitting: Arguments that are carried out; each that is made up has some members of its own, and the rest of these.
        tag: What everything is named with.
        fit: Whether they fit the contract, or break it in the body or the query.
    """
    effect = _node(operation)["x-sdk"]["effect"]
    # Only here: it takes a second to load, and most runs of single tests do without.
    from schemathesis.core import NOT_SET
    from schemathesis.generation import GenerationMode

    mode = GenerationMode.POSITIVE if fit else GenerationMode.NEGATIVE
    path = {name: value for name, value in fitting.items() if name not in {"json", "query"}}
    cases = _operation(operation).as_strategy(
        generation_mode=mode, path_parameters={"projectId": "0b9c4c6e-0000-4000-8000-000000000000", **path}
    )

    @st.composite
    def arguments(draw: st.DrawFn) -> dict[str, Any]:
        case = draw(cases)
        made: dict[str, Any] = dict(path)
        if case.body is not NOT_SET:
            body = _without_addresses(case.body) if effect in {"notify", "irreversible"} else case.body
            made["json"] = _safe(operation, _mixed(draw, fitting.get("json"), body, some=fit), tag)
            assume(_can_be_written(made["json"]))
        query = {name: value for name, value in (case.query or {}).items() if value is not None}
        if query or "query" in fitting:
            made["query"] = {**fitting.get("query", {}), **query}
        return made

    return arguments()


def breaks(operation: str, arguments: dict[str, Any]) -> bool:
    """Return whether a call breaks what the specification states; members that are null are left out of it.

    Whether null stands for "not given" is not shown, so that a request which breaks nothing but that says nothing.
    """
    if "json" in arguments:
        body = arguments["json"]
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if value is not None}
        if not _body(operation).is_valid(body):
            return True
    return any(not _fits_query(operation, name, value) for name, value in arguments.get("query", {}).items())


def may_break(operation: str) -> bool:
    """Return whether the specification states anything of the body or the query that a request could break."""
    node = _node(operation)
    return "requestBody" in node or any(_limits(parameter) for parameter in node.get("parameters", []))


def _mixed(draw: st.DrawFn, fitting: Any, made: Any, *, some: bool) -> Any:
    """Return a made-up body, or one that is carried out with some members of it, or with all."""
    if not isinstance(fitting, dict) or not isinstance(made, dict) or draw(st.booleans()):
        return made
    names = sorted(made)
    if not some:  # the one that breaks the contract is among them
        return {**fitting, **made}
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return {**fitting, **{name: made[name] for name in chosen}}


def _safe(operation: str, body: Any, tag: str) -> Any:
    if not isinstance(body, dict):
        return body
    body = {name: value for name, value in body.items() if name not in _LEFT_OUT.get(operation, ())}
    name = _NAMES.get(operation)
    text = body.get(name) if name is not None else None
    if isinstance(text, str) and 0 < len(text) <= _LONGEST_NAME:  # one that is too long stays so
        body[name] = f"{tag} {text}"[:_LONGEST_NAME]
    return body


def _without_addresses(value: Any) -> Any:
    """Return a value in which nothing can be read as an address: the fuse would hold it back."""
    if isinstance(value, dict):
        return {_without_addresses(key): _without_addresses(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_without_addresses(item) for item in value]
    if isinstance(value, str):
        return "".join("a" if "@" in unicodedata.normalize("NFKC", character) else character for character in value)
    return value


def _can_be_written(body: Any) -> bool:
    """Return whether a body is JSON; Schemathesis makes up bytes, too."""
    try:
        json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError):
        return False
    return True


@cache
def _stated() -> dict[str, Any]:
    """Return the contract without what it assumes of requests."""
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


def _fits_query(operation: str, name: str, value: Any) -> bool:
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
    """Return the schema of a parameter whose numbers the specification limits; nothing for others."""
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
