"""Nested test runs.

They run in this process, and unload the modules that they have imported. Extension modules cannot be imported twice, so
they are imported here.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest
import trio  # noqa: F401

import project_platform_stub.world_file  # noqa: F401
from project_platform import AsyncClient, Client, operations  # noqa: F401
from project_platform_stub.contract import load_contract
from project_platform_stub.operations import handlers

# What is imported first by pytest in the process is forgotten after it. Each handler registers on import, which is an error the
# second time, and an operation is pickled by its identifier, which would then be that of another object.
handlers(load_contract().operations)
for name in operations.__all__:
    getattr(operations, name)

HEAD = """
import anyio, httpx, pytest
from project_platform import PlatformError
from project_platform_stub import faults

"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Return a function that runs pytest on the code of a test module, with warnings as errors."""

    def run(code: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=HEAD + dedent(code))
        return pytester.runpytest_inprocess("-W", "error", "--strict-markers", "-p", "no:cacheprovider", *arguments)

    return run
