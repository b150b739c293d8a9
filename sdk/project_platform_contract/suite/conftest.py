"""What the tests of the rules share."""

from __future__ import annotations

import pytest

from project_platform_contract.api import Api
from project_platform_contract.run import Run
from project_platform_contract.suite.fitting import Fitting


@pytest.fixture(scope="session")
def made() -> dict[str, str]:
    """What was made once for the whole run."""
    return {}


@pytest.fixture
def fitting(api: Api, contract_run: Run, made: dict[str, str]) -> Fitting:
    """Calls that fit."""
    return Fitting(api, contract_run, made)
