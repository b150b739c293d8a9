"""Worlds for tests, and profiles for stubs: the demo world, or what files describe."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .wanted import Wanted

if TYPE_CHECKING:
    from project_platform_stub import Profile, Stub, World
    from project_platform_stub.world_file import WorldDescription


def new_world(stub: Stub, wanted: Wanted) -> World:
    """Return a new world as a test wants it; the test fails if there can be none."""
    from project_platform_stub import Stub

    if not isinstance(stub, Stub):
        pytest.fail(
            f"The fixture 'stub' gave a {type(stub).__name__}; one of that name that replaces the plugin's must give "
            "a project_platform_stub.Stub",
            pytrace=False,
        )
    if wanted.world is None:
        world = stub.worlds.create(seed=wanted.seed, at=wanted.at)
    else:
        world = _described(stub, wanted.world, wanted.seed, wanted.at)
    keys = [identity.key for identity in world.identities.values()]
    if wanted.identity is not None and wanted.identity not in keys:
        stub.worlds.delete(world.id)
        pytest.fail(
            f"There is no identity {wanted.identity!r} in this world; there are: {', '.join(keys)}", pytrace=False
        )
    return world


def read_profile(path: Path) -> Profile:
    """Return the profile of a file; the test fails if it is none."""
    from project_platform_stub import load_profile
    from project_platform_stub.documents.document import DocumentError

    try:
        return load_profile(path)
    except DocumentError as error:
        pytest.fail(str(error), pytrace=False)


def _described(stub: Stub, path: Path, seed: int, at: datetime | None) -> World:
    from project_platform_stub.documents.document import DocumentError
    from project_platform_stub.world.clock import system_time
    from project_platform_stub.world_file import world_origin

    try:
        description = _read(path)
    except DocumentError as error:
        pytest.fail(str(error), pytrace=False)
    return stub.worlds.create(origin=world_origin(description, at or system_time(), seed), at=at)


@cache
def _read(path: Path) -> WorldDescription:
    from project_platform_stub.world_file import load_world_file

    return load_world_file(path)
