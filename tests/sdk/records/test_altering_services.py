"""No verdict is wrong, whatever a service does to the values that it stores and answers."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable

import pytest

from .altering_service import ALTERATIONS, Alteration, sometimes, untouched
from .interleavings import Trial

pytestmark = pytest.mark.one_python

NAMES = sorted(ALTERATIONS)


def faithful(rng: random.Random) -> Alteration:
    """Alter nothing."""
    return untouched


def always(name: str) -> Callable[[random.Random], Alteration]:
    """Return what makes an alteration each time."""
    return lambda rng: ALTERATIONS[name]


def now_and_then(name: str) -> Callable[[random.Random], Alteration]:
    """Return what makes an alteration every other time."""
    return lambda rng: sometimes(ALTERATIONS[name], rng)


def two_of_them(rng: random.Random) -> Alteration:
    """Return two alterations, one after the other, each every other time."""
    one, other = (sometimes(ALTERATIONS[name], rng) for name in rng.sample(NAMES, 2))

    def both(data: dict[str, object]) -> dict[str, object]:
        try:
            return other(one(data))
        except TypeError:  # two alterations that do not fit, such as sorting objects
            return data

    return both


def tally(seeds, *, store=faithful, show=faithful, **options):
    """Return the number of verdicts after a look, and the wrong verdicts."""
    verdicts, wrong = Counter(), []
    with warnings.catch_warnings(action="ignore"):  # records differ from the prediction, which is the point
        for seed in seeds:
            trial = Trial(seed, store, show, **options).run()
            verdicts += trial.verdicts
            wrong += trial.wrong
    return verdicts, wrong


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("often", [always, now_and_then])
def test_no_verdict_by_tokens_is_wrong_if_a_service_alters_what_it_stores(name, often):
    """`yes` and `no` are facts; where the tokens prove neither, the verdict is `unknown`."""
    verdicts, wrong = tally(range(25), store=often(name))

    assert wrong == []
    assert verdicts.total() > 20


@pytest.mark.parametrize("name", NAMES)
def test_no_verdict_by_tokens_is_wrong_if_a_service_alters_what_it_answers(name):
    """The service stores what it is sent, and its responses show something else."""
    _, wrong = tally(range(15), show=always(name))

    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_no_verdict_by_a_look_is_wrong_if_a_service_alters_values(name):
    """Without tokens: never "no" of a landed change, "in effect" only of what is, a second application never silent."""
    stored, wrong = tally(range(25), store=always(name), tokens=False)
    answered, wrong_too = tally(range(15), show=always(name), tokens=False)

    assert wrong + wrong_too == []
    assert (stored + answered).keys() <= {"in effect", "unknown"}
    assert (stored + answered)["in effect"] > 5


def test_no_verdict_by_tokens_is_wrong_if_a_service_alters_several_things():
    """Two alterations of what is stored and two of what is answered, each now and then."""
    verdicts, wrong = tally(range(500), store=two_of_them, show=two_of_them)

    assert wrong == []
    assert verdicts["yes"] > 20
    assert verdicts["no"] > 5


def test_no_verdict_is_wrong_if_the_first_token_was_written_by_a_change():
    """A late copy of that change may be applied again and reset the ring, so `no` cannot be known."""
    verdicts, wrong = tally(range(100), started=False)

    assert wrong == []
    assert verdicts["no"] == 0
    assert verdicts["yes"] > 30


@pytest.mark.parametrize(
    "name", ["nothing", "trims", "lower case", "NFKC", "sorts arrays", "reverses arrays", "deduplicates arrays"]
)
def test_most_lost_answers_are_settled_if_tokens_survive(name):
    """Lower-case hexadecimal survives what services do to texts, and the ring needs no order."""
    verdicts, wrong = tally(range(100), store=always(name))

    assert wrong == []
    assert verdicts["yes"] > 0.4 * verdicts.total()
    assert verdicts["no"] > 0.2 * verdicts.total()


@pytest.mark.parametrize("name", ["upper case", "title case", "swaps case", "pads texts"])
def test_an_altered_token_still_proves_that_its_change_was_applied(name):
    """Only one change writes its characters, so it is recognized; what is missing proves nothing."""
    verdicts, wrong = tally(range(100), store=always(name))

    assert wrong == []
    assert verdicts["no"] == 0
    assert verdicts["yes"] > 0.4 * verdicts.total()
