"""A state file: what was answered is there after a restart, and what cannot be read is refused and left as it was."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from project_platform_stub import Stub
from project_platform_stub.demo import demo_origin
from project_platform_stub.http.json import write_json
from project_platform_stub.state.file import StateFileError
from project_platform_stub.world.row_codecs import TABLES
from project_platform_stub.world.store import Origin, State
from project_platform_stub.world.views import Contents


def client(stub: Stub, token: str | None = None) -> httpx.Client:
    """Return a client of a stub, without a socket between."""
    headers = {"Authorization": f"Bearer {token or stub.token()}"}
    return httpx.Client(transport=stub.transport(), base_url=f"http://stub/projects/{stub.project.id}", headers=headers)


def rows(state: State) -> dict:
    """Return all of a state as text: two states are the same if this is, digit by digit and in the same order."""
    return {key: (row.number, write_json(TABLES[key.table].encode(row.value))) for key, row in state.rows()}


def test_what_was_written_is_there_after_a_restart(restart):
    """Records, bookings with their mails, and memory entries are what they were, and so is the order of everything."""
    stub = restart()
    with client(stub) as api:
        assert api.post("object-records", json={"typeSlug": "deal", "data": {"title": "Roof"}}).status_code == 201
        booking = {"start": "2027-07-01T09:00:00Z", "summary": "Visit", "attendee": {"email": "ada@example.com"}}
        assert api.post("calendar/provider/events", json=booking).status_code == 201
        assert api.patch("memory-entries/brand%2Fvoice", json={"content": "Cold."}).status_code == 200
    before = stub.world.state

    after = restart().world.state

    assert rows(after) == rows(before)
    assert (after.added, after.drawn) == (before.added, before.drawn)


def test_tokens_and_sessions_outlive_a_restart(restart):
    """Whoever signed in before the restart is still signed in."""
    stub = restart()
    token, session, published = stub.token(), stub.tokens.session("viewer"), stub.tokens.key_set()

    stub = restart()

    with client(stub, token) as api:
        assert api.get("agents").status_code == 200
        assert api.get("http://stub/api/auth/token", headers={"Authorization": f"Bearer {session}"}).status_code == 200
    assert stub.tokens.key_set() == published


def test_identifiers_do_not_come_again(restart):
    """Drawing goes on where it stopped: not even those come again whose records are gone."""
    stub = restart()
    drawn = {stub.world.ids.short("rec") for _ in range(10)}

    stub = restart()

    assert drawn.isdisjoint(stub.world.ids.short("rec") for _ in range(10))


def test_a_world_resets_after_a_restart_to_what_it_was_made_from(restart):
    """The origin of a world is kept with it, whatever it was."""
    stub = restart()
    made = demo_origin(datetime(2026, 1, 1, tzinfo=UTC).date(), 7)
    world = stub.worlds.create("w", origin=Origin("crm.yaml", 7, made.state), at=datetime(2030, 1, 1, tzinfo=UTC))
    world.project.records.clear()
    world.clock.freeze()

    world = restart().worlds.get("w")
    world.reset()

    assert (world.origin.name, world.seed) == ("crm.yaml", 7)
    assert rows(world.state) == rows(made.state)
    assert abs(world.clock.now() - datetime(2030, 1, 1, tzinfo=UTC)) < timedelta(minutes=5)
    assert not world.clock.frozen


def test_a_reset_is_kept(restart):
    """A world that was reset before the restart is as it was in the beginning after it."""
    stub = restart()
    stub.project.memory.clear()
    stub.project.records["rec_new"] = {"id": "rec_new"}
    stub.world.reset()

    world = restart().world

    assert rows(world.state) == rows(world.origin.state)


def test_a_snapshot_that_was_gone_back_to_is_kept(restart):
    """What is missing in it, though it was there in the beginning, is missing after the restart, too."""
    stub = restart()
    del stub.project.memory["welcome"]
    stub.project.memory["new"] = {"slug": "new"}
    stub.world.snapshot("s")
    stub.world.reset()
    stub.world.restore("s")

    assert list(restart().project.memory) == ["brand/voice", "brand/voice/café", "new"]


def test_a_clock_goes_on_from_where_it_was_put(restart, clock):
    """A clock that was moved stays ahead, and one that stands still stands still."""
    stub = restart(now=clock)
    ahead, frozen = stub.worlds.create("ahead").clock, stub.worlds.create("frozen").clock
    ahead.advance(3600)
    frozen.freeze(datetime(2031, 5, 1, tzinfo=UTC))
    clock.advance(minutes=1)

    stub = restart(now=clock)

    assert stub.worlds.get("ahead").clock.now() == clock.now + timedelta(hours=1)
    assert stub.worlds.get("frozen").clock.now() == datetime(2031, 5, 1, tzinfo=UTC)


def test_rotated_keys_are_kept(restart):
    """After a restart the new key still signs, a stale key set is still stale, and a retired key is still refused."""
    stub = restart()
    old = stub.token()
    stub.tokens.rotate(stale=True)
    new = stub.token()

    stub = restart()
    with client(stub, old) as before, client(stub, new) as after:
        assert [before.get("agents").status_code, after.get("agents").status_code] == [200, 401]
        stub.tokens.publish()
        stub.tokens.retire()

    stub = restart()
    with client(stub, old) as before, client(stub, new) as after, client(stub) as now:
        assert [api.get("agents").status_code for api in (before, after, now)] == [401, 200, 200]


def test_deleted_and_expired_worlds_are_forgotten(restart, state_path):
    """What is deleted takes no room in the file, and does not come back."""
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


def test_a_world_that_was_deleted_writes_nothing_to_its_successor(restart):
    """A request that was still under way when its world was deleted fails; the new world of that name is untouched."""
    stub = restart()
    gone = stub.worlds.create("w")
    stub.worlds.delete("w")
    stub.worlds.create("w")

    with pytest.raises(StateFileError, match="world 'w' was deleted"):
        gone.project.records["rec_late"] = {"id": "rec_late"}

    assert "rec_late" not in gone.project.records
    assert "rec_late" not in restart().worlds.get("w").project.records


def test_a_world_that_stays_stays_after_a_restart(restart):
    """Only worlds that are not meant to stay expire."""
    stub = restart(idle_after=0)
    stub.worlds.create("stays", permanent=True)
    stub = restart(idle_after=0)

    stub.worlds.expire()

    assert {world.id for world in stub.worlds} == {"demo", "stays"}


def test_snapshots_are_not_kept(restart):
    """They are gone after a restart, like the journal and planned faults."""
    restart().world.snapshot("s")

    assert restart().world.snapshots == []


def test_a_transaction_that_fails_leaves_nothing(restart):
    """What was written before the error is neither shown nor kept."""
    stub = restart()
    before = rows(stub.world.state)

    def fail(contents: Contents) -> None:
        contents.projects[stub.project.id].records["rec_half"] = {"id": "rec_half"}
        raise RuntimeError

    with pytest.raises(RuntimeError), stub.world.transaction() as contents:
        fail(contents)

    assert rows(stub.world.state) == before
    assert rows(restart().world.state) == before


@contextmanager
def no_room(path: Path):
    """Let no file of this process grow beyond the log as it is now."""
    resource = pytest.importorskip("resource", reason="Windows has no limit for the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.with_name(path.name + "-wal").stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_write_that_cannot_be_kept_did_not_happen(restart, state_path):
    """With the disk full the answer is a 500 and the world is as before; with room again all goes on."""
    stub = restart()
    before = rows(stub.world.state)
    origin = demo_origin(datetime(2026, 1, 1, tzinfo=UTC).date(), 3)
    with client(stub) as api:
        with no_room(state_path):
            failed = api.post("object-records", json={"typeSlug": "deal", "data": {"title": "x" * 500_000}})
            with pytest.raises(StateFileError, match="cannot be written, so nothing was"):
                stub.worlds.create("w", origin=origin)
            with pytest.raises(StateFileError, match="cannot be written, so nothing was"):
                stub.project.records["rec_big"] = {"id": "rec_big", "title": "x" * 500_000}
        during = rows(stub.world.state)
        done = api.post("object-records", json={"typeSlug": "deal", "data": {"title": "Small"}}).json()["record"]
        stub.worlds.create("w", origin=origin)

    assert (failed.status_code, failed.json()["code"]) == (500, "internal_error")
    assert during == before
    stub = restart()
    assert stub.project.records[done["id"]] == done
    assert [world.id for world in stub.worlds] == ["demo", "w"]
    assert rows(stub.worlds.get("w").state) == rows(origin.state)
    assert len(stub.project.records) == len(stub.world.origin.state.collection(stub.project.id, "records").rows) + 1


def test_threads_write_at_once(restart):
    """Worlds have locks of their own; all that their threads write is kept."""
    stub = restart()
    worlds = [stub.worlds.create(f"w{number}") for number in range(4)]

    def work(number: int) -> None:
        worlds[number % 4].project.memory[f"notes/{number}"] = {"n": number}
        worlds[number % 4].clock.advance(1)
        if number % 10 == 0:
            worlds[number % 4].tokens.rotate()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(200)))
    before = {world.id: (rows(world.state), world.tokens.accepted) for world in stub.worlds}

    stub = restart()

    assert {world.id: (rows(world.state), world.tokens.accepted) for world in stub.worlds} == before


def test_nothing_is_written_after_closing(restart):
    """A stub that has let go of its file refuses to write rather than to forget."""
    stub = restart()
    stub.close()

    with pytest.raises(StateFileError, match="is closed"):
        stub.project.records.clear()

    assert len(stub.project.records) > 0
