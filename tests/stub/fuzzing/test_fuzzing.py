"""Requests that Schemathesis generates from the contract: every response fits the contract.

This is a short run; `fuzz.py` runs longer.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from project_platform_stub import Profile, Stub
from project_platform_stub.contract import load_contract
from project_platform_stub.world.domain import Invitation

sys.path.insert(0, str(Path(__file__).parents[1]))  # as when `fuzz.py` is started as a script

from fuzzing.invariants import violations  # found by the line above
from fuzzing.profiles import PROFILES
from fuzzing.rounds import Tally, by_operation, run_round
from fuzzing.target import Target

pytestmark = pytest.mark.one_python

SEED = 2026


def fuzz(profile, *, contract_profile=None, examples=4, first=True) -> Tally:
    """Return the results of cases of every operation, checked against the contract of a profile."""
    tally = Tally()
    with Target(profile) as target:
        run_round(target, profile if contract_profile is None else contract_profile, SEED, examples, tally, first=first)
    return tally


def test_every_switch_has_another_value_in_a_profile():
    """A new switch must be added to the profiles of the fuzzer."""
    assumed, otherwise = Profile().as_mapping(), Profile.from_mapping(PROFILES["otherwise"]).as_mapping()

    assert {switch for switch, value in assumed.items() if otherwise[switch] == value} == set()


@pytest.mark.parametrize("name", ["assumed", "otherwise"])
def test_every_response_to_a_generated_request_fits_the_contract(name):
    """Status, type and body of responses fit; invalid requests are refused; the world, journal and log have no errors."""
    tally = fuzz(PROFILES[name])

    assert tally.findings == {}
    succeeded = {
        operation for operation, _, statuses in by_operation(tally) if any(status < 300 for status in statuses)
    }
    assert len(succeeded) == len(load_contract().operations), "every operation has successful cases"
    assert len(tally.checks) == 15, "all checks of Schemathesis, with the response time"
    assert tally.added > 0


def test_a_stub_that_differs_from_the_contract_is_detected():
    """Schemathesis finds one status and one parameter name that differ."""
    contract_profile = {"successStatus": {"agents_list": 203}, "permissionParameter": "scope"}

    tally = fuzz({}, contract_profile=contract_profile, examples=2, first=False)

    assert set(tally.findings) == {
        "status_code_conformance of GET /projects/{projectId}/agents",
        "positive_data_acceptance of GET /auth/check-permission",
    }


def damages(world):
    """Yield functions that violate an invariant, each with a part of its message; None where the world stays valid."""
    project = world.project
    record, event = next(iter(project.records.values())), next(iter(project.events.values()))
    mail = Invitation("ada@example.com", "update", "evt_none", "S", "2026", "2026")
    yield lambda: project.records.__setitem__(record["id"], {**record, "data": {"a": None}}), "a null at the top level"
    yield lambda: project.records.__setitem__(record["id"], {**record, "typeSlug": "no"}), "type no"
    yield lambda: project.records.__setitem__(record["id"], {**record, "personRefId": "rec_none"}), "is not a person"
    yield lambda: project.relations.__delitem__(record["id"]), "records and relations do not match"
    yield lambda: project.events.__setitem__(event.uid, replace(event, calendar_id="none")), "on none"
    yield lambda: project.events.__setitem__(event.uid, replace(event, end=event.start)), f"event {event.uid}: from"
    yield lambda: world.outbox.append(mail), "evt_none, which is not an event"
    yield lambda: project.likes.__setitem__("a b", {"postId": "a", "accountId": "b"}), "its post or account is missing"
    yield lambda: setattr(project, "sidebar", [{"id": "a", "items": [{"nonsense": 1}]}]), "sidebar: an item"
    yield lambda: world.projects.add("p", "P", "p", "2026-11-02T00:00:00Z", "none"), "its parent none"
    yield lambda: world.projects.add("p", "P", project.slug, "2026-11-02T00:00:00Z", None), "the same slug"
    yield lambda: project.members.__setitem__("stranger", "owner"), "stranger is a member"
    yield lambda: project.relations.__setitem__(record["id"], {"a": (1,)}), None


@pytest.mark.parametrize("number", range(13))
def test_a_violated_invariant_is_reported(number):
    """Every invariant is checked. A tuple is not a violation, although a file returns it as a list."""
    world = Stub().world
    damage, message = list(damages(world))[number]
    assert violations(world) == []

    damage()

    assert (message in "; ".join(violations(world))) if message else violations(world) == []
