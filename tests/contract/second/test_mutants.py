"""Services that violate the specification are noticed, whichever rule notices them.

A sample of them is run; `make mutants` runs all.
"""

from pathlib import Path

import pytest

from ..sample import sample, verdicts
from . import mutants  # noqa: F401  # registers them
from .kill_rate import HEALTHY, table, unnoticed
from .mutant import MUTANTS
from .runs import DIFFERENT, Result

pytestmark = pytest.mark.one_python

UNNOTICED = unnoticed()
SAMPLE = sample(MUTANTS)
TESTS = Path(__file__).parents[2]
RUN_TIMEOUT = 3600  # Seconds; all runs take some minutes on an idle core.


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The verdicts on the mutants of the sample, without those of generated requests."""
    file = tmp_path_factory.mktemp("mutants") / "results.json"
    command = ("-m", "contract.second.kill_rate", *SAMPLE, "--healthy")
    return verdicts(file, *command, folder=TESTS, timeout=RUN_TIMEOUT)


def test_the_service_that_the_mutants_break_violates_no_rule(results):
    assert results[HEALTHY]["error"] is None
    assert {id for id, verdict in results[HEALTHY]["verdicts"].items() if verdict == "violated"} == DIFFERENT


@pytest.mark.parametrize("name", SAMPLE)
def test_a_service_that_violates_the_specification_is_noticed(results, name):
    """By at least one rule, or as down; a mutant that is listed as unnoticed must not be noticed."""
    result = results[name]

    assert result["error"] is None
    assert bool(result["noticed"]) is (name not in UNNOTICED)


def test_the_rate_of_inferred_rules_is_a_column_of_its_own():
    """They are no sentences of the specification."""
    rules = {"both": ["agents.list.echo", "agents.list.all"], "inferred": ["agents.list.echo"], "none": []}
    found = {name: Result(dict.fromkeys(violated, "violated")) for name, violated in rules.items()}

    assert [result.noticed_by for result in found.values()] == ["specification", "inferred", None]
    lines = table(dict(zip(list(MUTANTS), found.values(), strict=False)))
    assert lines[-1] == "| all | 3 | 1 | 33% | 1 | 67% |"


def test_only_mutants_are_listed_as_unnoticed():
    assert UNNOTICED.keys() <= MUTANTS.keys()


def test_there_are_mutants_of_many_kinds():
    assert len(MUTANTS) >= 200
    assert len({mutant.kind for mutant in MUTANTS.values()}) >= 15
