"""Services that violate the specification are noticed, whichever rule notices them; those that keep it are not accused.

A sample of them is run, drawn with the seed that the test run prints; `make mutants` runs all.
"""

import pytest

from . import generated, mutants, variations  # noqa: F401  # registers them
from .judge import known_gaps, results_of, sample
from .mutant import HEALTHY, MUTANTS, VARIATIONS
from .runs import DIFFERENT_IN_OTHER_CHOICES, PROVEN

GAPS = known_gaps()
GENERATED = {name for name, mutant in MUTANTS.items() if mutant.kind.startswith("generated")}
SAMPLES = {
    "generated": sample(GENERATED, 36),
    "written": sample(MUTANTS.keys() - GENERATED, 20),
    "variations": sample(VARIATIONS, 14),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of the sample and of the services that are not broken."""
    names = [name for names in SAMPLES.values() for name in names]
    return results_of([*HEALTHY, *names], tmp_path_factory.mktemp("services"))


@pytest.mark.parametrize(
    ("name", "different"),
    [("its-choices", set()), ("other-choices", DIFFERENT_IN_OTHER_CHOICES)],
)
def test_the_service_that_the_mutants_break_violates_no_rule(results, name, different):
    """Whatever it chooses where the specification is silent."""
    result = results[name]

    assert result["error"] is None
    assert set(result["violated"]) == different
    assert list(result["verdicts"].values()).count("proven") >= PROVEN


def test_no_run_failed(results):
    assert {name: result["error"] for name, result in results.items() if result["error"]} == {}


@pytest.mark.parametrize("kind", ["generated", "written"])
def test_services_that_violate_the_specification_are_noticed(results, kind):
    """By a violated rule, or as down. Those of `known_gaps.yaml` are not, each for its reason; one that changes nothing proves nothing."""
    noticed = {name for name in SAMPLES[kind] if results[name]["noticed"]}
    idle = {name for name in SAMPLES[kind] if results[name]["idle"]}

    assert {*SAMPLES[kind]} - noticed - idle <= GAPS.keys()
    assert noticed & GAPS.keys() == set()


def test_most_generated_mutants_change_a_request_or_a_response(results):
    """One that changes none in a run is no mutant there."""
    idle = [name for name in SAMPLES["generated"] if results[name]["idle"]]

    assert len(idle) < len(SAMPLES["generated"]) / 2, idle


def test_services_that_keep_the_specification_are_not_accused(results):
    """They differ where it is silent: of a rule that is not inferred, none may be violated."""
    accused = {name: results[name]["stated"] for name in SAMPLES["variations"] if results[name]["stated"]}

    assert accused.keys() == set(SAMPLES["variations"]) & GAPS.keys(), accused


def test_only_mutants_and_variations_are_known_gaps():
    assert GAPS.keys() <= MUTANTS.keys() | VARIATIONS.keys()
