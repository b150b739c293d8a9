"""The suite catches: each of many broken stubs is noticed, by the rule that it breaks."""

import json
import os
import subprocess
import sys
from fnmatch import filter as matching
from pathlib import Path

import pytest

from project_platform_contract.rules import RULES

from .mutations import MUTATIONS
from .mutations.idle import unbroken

COMMAND = Path(__file__).with_name("run_mutation.py")
PATIENCE = 600  # Seconds; on two cores it takes one of them.
HEALTHY = ""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What the suite says of each broken stub, and of a healthy one."""
    file = tmp_path_factory.mktemp("mutations") / "runs.json"
    # In a process of its own: it forks, which one with threads had better not do.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    subprocess.run(
        [sys.executable, str(COMMAND), "--all", "--json", str(file)],
        env=environment,
        stdout=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,  # what is not as it should be, each test says for itself
    )
    return json.loads(file.read_text("utf-8"))


def violated(run):
    """Return the rules that were violated."""
    assert run["error"] is None
    return {id for id, verdict in run["verdicts"].items() if verdict == "violated"}


def test_a_healthy_stub_violates_no_rule(runs):
    """Without a mutation nothing is violated, so what a mutation violates is its doing."""
    assert violated(runs[HEALTHY]) == set()
    assert "proven" in runs[HEALTHY]["verdicts"].values()


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_stub_is_caught_by_the_rule_it_breaks(runs, name):
    """The rules that a mutation breaks are violated, and none that has nothing to do with it."""
    assert MUTATIONS[name].verdict(violated(runs[name])) is None


def test_every_rule_is_broken_by_a_mutation():
    """There are forty mutations or more, and each rule has one that breaks it, but those of `schema.*`."""
    assert len(MUTATIONS) >= 40
    assert unbroken() == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_names_rules_that_there_are(name):
    """A rule that a mutation expects to be violated is one of the suite's, under this very name."""
    patterns = (*MUTATIONS[name].kills, *MUTATIONS[name].also)

    assert [pattern for pattern in patterns if not matching(RULES, pattern)] == []
