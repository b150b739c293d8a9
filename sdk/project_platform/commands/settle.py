"""`project-platform settle`: find out how a write ended whose response was lost."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .parser import STATUSES, add_call_options, add_connection_options, parsed, parser


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Args:
        argv: The arguments after `settle`.

    Returns:
        The exit status, that of the verdict.
    """
    settling = parser(
        "settle",
        "Find out how a write ended whose response was lost, from the file that `call` has written. It is sent again only if a "
        "second copy cannot be applied or has no effect; otherwise it is looked at, by a request that changes nothing.",
        STATUSES,
    )
    settling.add_argument("file", metavar="FILE", type=Path, help="the file that the message of `call` names")
    add_call_options(settling)
    add_connection_options(settling)
    given = parsed(settling, argv)
    from .verdict import reported

    return reported("settle", lambda: _run(given))


def _run(given: argparse.Namespace) -> int:
    from ..errors import OutcomeUnknownError, UsageError
    from . import doubt
    from .connection import call_options, connection, open_client
    from .output import plain, write
    from .standard_error import say
    from .verdict import confirm

    error = doubt.read(given.file)
    with open_client(connection(given), **call_options(given)) as client:
        try:
            settled = client.settle(error)
        except OutcomeUnknownError as again:
            if again is not error:  # there are more attempts, and a later settling continues from them
                look = again.advice
                doubt.keep(again, client, str(given.file))
                if again.seen is not None:  # settling it again would see the same
                    again.advice = f"{look} (error.seen is what is printed)"
                    write(plain(again.seen), given.output)
            raise
    confirm(str(error.operation_id).replace("_", ".", 1), settled)
    try:
        value = plain(settled.value)
    except UsageError as unseen:
        say(f"  {unseen.args[0]}")
    else:
        write(value, given.output)
    doubt.remove(given.file)
    return 0
