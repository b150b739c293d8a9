"""What a test wants of the stub: its marker first, then the command line, then the ini file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import pytest

MARKER = (
    "stub(socket=False, seed=0, at=None, world=None, identity=None): how this test wants the Project Platform stub: over "
    "a socket; with identifiers drawn from a seed; with a clock that starts at a moment; with the world of a YAML or JSON "
    "file; signed in as an identity"
)
TRANSPORTS = ("in-process", "socket")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a test wants.

    Attributes:
        socket: Whether its clients reach the stub over a socket.
        seed: What the identifiers in its world are drawn from.
        at: What its world's clock shows in the beginning; the system's time if None.
        world: The file that describes its world; the demo world if None.
        identity: Who its clients are signed in as; the world's first identity if None.
    """

    socket: bool = False
    seed: int = 0
    at: datetime | None = None
    world: Path | None = None
    identity: str | None = None


def add_options(parser: pytest.Parser) -> None:
    """Add the command line's option and the ini file's."""
    group = parser.getgroup("project-platform", "Project Platform stub")
    group.addoption("--stub-socket", action="store_true", help="let the stub's clients reach it over a socket")
    parser.addini("stub_transport", "how clients reach the stub: in-process (default) or socket", default="in-process")
    parser.addini("stub_world", "YAML or JSON file that describes the world of each test, from the ini file's folder")
    parser.addini("stub_profile", "YAML or JSON file with the switches of the stub, from the ini file's folder")


def check_options(config: pytest.Config) -> None:
    """Refuse what the ini file may not say.

    Raises:
        pytest.UsageError: The transport is none that there is.
    """
    if (transport := config.getini("stub_transport")) not in TRANSPORTS:
        raise pytest.UsageError(f"stub_transport is {transport!r}; it must be one of {', '.join(TRANSPORTS)}")


def ini_path(config: pytest.Config, name: str) -> Path | None:
    """Return the file that an option of the ini file names, from that file's folder."""
    folder = config.inipath.parent if config.inipath else config.rootpath
    return folder / named if (named := config.getini(name)) else None


def wanted(request: pytest.FixtureRequest) -> Wanted:
    """Return what the test wants that a fixture is made for; it fails if its marker says what cannot be."""
    config = request.config
    said = _said(request)
    return Wanted(
        socket=said.get("socket", config.getoption("--stub-socket") or config.getini("stub_transport") == "socket"),
        seed=said.get("seed", 0),
        at=said.get("at"),
        world=request.path.parent / said["world"] if said.get("world") else ini_path(config, "stub_world"),
        identity=said.get("identity"),
    )


def _said(request: pytest.FixtureRequest) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for marker in request.node.iter_markers("stub"):  # the closest first: what it says goes before what its class says
        if marker.args:
            _refuse(f"takes no positional arguments, and was given {marker.args!r}")
        for name, value in marker.kwargs.items():
            said.setdefault(name, _checked(name, value))
    return said


_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "socket": ((bool,), "True or False"),
    "seed": ((int,), "an integer"),
    "at": ((str, datetime), "a moment with its offset, such as '2026-11-02T08:30:00Z'"),
    "world": ((str, Path), "the path of a file, from the folder of the test"),
    "identity": ((str,), "the key of an identity"),
}


def _checked(name: str, value: Any) -> Any:
    if name not in _TYPES:
        near = get_close_matches(name, _TYPES, 1)
        _refuse(f"does not take {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    types, told = _TYPES[name]
    fits = isinstance(value, types) and (bool in types or not isinstance(value, bool))  # True is an int to Python
    meant = _moment(value) if fits and name == "at" else value
    if not fits or meant is None:
        _refuse(f"takes as {name} {told}, and was given {value!r}")
    return meant


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _refuse(problem: str) -> NoReturn:
    pytest.fail(f"The marker 'stub' {problem}.", pytrace=False)
