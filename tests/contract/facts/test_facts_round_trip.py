"""A stub that is configured with the facts of another one has the same facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from project_platform_contract.data.stub_data import stub_data
from project_platform_contract.facts.cli import main
from project_platform_stub import Profile, Stub, load_profile
from project_platform_stub.contract import load_contract

from ..conftest import WITH_DATA, write_data

PROFILE = Profile.from_mapping(
    {
        "createdStatus": 200,
        "successStatus": {"records_update": 202, "calendar_book": 202},
        "invalidStatus": 422,
        "unknownProjectStatus": 404,
        "permissionParameter": "p",
        "merge": "deep",
        "nestedNulls": "strip",
        "containmentArrays": "prefix",
        "memoryMetadata": "merged",
        "defaultLimit": 100,
        "externalId": "unique",
        "noOpUpdate": "ignore",
        "encodedSlash": "separator",
        "unknownFields": "refuse",
    }
)
# Switches that no response of these tests shows.
UNOBSERVABLE = {"permissions", "publishDuePosts", "rateLimit", "retryAfter"}
MODULES = (
    "agents",
    "answers",
    "records_containment",
    "records_create",
    "records_update",
    "scope",
)
SEQUENCES = "(test_model and (memory or permissions))"


@pytest.fixture
def facts_of(prove, tmp_path):
    """Returns a function that runs the suite against a stub with a profile, and returns the path of its fact file."""

    def facts_of(profile: Profile, name: str) -> Path:
        stub = Stub(profile=profile)
        data = stub_data(stub)
        environment = write_data(tmp_path, data.values, data.tokens)
        tests = ("-k", " or ".join((*(f"test_{module}" for module in MODULES), SEQUENCES)), "--report", name)
        with stub.serve() as server:
            allowed = ("--allow", "irreversible", "--i-own", "127.0.0.1")
            run = prove(server.base_url, *WITH_DATA, *allowed, *tests, environment=environment)
        facts = tmp_path / name / "facts.json"
        assert facts.is_file(), run.out + run.err
        return facts

    return facts_of


def test_a_stub_configured_with_facts_has_the_same_facts(facts_of, capsys):
    """Every observable switch is restored from the facts, and a second run finds no difference."""
    taken = facts_of(PROFILE, "first")

    again = load_profile(taken)
    operations = load_contract().operations
    assert [again.status_of(operation) for operation in operations] == [
        PROFILE.status_of(operation) for operation in operations
    ]
    switches, expected = again.as_mapping(), PROFILE.as_mapping()
    observable = switches.keys() - UNOBSERVABLE - {"createdStatus", "successStatus"}
    assert {name: switches[name] for name in observable} == {name: expected[name] for name in observable}

    status = main(["diff", str(taken), str(facts_of(again, "second"))])
    assert (status, capsys.readouterr().out.splitlines()[-1].partition(",")[0]) == (0, "0 added")
