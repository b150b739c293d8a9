"""The command `project-platform`. Its subcommands come from the packages that are installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Final

from .version import VERSION

GROUP: Final = "project_platform.commands"
_USAGE_STATUS: Final = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand with the arguments that follow its name; return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {point.name: point for point in entry_points(group=GROUP)}
    if arguments[:1] == ["--version"]:
        print(VERSION)
        return 0
    if not arguments or arguments[0] in {"-h", "--help"} or arguments[0] not in commands:
        known = " | ".join(sorted(commands))
        stream = sys.stdout if arguments and arguments[0] in {"-h", "--help"} else sys.stderr
        print(f"usage: project-platform {{{known}}} [--help] | --version", file=stream)
        return 0 if stream is sys.stdout else _USAGE_STATUS
    name, *rest = arguments
    try:
        command: Callable[[Sequence[str]], int] = commands[name].load()
    except ModuleNotFoundError as error:
        print(f"project-platform {name} needs {error.name}: pip install 'project-platform[{name}]'", file=sys.stderr)
        return 1
    return command(rest)


if __name__ == "__main__":
    sys.exit(main())
