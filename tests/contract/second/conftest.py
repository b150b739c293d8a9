"""The command that proves rules, on the second implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..conftest import WITH_DATA, Prove, RunResult, write_data
from .service import Service, World, data_members
from .service.rims import on_a_socket
from .service.world import tokens_of


@pytest.fixture
def prove_second(prove: Prove, tmp_path: Path) -> Prove:
    """Returns a function that proves the rules on a world of the second implementation, as its owner and with complete data."""

    def prove_second(world: World, *arguments: str, **options: Any) -> RunResult:
        environment = write_data(tmp_path, data_members(), tokens_of(world))
        with on_a_socket(Service(world), **options) as url:
            return prove(url, *WITH_DATA, *arguments, environment=environment)

    return prove_second
