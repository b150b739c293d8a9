"""A server that is killed during writes: the state file has every answered write, and no partial write.

A round starts the server on the same file, sends writes from several clients, kills the server at a random time, and
compares the responses with the file.
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
from urllib.parse import unquote

import httpx
import pytest

from project_platform_stub import Stub
from project_platform_stub.state.file import StateFile, StateFileError

WRITERS = 6
ROUNDS = 5
TIMEOUT = 20.0  # Seconds until the server is ready, on a busy machine
SLUGS = ("welcome", "brand%2Fvoice", "brand%2Fvoice%2Fcaf%C3%A9")
COMMAND = "import sys; from project_platform_stub.cli import main; sys.exit(main(sys.argv[1:]))"


def start(path: Path, number: int = 0) -> tuple[subprocess.Popen[str], Path]:
    """Start a server on a state file; return its process, and the file that it writes when it is ready."""
    described = path.with_name(f"described {number}.json")
    described.unlink(missing_ok=True)
    command = [sys.executable, "-c", COMMAND, "--port", "0", "--state", str(path), "--describe", str(described)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=pipe, text=True), described


@contextmanager
def running(path: Path):
    """Run a server on a state file, yield its description and its process, and kill it at the end."""
    server, described = start(path)
    try:
        deadline = time.monotonic() + TIMEOUT
        while not described.exists():
            assert server.poll() is None, server.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield json.loads(described.read_text("utf-8")), server
    finally:
        server.kill()
        server.communicate()


class Acknowledged:
    """The writes that the server answered with 2xx.

    Attributes:
        records: Records by identifier, from the last response.
        slots: Starts of bookings, by `bookingUid`.
        memory: Content of memory entries by slug, from the last response.
        sent: Content of memory entries by slug, from the last request, answered or not.
        projects: Identifiers of sub-projects.
        writes: Number of writes by kind.
    """

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.slots: dict[str, str] = {}
        self.memory: dict[str, int] = {}
        self.sent: dict[str, int] = {}
        self.projects: list[str] = []
        self.writes: Counter[str] = Counter()


class Writer:
    """Sends writes of all kinds, one after the other, until the connection fails.

    Args:
        number: Number of the writer, which selects the month of its bookings and its memory entry, if there is one.
        description: Description of the server.
        acknowledged: Collects the answered writes.
        turn: Number of the round.
    """

    def __init__(self, number: int, description: dict[str, Any], acknowledged: Acknowledged, turn: int) -> None:
        self._number, self._acknowledged, self._turn = number, acknowledged, turn
        self._counter = 0
        self._template = description["template"]
        self._api = httpx.Client(
            base_url=f"{description['base_url']}/projects/{description['project_id']}",
            headers={"Authorization": f"Bearer {description['tokens']['owner']}"},
        )

    def __call__(self) -> None:
        """Send writes until the server is killed."""
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
                    self._acknowledged.writes[kind.__name__] += 1

    def _create(self) -> None:
        body = '{"typeSlug":"deal","data":{"count":0,"rate":0.1234567890123456789,"name":"Café"}}'
        response = self._api.post("object-records", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 201, response.text
        self._record = response.json()["record"]
        self._acknowledged.records[self._record["id"]] = self._record

    def _link(self) -> None:
        email = f"{self._turn}.{self._number}.{self._counter}@example.com"
        response = self._api.post("object-records", json={"typeSlug": "lead", "data": {"email": email}})
        record = response.json()["record"]
        self._acknowledged.records[record["id"]] = record

    def _update(self) -> None:
        count = self._record["data"]["count"]
        body = {"data": {"count": count + 1}, "expectedData": {"count": count}}
        response = self._api.patch(f"object-records/{self._record['id']}", json=body)
        assert response.status_code == 200, response.text
        self._record = response.json()["record"]
        self._acknowledged.records[self._record["id"]] = self._record

    def _book(self) -> None:
        start = f"20{30 + self._turn}-0{self._number + 1}-{self._counter // 600 % 27 + 1:02}T"
        start += f"{self._counter // 60 % 10 + 10}:{self._counter % 60:02}:00Z"
        attendee = {"email": f"{self._turn}.{self._number}.{self._counter}@example.com"}
        body = {"start": start, "durationMinutes": 1, "summary": "Load", "attendee": attendee}
        response = self._api.post("calendar/provider/events", json=body)
        assert response.status_code == 201, response.text
        self._acknowledged.slots[response.json()["bookingUid"]] = start

    def _remember(self) -> None:
        if self._number >= len(SLUGS):
            return
        content = self._turn * 1_000_000 + self._counter
        self._acknowledged.sent[unquote(SLUGS[self._number])] = content
        response = self._api.patch(f"memory-entries/{SLUGS[self._number]}", json={"content": str(content)})
        entry = response.json()["entry"]
        self._acknowledged.memory[entry["slug"]] = int(entry["content"])

    def _apply(self) -> None:
        values = {"client": "Acme", "contactEmail": "acme@example.com"}
        name = f"Load {self._turn} {self._number} {self._counter}"
        response = self._api.post(f"templates/{self._template}/apply", json={"name": name, "variableValues": values})
        self._acknowledged.projects.append(response.json()["data"]["project"]["id"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Path of the state file."""
    return tmp_path / "state.db"


