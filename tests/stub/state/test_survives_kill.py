"""A server that is killed in the middle of its work: what it had answered is in the state file, and nothing half done.

Each round starts the server on the same file, has many clients write, kills it at a random moment, and compares what was
answered with what is there.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from project_platform_stub import Stub
from project_platform_stub.state.file import StateFile, StateFileError

WRITERS = 6
ROUNDS = 5
PATIENCE = 20.0  # Seconds until the server is there, on a busy machine
SLUGS = ("welcome", "brand%2Fvoice", "brand%2Fvoice%2Fcaf%C3%A9")
COMMAND = "import sys; from project_platform_stub.cli import main; sys.exit(main(sys.argv[1:]))"


def start(path: Path, number: int = 0) -> tuple[subprocess.Popen[str], Path]:
    """Start a server on a state file; return its process, and the file in which it describes itself when it is ready."""
    described = path.with_name(f"described {number}.json")
    described.unlink(missing_ok=True)
    command = [sys.executable, "-c", COMMAND, "--port", "0", "--state", str(path), "--describe", str(described)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=pipe, text=True), described


@contextmanager
def running(path: Path):
    """Run a server on a state file, give its description and its process; it is dead in the end."""
    server, described = start(path)
    try:
        deadline = time.monotonic() + PATIENCE
        while not described.exists():
            assert server.poll() is None, server.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield json.loads(described.read_text("utf-8")), server
    finally:
        server.kill()
        server.communicate()


class Answered:
    """What the server has answered with 2xx.

    Attributes:
        records: Records by identifier, as they were answered last.
        slots: Starts of bookings, by `bookingUid`.
        memory: Content of memory entries by slug, as it was answered last.
        projects: Identifiers of sub-projects.
        writes: How many answers there were, by kind.
    """

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.slots: dict[str, str] = {}
        self.memory: dict[str, int] = {}
        self.projects: list[str] = []
        self.writes: Counter[str] = Counter()


class Writer:
    """Sends writes of all kinds, one after the other, until the server is gone.

    Args:
        number: Its number: it books on a day of its own, and has a memory entry of its own if there are enough.
        description: The server.
        answered: Where it notes what was answered.
        turn: Number of the round.
    """

    def __init__(self, number: int, description: dict[str, Any], answered: Answered, turn: int) -> None:
        self._number, self._answered, self._turn = number, answered, turn
        self._counter = 0
        self._template = description["template"]
        self._api = httpx.Client(
            base_url=f"{description['base_url']}/projects/{description['project_id']}",
            headers={"Authorization": f"Bearer {description['tokens']['owner']}"},
        )

    def __call__(self) -> None:
        """Write."""
        kinds: list[Callable[[], None]] = [
            self._create,
            self._link,
            self._update,
            self._update,
            self._book,
            self._remember,
        ]
        with self._api, suppress(httpx.TransportError):
            self._create()
            while True:
                self._counter += 1
                for kind in kinds if self._counter % 5 else [*kinds, self._apply]:
                    kind()
                    self._answered.writes[kind.__name__] += 1

    def _create(self) -> None:
        body = '{"typeSlug":"deal","data":{"count":0,"rate":0.1234567890123456789,"name":"Café"}}'
        answer = self._api.post("object-records", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 201, answer.text
        self._record = answer.json()["record"]
        self._answered.records[self._record["id"]] = self._record

    def _link(self) -> None:
        email = f"{self._turn}.{self._number}.{self._counter}@example.com"
        answer = self._api.post("object-records", json={"typeSlug": "lead", "data": {"email": email}})
        record = answer.json()["record"]
        self._answered.records[record["id"]] = record

    def _update(self) -> None:
        count = self._record["data"]["count"]
        body = {"data": {"count": count + 1}, "expectedData": {"count": count}}
        answer = self._api.patch(f"object-records/{self._record['id']}", json=body)
        assert answer.status_code == 200, answer.text
        self._record = answer.json()["record"]
        self._answered.records[self._record["id"]] = self._record

    def _book(self) -> None:
        start = f"20{30 + self._turn}-0{self._number + 1}-{self._counter // 600 % 27 + 1:02}T"
        start += f"{self._counter // 60 % 10 + 10}:{self._counter % 60:02}:00Z"
        attendee = {"email": f"{self._turn}.{self._number}.{self._counter}@example.com"}
        body = {"start": start, "durationMinutes": 1, "summary": "Load", "attendee": attendee}
        answer = self._api.post("calendar/provider/events", json=body)
        assert answer.status_code == 201, answer.text
        self._answered.slots[answer.json()["bookingUid"]] = start

    def _remember(self) -> None:
        if self._number >= len(SLUGS):
            return
        content = self._turn * 1_000_000 + self._counter
        answer = self._api.patch(f"memory-entries/{SLUGS[self._number]}", json={"content": str(content)})
        entry = answer.json()["entry"]
        self._answered.memory[entry["slug"]] = int(entry["content"])

    def _apply(self) -> None:
        values = {"client": "Acme", "contactEmail": "acme@example.com"}
        name = f"Load {self._turn} {self._number} {self._counter}"
        answer = self._api.post(f"templates/{self._template}/apply", json={"name": name, "variableValues": values})
        self._answered.projects.append(answer.json()["data"]["project"]["id"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the state file is."""
    return tmp_path / "state.db"


