"""A deal as it was read, changes of it, and the flows that apply and settle them, fed with outcomes as values."""

from __future__ import annotations

import dataclasses

import pytest

from project_platform import Change, ChangeOptions, OutcomeUnknownError, RetryPolicy
from project_platform.models import ObjectRecord
from project_platform.records.settle import apply
from project_platform.settling import settled as settling

from .deal import BASE, LOST


@pytest.fixture
def record():
    return ObjectRecord(id="rec_1", status="open", data=BASE)


@pytest.fixture
def change(record, project_id):
    """Return a function that makes a change of the record, by default one that sets its stage to won."""

    def change(want=None, base=BASE, **options):
        before, after = record.model_copy(update={"data": base}), want or {**base, "stage": "won"}
        return Change.between(before, after, change_options=ChangeOptions(**options), project_id=project_id)

    return change


@pytest.fixture
def at_once(settings):
    return dataclasses.replace(settings, retry=RetryPolicy(initial_delay=0.0))


@pytest.fixture
def applied(play, at_once, project_id):
    """Return a function that applies a change with these outcomes; it returns the commands and the result."""
    return lambda change, *outcomes: play(apply(change, project_id, at_once), *outcomes)


@pytest.fixture
def settled(play, at_once, project_id):
    """Return a function that loses the response to a change, and settles it with these outcomes; it returns as `applied` does."""
    once = dataclasses.replace(at_once, retry=RetryPolicy(max_attempts=1))

    def settled(change, *outcomes):
        with pytest.raises(OutcomeUnknownError) as lost:
            play(apply(change, project_id, once), LOST)
        return play(settling(lost.value, at_once), *outcomes)

    return settled
