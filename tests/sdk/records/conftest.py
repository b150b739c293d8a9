"""A deal as it was read, and changes of it."""

from __future__ import annotations

import pytest

from project_platform import (
    Change,
    ChangeOptions,
)
from project_platform.models import ObjectRecord

from .deal import BASE


@pytest.fixture
def record():
    """Return the record as it was read."""
    return ObjectRecord(id="rec_1", status="open", data=BASE)


@pytest.fixture
def change(record):
    """Return a function that makes a change of the record, by default one that sets its stage to won."""

    def change(want=None, base=BASE, **options):
        before, after = record.model_copy(update={"data": base}), want or {**base, "stage": "won"}
        return Change.between(before, after, change_options=ChangeOptions(**options))

    return change
