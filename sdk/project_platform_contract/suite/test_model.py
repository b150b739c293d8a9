"""Sequences of requests of several callers, whose responses are compared with a model of the specification.

A sequence is sent once per process; each of its rules has a test.
"""

from __future__ import annotations

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import EXCHANGES, NONCONFORMITIES

from .model import calendar, memory, records
from .model.stream import Checks, Stream

_SEED = 24
_MODELS = {"records": records, "calendar": calendar, "memory": memory}
_RULES = [
    pytest.param(name, rule, marks=pytest.mark.rule(rule)) for name, model in _MODELS.items() for rule in model.RULES
]


@pytest.fixture(scope="session")
def played() -> dict[str, Checks]:
    """The checks of the sequences that this process has sent, by resource."""
    return {}


@pytest.mark.parametrize(("resource", "rule"), _RULES)
def test_responses_are_what_all_requests_before_them_make(
    request: pytest.FixtureRequest, contract_run: Run, played: dict[str, Checks], resource: str, rule: str
) -> None:
    """A sequence shows no difference of a rule."""
    if resource not in played:
        stream = Stream(contract_run, _SEED)
        played[resource] = stream.checks  # also if a check itself fails, which is an error of this test only
        try:
            _MODELS[resource].play(stream)
        except MissingError as error:
            stream.checks.missing.append(str(error))
        request.node.stash.setdefault(NONCONFORMITIES, []).extend(stream.nonconformities)
    if rule in played[resource].differences:
        request.node.stash.setdefault(EXCHANGES, []).extend(played[resource].differences[rule].exchanges)
    played[resource].require(rule)
