"""Mutation tests: every broken stub must be detected by the rule that it breaks.

A sample of them is run; `make mutants` runs all.
"""

from fnmatch import filter as matching
from pathlib import Path

import pytest

from project_platform_contract.rules import RULES

from ..sample import sample, verdicts
from .mutations import MUTATIONS
from .mutations.idle import unbroken

pytestmark = pytest.mark.one_python

COMMAND = Path(__file__).with_name("run_mutation.py")
RUN_TIMEOUT = 1800  # Seconds; all runs take several minutes on two cores.
INTACT = ""
SAMPLE = sample(MUTATIONS)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Verdicts on the broken stubs of the sample, and on an intact one."""
    file = tmp_path_factory.mktemp("mutations") / "runs.json"
    return verdicts(file, str(COMMAND), *SAMPLE, "--intact", folder=COMMAND.parent, timeout=RUN_TIMEOUT)


def violated(run):
    assert run["error"] is None
    return {id for id, verdict in run["verdicts"].items() if verdict == "violated"}


def test_an_intact_stub_violates_no_rule(runs):
    assert violated(runs[INTACT]) == set()
    assert "proven" in runs[INTACT]["verdicts"].values()


@pytest.mark.parametrize("name", SAMPLE)
def test_a_broken_stub_violates_the_rules_it_breaks(runs, name):
    """And no unrelated rule."""
    assert MUTATIONS[name].verdict(violated(runs[name])) is None


def test_every_rule_is_broken_by_a_mutation():
    """Except `schema.*`, whose generated requests find what other rules miss."""
    assert len(MUTATIONS) >= 40
    assert unbroken() == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_names_existing_rules(name):
    patterns = (*MUTATIONS[name].kills, *MUTATIONS[name].also)

    assert [pattern for pattern in patterns if not matching(RULES, pattern)] == []