def load(description: dict[str, Any], answered: Answered, turn: int, kill: Callable[[], None]) -> float:
    """Have writers write, and kill the server some time after the first answers; return how long they wrote."""
    writers = [Writer(number, description, answered, turn) for number in range(WRITERS)]
    threads = [threading.Thread(target=writer) for writer in writers]
    before = answered.writes.total()
    for thread in threads:
        thread.start()
    while answered.writes.total() - before < 5 * WRITERS:
        assert any(thread.is_alive() for thread in threads)
        time.sleep(0.005)
    moment = random.uniform(0, 0.5)
    time.sleep(moment)
    kill()
    for thread in threads:
        thread.join()
    return moment


def compare(stub: Stub, answered: Answered) -> None:
    """Fail if something that was answered is not there, or something is there by half."""
    project = stub.project
    for id, record in answered.records.items():
        # One more update may have been applied when the server died; it was under way, and not answered.
        now = json.loads(json.dumps(project.records[id], default=str))
        assert now["data"].get("count", 0) - record["data"].get("count", 0) in {0, 1}
        assert {**now, "data": {}, "updatedAt": ""} == {**record, "data": {}, "updatedAt": ""}
        assert now["data"].keys() == record["data"].keys()
        assert now["data"].get("rate") in {None, "0.1234567890123456789"}
    for record in project.records.values():
        assert record["id"] in project.relations, "a record comes with its relations"
        if record["typeSlug"] == "lead":
            assert record["personRefId"] in project.records, "a lead comes with the person it is linked to"

    events = {uid: event for uid, event in project.events.items() if event.summary == "Load"}
    assert answered.slots.keys() <= events.keys()
    assert all(f"{events[uid].start:%Y-%m-%dT%H:%M:%SZ}" == start for uid, start in answered.slots.items())
    assert Counter(mail.booking_uid for mail in stub.outbox) == Counter(events.keys()), "an event comes with its mail"

    assert all(int(project.memory[slug]["content"]) - content in {0, 1} for slug, content in answered.memory.items())

    applied = [each for each in stub.world.projects.values() if each.parent is not None]
    assert {each.id for each in applied} >= set(answered.projects)
    assert len({tuple(map(len, (each.roles, each.object_types, each.workflows))) for each in applied}) <= 1


def test_what_was_answered_is_there_after_a_kill(path):
    """Writes of every kind, in several rounds on one file: none that was answered is lost, and none is there by half."""
    answered, tokens, moments = Answered(), [], []
    for turn in range(ROUNDS):
        with running(path) as (description, server):
            tokens.append(description["tokens"]["owner"])
            moments.append(load(description, answered, turn, server.kill))

        with Stub(state=path) as stub:
            compare(stub, answered)
            known = set(stub.project.records) | set(stub.project.events)
            assert len(known) == len(stub.project.records) + len(stub.project.events)
            for token in tokens:
                with httpx.Client(transport=stub.transport(), headers={"Authorization": f"Bearer {token}"}) as api:
                    url = f"http://stub/projects/{stub.project.id}/object-records"
                    record = api.post(url, json={"typeSlug": "deal", "data": {}}).json()["record"]
                assert record["id"] not in known, "identifiers do not come again"

    assert set(answered.writes) == {"_create", "_link", "_update", "_book", "_remember", "_apply"}
    assert len(set(moments)) == ROUNDS


