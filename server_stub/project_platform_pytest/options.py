"""The options of a test, in order of precedence: its marker, the command line, the ini file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import pytest

MARKER = (
    "stub(socket=False, seed=0, at=None, world=None, identity=None): the Project Platform stub of this test: whether its "
    "clients use a socket, seed of its identifiers, initial time of its clock, world file (YAML or JSON), and default "
    "identity of its clients"
)
TRANSPORTS = ("in-process", "socket")


@dataclass(frozen=True, slots=True)
class StubOptions:
    """The options of a test.

    Attributes:
        socket: Whether its clients use a socket.
        seed: Seed of the identifiers in its world.
        at: Initial time of its world's clock; the system's time if None.
        world: World file; the demo world if None.
        identity: Key of the default identity of its clients; the world's first identity if None.
    """

    socket: bool = False
    seed: int = 0
    at: datetime | None = None
    world: Path | None = None
    identity: str | None = None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the command line and of the ini file."""
    group = parser.getgroup("project-platform", "Project Platform stub")
    group.addoption("--stub-socket", action="store_true", help="connect clients to the stub over a socket")
    parser.addini(
        "stub_transport", "transport of the stub's clients: in-process (default) or socket", default="in-process"
    )
    parser.addini("stub_world", "world file (YAML or JSON) for all tests, relative to the ini file")
    parser.addini("stub_profile", "profile (YAML or JSON) of the stub, relative to the ini file")


def check_options(config: pytest.Config) -> None:
    """Check the options of the ini file.

    Raises:
        pytest.UsageError: The transport is unknown.
    """
    if (transport := config.getini("stub_transport")) not in TRANSPORTS:
        raise pytest.UsageError(f"stub_transport is {transport!r}; it must be one of {', '.join(TRANSPORTS)}")


def ini_path(config: pytest.Config, name: str) -> Path | None:
    """Return the path in an option of the ini file, relative to that file; None if it is not set."""
    folder = config.inipath.parent if config.inipath else config.rootpath
    return folder / path if (path := config.getini(name)) else None


def options_of(request: pytest.FixtureRequest) -> StubOptions:
    """Return the options of the test that requests a fixture; the test fails if its marker is invalid."""
    config = request.config
    arguments = _marker_arguments(request)
    over_socket = config.getoption("--stub-socket") or config.getini("stub_transport") == "socket"
    return StubOptions(
        socket=arguments.get("socket", over_socket),
        seed=arguments.get("seed", 0),
        at=arguments.get("at"),
        world=request.path.parent / arguments["world"] if arguments.get("world") else ini_path(config, "stub_world"),
        identity=arguments.get("identity"),
    )


def _marker_arguments(request: pytest.FixtureRequest) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for marker in request.node.iter_markers("stub"):  # the closest marker first, which takes precedence
        if marker.args:
            _fail(f"takes only keyword arguments, not {marker.args!r}")
        for name, value in marker.kwargs.items():
            arguments.setdefault(name, _checked(name, value))
    return arguments


_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "socket": ((bool,), "True or False"),
    "seed": ((int,), "an integer"),
    "at": ((str, datetime), "a time with an offset, such as '2026-11-02T08:30:00Z'"),
    "world": ((str, Path), "the path of a file, relative to the folder of the test"),
    "identity": ((str,), "the key of an identity"),
}


def _checked(name: str, value: Any) -> Any:
    if name not in _TYPES:
        near = get_close_matches(name, _TYPES, 1)
        _fail(f"has no argument {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    types, description = _TYPES[name]
    valid = isinstance(value, types) and (bool in types or not isinstance(value, bool))  # in Python True is an int
    converted = _moment(value) if valid and name == "at" else value
    if not valid or converted is None:
        _fail(f"has {name}={value!r}; it must be {description}")
    return converted


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _fail(problem: str) -> NoReturn:
    pytest.fail(f"The marker 'stub' {problem}.", pytrace=False)
