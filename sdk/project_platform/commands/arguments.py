"""From the parsed command line to the arguments of an operation."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any, cast

from ..errors import UsageError
from ..json_values import exact_json
from .table import Argument, Command


class _Input:
    """Reads JSON from arguments, files and standard input, which can be read once."""

    def __init__(self) -> None:
        self._reader: str | None = None

    def json(self, option: str, text: str) -> Any:
        """Return the value of an option: JSON, `@FILE`, or `-` for standard input."""
        source = self._source(option, text)
        try:
            return exact_json.loads_unique(source)
        except (ValueError, RecursionError) as error:
            hint = "" if text.startswith("@") or text == "-" else "; quote it for the shell, or give @FILE"
            raise UsageError(f"{option} is not JSON: {error}{hint}") from None

    def _source(self, option: str, text: str) -> bytes | str:
        if text == "-":
            if self._reader is not None:
                raise UsageError(f"{self._reader} and {option} both read standard input; give one of them @FILE")
            self._reader = option
            if cast("object", sys.stdin) is None:
                raise UsageError(f"{option} reads standard input, which is closed; give @FILE")
            return sys.stdin.buffer.read()
        if text.startswith("@"):
            try:
                return Path(text[1:]).read_bytes()
            except OSError as error:
                raise UsageError(f"{option}: {text[1:]} cannot be read: {error.strerror}") from None
        return text


def arguments_of(command: Command, given: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of an operation by their names in Python; what is not given is left out.

    Raises:
        UsageError: A value is not what the operation takes, or a required one is missing.
    """
    source = _Input()
    found: dict[str, Any] = {}
    if getattr(given, "source", None) is not None:
        found = _fields(command, source.json("--from", given.source))
    for argument in command.arguments:
        value = getattr(given, argument.name)
        if value is not None:
            found[argument.name] = _value(argument, value, source)
    missing = [argument.option for argument in command.arguments if argument.required and argument.name not in found]
    if missing:
        raise UsageError(f"{command.name} needs {', '.join(missing)}")
    return found


def _fields(command: Command, value: object) -> dict[str, Any]:
    """Return the members of a JSON object, whose names may be those of requests or those in Python."""
    if not isinstance(value, dict):
        raise UsageError("--from is not a JSON object; give an object with the arguments as members")
    names = {argument.json_name: argument.name for argument in command.arguments}
    names |= {argument.name: argument.name for argument in command.arguments}
    members = cast("dict[str, Any]", value)
    if unknown := [name for name in members if name not in names]:
        known = ", ".join(argument.json_name for argument in command.arguments)
        raise UsageError(f"--from has {', '.join(unknown)}; the arguments of {command.name} are {known}")
    found = {names[name]: member for name, member in members.items()}
    if len(found) < len(members):
        given = Counter(names[name] for name in members)
        twice = next(argument.json_name for argument in command.arguments if given[argument.name] > 1)
        raise UsageError(f"--from has {twice} in two spellings; give one of them")
    return found


def _value(argument: Argument, value: Any, source: _Input) -> Any:
    if argument.kind == "json":
        return source.json(argument.option, value)
    if argument.kind == "pairs":
        pairs = [_pair(argument.option, text) for text in value]
        if len(found := dict(pairs)) < len(pairs):
            raise UsageError(f"{argument.option} has a name twice; give it once")
        return found
    return value


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise UsageError(f"{option} is {text!r}, which is not NAME=VALUE")
    return name, value