def test_a_file_in_use_by_another_process_is_refused(path):
    """One server at a time: the second says so, and the first goes on."""
    with running(path) as (description, _):
        with pytest.raises(StateFileError, match="is in use by another process; stop that one, or name another file"):
            StateFile(path)

        url = f"{description['base_url']}/projects/{description['project_id']}/object-records"
        headers = {"Authorization": f"Bearer {description['tokens']['owner']}"}
        assert httpx.post(url, json={"typeSlug": "deal", "data": {}}, headers=headers).status_code == 201


def test_a_refused_opening_does_not_release_the_lock(path):
    """POSIX drops all locks that a process has on a file when it closes the file once: SQLite must be the only reader."""
    with Stub(state=path):
        with pytest.raises(StateFileError, match="is in use"):
            StateFile(path)
        server, _ = start(path)
        _, said = server.communicate(timeout=PATIENCE)

    assert (server.returncode, "is in use by another process" in said) == (1, True)


KILLED = """
import os, signal, sqlite3, sys
from project_platform_stub import Stub

class Connection(sqlite3.Connection):
    left = 0

    def execute(self, *arguments):
        if Connection.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        Connection.left -= 1
        return super().execute(*arguments)

connect = sqlite3.connect
sqlite3.connect = lambda *arguments, **options: connect(*arguments, factory=Connection, **options)
for statements in range(1000):
    child = os.fork()
    if child == 0:
        Connection.left = statements
        Stub(state=f"{sys.argv[1]}/{statements}.db")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status == 0:
        print(statements)
        break
    assert os.WIFSIGNALED(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes that are killed are forks")
def test_a_kill_while_the_file_is_created_leaves_a_file_that_opens(tmp_path):
    """Whichever statement was the last, the next start finds a new file or a state file."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, check=True)

    assert int(killed.stdout) > 10
    for statements in range(int(killed.stdout)):
        with Stub(state=tmp_path / f"{statements}.db") as stub:
            assert len(stub.project.memory) == 3


def test_one_of_many_processes_gets_the_file(path):
    """Servers that start at the same moment on a file that is not there yet: one of them runs, the others say why not."""
    servers = [start(path, number) for number in range(4)]
    try:
        deadline = time.monotonic() + PATIENCE
        while sum(server.poll() is not None for server, _ in servers) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        (runs,) = (described for server, described in servers if server.poll() is None)
        while not runs.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        refused = [(server.returncode, server.stderr.read()) for server, _ in servers if server.poll() is not None]
    finally:
        for server, _ in servers:
            server.kill()
            server.communicate()

    why = f"{path}: is in use by another process; stop that one, or name another file\n"
    assert refused == [(1, why)] * 3


def test_a_server_starts_at_once_after_a_kill(path):
    """The lock of a process ends with it."""
    for _ in range(2):
        with running(path) as (_, server):
            server.kill()

    with Stub(state=path) as stub:
        assert stub.world.id == "demo"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that asks a process to stop")
def test_a_server_that_is_stopped_leaves_one_file(path):
    """After SIGTERM all is in the file itself, and its log is gone."""
    with running(path) as (_, server):
        server.terminate()
        assert server.wait(PATIENCE) == 0

    assert {file.name for file in path.parent.iterdir()} == {"state.db", "described 0.json"}


def test_a_damaged_file_stops_the_server_from_starting(path):
    """The command says what is wrong in one line, ends with 1, and leaves the file as it is."""
    path.write_bytes(b"SQLite format 3\0" + bytes(4080))
    server, _ = start(path)

    _, said = server.communicate(timeout=PATIENCE)

    assert server.returncode == 1
    why = "is not an SQLite file, or its header is damaged; name another file; this one was left as it was"
    assert said == f"{path}: {why}\n"
    assert path.read_bytes() == b"SQLite format 3\0" + bytes(4080)
    assert [file.name for file in path.parent.iterdir()] == ["state.db"]
