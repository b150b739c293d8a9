"""Many worlds on one stub: what keeps them apart, and how one goes back to what it was."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest

from project_platform_stub import Stub, World
from project_platform_stub.demo import demo_origin


class Call:
    """Calls with a token of a world, over one client for all worlds."""

    def __init__(self, stub: Stub) -> None:
        self._client = httpx.Client(transport=stub.transport(), base_url="http://stub")

    def __call__(self, world: World, method: str, path: str, identity: str = "owner", **body):
        """Return the answer to a call; `path` is relative to the world's first project."""
        headers = {"Authorization": f"Bearer {world.token(identity)}"}
        return self._client.request(method, f"/projects/{world.project.id}{path}", headers=headers, **body)

    def create(self, world: World, **data) -> dict:
        """Create a record and return it."""
        answer = self(world, "POST", "/object-records", json={"typeSlug": "deal", "data": data})
        assert answer.status_code == 201, answer.text
        return answer.json()["record"]


@pytest.fixture
def call(stub):
    """Return a way to call any world of the stub."""
    return Call(stub)


def test_the_token_says_which_world_is_meant(stub, call):
    """What is written with the token of one world is not in the other, though their projects have the same identifiers."""
    one, other = stub.worlds.create(), stub.worlds.create()

    record = call.create(one, stage="open")

    assert one.project.id == other.project.id
    assert record["id"] in one.project.records
    assert record["id"] not in other.project.records
    assert call(other, "PATCH", f"/object-records/{record['id']}", json={"data": {}}).status_code == 404


def test_what_is_read_from_a_world_is_a_copy(stub):
    """Worlds of one origin share what is in them until one writes; changing what was read changes neither."""
    one, other = stub.worlds.create(), stub.worlds.create()
    (record, *_) = one.project.records

    one.project.records[record]["data"]["stage"] = "changed in place"
    one.project.sidebar[0]["label"] = "changed in place"
    one.project.records[record] |= {"status": "assigned"}

    assert one.project.records[record]["status"] == "assigned"
    assert one.project.records[record]["data"] == other.project.records[record]["data"]
    assert other.project.records[record]["status"] == "open"
    assert one.project.sidebar == other.project.sidebar


def test_what_is_put_into_a_world_is_a_copy(stub):
    """Changing later what was put in changes nothing."""
    mine = {"slug": "mine", "title": "before"}

    stub.project.memory["mine"] = mine
    mine["title"] = "after"

    assert stub.project.memory["mine"]["title"] == "before"


def test_the_same_seed_gives_the_same_identifiers(stub, call):
    """In the demo world, and for all that is created afterwards; another seed gives others."""
    one, same, other = (stub.worlds.create(seed=seed) for seed in (7, 7, 8))

    first, again, different = (call.create(world)["id"] for world in (one, same, other))

    assert (one.project.id, first) == (same.project.id, again)
    assert (one.project.id, first) != (other.project.id, different)
    assert one.project.id != other.project.id


def test_a_world_goes_back_to_a_snapshot(stub, call):
    """Records, mails, sub-projects and the order of identifiers are as they were; the snapshot stays."""
    world = stub.world
    before = {**world.project.records}
    name = world.snapshot()

    for _ in range(2):
        record = call.create(world)
        call(world, "POST", "/calendar/provider/events", json=BOOKING)
        call(world, "POST", f"/templates/{next(iter(world.project.templates))}/apply", json={"name": "Sub"})
        assert (len(world.projects), len(world.outbox)) == (4, 1)

        world.restore(name)

        assert world.project.records == before
        assert (len(world.projects), len(world.outbox)) == (3, 0)
        assert call.create(world)["id"] == record["id"]
        world.restore(name)


