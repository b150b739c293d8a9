"""Services that violate the specification are noticed, whichever rule notices them.

A sample of them is run; `make mutants` runs all.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..sample import sample
from . import mutants  # noqa: F401  # registers them
from .kill_rate import HEALTHY, unnoticed
from .mutant import MUTANTS
from .runs import DIFFERENT

pytestmark = pytest.mark.one_python

UNNOTICED = unnoticed()
SAMPLE = sample(MUTANTS)
TESTS = Path(__file__).parents[2]
RUN_TIMEOUT = 3600  # Seconds; all runs take some minutes on an idle core.


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The verdicts on the mutants of the sample, without those of generated requests."""
    file = tmp_path_factory.mktemp("mutants") / "results.json"
    # In another process, because it forks, which is unsafe in a process with threads.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    subprocess.run(
        [sys.executable, "-m", "contract.second.kill_rate", *SAMPLE, "--healthy", "--json", str(file)],
        cwd=TESTS,
        env=environment,
        stdout=subprocess.DEVNULL,
        timeout=RUN_TIMEOUT,
        check=False,  # the tests below check the results
    )
    return json.loads(file.read_text("utf-8"))


def test_the_service_that_the_mutants_break_violates_no_rule(results):
    assert results[HEALTHY]["error"] is None
    assert {id for id, verdict in results[HEALTHY]["verdicts"].items() if verdict == "violated"} == DIFFERENT


@pytest.mark.parametrize("name", SAMPLE)
def test_a_service_that_violates_the_specification_is_noticed(results, name):
    """By at least one rule; a mutant that is listed as unnoticed must not be noticed."""
    result = results[name]

    assert result["error"] is None
    assert ("violated" in result["verdicts"].values()) is (name not in UNNOTICED)


def test_only_mutants_are_listed_as_unnoticed():
    assert UNNOTICED.keys() <= MUTANTS.keys()


def test_there_are_mutants_of_many_kinds():
    assert len(MUTANTS) >= 200
    assert len({mutant.kind for mutant in MUTANTS.values()}) >= 15
