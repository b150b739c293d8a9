"""`project-platform stub`: the stub server in the foreground."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from .describe import write_description
from .stub import Stub
from .values import Json

_GLANCE = 0.5  # Seconds; a wait without end cannot be interrupted on Windows.


def main(argv: Sequence[str]) -> int:
    """Run the stub server until it is told to stop.

    Args:
        argv: The arguments after `stub`.

    Returns:
        0 after SIGINT or SIGTERM, 1 if the server could not start.
    """
    arguments = _parser().parse_args(argv)
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return _run(arguments, stop)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run(arguments: argparse.Namespace, stop: threading.Event) -> int:
    stub = Stub()
    try:
        server = stub.serve(arguments.host, arguments.port)
    except (OSError, OverflowError) as error:
        print(f"Cannot listen on {arguments.host}:{arguments.port}: {error}", file=sys.stderr)
        return 1
    with server:
        description = stub.describe(server.base_url)
        if arguments.describe is not None:
            try:
                write_description(arguments.describe, description)
            except OSError as error:
                print(f"Cannot write {arguments.describe}: {error}", file=sys.stderr)
                return 1
        print(_welcome(description), flush=True)
        while not stop.wait(_GLANCE):
            pass
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="project-platform stub", description="Run a stub server with a demo project until it is interrupted."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", default=8080, type=int, help="port to listen on, 0 for a free one (default: %(default)s)"
    )
    parser.add_argument("--describe", type=Path, metavar="FILE", help="write address, tokens and identifiers as JSON")
    return parser


def _welcome(description: Json) -> str:
    base_url, project, tokens = description["base_url"], description["project_id"], description["tokens"]
    return f"""\
Base URL         {base_url}
Project          {project}

Owner            {tokens["owner"]}
Viewer           {tokens["viewer"]}
Service account  {tokens["service_account"]}

Try it:
  curl -H 'Authorization: Bearer {tokens["owner"]}' '{base_url}/projects/{project}/agents?limit=3'

The stub server is ready. Press Ctrl+C to stop it."""