def load(description: dict[str, Any], acknowledged: Acknowledged, turn: int, kill: Callable[[], None]) -> float:
    """Run the writers, and kill the server a random time after the first responses; return that time."""
    writers = [Writer(number, description, acknowledged, turn) for number in range(WRITERS)]
    threads = [threading.Thread(target=writer) for writer in writers]
    before = acknowledged.writes.copy()
    for thread in threads:
        thread.start()
    # The writers send the kinds in turn, and the last one rarely.
    while (
        acknowledged.writes.total() - before.total() < 5 * WRITERS or acknowledged.writes["_apply"] == before["_apply"]
    ):
        assert any(thread.is_alive() for thread in threads)
        time.sleep(0.005)
    delay = random.uniform(0, 0.5)
    time.sleep(delay)
    kill()
    for thread in threads:
        thread.join()
    return delay


def compare(stub: Stub, acknowledged: Acknowledged) -> None:
    """Fail if the file lacks an answered write, or has a partial write."""
    project = stub.project
    for id, record in acknowledged.records.items():
        # One more update may have been applied without a response when the server was killed.
        now = json.loads(json.dumps(project.records[id], default=str))
        assert now["data"].get("count", 0) - record["data"].get("count", 0) in {0, 1}
        assert {**now, "data": {}, "updatedAt": ""} == {**record, "data": {}, "updatedAt": ""}
        assert now["data"].keys() == record["data"].keys()
        assert now["data"].get("rate") in {None, "0.1234567890123456789"}
    for record in project.records.values():
        assert record["id"] in project.relations, "a record is stored with its relations"
        if record["typeSlug"] == "lead":
            assert record["personRefId"] in project.records, "a lead is stored with its linked person"

    events = {uid: event for uid, event in project.events.items() if event.summary == "Load"}
    assert acknowledged.slots.keys() <= events.keys()
    assert all(f"{events[uid].start:%Y-%m-%dT%H:%M:%SZ}" == start for uid, start in acknowledged.slots.items())
    assert Counter(mail.booking_uid for mail in stub.outbox) == Counter(events.keys()), (
        "an event is stored with its mail"
    )

    for slug, content in acknowledged.memory.items():
        # The last one may have been applied without a response.
        assert int(project.memory[slug]["content"]) in {content, acknowledged.sent[slug]}

    applied = [child for child in stub.world.projects.values() if child.parent is not None]
    assert {child.id for child in applied} >= set(acknowledged.projects)
    assert len({tuple(map(len, (child.roles, child.object_types, child.workflows))) for child in applied}) <= 1


def test_answered_writes_survive_a_kill(path):
    """In several rounds on one file, no answered write of any kind is lost, and no write is partial."""
    acknowledged, tokens, delays = Acknowledged(), [], []
    for turn in range(ROUNDS):
        with running(path) as (description, server):
            tokens.append(description["tokens"]["owner"])
            delays.append(load(description, acknowledged, turn, server.kill))

        with Stub(state=path) as stub:
            compare(stub, acknowledged)
            known = set(stub.project.records) | set(stub.project.events)
            assert len(known) == len(stub.project.records) + len(stub.project.events)
            for token in tokens:
                with httpx.Client(transport=stub.transport(), headers={"Authorization": f"Bearer {token}"}) as api:
                    url = f"http://stub/projects/{stub.project.id}/object-records"
                    record = api.post(url, json={"typeSlug": "deal", "data": {}}).json()["record"]
                assert record["id"] not in known, "identifiers are not reused"

    assert set(acknowledged.writes) == {"_create", "_link", "_update", "_book", "_remember", "_apply"}
    assert len(set(delays)) == ROUNDS


def test_a_refused_opening_does_not_release_the_lock(path):
    """On POSIX, closing any descriptor of a file drops all locks of the process, so only SQLite may open the file."""
    with Stub(state=path):
        with pytest.raises(StateFileError, match="is in use"):
            StateFile(path)
        server, _ = start(path)
        _, stderr = server.communicate(timeout=TIMEOUT)

    assert (server.returncode, "is in use by another process" in stderr) == (1, True)


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks the processes that it kills")
def test_a_kill_while_the_file_is_created_leaves_a_file_that_opens(tmp_path):
    """After a kill at any statement, the next start can open the file."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, check=True)

    assert int(killed.stdout) > 10
    for statements in range(int(killed.stdout)):
        with Stub(state=tmp_path / f"{statements}.db") as stub:
            assert len(stub.project.memory) == 3


def test_only_one_of_several_processes_opens_the_file(path):
    """Of several servers that start at once on a missing file, one runs, and the others report that it is in use."""
    servers = [start(path, number) for number in range(4)]
    try:
        deadline = time.monotonic() + TIMEOUT
        while sum(server.poll() is not None for server, _ in servers) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        (description,) = (described for server, described in servers if server.poll() is None)
        while not description.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        refused = [(server.returncode, server.stderr.read()) for server, _ in servers if server.poll() is not None]
    finally:
        for server, _ in servers:
            server.kill()
            server.communicate()

    message = f"{path}: is in use by another process; stop that process, or name another file\n"
    assert refused == [(1, message)] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that asks a process to stop")
def test_a_stopped_server_leaves_only_the_state_file(path):
    """After SIGTERM all writes are in the file itself, and the log is deleted."""
    with running(path) as (_, server):
        server.terminate()
        assert server.wait(TIMEOUT) == 0

    assert {file.name for file in path.parent.iterdir()} == {"state.db", "described 0.json"}
