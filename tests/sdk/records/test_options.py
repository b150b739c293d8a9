"""`ChangeOptions` are checked when they are created, and have the same effect in every method."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import httpx
import pytest

from project_platform import (
    UNSET,
    Capabilities,
    Change,
    ChangeOptions,
    OperationTokens,
    Options,
    OutcomeUnknownError,
    UsageError,
)
from project_platform.models import ObjectRecord

DATA = {"stage": "open", "note": "x"}
WON = {**DATA, "stage": "won"}
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.fixture
def record():
    """Return the record as it was read."""
    return ObjectRecord(id="rec_1", status="open", data=DATA)


def answer(data):
    """Return the service's answer with a record of this data."""
    return httpx.Response(200, json={"record": {"id": "rec_1", "status": "open", "data": data}})


LOST = httpx.ReadError("the connection broke")
STALE = httpx.Response(409, json={"message": "stale"})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"guard": "stage"}, 'guard is \'stage\'; give "touched", "all", a list of keys, or None'),
        ({"guard": b"all"}, "guard is b'all'; give"),
        ({"guard": {"stage": "open"}}, r"guard is \{'stage': 'open'\}; give"),
        ({"guard": 7}, "guard is 7; give"),
        ({"guard": True}, "guard is True; give"),
        ({"guard": ["stage", 7]}, "guard lists 7, which is of type int; the keys of a record must be strings"),
        ({"status": "open"}, "status is 'open'; give True or False$"),
        ({"status": None}, "status is None; give True or False$"),
        ({"require_exact_guard": 1}, "require_exact_guard is 1; give True or False$"),
        ({"merge": "merge-patch"}, 'merge is \'merge-patch\'; give "any", "shallow" or "deep", or leave it out'),
        ({"merge": None}, "merge is None; give"),
        ({"merge": ["deep"]}, r"merge is \['deep'\]; give"),
        ({"tokens": True}, r"tokens is of type bool; give OperationTokens\(\), or None for none"),
        ({"tokens": OperationTokens}, "tokens is of type type; give"),
        ({"probe": None}, "probe is None; give True or False, or leave it out"),
        ({"probe": "noop"}, "probe is 'noop'; give True or False, or leave it out"),
    ],
)
def test_a_wrong_value_is_refused_where_the_options_are_created(wrong, message):
    """The error names the option, its value, and the accepted values."""
    with pytest.raises(UsageError, match=message):
        ChangeOptions(**wrong)


def test_options_are_given_by_name():
    """Their order says nothing."""
    with pytest.raises(TypeError, match="positional"):
        ChangeOptions("all")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda options: pickle.loads(pickle.dumps(options))])
def test_options_are_an_immutable_value(again):
    """They compare, hash, copy and pickle, and are varied with `dataclasses.replace`."""
    options = ChangeOptions(guard=["stage", "note"], status=True, tokens=OperationTokens(ring=3), probe=True)

    assert (
        again(options)
        == options
        == ChangeOptions(**{f.name: getattr(options, f.name) for f in dataclasses.fields(options)})
    )
    assert hash(again(options)) == hash(options)
    assert dataclasses.replace(options, probe=False) != options
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.status = False


def test_a_guard_given_as_an_iterator_serves_every_change(project, record):
    """The keys are listed once, when the options are created."""
    options = ChangeOptions(guard=iter(["note"]))

    first, second = (project.records.change(record, {"stage": "won"}, change_options=options) for _ in range(2))

    assert first.guard == second.guard == {"note": "x"}


