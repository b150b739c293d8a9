"""A client that knows the facts of a stub server, and one that does not, against a server with a profile of its own."""

from __future__ import annotations

import json

import pytest

from project_platform import (
    BadRequestError,
    InexpressibleChangeError,
    OutcomeUnknownError,
    RetryPolicy,
    UsageError,
)
from project_platform_stub import Profile, Stub
from project_platform_stub.faults import drop_after_apply

FACTS = {
    "permissionParameter": "p",
    "merge": "deep",
    "nestedNulls": "strip",
    "noOpUpdate": "ignore",
    "encodedSlash": "separator",
}


@pytest.fixture
def stub():
    """Return a stub that does none of these as others do."""
    return Stub(profile=Profile.from_mapping(FACTS))


@pytest.fixture
def facts(tmp_path):
    """Return a file of these facts."""
    path = tmp_path / "facts.json"
    known = {key: {"value": value} for key, value in FACTS.items()}
    path.write_text(json.dumps({"target": "http://stub.localhost", "facts": known}))
    return path


def test_the_permission_is_asked_about_by_its_name(way, facts):
    """Only the client that knows the parameter's name is understood."""
    with pytest.raises(BadRequestError):
        way(lambda client, project: client.auth.check_permission("billing:manage"))

    assert way(lambda client, project: client.auth.check_permission("billing:manage"), capabilities=facts)


def test_a_slug_that_would_be_cut_is_not_sent(way, stub, facts):
    """The server sees nothing of it."""
    seen = len(stub.world.journal)

    with pytest.raises(UsageError, match="separator"):
        way(lambda client, project: project.memory.update("brand/voice", title="t"), capabilities=facts)

    assert len(stub.world.journal) == seen


def test_a_nested_key_is_taken_away(way, stub, facts):
    """Under a merge that is known it is, and nothing beside it is touched."""
    created = way(
        lambda client, project: project.records.create(type_slug="deal", data={"site": {"city": "Köln", "storeys": 3}})
    )

    def without_storeys(client, project):
        return project.records.modify(created, lambda data: {**data, "site": {"city": "Köln"}})

    with pytest.raises(InexpressibleChangeError):
        way(without_storeys)
    stub.project.records[created.id] = {
        **stub.project.records[created.id],
        "data": {"site": {"city": "Köln", "storeys": 3, "by": "another"}},
    }
    assert way(without_storeys, capabilities=facts).data == {"site": {"city": "Köln", "by": "another"}}


def test_a_lost_answer_is_looked_into(way, stub, facts):
    """The client that knows that looking leaves no trace says what became of the change; the look left none."""
    retry = RetryPolicy(initial_delay=0)
    created = way(lambda client, project: project.records.create(type_slug="deal", data={"stage": "open"}))

    def win(client, project):
        return project.records.apply(project.records.change(created, {"stage": "won"}))

    stub.world.faults.plan("records_update", drop_after_apply())
    result = way(win, capabilities=facts, retry=retry)
    assert (result.applied, len(result.attempts)) == ("in effect", 3)

    way(lambda client, project: project.records.update(created.id, data={"stage": "open"}))
    stub.world.faults.plan("records_update", drop_after_apply())
    with pytest.raises(OutcomeUnknownError):
        way(win, retry=retry)
    stub.world.faults.check()
