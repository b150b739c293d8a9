"""Sequences of requests of several callers, whose responses are compared with a model of the specification.

A sequence is sent once per process; each of its rules has a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

import pytest

from project_platform_contract.run.api import Fact
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import EXCHANGES, NONCONFORMITIES, skip_flaky

from .model import calendar, labels, lists, memory, permissions, records, sidebar, templates, unaffected, workflows
from .model.stream import Checks, Stream

_SEED = 24
_SEQUENCES: Final[dict[str, tuple[Iterable[str], Callable[[Stream], Checks]]]] = {
    "calendar": (calendar.RULES, calendar.play),
    "labels": (labels.RULES, labels.play),
    "lists": (lists.RULES, lists.play),
    "memory": (memory.RULES, memory.play),
    "permissions": (permissions.RULES, permissions.play),
    "records": (records.RULES, records.play),
    "sidebar": (sidebar.RULES, sidebar.play),
    "templates": (templates.RULES, templates.play),
    "workflows": (workflows.RULES, workflows.play),
    **{
        f"unaffected by {operation}": ([rule], partial(unaffected.play, operation=operation))
        for operation, rule in unaffected.RULES.items()
    },
}
_RULES = [
    pytest.param(name, rule, marks=pytest.mark.rule(rule)) for name, (rules, _) in _SEQUENCES.items() for rule in rules
]


@pytest.fixture(scope="session")
def played() -> dict[str, Checks]:
    """The checks of the sequences that this process has sent, by resource."""
    return {}


@pytest.mark.parametrize(("resource", "rule"), _RULES)
def test_responses_are_what_all_requests_before_them_make(
    request: pytest.FixtureRequest,
    contract_run: Run,
    played: dict[str, Checks],
    fact: Fact,
    *,
    resource: str,
    rule: str,
) -> None:
    """A sequence shows no difference of a rule."""
    play = _SEQUENCES[resource][1]
    if resource not in played:
        stream = Stream(contract_run, _SEED)
        played[resource] = stream.checks  # also if a check itself fails, which is an error of this test only
        stream.attempt(partial(play, stream))
        request.node.stash.setdefault(NONCONFORMITIES, []).extend(stream.nonconformities)
        for seen in stream.checks.facts:
            fact(*seen)
        if stream.checks.differences and stream.only_read:  # what it reads may have been changed by others
            contract_run.forget_reads()
            again = Stream(contract_run, _SEED)
            again.attempt(partial(play, again))
            stream.checks.flaky = stream.checks.differences.keys() - again.checks.differences.keys()
    checks = played[resource]
    if rule in checks.differences:
        request.node.stash.setdefault(EXCHANGES, []).extend(checks.differences[rule].exchanges)
    if rule in checks.flaky:
        skip_flaky(request.node, f"flaky: the sequence did not show it again: {checks.differences[rule].message}")
    checks.require(rule)
