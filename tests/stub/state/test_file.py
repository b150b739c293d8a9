"""A state file: answered writes survive a restart, and a failed write changes nothing."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from project_platform_stub.demo import demo_origin
from project_platform_stub.state.file import StateFileError
from project_platform_stub.world.store import Contents, Origin

from ..conftest import Api, encoded_rows


def test_answered_writes_survive_a_restart(restart):
    """Records, bookings with their mails, memory entries and the order of all rows are unchanged."""
    stub = restart()
    with Api(stub, stub.token()) as api:
        api.create(data={"title": "Roof"})
        assert api.book(start="2027-07-01T09:00:00Z", attendee={"email": "ada@example.com"}).status_code == 201
        assert api.patch(api.path("memory-entries", "brand/voice"), json={"content": "Cold."}).status_code == 200
    before = stub.world.state

    after = restart().world.state

    assert encoded_rows(after) == encoded_rows(before)
    assert (after.added, after.drawn) == (before.added, before.drawn)


def test_tokens_and_sessions_survive_a_restart(restart):
    """Tokens and sessions of before the restart are valid, and the key set is unchanged."""
    stub = restart()
    token, session, published = stub.token(), stub.tokens.session("viewer"), stub.tokens.key_set()

    stub = restart()

    with Api(stub, token) as api:
        assert api.get(api.path("agents")).status_code == 200
        assert api.get("/api/auth/token", headers={"Authorization": f"Bearer {session}"}).status_code == 200
    assert stub.tokens.key_set() == published


def test_a_world_can_be_reset_to_its_origin_after_a_restart(restart):
    """The origin of a world is stored, with its name and seed."""
    stub = restart()
    demo = demo_origin(datetime(2026, 1, 1, tzinfo=UTC).date(), 7)
    world = stub.worlds.create("w", origin=Origin("crm.yaml", 7, demo.state), at=datetime(2030, 1, 1, tzinfo=UTC))
    world.project.records.clear()
    world.clock.freeze()

    world = restart().worlds.get("w")
    world.reset()

    assert (world.origin.name, world.seed) == ("crm.yaml", 7)
    assert encoded_rows(world.state) == encoded_rows(demo.state)
    assert abs(world.clock.now() - datetime(2030, 1, 1, tzinfo=UTC)) < timedelta(minutes=5)
    assert not world.clock.frozen


def test_a_restored_snapshot_survives_a_restart(restart):
    """An initial entry that is not in the snapshot is not in the world after the restart."""
    stub = restart()
    del stub.project.memory["welcome"]
    stub.project.memory["new"] = {"slug": "new"}
    stub.world.snapshot("s")
    stub.world.reset()
    stub.world.restore("s")

    assert list(restart().project.memory) == ["brand/voice", "brand/voice/café", "new"]


def test_a_clock_survives_a_restart(restart, clock):
    """A clock that was advanced is still ahead, and a frozen clock is still frozen."""
    stub = restart(now=clock)
    ahead, frozen = stub.worlds.create("ahead").clock, stub.worlds.create("frozen").clock
    ahead.advance(3600)
    frozen.freeze(datetime(2031, 5, 1, tzinfo=UTC))
    clock.advance(minutes=1)

    stub = restart(now=clock)

    assert stub.worlds.get("ahead").clock.now() == clock.now + timedelta(hours=1)
    assert stub.worlds.get("frozen").clock.now() == datetime(2031, 5, 1, tzinfo=UTC)


def test_rotated_keys_survive_a_restart(restart):
    """After a restart the new key still signs, a stale key set is still stale, and a retired key is still refused."""
    stub = restart()
    old = stub.token()
    stub.tokens.rotate(stale=True)
    new = stub.token()

    stub = restart()
    check = "/auth/check-permission?permission=agents:read"
    with Api(stub, old) as before, Api(stub, new) as after:
        assert [api.get(check).status_code for api in (before, after)] == [200, 401]
        stub.tokens.publish()
        stub.tokens.retire()

    stub = restart()
    with Api(stub, old) as before, Api(stub, new) as after, Api(stub, stub.token()) as now:
        assert [api.get(check).status_code for api in (before, after, now)] == [401, 200, 200]


def test_deleted_and_expired_worlds_are_removed_from_the_file(restart, state_path):
    """The file has no rows of a deleted world, nor of its origin."""
    stub = restart(idle_after=0)
    stub.worlds.create("deleted").project.records.clear()
    stub.worlds.delete("deleted")
    stub.worlds.create("expired", origin=demo_origin(datetime(2026, 1, 1, tzinfo=UTC).date(), 3))
    stub.worlds.expire()

    assert [world.id for world in restart().worlds] == ["demo"]
    stub.close()
    restart().close()
    with closing(sqlite3.connect(state_path)) as connection:
        counts = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("origins", "worlds", "rows")
        ]
    assert counts == [(1,), (1,), (0,)]


def test_a_deleted_world_does_not_write_to_a_new_world_of_its_name(restart):
    """A request under way fails when its world is deleted, and the new world of that name is unchanged."""
    stub = restart()
    deleted = stub.worlds.create("w")
    stub.worlds.delete("w")
    stub.worlds.create("w")

    with pytest.raises(StateFileError, match="world 'w' was deleted"):
        deleted.project.records["rec_late"] = {"id": "rec_late"}

    assert "rec_late" not in deleted.project.records
    assert "rec_late" not in restart().worlds.get("w").project.records


def test_a_permanent_world_is_permanent_after_a_restart(restart):
    """Only worlds that are not permanent expire."""
    stub = restart(idle_after=0)
    stub.worlds.create("permanent", permanent=True)
    stub = restart(idle_after=0)

    stub.worlds.expire()

    assert {world.id for world in stub.worlds} == {"demo", "permanent"}


def test_stored_worlds_are_loaded_beyond_the_maximum(restart):
    """The maximum is for new worlds: a smaller one loses nothing."""
    stub = restart()
    stub.worlds.create("second")

    stub = restart(max_worlds=1)

    assert {world.id for world in stub.worlds} == {"demo", "second"}
    with pytest.raises(ValueError, match="there are 2 already"):
        stub.worlds.create("third")


def test_snapshots_are_not_stored(restart):
    """Snapshots are lost at a restart, like the journal and planned faults."""
    restart().world.snapshot("s")

    assert restart().world.snapshots == []


def test_a_failed_transaction_stores_nothing(restart):
    """Writes before the error are neither in the world nor in the file."""
    stub = restart()
    before = encoded_rows(stub.world.state)

    def fail(contents: Contents) -> None:
        contents.projects[stub.project.id].records["rec_half"] = {"id": "rec_half"}
        raise RuntimeError

    with pytest.raises(RuntimeError), stub.world.transaction() as contents:
        fail(contents)

    assert encoded_rows(stub.world.state) == before
    assert encoded_rows(restart().world.state) == before


@contextmanager
def disk_full(path: Path):
    """Limit the size of files of this process to the present size of the log."""
    resource = pytest.importorskip("resource", reason="Windows has no limit for the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.with_name(path.name + "-wal").stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_write_that_cannot_be_stored_changes_nothing(restart, state_path):
    """With a full disk the response is a 500 and the world is unchanged; with free space writes succeed again."""
    stub = restart()
    before = encoded_rows(stub.world.state)
    origin = demo_origin(datetime(2026, 1, 1, tzinfo=UTC).date(), 3)
    with Api(stub, stub.token()) as api:
        with disk_full(state_path):
            big = {"typeSlug": "deal", "data": {"title": "x" * 500_000}}
            failed = api.post(api.path("object-records"), json=big)
            with pytest.raises(StateFileError, match="cannot be written, and nothing was stored"):
                stub.worlds.create("w", origin=origin)
            with pytest.raises(StateFileError, match="cannot be written, and nothing was stored"):
                stub.project.records["rec_big"] = {"id": "rec_big", "title": "x" * 500_000}
        during = encoded_rows(stub.world.state)
        created = api.create(data={"title": "Small"})
        stub.worlds.create("w", origin=origin)

    assert (failed.status_code, failed.json()["code"]) == (500, "internal_error")
    assert during == before
    stub = restart()
    assert stub.project.records[created["id"]] == created
    assert [world.id for world in stub.worlds] == ["demo", "w"]
    assert encoded_rows(stub.worlds.get("w").state) == encoded_rows(origin.state)
    assert len(stub.project.records) == len(stub.world.origin.state.collection(stub.project.id, "records").rows) + 1


def test_threads_write_concurrently(restart):
    """Every world has a lock, and the file has all writes of all threads."""
    stub = restart()
    worlds = [stub.worlds.create(f"w{number}") for number in range(4)]

    def work(number: int) -> None:
        worlds[number % 4].project.memory[f"notes/{number}"] = {"n": number}
        worlds[number % 4].clock.advance(1)
        if number % 10 == 0:
            worlds[number % 4].tokens.rotate()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(200)))
    before = {world.id: (encoded_rows(world.state), world.tokens.accepted) for world in stub.worlds}

    stub = restart()

    assert {world.id: (encoded_rows(world.state), world.tokens.accepted) for world in stub.worlds} == before


def test_a_write_after_closing_is_refused(restart):
    """A closed stub raises an error and does not change the world."""
    stub = restart()
    stub.close()

    with pytest.raises(StateFileError, match="is closed"):
        stub.project.records.clear()

    assert len(stub.project.records) > 0
