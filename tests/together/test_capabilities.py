"""Clients with and without the facts of a stub, against a stub with an unusual profile."""

from __future__ import annotations

import json

import pytest

from project_platform import (
    BadRequestError,
    InexpressibleChangeError,
    UsageError,
)
from project_platform_stub import Profile, Stub

FACTS = {
    "permissionParameter": "p",
    "merge": "deep",
    "nestedNulls": "strip",
    "noOpUpdate": "ignore",
    "encodedSlash": "separator",
}


@pytest.fixture
def stub():
    """Return a stub whose behaviour differs from every default."""
    return Stub(profile=Profile.from_mapping(FACTS))


@pytest.fixture
def facts(tmp_path):
    """Return a fact file of the stub."""
    path = tmp_path / "facts.json"
    known = {key: {"value": value} for key, value in FACTS.items()}
    path.write_text(json.dumps({"target": "http://stub.localhost", "facts": known}))
    return path


def test_the_known_permission_parameter_is_used(way, facts):
    """The stub understands only the client that knows the parameter's name."""
    with pytest.raises(BadRequestError):
        way(lambda client, project: client.auth.check_permission("billing:manage"))

    assert way(lambda client, project: client.auth.check_permission("billing:manage"), capabilities=facts)


def test_a_slug_that_would_be_split_is_not_sent(way, stub, facts):
    """The stub receives no request."""
    seen = len(stub.world.journal)

    with pytest.raises(UsageError, match="separator"):
        way(lambda client, project: project.memory.update("brand/voice", title="t"), capabilities=facts)

    assert len(stub.world.journal) == seen


def test_a_nested_key_is_deleted(way, stub, facts):
    """If the merge is known; keys next to it are unchanged."""
    created = way(
        lambda client, project: project.records.create(type_slug="deal", data={"site": {"city": "Köln", "storeys": 3}})
    )

    def without_storeys(client, project):
        deals = project.records.of("deal")
        return deals.modify(deals.wrap(created), lambda data: {**data, "site": {"city": "Köln"}})

    with pytest.raises(InexpressibleChangeError):
        way(without_storeys)
    stub.project.records[created.id] = {
        **stub.project.records[created.id],
        "data": {"site": {"city": "Köln", "storeys": 3, "by": "another"}},
    }
    assert way(without_storeys, capabilities=facts).data == {"site": {"city": "Köln", "by": "another"}}
