"""A plugin for runs of the suite: it writes down which rules each test is of, how it ended, and what its calls do."""

import json
import os
from pathlib import Path

import pytest

from project_platform_contract.fuse import Fuse

FILE = "PROJECT_PLATFORM_RECORD"

_record = {}
_current = []


def pytest_configure(config):
    """Listen to every fuse, before it decides."""
    check = Fuse.check

    def listening(fuse, request):
        passed = check(fuse, request)
        _record[_current[-1]]["effects"].append(passed.effect)
        return passed

    Fuse.check = listening


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Take in the rules that tests name, before anybody looks them up."""
    for item in items:
        rules = [id for mark in item.iter_markers("rule") for id in mark.args]
        _record[item.nodeid] = {"rules": rules, "outcomes": [], "effects": []}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Know which test is running."""
    _current.append(item.nodeid)
    return (yield)


def pytest_runtest_logreport(report):
    """Take in how a test ended."""
    _record[report.nodeid]["outcomes"].append(report.outcome)


def pytest_unconfigure():
    """Write it all down."""
    Path(os.environ[FILE]).write_text(json.dumps(_record), "utf-8")
