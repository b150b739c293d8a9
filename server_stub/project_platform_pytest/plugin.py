"""The entry point of the plugin: options, the marker, the fixtures, and the report of a failed test.

pytest loads it in every test run of an environment that has the SDK, so it imports neither the SDK nor the stub.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Generator
from typing import Final

import pytest

from . import fixtures, options
from .fixtures import STUB_REPORT
from .options import pytest_addoption  # noqa: F401  # a hook of the plugin

# The classes whose methods respx replaces; it ignores a name that does not exist.
_RESPX_TARGETS: Final = (
    "project_platform.transports.pool.Connection",
    "project_platform.transports.async_pool.AsyncConnection",
)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and register the marker and the fixtures."""
    options.check_options(config)
    config.addinivalue_line("markers", options.MARKER)
    config.pluginmanager.register(fixtures, "project_platform_fixtures")
    if importlib.util.find_spec("respx") is not None:  # a plugin of pytest, which is imported already
        from respx.mocks import HTTPCoreMocker

        HTTPCoreMocker.add_targets(*_RESPX_TARGETS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Delete the stub's report after the last phase of a test, because pytest keeps items until the end of the run."""
    try:
        return (yield)
    finally:
        if STUB_REPORT in item.stash:
            del item.stash[STUB_REPORT]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test that passed but did not meet all of its planned faults."""
    yield
    stub_report = item.stash.get(STUB_REPORT, None)
    if stub_report is not None and (problem := stub_report.unmet_faults()):
        pytest.fail(problem, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the requests that the stub received to the report of a failure."""
    report = yield
    stub_report = item.stash.get(STUB_REPORT, None)
    if report.failed and stub_report is not None:
        report.sections.extend(stub_report.sections())
    return report
