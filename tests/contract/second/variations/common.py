"""Registers services that keep the specification, with the sentence that leaves the choice."""

from functools import partial

from ..mutant import VARIATIONS, Kind, values

varies = Kind("allowed", registry=VARIATIONS)

WRITERS = "workflows_create records_create records_update sidebar_replace memory_update calendar_book"


def rows(sentence, operations, at, changes):
    """Register changes by name, each made where `at` makes it."""
    for name, change in changes.items():
        varies.add(name, sentence, operations, partial(at, change))


def differ(sentence, operations, changes):
    """Register changes of the values of successful responses, in place, each at all of the operations."""

    def at(change):
        for operation in operations.split():
            values(operation)(change)

    rows(sentence, operations, at, changes)
