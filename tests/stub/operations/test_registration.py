"""Operations and handlers belong together: the stub server does not start with one that lacks the other."""

from __future__ import annotations

from copy import deepcopy

import pytest
import yaml

from project_platform_stub import Stub
from project_platform_stub import contract as module
from project_platform_stub.contract import load_contract
from project_platform_stub.operations import HANDLERS, ContractError, handlers, operation


@pytest.fixture
def started_with(contract, tmp_path, monkeypatch):
    """Return a function that starts a stub with a contract that was changed."""

    def started_with(change):
        document = deepcopy(contract)
        change(document)
        (tmp_path / "openapi.yaml").write_text(yaml.safe_dump(document), "utf-8")
        monkeypatch.setattr(module, "_file", lambda: tmp_path / "openapi.yaml")
        load_contract.cache_clear()
        return Stub()

    yield started_with
    monkeypatch.undo()
    load_contract.cache_clear()


def test_every_operation_has_a_handler(contract):
    ids = [node["operationId"] for item in contract["paths"].values() for node in item.values()]

    assert sorted(handlers(load_contract().operations)) == sorted(ids)


def fields(document):
    return document["components"]["schemas"]["UpdateMemoryBody"]["properties"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda it: fields(it).update(note={"type": "string"}),
            "memory_update differ in fields: note; read each field in",
        ),
        (lambda it: fields(it).pop("title"), "memory_update differ in fields: title"),
        (
            lambda it: it["paths"]["/projects/{projectId}/agents"]["get"]["parameters"].pop(),
            "agents_list differ in fields: offset",
        ),
    ],
)
def test_a_field_that_the_handler_does_not_know_is_named(started_with, change, problem):
    """A new field of the contract is not ignored in silence, and neither is one that the handler reads in vain."""
    with pytest.raises(ContractError, match=problem):
        started_with(change)


@pytest.mark.parametrize("status", ["400", "401", "403", "413", "415"])
def test_a_refusal_that_the_contract_does_not_have_is_named(started_with, status):
    """It would be a 500 at run time."""
    path = "/projects/{projectId}/memory-entries/{slug}"
    with pytest.raises(ContractError, match=f"memory_update does not document {status}, with which"):
        started_with(lambda document: document["paths"][path]["patch"]["responses"].pop(status))


def test_an_operation_without_a_handler_is_named(monkeypatch):
    """The stub server does not start, and the error shows where a handler is defined."""
    monkeypatch.delitem(HANDLERS, "posts_list")

    with pytest.raises(
        ContractError, match=r'without a handler: posts_list; define a function under `@operation\("posts_'
    ):
        Stub()


def test_a_handler_of_no_operation_is_named(monkeypatch):
    """A name that was misspelled is not silently left out."""
    monkeypatch.setitem(HANDLERS, "posts_lsit", HANDLERS["posts_list"])

    with pytest.raises(
        ContractError, match=r"does not have: posts_lsit \(project_platform_stub.operations.posts.list_all"
    ):
        Stub()


def test_a_second_handler_is_refused():
    """Which of the two answers would depend on the order of imports."""
    with pytest.raises(ValueError, match=r"posts_list has two handlers: .*posts\.list_all and .*; remove one"):
        operation("posts_list")(lambda call: None)  # type: ignore[arg-type,return-value]  # it is never called
