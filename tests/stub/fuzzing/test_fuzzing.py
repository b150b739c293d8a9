"""Requests that Schemathesis generates from the contract: every answer is one that the contract describes.

This is the short run; `fuzz.py` is the long one.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from project_platform_stub import Profile, Stub
from project_platform_stub.contract import load_contract
from project_platform_stub.world.domain import Invitation

sys.path.insert(0, str(Path(__file__).parents[1]))  # its own neighbours, as when `fuzz.py` is started as a script

from fuzzing.invariants import broken  # found by the line above
from fuzzing.profiles import PROFILES
from fuzzing.rounds import Tally, busiest, play
from fuzzing.target import Target

SEED = 2026


def fuzzed(profile, *, as_if=None, examples=4, first=True) -> Tally:
    """Return what becomes of some cases of every operation, held against the contract as a profile keeps it."""
    tally = Tally()
    with Target(profile) as target:
        play(target, profile if as_if is None else as_if, SEED, examples, tally, first=first)
    return tally


def test_a_profile_turns_every_switch():
    """A switch that is new has to be turned in the profiles of the fuzzing as well."""
    assumed, otherwise = Profile().as_mapping(), Profile.from_mapping(PROFILES["otherwise"]).as_mapping()

    assert {switch for switch, value in assumed.items() if otherwise[switch] == value} == set()


@pytest.mark.parametrize("name", ["assumed", "otherwise"])
def test_nothing_that_schemathesis_makes_up_is_answered_otherwise_than_the_contract_says(name):
    """Status, type and body of every answer fit; what is wrong is refused; world, journal and log are sound after it."""
    tally = fuzzed(PROFILES[name])

    assert tally.findings == {}
    succeeded = {operation for operation, _, statuses in busiest(tally) if any(status < 300 for status in statuses)}
    assert len(succeeded) == len(load_contract().operations), "of every operation some cases were carried out"
    assert len(tally.checks) == 15, "all checks of Schemathesis, and that answers come in time"
    assert tally.added > 0


def test_a_stub_that_keeps_another_contract_is_found_out():
    """Schemathesis looks closely enough to see one status that is not what it should be, and one name."""
    as_if = {"successStatus": {"agents_list": 203}, "permissionParameter": "scope"}

    tally = fuzzed({}, as_if=as_if, examples=2, first=False)

    assert set(tally.findings) == {
        "status_code_conformance of GET /projects/{projectId}/agents",
        "positive_data_acceptance of GET /auth/check-permission",
    }


def unsound(world):
    """Yield ways to make a world unsound, each with what is said of it."""
    project = world.project
    record, event = next(iter(project.records.values())), next(iter(project.events.values()))
    mail = Invitation("ada@example.com", "update", "evt_none", "S", "2026", "2026")
    yield lambda: project.records.__setitem__(record["id"], {**record, "data": {"a": None}}), "a null at the top level"
    yield lambda: project.records.__setitem__(record["id"], {**record, "typeSlug": "no"}), "type no"
    yield lambda: project.records.__setitem__(record["id"], {**record, "personRefId": "rec_none"}), "is no person"
    yield lambda: project.relations.__delitem__(record["id"]), "records and relations do not match"
    yield lambda: project.events.__setitem__(event.uid, replace(event, calendar_id="none")), "on none"
    yield lambda: project.events.__setitem__(event.uid, replace(event, end=event.start)), f"event {event.uid}: from"
    yield lambda: world.outbox.append(mail), "evt_none, which is no event"
    yield lambda: project.likes.__setitem__("a b", {"postId": "a", "accountId": "b"}), "of what does not exist"
    yield lambda: setattr(project, "sidebar", [{"id": "a", "items": [{"nonsense": 1}]}]), "sidebar: an item"
    yield lambda: world.projects.add("p", "P", "p", "2026-11-02T00:00:00Z", "none"), "its parent none"
    yield lambda: world.projects.add("p", "P", project.slug, "2026-11-02T00:00:00Z", None), "the same slug"
    yield lambda: project.members.__setitem__("nobody", "owner"), "nobody is a member"
    yield lambda: project.relations.__setitem__(record["id"], {"a": (1,)}), None


@pytest.mark.parametrize("number", range(13))
def test_a_world_that_is_not_sound_is_seen(number):
    """Each thing that has to hold is looked at; a tuple, which a file gives back as a list, changes nothing."""
    world = Stub().world
    damage, words = list(unsound(world))[number]
    assert broken(world) == []

    damage()

    assert (words in "; ".join(broken(world))) if words else broken(world) == []
