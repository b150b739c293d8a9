"""What pytest loads: options, the marker, the fixtures, and what is told of a test that failed.

It is loaded in every test run of every project that the SDK is installed for, and so imports neither the SDK nor the stub.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from . import fixtures, wanted
from .fixtures import ACCOUNT


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    wanted.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and make the marker and the fixtures known."""
    wanted.check_options(config)
    config.addinivalue_line("markers", wanted.MARKER)
    config.pluginmanager.register(fixtures, "project_platform_fixtures")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Forget what the stub could tell of a test when all of its reports are made: items live as long as the run."""
    try:
        return (yield)
    finally:
        if ACCOUNT in item.stash:
            del item.stash[ACCOUNT]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test that passed, and did not meet all of the faults that it planned."""
    yield
    account = item.stash.get(ACCOUNT, None)
    if account is not None and (leftovers := account.leftovers()):
        pytest.fail(leftovers, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell with a failure what the stub saw."""
    report = yield
    account = item.stash.get(ACCOUNT, None)
    if report.failed and account is not None:
        report.sections.extend(account.sections())
    return report
