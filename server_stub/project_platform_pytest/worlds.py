"""Creates the worlds of tests and reads the profile of the stub."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .options import StubOptions

if TYPE_CHECKING:
    from project_platform_stub import Profile, Stub, World
    from project_platform_stub.world_file import WorldDescription


def new_world(stub: Stub, options: StubOptions) -> World:
    """Return a new world with the options of a test; the test fails if an option is invalid."""
    from project_platform_stub import Stub

    if not isinstance(stub, Stub):
        pytest.fail(
            f"The fixture 'stub' returned a {type(stub).__name__}; a fixture that replaces the plugin's must return a "
            "project_platform_stub.Stub",
            pytrace=False,
        )
    if options.world is None:
        world = stub.worlds.create(seed=options.seed, at=options.at)
    else:
        world = _described(stub, options.world, options.seed, options.at)
    keys = [identity.key for identity in world.identities.values()]
    if options.identity is not None and options.identity not in keys:
        stub.worlds.delete(world.id)
        pytest.fail(f"This world has no identity {options.identity!r}; it has: {', '.join(keys)}", pytrace=False)
    return world


def read_profile(path: Path) -> Profile:
    """Return the profile of a file; the test fails if the file is invalid."""
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
