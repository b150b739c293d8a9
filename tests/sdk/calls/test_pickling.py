"""Calls and operations can be stored and copied: an operation is pickled by its identifier."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from project_platform import Call, operations
from project_platform.calls.auth import TOKEN_CALL

COPIES = [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy]
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.fixture
def call():
    return operations.records_update(PROJECT, "rec_1", data={"stage": "won"}, expected_data={"stage": "open"})


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_call_is_equal_and_has_the_same_operation(call, copied):
    """There is one object for each operation, also in another process."""
    same = copied(call)

    assert isinstance(same, Call)
    assert same == call
    assert same.operation is call.operation
    assert (same.body, same.fences, same.retry) == (call.body, True, "safe")


@pytest.mark.parametrize("name", operations.__all__)
def test_every_operation_can_be_pickled(name):
    module = __import__(f"project_platform._generated.operations.{name}", fromlist=["OPERATION"])

    stored = pickle.dumps(module.OPERATION)

    assert pickle.loads(stored) is module.OPERATION
    assert module.OPERATION.path.encode() not in stored


def test_an_operation_that_is_not_in_the_contract_is_not_pickled(call):
    """It could not be found again; the error names it."""
    other = dataclasses.replace(call.operation, retry="safe")

    for operation, name in ((TOKEN_CALL.operation, "token"), (other, "records_update")):
        with pytest.raises(TypeError, match=f"operation {name} cannot be pickled"):
            pickle.dumps(operation)
        assert copy.deepcopy(operation) is copy.copy(operation) is operation
    with pytest.raises(TypeError, match="operation token cannot be pickled"):
        pickle.dumps(TOKEN_CALL)


def test_an_identifier_that_is_unknown_is_refused():
    """A pickle of another version may have an operation that this one does not have."""
    stored = pickle.dumps(operations.agents_list(PROJECT)).replace(b"agents_list", b"agents_lost")

    with pytest.raises(LookupError, match="agents_lost"):
        pickle.loads(stored)
