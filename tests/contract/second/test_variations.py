"""Services that keep the specification, and differ where it is silent, violate no rule of the specification.

A sample of them is run; `make mutants` runs all.
"""

from pathlib import Path

import pytest

from ..sample import sample, verdicts
from . import variations  # noqa: F401  # registers them
from .accusations import accused
from .mutant import VARIATIONS

pytestmark = pytest.mark.one_python

ACCUSED = accused()
SAMPLE = sample(VARIATIONS)
TESTS = Path(__file__).parents[2]
RUN_TIMEOUT = 3600  # Seconds; all runs take some minutes on an idle core.


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The violated rules of the specification, by variation."""
    file = tmp_path_factory.mktemp("variations") / "results.json"
    return verdicts(file, "-m", "contract.second.accusations", *SAMPLE, folder=TESTS, timeout=RUN_TIMEOUT)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_service_that_keeps_the_specification_is_not_accused(results, name):
    """A variation that is listed as accused must be."""
    assert results[name]["error"] is None
    assert bool(results[name]["violated"]) is (name in ACCUSED), results[name]["violated"]


def test_only_variations_are_listed_as_accused():
    assert ACCUSED.keys() <= VARIATIONS.keys()
    assert len(VARIATIONS) >= 200
