"""A plugin for runs of the suite: it records the rules, the outcomes and the effects of every test."""

import json
import os
from pathlib import Path

import pytest

from project_platform_contract.fuse import Fuse
from project_platform_contract.suite.support.valid_requests import ValidRequests

FILE = "PROJECT_PLATFORM_RECORD"

_record = {}
_current = []


def pytest_configure(config):
    """Record the effect of every request that a fuse allows, but of those that create what a plain request names: without them it is not sent."""
    check, created = Fuse.check, ValidRequests.created

    def recording_check(fuse, request):
        passed = check(fuse, request)
        _record[_current[-1]]["effects"].append(passed.effect)
        return passed

    def unrecorded(*arguments):
        Fuse.check = check
        try:
            return created(*arguments)
        finally:
            Fuse.check = recording_check

    Fuse.check, ValidRequests.created = recording_check, unrecorded


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Record the rules of every test before the suite's plugin checks them."""
    for item in items:
        rules = [id for mark in item.iter_markers("rule") for id in mark.args]
        _record[item.nodeid] = {"rules": rules, "outcomes": [], "effects": []}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    _current.append(item.nodeid)
    return (yield)


def pytest_runtest_logreport(report):
    _record[report.nodeid]["outcomes"].append(report.outcome)


def pytest_unconfigure():
    Path(os.environ[FILE]).write_text(json.dumps(_record), "utf-8")
