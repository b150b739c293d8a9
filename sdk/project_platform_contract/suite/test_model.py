"""Sequences of requests of several callers, whose responses are compared with a model of the specification.

A sequence is sent once per process; each of its rules has a test.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import EXCHANGES, NONCONFORMITIES

from .model import calendar, records
from .model.stream import Checks, Stream

_SEED = 24
_RECORDS = 180  # Number of commands.


@pytest.fixture(scope="session")
def played() -> dict[str, Checks]:
    """The checks of the sequences that this process has sent, by resource."""
    return {}


@pytest.fixture
def require(
    request: pytest.FixtureRequest, contract_run: Run, played: dict[str, Checks]
) -> Callable[[str, str, Callable[[Stream], Checks]], None]:
    """Returns a function that requires that the sequence of a resource shows no difference of a rule."""

    def require(resource: str, rule: str, play: Callable[[Stream], Checks]) -> None:
        if resource not in played:
            stream = Stream(contract_run, _SEED)
            played[resource] = stream.checks  # also if a check itself fails, which is an error of this test only
            play(stream)
            request.node.stash[NONCONFORMITIES].extend(stream.nonconformities)
        if rule in played[resource].differences:
            request.node.stash[EXCHANGES].extend(played[resource].differences[rule].exchanges)
        played[resource].require(rule)

    return require


def _play_records(stream: Stream) -> Checks:
    model = records.RecordsModel(stream)
    return stream.play(model, model.callers(), _RECORDS)


@pytest.mark.parametrize("rule", [pytest.param(rule, marks=pytest.mark.rule(rule)) for rule in records.RULES])
def test_records_are_what_the_requests_make_of_them(require: Callable[..., None], sign_in: object, rule: str) -> None:
    require("records", rule, _play_records)


@pytest.mark.parametrize("rule", [pytest.param(rule, marks=pytest.mark.rule(rule)) for rule in calendar.RULES])
def test_calendars_are_what_the_requests_make_of_them(require: Callable[..., None], sign_in: object, rule: str) -> None:
    """Every response has the slot of its event, and the calendar is busy during all events, whatever was requested before."""
    require("calendar", rule, calendar.play)
