"""The command `project-platform`: the commands of the SDK, and those of other packages, from their entry points."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TextIO, TypeAlias

from .commands.catalog import OPTIONAL, OWN
from .commands.parser import PROGRAM
from .commands.standard_error import say
from .suggestion import suggestion
from .version import VERSION

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "project_platform.commands"
_FAILED_STATUS: Final = 1
_USAGE_STATUS: Final = 2

Main: TypeAlias = Callable[[Sequence[str]], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command with the arguments that follow its name; return its exit status."""
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
    except BrokenPipeError:  # the reader of the output, such as `head`, has seen enough
        status = 0
    except OSError as unwritten:  # such as a full disk
        say(f"project-platform: {unwritten}")
        status = _FAILED_STATUS
    error = _flushed(sys.stdout)
    if error is not None and not isinstance(error, BrokenPipeError) and not status:
        say(f"project-platform: the output was not written: {error}")
        status = _FAILED_STATUS
    _flushed(sys.stderr)
    return status


def _flushed(stream: TextIO | None) -> OSError | None:
    """Flush a stream, and return the error if that is not possible; None also for a closed stream."""
    if stream is None:
        return None
    try:
        stream.flush()
    except OSError as error:
        # Python would report the error again at its exit, with a status of its choice.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


def _run(arguments: list[str]) -> int:
    if not arguments:
        say(_help())
        return _USAGE_STATUS
    name, *rest = arguments
    if name in {"-h", "--help"}:
        print(_help())
        return 0
    if name == "--version":
        print(VERSION)
        return 0
    if name in OWN:
        from importlib import import_module

        own: Main = import_module(OWN[name].module, __package__).main
        return own(rest)
    # Only now, because reading the entry points of all packages takes a tenth of a second.
    points = _entry_points()
    if name not in points:
        hint = suggestion(name, [*OWN, *points]) or f"the commands are {', '.join([*OWN, *points])}"
        say(f"{PROGRAM}: there is no command {name!r}; {hint}")
        return _USAGE_STATUS
    try:
        command: Main = points[name].load()
    except ModuleNotFoundError as error:
        say(f"{PROGRAM} {name} needs {error.name}{_remedy(name)}")
        return 1
    return command(rest)


def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _remedy(name: str) -> str:
    return (
        f": pip install 'project-platform[{OPTIONAL[name].extra}]'" if name in OPTIONAL else ", which is not installed"
    )


def _help() -> str:
    others = {
        name: OPTIONAL[name].help if name in OPTIONAL else "from another package" for name in sorted(_entry_points())
    }
    commands = {name: own.help for name, own in OWN.items()} | {n: t for n, t in others.items() if n not in OWN}
    width = max(map(len, commands))
    lines = [f"  {name:<{width}}  {text}" for name, text in commands.items()]
    return "\n".join(
        [
            f"usage: {PROGRAM} COMMAND [ARGUMENT ...] | --version",
            "",
            "Typed Python SDK for the Project Platform API.",
            "",
            "commands:",
            *lines,
            "",
            f"`{PROGRAM} COMMAND --help` shows the arguments of a command.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
