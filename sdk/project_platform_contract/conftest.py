"""Makes the suite run with `pytest --pyargs project_platform_contract`."""

from __future__ import annotations

from project_platform_contract.plugin import *  # noqa: F403  # hooks and fixtures
from project_platform_contract.plugin import (  # noqa: F401  # hooks by name: a star leaves nothing out but says nothing
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_runtest_call,
    pytest_runtest_makereport,
)
