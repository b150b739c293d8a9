"""`project-platform settle`: find out how a write ended whose response was lost, from the file that `call` has written."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .parser import STATUSES, add_call_options, add_connection_options, parsed, parser
from .standard_error import say

if TYPE_CHECKING:
    from ..errors import InDoubtError


def main(argv: Sequence[str]) -> int:
    """Run the command; return the exit status, which `STATUSES` lists."""
    given = parsed(settle_parser(), argv)
    from .verdict import reported

    return reported("settle", lambda: _run(given), given)


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
    from ..errors import AuthenticationError, OutcomeUnknownError, PermissionDeniedError, PlatformError, UsageError
    from . import doubt
    from .connection import call_options, connection, open_client
    from .output import plain, write
    from .verdict import advice_of_kind, confirm

    error = doubt.read(given.file)
    try:
        _check_project(given.project, error)
        with open_client(connection(given), **call_options(given)) as client:
            settled = client.settle(error)
    except OutcomeUnknownError as unknown:
        in_words = (unknown.advice or "client.settle").replace("error.seen", "the output")
        unknown.advice = doubt.command(given.file, given) if "client.settle" in in_words else in_words
        if isinstance(refusal := unknown.__cause__, AuthenticationError | PermissionDeniedError):
            unknown.advice = f"{advice_of_kind(refusal)}; then {unknown.advice}"
        try:
            doubt.write(unknown, given.file)
            if unknown.seen is not None:
                write(plain(unknown.seen), given.output)
        except OSError as problem:  # also a broken pipe, after which the status would be 0
            unknown.add_note(str(problem))
        raise
    except UsageError as refused:
        refused.applied = "unknown"  # nothing was sent, such as without a token
        raise
    except PlatformError as ended:
        if ended.applied == "yes":
            _remove(given.file)
        raise
    except KeyboardInterrupt as interruption:
        # Its notes are about the last request, which may be a look.
        interruption.__notes__ = [f"what to do: {doubt.command(given.file, given)}"]
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


def _check_project(project: str | None, error: InDoubtError) -> None:
    from ..errors import UsageError

    if project and error.call is not None and not error.call.path.startswith(f"/projects/{project.lower()}/"):
        raise UsageError("the file is of a call in another project than --project; leave it out")


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    say(f"{file} is removed")
