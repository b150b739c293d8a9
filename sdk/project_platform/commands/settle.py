"""`project-platform settle`: find out how a write ended whose response was lost, from the file that `call` has written."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .parser import STATUSES, add_call_options, add_connection_options, parsed, parser

if TYPE_CHECKING:
    from ..errors import OutcomeUnknownError


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Args:
        argv: The arguments after `settle`.

    Returns:
        The exit status; `STATUSES` lists them.
    """
    given = parsed(settle_parser(), argv)
    from .verdict import reported

    return reported("settle", lambda: _run(given))


def settle_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    result = parser(
        "settle",
        "Find out how a write ended whose response was lost. It is sent again only if a second copy cannot be applied or has no "
        "effect; otherwise it is looked at, by a request that changes nothing. Once the outcome is known, the file is removed; "
        "until then the command can be run again.",
        STATUSES,
    )
    result.add_argument("file", metavar="FILE", type=Path, help="file that `project-platform call` has written")
    add_call_options(result)
    add_connection_options(result)
    return result


def _run(given: argparse.Namespace) -> int:
    from ..errors import OutcomeUnknownError, PlatformError, UsageError
    from .connection import call_options, connection, open_client
    from .doubt import command, read
    from .output import plain, write
    from .standard_error import say
    from .verdict import confirm

    error = read(given.file)
    try:
        with open_client(connection(given), **call_options(given)) as client:
            settled = client.settle(error)
    except OutcomeUnknownError as unknown:
        _still_unknown(unknown, given)
        raise
    except PlatformError as ended:
        if ended.applied == "yes":
            _remove(given.file)
        raise
    except KeyboardInterrupt as interruption:
        # The notes are about the interrupted request, which may be a look.
        interruption.__notes__ = [f"what to do: {command(given.file, given)}"]
        raise
    confirm(str(error.operation_id).replace("_", ".", 1), settled.applied, settled.attempts)
    if settled.repeated:
        say("  it may have been applied more than once, since the service stores other values than it is sent")
    try:
        write(plain(settled.value), given.output)
    except UsageError as unseen:
        say(f"  {unseen.args[0]}")
    _remove(given.file)
    return 0


def _still_unknown(error: OutcomeUnknownError, given: argparse.Namespace) -> None:
    """Add the further attempts to the file, print the state that was seen, and let the error say what to do."""
    from . import doubt
    from .output import plain, write

    with _noted(error):
        doubt.write(error, given.file)
    if error.seen is not None:
        with _noted(error):
            write(plain(error.seen), given.output)
    look = error.call.operation.look if error.call is not None else None
    if error.advice != look:
        error.advice = doubt.command(given.file, given)
    elif look is not None:
        error.advice = look.replace("error.seen", "the output")


@contextlib.contextmanager
def _noted(error: OutcomeUnknownError) -> Generator[None]:
    """Add an error of the system to an error as a note, so that the exit status is that of the verdict."""
    try:
        yield
    except OSError as problem:
        error.add_note(str(problem))


def _remove(file: Path) -> None:
    from .standard_error import say

    file.unlink(missing_ok=True)
    say(f"{file} is removed")
