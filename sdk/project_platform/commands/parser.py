"""Parsers of the command line: the options that commands share, and those of an operation, from the table."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ..masking import without_credentials
from ..suggestion import suggestion
from .table import FEW, Argument, Command

PROGRAM: Final = "project-platform"

EXIT_STATUSES: Final = (
    (0, "yes", "the service responded; a write is applied, or in effect"),
    (1, "", "something on this machine failed, such as writing a file"),
    (2, "no", "wrong usage; nothing was sent"),
    (3, "no", "the service refused, a conflict included; nothing was applied"),
    (4, "unknown", "a write may have been applied; the message says what to do"),
    (5, "no", "the service was not reached or did not respond; nothing was applied"),
    (6, "yes", "the service responded with success, and its response cannot be read; a write was applied"),
    (7, "yes", "only a part of a template was applied; the output lists what failed"),
    (130, "", "interrupted; the message says what is known"),
)
"""The exit statuses, each with the value of `applied` and its meaning."""

STATUSES: Final = "exit status:\n" + "".join(
    f"  {status:<3}  {': '.join(filter(None, words))}\n" for status, *words in EXIT_STATUSES
)


def parser(name: str, description: str, epilog: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of a command, without options.

    Args:
        name: The words after `project-platform`.
        description: The text below the usage.
        epilog: The text below the options, whose lines are not changed.
    """
    return argparse.ArgumentParser(
        prog=f"{PROGRAM} {name}",
        description=textwrap.fill(description, 100),
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # an option that is added later would make abbreviations ambiguous
    )


def actions_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments and options of a parser."""
    return parser._actions  # pyright: ignore[reportPrivateUsage]  # argparse has no other list of them


def options_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the options of a parser."""
    return [action for action in actions_of(parser) if action.option_strings]


def parsed(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; an unknown option ends the process with a suggestion and status 2."""
    given, unknown = parser.parse_known_args(argv)
    if unknown:
        known = [name for action in options_of(parser) for name in action.option_strings]
        name = unknown[0].partition("=")[0]
        hint = "give it as PROJECT_PLATFORM_TOKEN" if name == "--token" else suggestion(name, known)
        parser.error(without_credentials(f"unrecognized arguments: {' '.join(unknown)}{f'; {hint}' if hint else ''}"))
    return given


def add_connection_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where calls go. The token is never an argument: all processes can see arguments."""
    group = parser.add_argument_group(
        "connection",
        "Arguments come before environment variables, and those before the profile. The token is "
        "PROJECT_PLATFORM_TOKEN, or token_file, token_command or token of the profile.",
    )
    group.add_argument("--base-url", metavar="URL", help="URL of the service; default: PROJECT_PLATFORM_BASE_URL")
    group.add_argument("--project", metavar="UUID", help="the project; default: PROJECT_PLATFORM_PROJECT")
    group.add_argument(
        "--profile", metavar="NAME", help="profile of the configuration file; default: PROJECT_PLATFORM_PROFILE"
    )
    group.add_argument("--env-file", metavar="FILE", help="file with NAME=VALUE lines, for variables that are not set")
    group.add_argument("--allow-insecure", action="store_true", help="allow an http URL of another machine")


def connection_words(given: argparse.Namespace) -> list[str]:
    """Return the connection options that were given."""
    words: list[str] = []
    for option in ("base_url", "project", "profile", "env_file"):
        if (value := getattr(given, option)) is not None:
            words += [f"--{option.replace('_', '-')}", str(Path(value).absolute()) if option == "env_file" else value]
    return [*words, *["--allow-insecure"] * given.allow_insecure]


def add_call_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of how calls are sent, and of how results are printed."""
    parser.add_argument("--retry", type=int, metavar="N", help="repeat up to N times where that is safe; default: 2")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="limit for each step of an attempt")
    parser.add_argument(
        "-o",
        "--output",
        choices=("json", "jsonl", "csv", "table"),
        default="json",
        help="format of the result; default: json",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show each attempt on standard error")


def operation_parser(command: Command) -> argparse.ArgumentParser:
    """Return the parser of the arguments of an operation."""
    result = parser(f"call {command.name}", f"{command.summary} {command.description}", STATUSES)
    arguments = result.add_argument_group("arguments of the operation")
    for argument in command.arguments:
        _add(arguments.add_argument, argument)
    if any(not argument.positional for argument in command.arguments):
        arguments.add_argument(
            "--from",
            dest="source",
            metavar="SOURCE",
            help="further arguments as a JSON object: the object, @FILE, or - for standard input; options take precedence",
        )
    if command.paged:
        result.add_argument("--all", action="store_true", help="fetch all pages, not only the first")
    if command.model:
        result.add_argument(
            "--fields",
            metavar="NAMES",
            help="fields of the result to print, such as id,name or data.stage; default: all",
        )
    if command.saves:
        result.add_argument(
            "--to",
            metavar="FILE",
            help="file to write the result to, or - for standard output; required unless --dry-run",
        )
    if not command.reads:
        result.add_argument(
            "--save-doubt",
            metavar="FILE",
            help="new file for `settle`, written if it is not known whether the write was applied; default: one in "
            "~/.local/state/project-platform, if `settle` can find out",
        )
    result.add_argument("--dry-run", action="store_true", help="print the request as a curl command, and send nothing")
    add_call_options(result)
    add_connection_options(result)
    return result


def _add(add: Callable[..., object], argument: Argument) -> None:
    text = _help(argument).replace("%", "%%")
    if argument.positional:
        add(argument.name, metavar=argument.option, help=text)
    elif argument.kind == "boolean":
        add(argument.option, action=argparse.BooleanOptionalAction, help=text)
    elif argument.kind == "integer":
        add(argument.option, type=int, metavar="N", help=text)
    elif argument.kind in {"texts", "pairs"}:
        metavar = "TEXT" if argument.kind == "texts" else "NAME=VALUE"
        add(argument.option, action="append", metavar=metavar, help=text)
    else:
        add(argument.option, metavar="JSON" if argument.kind == "json" else "TEXT", help=text)


def _help(argument: Argument) -> str:
    parts = [argument.help]
    if 0 < len(argument.values) <= FEW:
        parts.append(f"One of {', '.join(argument.values)}.")
    if argument.kind in {"texts", "pairs"}:
        parts.append("Repeat the option for each.")
    if argument.kind == "json":
        parts.append("JSON, @FILE, or - for standard input.")
    if argument.required and not argument.positional:
        parts.append("(required)")
    return " ".join(parts)
