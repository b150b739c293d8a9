"""A server that is killed during writes: the state file has every acknowledged write, and no partial write.

A round starts the server on the same file, sends writes, kills the server at a random time, and compares the responses with
the file.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from project_platform_stub import Stub
from project_platform_stub.state.file import StateFile, StateFileError

ROUNDS = 3
WRITES = 20  # of each kind, before the kill
TIMEOUT = 20.0  # Seconds until the server is ready, on a busy machine
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


class Load:
    """A client that creates records and books events until the server is killed, and keeps the acknowledged writes.

    A record is stored with the person that it is linked to, and an event with its mail.
    """

    def __init__(self, description: dict[str, Any], turn: int) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.bookings: dict[str, str] = {}
        self._turn = turn
        self._api = httpx.Client(
            base_url=f"{description['base_url']}/projects/{description['project_id']}",
            headers={"Authorization": f"Bearer {description['tokens']['owner']}"},
        )

    def __call__(self) -> None:
        """Send writes until the connection fails."""
        with self._api, suppress(httpx.TransportError):
            for number in itertools.count():
                email = f"{self._turn}.{number}@example.com"
                response = self._api.post("object-records", json={"typeSlug": "lead", "data": {"email": email}})
                record = response.json()["record"]
                self.records[record["id"]] = record
                start = datetime(2030 + self._turn, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
                body = {
                    "start": start.isoformat(),
                    "durationMinutes": 1,
                    "summary": "Load",
                    "attendee": {"email": email},
                }
                booked = self._api.post("calendar/provider/events", json=body)
                self.bookings[booked.json()["bookingUid"]] = email


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


def test_acknowledged_writes_survive_a_kill(path):
    """In several rounds on one file, no acknowledged write is lost, no write is partial, and no identifier is used twice."""
    records, bookings = {}, {}
    for turn in range(ROUNDS):
        with running(path) as (description, server):
            load = Load(description, turn)
            thread = threading.Thread(target=load)
            thread.start()
            while len(load.bookings) < WRITES:
                assert thread.is_alive()
                time.sleep(random.uniform(0, 0.01))
            server.kill()
            thread.join()
        assert load.records.keys().isdisjoint(records)
        records |= load.records
        bookings |= load.bookings

        with Stub(state=path) as stub:
            project = stub.project
            assert {id: project.records[id] for id in records} == records
            leads = [record for record in project.records.values() if record["typeSlug"] == "lead"]
            assert all(record["personRefId"] in project.records for record in leads)
            assert project.records.keys() == project.relations.keys()
            assert bookings.items() <= {mail.booking_uid: mail.to for mail in stub.outbox}.items()
            loaded = {uid for uid, event in project.events.items() if event.summary == "Load"}
            assert {mail.booking_uid for mail in stub.outbox} == loaded


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
