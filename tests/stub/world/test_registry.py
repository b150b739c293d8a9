"""Several worlds on one stub: their isolation, snapshots, reset and expiry."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from project_platform_stub import Stub
from project_platform_stub.demo import demo_origin


def test_a_value_read_from_a_world_is_a_copy(stub):
    """Worlds of one origin share their values until one writes; changing a read value changes neither."""
    one, other = stub.worlds.create(), stub.worlds.create()
    (record, *_) = one.project.records

    one.project.records[record]["data"]["stage"] = "changed in place"
    one.project.sidebar[0]["label"] = "changed in place"
    one.project.records[record] |= {"status": "assigned"}

    assert one.project.records[record]["status"] == "assigned"
    assert one.project.records[record]["data"] == other.project.records[record]["data"]
    assert other.project.records[record]["status"] == "open"
    assert one.project.sidebar == other.project.sidebar


def test_a_value_written_to_a_world_is_copied(stub):
    mine = {"slug": "mine", "title": "before"}

    stub.project.memory["mine"] = mine
    mine["title"] = "after"

    assert stub.project.memory["mine"]["title"] == "before"


def test_snapshots_have_names(stub):
    """An unknown name is refused with the known ones; a second snapshot of the same name replaces the first."""
    world = stub.world
    world.snapshot("clean")
    del world.project.memory["welcome"]

    with pytest.raises(LookupError, match="This world has no snapshot 'clear'; it has: clean"):
        world.restore("clear")
    world.snapshot("clean")
    world.restore("clean")

    assert "welcome" not in world.project.memory
    assert world.snapshots == ["clean"]
    world.discard("clean")
    assert world.snapshots == []


def test_a_reset_returns_a_world_to_its_initial_state(stub, sign_in):
    """Content, clock, keys, faults and journal."""
    from project_platform_stub import faults

    world = stub.worlds.create(at=datetime(2030, 1, 1, tzinfo=UTC))
    records = {**world.project.records}
    sign_in(token=world.token()).create()
    world.clock.freeze(datetime(2040, 1, 1, tzinfo=UTC))
    world.faults.plan("agents_list", faults.empty())
    world.tokens.rotate()
    signing = world.tokens.signing

    world.reset()

    assert world.project.records == records
    assert world.clock.now() == datetime(2030, 1, 1, tzinfo=UTC)
    assert not world.clock.frozen
    assert world.faults.left == []
    assert len(world.journal) == 0
    assert world.tokens.signing != signing
    client = sign_in(token=world.token())
    assert client.get(client.path("agents")).status_code == 200


def test_the_writes_of_a_failed_operation_are_undone(api, stub, monkeypatch):
    """A response that breaks the contract is a 500, and then the world is unchanged."""
    from project_platform_stub.operations import HANDLERS, Result

    create = HANDLERS["records_create"]

    def broken(call):
        record = create(call).value["record"]
        return Result({"record": {**record, "createdAt": "yesterday"}})

    monkeypatch.setitem(HANDLERS, "records_create", broken)
    before = {**stub.project.records}

    response = api.post(api.path("object-records"), json={"typeSlug": "deal"})

    assert response.status_code == 500
    assert stub.project.records == before


def test_an_idle_world_expires(clock):
    """An idle world is deleted when the next one is created; the first one is exempt."""
    from project_platform_stub.world.world import Worlds

    time = [0.0]
    worlds = Worlds(default_origin=demo_origin, system=clock, idle_after=60, monotonic=lambda: time[0])
    worlds.create("first", permanent=True)
    worlds.create("idle")
    worlds.create("used")
    time[0] = 59.0
    worlds.get("used")
    time[0] = 61.0

    worlds.create("new")

    assert [world.id for world in worlds] == ["first", "used", "new"]
    assert worlds.get("idle") is None


def test_the_number_of_worlds_is_limited(clock):
    """The error names the setting; deleting a world makes room for another one."""
    with Stub(now=clock, max_worlds=2) as stub:
        stub.worlds.create("second")
        with pytest.raises(
            ValueError, match=r"there are 2 already and the maximum is 2; delete some first.*max_worlds"
        ):
            stub.worlds.create("third")
        stub.worlds.delete("second")
        stub.worlds.create("third")

        assert [world.id for world in stub.worlds] == ["demo", "third"]


@pytest.mark.parametrize("id", ["a b", "", "-a", "x" * 65, "a/b", "ä"])
def test_an_identifier_has_letters_and_digits(stub, id):
    """It is part of tokens, sessions and paths."""
    if id:
        with pytest.raises(ValueError, match="is not valid"):
            stub.worlds.create(id)
    else:
        assert stub.worlds.create(id).id, "an empty one is as good as none"


def test_an_identifier_is_unique(stub):
    """A second world of the same name would take over the tokens of the first."""
    stub.worlds.create("mine")

    with pytest.raises(ValueError, match="a world 'mine' already exists"):
        stub.worlds.create("mine")
