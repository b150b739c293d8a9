"""`ChangeOptions` are checked when they are created, and have the same effect in every method."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from project_platform import (
    Change,
    ChangeOptions,
    OperationTokens,
    UsageError,
)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"guard": "stage"}, 'guard is \'stage\'; give "touched", "exact", "all", a list of keys, or None'),
        ({"guard": b"all"}, "guard is b'all'; give"),
        ({"guard": {"stage": "open"}}, r"guard is \{'stage': 'open'\}; give"),
        ({"guard": 7}, "guard is 7; give"),
        ({"guard": True}, "guard is True; give"),
        ({"guard": ["stage", 7]}, "guard lists 7, which is of type int; the keys of a record must be strings"),
        ({"status": "open"}, "status is 'open'; give True or False$"),
        ({"status": None}, "status is None; give True or False$"),
        ({"merge": "merge-patch"}, 'merge is \'merge-patch\'; give "any", "shallow" or "deep", or leave it out'),
        ({"merge": None}, "merge is None; give"),
        ({"merge": ["deep"]}, r"merge is \['deep'\]; give"),
        ({"tokens": True}, r"tokens is of type bool; give OperationTokens\(\), or None for none"),
        ({"tokens": OperationTokens}, "tokens is of type type; give"),
    ],
)
def test_a_wrong_value_is_refused_where_the_options_are_created(wrong, message):
    with pytest.raises(UsageError, match=message):
        ChangeOptions(**wrong)


def test_options_are_given_by_name():
    """Their order says nothing."""
    with pytest.raises(TypeError, match="positional"):
        ChangeOptions("all")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda options: pickle.loads(pickle.dumps(options))])
def test_options_are_an_immutable_value(again):
    options = ChangeOptions(guard=["stage", "note"], status=True, tokens=OperationTokens(ring=3))

    assert (
        again(options)
        == options
        == ChangeOptions(**{f.name: getattr(options, f.name) for f in dataclasses.fields(options)})
    )
    assert hash(again(options)) == hash(options)
    assert dataclasses.replace(options, status=False) != options
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.status = False


def test_a_guard_given_as_an_iterator_serves_every_change(record):
    """The keys are listed once, when the options are created."""
    options = ChangeOptions(guard=iter(["note"]))

    first, second = (Change.of_edits(record, {"stage": "won"}, change_options=options) for _ in range(2))

    assert first.guard == second.guard == {"note": "x"}


def test_apply_with_another_type_names_the_accepted_type(project, record, service):
    with pytest.raises(UsageError, match=r"change is of type ObjectRecord; give the result of records.change"):
        project.records.apply(record)

    assert not service.requests