@pytest.mark.parametrize("wrong", [Options(), {"guard": "all"}, "all", None])
@pytest.mark.parametrize("method", ["change", "edit", "modify", "between"])
def test_options_of_another_type_are_refused(project, record, service, method, wrong):
    """`options` of a call and `change_options` are two things, and a dict is neither. Nothing is sent."""
    given = {"change_options": wrong}
    calls = {
        "change": lambda: project.records.change(record, {"stage": "won"}, **given),
        "edit": lambda: project.records.edit(record, **given),
        "modify": lambda: project.records.modify(record, lambda data: WON, **given),
        "between": lambda: Change.between(record, WON, **given),
    }

    with pytest.raises(UsageError, match=rf"change_options is of type {type(wrong).__name__}; give ChangeOptions\("):
        calls[method]()

    assert not service.requests


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"probe": "yes"}, "probe is 'yes'; give True or False, or leave it out"),
        ({"resend": 1}, "resend is 1; give True or False$"),
        ({"verify_merge": "deep"}, "verify_merge is 'deep'; give True or False$"),
    ],
)
def test_apply_checks_its_arguments_before_anything_is_sent(project, record, service, wrong, message):
    """A string or a number would be true, and a change could be sent twice."""
    change = project.records.change(record, {"stage": "won"})

    with pytest.raises(UsageError, match=message):
        project.records.apply(change, **wrong)

    assert not service.requests


def test_apply_with_another_type_names_the_accepted_type(project, record, service):
    """A draft has a change but is not a change."""
    with project.records.edit(record) as draft:
        draft["stage"] = "won"

    with pytest.raises(
        UsageError, match=r"change is of type Draft; give the result of records.change, or a draft's `change`"
    ):
        project.records.apply(draft)

    assert not service.requests


def test_modify_checks_its_arguments_before_the_function_is_called(project, record, service):
    """`replay_safe` counts a change twice where it is true by mistake."""
    with pytest.raises(UsageError, match=r"replay_safe is 'no'; give True or False$"):
        project.records.modify(record, lambda data: pytest.fail("the function was called"), replay_safe="no")

    assert not service.requests


def test_every_option_has_its_effect_in_modify(project, record, service):
    """The options are those of each change that it makes."""
    service.will(answer({"stage": "won", "site": {}}))
    nested = record.model_copy(update={"data": {"stage": "open", "site": {"city": "Köln"}}})
    tokens = OperationTokens(key="token", ring_key="ring")
    options = ChangeOptions(guard=["stage"], status=True, merge="shallow", tokens=tokens)

    with pytest.warns(UserWarning, match="merge"):  # the scripted answer has no token
        project.records.modify(nested, lambda data: {"stage": "won", "site": {}}, change_options=options)

    assert service.body["data"].keys() == {"stage", "site", "token", "ring"}
    assert (service.body["expectedData"], service.body["expectedStatus"]) == ({"stage": "open"}, "open")


@pytest.mark.parametrize(
    ("choices", "looks"),
    [
        ((None, {}, {}), False),
        (("ignore", {}, {}), True),
        (("ignore", {"probe": False}, {}), False),
        (("ignore", {"probe": False}, {"probe": True}), True),
        ((None, {"probe": True}, {}), True),
        ((None, {"probe": True}, {"probe": False}), False),
        ((None, {}, {"probe": True}), True),
    ],
)
def test_apply_overrides_the_change_and_the_change_overrides_the_client_about_a_probe(
    connect, service, record, choices, looks
):
    """The argument of `apply` comes first, then the options of the change, then the capabilities of the client."""
    known, made_with, applied_with = choices
    records = connect(capabilities=Capabilities(no_op_update=known)).project(PROJECT).records
    change = Change.between(record, WON, change_options=ChangeOptions(**made_with))
    service.will(LOST, STALE, *([answer(WON)] if looks else []))

    if looks:
        assert records.apply(change, **applied_with).applied == "in effect"
    else:
        with pytest.raises(OutcomeUnknownError):
            records.apply(change, **applied_with)

    assert len(service.requests) == (3 if looks else 2)


def test_the_client_that_makes_a_change_does_not_decide_about_its_probe(connect, record):
    """Its capabilities are facts about its own deployment; the client that applies the change has others."""
    records = connect(capabilities=Capabilities(no_op_update="ignore")).project(PROJECT).records

    assert records.change(record, {"stage": "won"}).probe is UNSET
