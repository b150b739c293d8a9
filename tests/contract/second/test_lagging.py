"""A service whose busy intervals lag behind its writes keeps the specification, and is not accused."""

import time
from copy import deepcopy
from dataclasses import replace

import pytest

from project_platform_contract.run.exit_code import ExitCode

from .service import OPERATIONS, new_world

LAG = 0.2  # Seconds until the busy intervals show a write.


@pytest.fixture
def lagging(monkeypatch):
    """The second implementation, whose busy intervals are those of a moment ago."""
    world = new_world()
    history = [(float("-inf"), dict(world.events))]

    def written(perform):
        def write(call):
            try:
                return perform(call)
            finally:
                history.append((time.monotonic(), deepcopy(world.events)))

        return write

    def listed(perform):
        def read(call):
            events = [events for at, events in history if at <= time.monotonic() - LAG][-1]
            return perform(replace(call, world=replace(world, events=events)))

        return read

    changes = {"calendar_book": written, "calendar_reschedule": written, "calendar_busy": listed}
    for operation, change in changes.items():
        monkeypatch.setattr(OPERATIONS[operation], "perform", change(OPERATIONS[operation].perform))
    return world


def test_busy_intervals_that_lag_violate_no_rule(prove_second, lagging):
    """The time until the first event is listed is measured, and waited for after each write."""
    tests = ("-k", "different_slots or different_events or (calendar_events and moves)", "--min-proven", "0")

    run = prove_second(lagging, *tests, "--allow", "notify", "--i-own", "127.0.0.1")

    assert run.code == ExitCode.PROVEN, run.out
    assert run.verdicts["calendar.book.concurrent"] == run.verdicts["calendar.reschedule.concurrent"] == "proven"