def test_snapshots_have_names(stub):
    """One that does not exist is refused with those that do; one of the same name takes its place."""
    world = stub.world
    world.snapshot("clean")
    del world.project.memory["welcome"]

    with pytest.raises(LookupError, match="There is no snapshot 'clear' of this world; there are: clean"):
        world.restore("clear")
    world.snapshot("clean")
    world.restore("clean")

    assert "welcome" not in world.project.memory
    assert world.snapshots == ["clean"]
    world.discard("clean")
    assert world.snapshots == []


def test_a_reset_makes_a_world_what_it_was_in_the_beginning(stub, call, clock):
    """Contents, clock, keys, faults and journal."""
    from project_platform_stub import faults

    world = stub.worlds.create(at=datetime(2030, 1, 1, tzinfo=UTC))
    records = {**world.project.records}
    call.create(world)
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
    assert call(world, "GET", "/agents").status_code == 200


def test_a_transaction_is_all_or_nothing(stub):
    """After an error nothing of it is there, not even an identifier that was drawn."""
    world = stub.world
    before = world.state

    def fail() -> None:
        with world.transaction() as contents:
            contents.projects[world.project.id].memory["half"] = {"slug": "half"}
            contents.ids.short("rec")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert world.state is before


def test_what_an_operation_wrote_before_it_was_refused_is_undone(stub, call, monkeypatch):
    """An answer that breaks the contract is a 500, and then nothing was written either."""
    from project_platform_stub.operations import HANDLERS
    from project_platform_stub.operations.call import Answer

    create = HANDLERS["records_create"]

    def broken(call):
        record = create(call).value["record"]
        return Answer({"record": {**record, "createdAt": "yesterday"}})

    monkeypatch.setitem(HANDLERS, "records_create", broken)
    before = {**stub.project.records}

    answer = call(stub.world, "POST", "/object-records", json={"typeSlug": "deal", "data": {}})

    assert answer.status_code == 500
    assert stub.project.records == before


def test_an_idle_world_expires(clock):
    """One that nobody used for so long is deleted when the next is made; the first one stays."""
    from project_platform_stub.world.registry import Worlds

    time = [0.0]
    worlds = Worlds(default_origin=demo_origin, system=clock, idle_after=60, monotonic=lambda: time[0])
    worlds.create("first", stays=True)
    worlds.create("idle")
    worlds.create("used")
    time[0] = 59.0
    worlds.get("used")
    time[0] = 61.0

    worlds.create("new")

    assert [world.id for world in worlds] == ["first", "used", "new"]
    assert worlds.get("idle") is None


def test_a_token_of_a_deleted_world_is_refused(stub, call, refused):
    """The answer says what became of the world."""
    world = stub.worlds.create()
    headers = {"Authorization": f"Bearer {world.token()}"}
    stub.worlds.delete(world.id)

    with httpx.Client(transport=stub.transport(), base_url="http://stub", headers=headers) as client:
        refused(client.get("/auth/check-permission?permission=agents:read"), 401, "The token belongs to a world that")


@pytest.mark.parametrize("id", ["a b", "", "-a", "x" * 65, "a/b", "ä"])
def test_an_identifier_is_a_word(stub, id):
    """It goes into tokens, sessions and paths."""
    if id:
        with pytest.raises(ValueError, match="is no identifier"):
            stub.worlds.create(id)
    else:
        assert stub.worlds.create(id).id, "an empty one is as good as none"


def test_an_identifier_is_taken_once(stub):
    """A second world of the same name would take over the tokens of the first."""
    stub.worlds.create("mine")

    with pytest.raises(ValueError, match="there is a world 'mine' already"):
        stub.worlds.create("mine")


def test_two_stubs_share_nothing():
    """Not even the keys: a token of one is refused by the other."""
    one, other = Stub(), Stub()

    with httpx.Client(transport=other.transport(), base_url="http://stub") as client:
        answer = client.get(
            "/auth/check-permission?permission=agents:read", headers={"Authorization": f"Bearer {one.token()}"}
        )

    assert answer.status_code == 401


BOOKING = {"start": "2026-11-10T09:00:00Z", "summary": "Tasting", "attendee": {"email": "a@example.com"}}
