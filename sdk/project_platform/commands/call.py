"""`project-platform call`: send an operation.

Only the table of operations is imported for `--help` and for mistakes in the command line; the SDK is imported to send.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._generated.commands import COMMANDS
from ..suggestion import suggestion
from .parser import PROGRAM, operation_parser, parsed
from .standard_error import say
from .table import Command

if TYPE_CHECKING:
    from ..calls.model import Model
    from ..calls.operation import Call
    from ..calls.pagination import Pager
    from ..client import Client

_USAGE_STATUS = 2


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Args:
        argv: The arguments after `call`.

    Returns:
        The exit status; `STATUSES` lists them.
    """
    if not argv or argv[0] in {"-h", "--help"}:
        (print if argv else say)(overview())
        return 0 if argv else _USAGE_STATUS
    two_words = "." not in argv[0] and len(argv) > 1 and not argv[1].startswith("-")  # `agents list`, as `agents.list`
    words = 2 if two_words else 1
    name = ".".join(argv[:words])
    command = COMMANDS.get(name)
    if command is None:
        resource = [known for known in COMMANDS if known.partition(".")[0] == name.partition(".")[0]]
        hint = f"there are {' and '.join(resource)}" if resource else suggestion(name, COMMANDS)
        hint = hint or f"`{PROGRAM} call --help` lists them"
        say(f"{PROGRAM} call: there is no operation {name!r}; {hint}")
        return _USAGE_STATUS
    given = parsed(operation_parser(command), argv[words:])
    from .verdict import reported

    return reported("call", lambda: _run(command, given), given)


def overview() -> str:
    """Return the list of operations."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            f"usage: {PROGRAM} call OPERATION [ARGUMENT ...]",
            "",
            "Send an operation. The result is printed as JSON, the verdict on standard error.",
            "",
            "operations:",
            *lines,
            "",
            f"`{PROGRAM} call OPERATION --help` shows the arguments of an operation.",
        ]
    )


def _run(command: Command, given: argparse.Namespace) -> int:
    from ..calls.configuration import resolve_base_url
    from ..errors import UsageError
    from .arguments import arguments_of
    from .connection import call_options, connection, open_client
    from .curl import curl
    from .doubt import kept

    chosen: str | None = getattr(given, "save_doubt", None)
    if chosen is not None and os.path.lexists(chosen):
        raise UsageError(f"--save-doubt is {chosen}, which exists; settle that file first, or give a new one")
    if chosen is not None and not Path(chosen).parent.is_dir():
        raise UsageError(f"--save-doubt is {chosen}, and its folder does not exist; create the folder first")
    if command.saves and given.to is None and not given.dry_run:
        raise UsageError(f"{command.name} needs --to FILE, where its result is written, or --to - for standard output")
    fields = _fields(command, given)
    try:
        arguments = arguments_of(command, given)
        found = connection(given)
        if given.dry_run:
            url = resolve_base_url(found.base_url or "", allow_insecure=found.allow_insecure)
            print(curl(url, _call(command, found.project_id, arguments), getattr(given, "to", None)))
            return 0
        with open_client(found, **call_options(given)) as client, kept(client, given):
            return _send(command, given, client, arguments, fields)
    except UsageError as error:
        error.args = (_with_options(command, str(error.args[0])),)
        raise


def _fields(command: Command, given: argparse.Namespace) -> list[str]:
    """Return the fields to print, empty for all.

    Raises:
        UsageError: The result has no such field.
    """
    from ..errors import UsageError

    if getattr(given, "fields", None) is None:
        return []
    fields: list[str] = given.fields.split(",")
    known = _known_fields(command)
    for name in fields:
        first = name.partition(".")[0]
        if first not in known:
            hint = suggestion(first, known) or f"the fields are {', '.join(known)}"
            raise UsageError(f"--fields has {first!r}, which the result of {command.name} does not have; {hint}")
    return fields


def _known_fields(command: Command) -> list[str]:
    """Return the fields of the result, or of each item of a list."""
    from .. import models

    model: type[Model] = getattr(models, command.model)
    return [field.alias or name for name, field in model.model_fields.items()]


def _call(command: Command, project_id: str | None, arguments: dict[str, Any]) -> Call[Any]:
    from .. import operations
    from ..calls.configuration import resolve_project

    scope = [resolve_project(project_id)] if command.in_project else []
    make: Callable[..., Call[Any]] = getattr(operations, command.operation_id)
    return make(*scope, **arguments)


def _send(
    command: Command, given: argparse.Namespace, client: Client, arguments: dict[str, Any], fields: list[str]
) -> int:
    """Send a call and print its result; return the exit status."""
    from ..calls.fate import shortfalls
    from .output import chosen, plain, write, write_bytes
    from .verdict import PARTIAL, confirm

    value: Any
    if command.paged:
        resource, method = command.name.split(".")
        pager: Pager[Any] = getattr(getattr(client.project(), resource), method)(**arguments)
        if given.all:
            value = list(pager)
        else:
            page = pager.first_page()
            value = page.items
            if page.has_more:
                say(f"{command.name}: there are more items; --all fetches them")
    else:
        response = client.send(_call(command, client.project().id if command.in_project else None, arguments))
        value = response.value
        if not command.reads:
            confirm(command.name, response.applied, response.attempts)
    if command.saves and given.to == "-":
        write_bytes(value.content)
        return 0
    if command.saves:
        value = {"file": str(value.save(given.to)), "summary": value.summary.values}
    printed = plain(value)
    columns = _known_fields(command) if printed == [] and given.output == "csv" else command.columns
    write(chosen(printed, fields) if fields else printed, given.output, fields or columns)
    failures = shortfalls(value)
    for failure in failures:
        say(f"{command.name}: {failure}")
    return PARTIAL if failures else 0


def _with_options(command: Command, text: str) -> str:
    """Return a message of the SDK with the names of arguments as they are on the command line."""
    options = {argument.name: argument.option for argument in command.arguments}
    first = re.match(r"\w+", text)
    words = {name for name in options if "_" in name or (first and name == first[0])}
    return re.sub(r"(?<![\w.-])\w+", lambda word: options[word[0]] if word[0] in words else word[0], text)
