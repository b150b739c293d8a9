"""The log has a line for each attempt, retry, wait and settled doubt, and a warning for an unknown outcome."""

from __future__ import annotations

import logging
import subprocess
import sys

import httpx
import pytest

from project_platform import OutcomeUnknownError, RetryPolicy, UsageError
from project_platform.models import ObjectRecord

LOGGER = "project_platform"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
OPEN = ObjectRecord(id="rec_1", type_slug="deal", data={"stage": "open"})
LOST = httpx.ReadError("reset")
FIELDS = {"operation", "status", "fate", "attempt", "wait", "request_id", "duration", "applied", "error", "call_id"}


def update(client):
    return client.project(PROJECT).records.update("rec_1", data={"stage": "won"}, expected_data={"stage": "open"})


def done():
    record = {"id": "rec_1", "typeSlug": "deal", "data": {"stage": "won"}}
    return httpx.Response(200, json={"record": record}, headers={"x-request-id": "req-17"})


def test_each_attempt_is_a_line_at_debug(connect, service, caplog):
    service.will(done())

    with caplog.at_level(logging.DEBUG, LOGGER):
        update(connect())

    (record,) = caplog.records
    assert record.message.startswith(
        "records_update: PATCH /projects/{project_id}/object-records/{record_id} attempt 1: 200 in "
    )
    assert record.message.endswith(" ms (applied, request req-17)")
    assert (record.levelname, record.operation, record.status, record.fate, record.attempt, record.request_id) == (
        "DEBUG",
        "records_update",
        200,
        "applied",
        1,
        "req-17",
    )
    assert record.duration >= 0


def test_waits_retries_and_settled_doubts_are_lines_at_info(connect, service, caplog):
    """They are what a user looks for when a call takes long."""
    service.will(httpx.Response(429, headers={"retry-after-ms": "20"}), LOST, done())

    with caplog.at_level(logging.INFO, LOGGER):
        update(connect())

    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("INFO", "records_update: waiting 0.0 s before attempt 2, after 429"),
        ("INFO", "records_update: sending attempt 2 (retry)"),
        ("INFO", "records_update: sending attempt 3 (retry)"),
        ("INFO", "records_update: a response was lost, and after 3 attempts it is known: applied: yes"),
    ]
    assert (caplog.records[0].wait, caplog.records[0].status) == (0.02, 429)
    assert all(vars(record).keys() >= FIELDS for record in caplog.records)


def test_a_settled_change_is_no_warning(connect, service, caplog):
    """The update leaves a doubt, which the look settles."""
    service.will(httpx.Response(409, json={"message": "stale"}), done())
    client = connect()
    with caplog.at_level(logging.INFO, LOGGER):
        client.settle(client.project(PROJECT).records.change(OPEN, {"stage": "won"}))

    assert {record.levelname for record in caplog.records} == {"INFO"}
    assert caplog.records[-1].applied == "in effect"


def test_a_handler_that_raises_changes_no_call(connect, service):
    class Broken(logging.Handler):
        def emit(self, record):
            raise RuntimeError("the disk is full")

    service.will(LOST, LOST)
    logger = logging.getLogger(LOGGER)
    logger.addHandler(handler := Broken())
    try:
        with pytest.raises(OutcomeUnknownError):
            connect(retry=RetryPolicy(max_attempts=1)).project(PROJECT).records.create(type_slug="deal")
        logger.setLevel(logging.DEBUG)
        with pytest.raises(OutcomeUnknownError):
            connect().project(PROJECT).records.create(type_slug="deal")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


PROGRAM = """
import sys
from project_platform import Client, Response, RetryPolicy

class Service:
    answers = [Response(int(status), body=b'{"allowed": true}') for status in sys.argv[1:]]
    def send(self, request): return self.answers.pop(0)
    def close(self): pass

with Client("https://platform.example", token="any", transport=Service(), retry=RetryPolicy(initial_delay=0)) as client:
    print(client.auth.check_permission("billing:manage"), "logging" in sys.modules)
"""


def run_program(*statuses):
    """Return the process in which a service answered with these statuses."""
    command = [sys.executable, "-c", PROGRAM, *statuses]
    return subprocess.run(command, capture_output=True, text=True, check=True)


@pytest.mark.parametrize(
    ("level", "lines"),
    [("info", ["sending attempt 2"]), ("DEBUG", ["attempt 1: 429", "sending attempt 2", "attempt 2: 200"])],
)
def test_the_environment_shows_the_log_on_a_terminal(level, lines, monkeypatch):
    monkeypatch.setenv("PROJECT_PLATFORM_LOG", level)

    done = run_program("429", "200")

    shown = done.stderr.splitlines()
    assert done.stdout == "True True\n"
    assert len(shown) == len(lines), done.stderr
    assert all(line in text for line, text in zip(lines, shown, strict=True))


def test_without_a_log_nothing_is_imported_or_shown():
    """A program that has not imported `logging` has no handler, and importing it takes milliseconds."""
    command = [sys.executable, "-c", "import anyio, sys; print('logging' in sys.modules)"]
    if subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True\n":
        pytest.skip("this version of anyio imports logging")
    done = run_program("200")

    assert (done.stdout, done.stderr) == ("True False\n", "")


def test_an_unknown_level_is_refused(connect, monkeypatch):
    monkeypatch.setenv("PROJECT_PLATFORM_LOG", "loud")

    with pytest.raises(UsageError, match="PROJECT_PLATFORM_LOG is 'loud'; give info or debug"):
        connect()
