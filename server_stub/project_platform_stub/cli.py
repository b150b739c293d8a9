"""The command `project-platform stub`, which runs the stub server in the foreground."""

from __future__ import annotations

import argparse
import ipaddress
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from .describe import write_description
from .documents.document import DocumentError
from .faults.file import load_fault_file
from .http.server import StubServer
from .profile.profile import Profile, read_profile
from .state.opening import StateFileError
from .stub import Stub
from .world.domain import Json
from .world_file import load_world_file

_POLL_INTERVAL = 0.5  # Seconds; on Windows a wait without timeout cannot be interrupted.


def main(argv: Sequence[str]) -> int:
    """Run the stub server until SIGINT or SIGTERM.

    Args:
        argv: The arguments after `stub`.

    Returns:
        0 after SIGINT or SIGTERM, once all requests in progress have finished; 1 if the server could not start.
    """
    arguments = _parser().parse_args(argv)
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with _stub(arguments) as stub:
            return _run(stub, arguments, stop)
    except (DocumentError, StateFileError) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stub(arguments: argparse.Namespace) -> Stub:
    plans = load_fault_file(arguments.faults) if arguments.faults else []
    profile, left_out = read_profile(arguments.profile) if arguments.profile else (Profile(), {})
    for reason in dict.fromkeys(left_out.values()):
        keys = ", ".join(key for key in left_out if left_out[key] == reason)
        print(f"{arguments.profile}: ignored facts, because {reason}: {keys}", file=sys.stderr)
    stub = Stub(
        hosts={arguments.host},
        seed=arguments.seed,
        profile=profile,
        world=load_world_file(arguments.world) if arguments.world else None,
        state=arguments.state,
        strict=not arguments.no_strict,
    )
    for operation, faults in plans:
        stub.world.faults.plan(operation, faults)
    return stub


def _run(stub: Stub, arguments: argparse.Namespace, stop: threading.Event) -> int:
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
                print(f"Cannot write {arguments.describe}: {error.strerror or error}", file=sys.stderr)
                return 1
        try:
            print(_welcome(description, server), flush=True)
        except BrokenPipeError:  # the parent process has closed the pipe, but may still use the server
            sys.stdout = None
        while not stop.wait(_POLL_INTERVAL):
            pass
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="project-platform stub", description="Run a stub server until it is interrupted."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", default=8080, type=int, help="port to listen on, 0 for a free one (default: %(default)s)"
    )
    parser.add_argument(
        "--world", type=Path, metavar="FILE", help="world file (YAML or JSON) instead of the demo world"
    )
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="profile or fact file for what the specification leaves open"
    )
    parser.add_argument("--faults", type=Path, metavar="FILE", help="file with planned faults by operation")
    parser.add_argument("--state", type=Path, metavar="FILE", help="file that stores all worlds across restarts")
    parser.add_argument("--seed", default=0, type=int, help="seed of generated identifiers (default: %(default)s)")
    parser.add_argument("--describe", type=Path, metavar="FILE", help="write address, tokens and identifiers as JSON")
    parser.add_argument(
        "--no-strict",
        action="store_true",
        help="send responses that break openapi.yaml, instead of a 500 with the reason",
    )
    return parser


def _welcome(description: Json, server: StubServer) -> str:
    base_url, project, tokens = description["base_url"], description["project_id"], description["tokens"]
    width = max(map(len, [*tokens, "Base URL"])) + 2
    lines = [
        f"{'Base URL':<{width}}{base_url}",
        f"{'Project':<{width}}{project}",
        f"{'Page':<{width}}{base_url}/_stub/",
        "",
    ]
    lines += [f"{identity:<{width}}{token}" for identity, token in tokens.items()]
    first = next(iter(tokens.values()))
    lines += [
        "",
        "Try it:",
        f"  curl -H 'Authorization: Bearer {first}' '{base_url}/projects/{project}/agents?limit=3'",
        "",
    ]
    if ipaddress.ip_address(server.host).is_loopback:
        lines.append("The server is reachable only from this machine (use --host 0.0.0.0 to change that).")
    else:
        lines.append("WARNING: OTHER MACHINES CAN REACH THE SERVER, and /_stub/ gives them its tokens and data.")
    lines.append("The stub server is ready. Press Ctrl+C to stop it.")
    return "\n".join(lines)
