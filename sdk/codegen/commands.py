"""The operations on the command line: a table that the command reads, and their part of the reference page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic.alias_generators import to_snake

from project_platform.commands.parser import EXIT_STATUSES
from project_platform.commands.table import FEW, RESERVED, Argument, Command, Kind

from .markdown import table
from .marks import body_fields, items, resolved
from .operations import raw_operations

_BOUNDS: Final = (("minLength", "maxLength", "character"), ("minItems", "maxItems", "item"), ("minimum", "maximum", ""))
_KINDS: Final[Mapping[str, Kind]] = {"string": "text", "integer": "integer", "boolean": "boolean"}


def commands(document: Mapping[str, Any]) -> list[Command]:
    """Return the operations of a document as commands, in the order of their names."""
    return sorted(_command(document, node) for node in raw_operations(document).values())


def problems(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments that have the name of an option that every operation has."""
    for id, node in raw_operations(document).items():
        names = [resolved(document, parameter).get("name", "") for parameter in node.get("parameters", ())]
        names += body_fields(document, node)
        for name in names:
            if to_snake(name) in RESERVED:
                yield (
                    f"{id}: {name} would be --{to_snake(name).replace('_', '-')}, which is an option of "
                    "`project-platform call`; rename that option in project_platform/commands/parser.py and table.py"
                )


def source(value: Command | Argument, enums: Mapping[tuple[str, ...], str]) -> str:
    """Return the expression of a command or an argument, without what its class has as a default.

    Args:
        value: The command or the argument.
        enums: Names of the generated enumerations by their values.
    """
    given = []
    for name, member in value._asdict().items():
        if member == value._field_defaults.get(name):
            continue
        if name == "arguments":
            text = f"({''.join(f'{source(argument, enums)},' for argument in member)})"
        else:
            text = f"get_args({enums[member]})" if name == "values" and member in enums else repr(member)
        given.append(f"{name}={text}" if name in value._field_defaults else text)
    return f"{type(value).__name__}({', '.join(given)})"


def _command(document: Mapping[str, Any], node: Mapping[str, Any]) -> Command:
    sdk = node["x-sdk"]
    parameters = [resolved(document, parameter) for parameter in node.get("parameters", [])]
    arguments = [
        _argument(document, parameter["name"], parameter, parameter["schema"], positional=parameter["in"] == "path")
        for parameter in parameters
        if parameter["name"] != "projectId"
    ]
    arguments += _fields(document, node)
    arguments = [
        argument._replace(positional=True) if argument.json_name in sdk.get("positional", []) else argument
        for argument in arguments
    ]
    options = {argument.json_name: argument.option for argument in arguments}
    arguments.sort(key=lambda argument: (not argument.positional, not argument.required))  # stable
    return Command(
        name=f"{sdk['resource']}.{sdk['method']}",
        summary=node["summary"],
        description=_with_options(node["description"], options),
        reads=sdk["effect"] == "read",
        in_project=any(parameter["name"] == "projectId" for parameter in parameters),
        paged="page" in sdk,
        saves="result" in sdk,
        arguments=tuple(argument._replace(help=_with_options(argument.help, options)) for argument in arguments),
        model=_model(document, node),
        columns=tuple(node.get("x-columns", ())),
    )


def _model(document: Mapping[str, Any], node: Mapping[str, Any]) -> str:
    """Return the name of the model of a result; empty if it is none."""
    return str(items(document, node).get("$ref", "")).rpartition("/")[2]


def _fields(document: Mapping[str, Any], node: Mapping[str, Any]) -> Iterator[Argument]:
    if "requestBody" not in node:
        return
    body = resolved(document, next(iter(node["requestBody"]["content"].values()))["schema"])
    for name, schema in body["properties"].items():
        yield _argument(document, name, {**schema, "required": name in body.get("required", [])}, schema)


def _argument(
    document: Mapping[str, Any],
    name: str,
    described: Mapping[str, Any],
    schema: Mapping[str, Any],
    *,
    positional: bool = False,
) -> Argument:
    schema = resolved(document, schema)
    text: str = described.get("description") or schema.get("description", "")
    return Argument(
        name=to_snake(name),
        json_name=name,
        kind=_kind(document, schema),
        help=text + _limits(schema, text),
        positional=positional,
        required=bool(described.get("required")),
        values=tuple(schema.get("enum", ())),
    )


def _kind(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Kind:
    types = schema.get("type")
    kind = next((one for one in types if one != "null"), None) if isinstance(types, list) else types
    if kind == "array" and resolved(document, schema["items"]).get("type") == "string":
        return "texts"
    if kind == "object" and schema.get("additionalProperties") == {"type": "string"}:
        return "pairs"
    return _KINDS.get(str(kind), "json")


def _limits(schema: Mapping[str, Any], text: str) -> str:
    """Return the limits that the text does not state, such as `1 to 200 characters`; those that are only assumed are not checked, so they are left out."""
    if "x-assumed" in schema:
        return ""
    for least, most, unit in _BOUNDS:
        numbers = [schema[name] for name in (least, most) if name in schema]
        if not all(re.search(rf"\b{number}\b", text) for number in numbers):
            units = f" {unit}{'' if numbers[-1] == 1 else 's'}" if unit else ""
            word = "" if len(numbers) > 1 else "At least " if least in schema else "At most "
            return f" {word}{' to '.join(map(str, numbers))}{units}."
    return ""


def _with_options(text: str, options: Mapping[str, str]) -> str:
    """Return a text of the document with the names of arguments as they are on the command line."""
    return re.sub(r"`(\w+)`", lambda name: f"`{options.get(name[1], name[1])}`", text)


def exit_statuses(_document: Mapping[str, Any]) -> str:
    """Return the table of exit statuses."""
    return table(("Status", "Verdict", "Meaning"), [(str(status), *texts) for status, *texts in EXIT_STATUSES])


def reference(document: Mapping[str, Any]) -> str:
    """Return the sections of the operations on the command line."""
    return "\n".join(map(_section, commands(document))).rstrip("\n")


def _section(command: Command) -> str:
    positional = [argument.option for argument in command.arguments if argument.positional]
    usage = " ".join(["project-platform call", command.name, *positional])
    lines = [f"### {command.name}", "", command.summary]
    if command.description:
        lines += ["", command.description]
    lines += ["", f"`{usage}`", ""]
    if command.arguments:
        lines += [table(("Argument", "Type", "Description"), [_row(argument) for argument in command.arguments]), ""]
    return "\n".join(lines)


def _row(argument: Argument) -> tuple[str, ...]:
    values = argument.values
    kind = f"one of {len(values)} values" if len(values) > FEW else ", ".join(f"`{one}`" for one in values)
    required = " Required." if argument.required else ""
    return f"`{argument.option}`", kind or _TYPES[argument.kind], f"{argument.help}{required}"


_TYPES: Final[Mapping[Kind, str]] = {
    "text": "text",
    "integer": "whole number",
    "boolean": "yes, or `--no-...`",
    "texts": "text, repeated for each",
    "pairs": "NAME=VALUE, repeated for each",
    "json": "JSON, `@FILE` or `-`",
}
