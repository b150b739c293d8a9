"""Exit statuses of `project-platform call` by verdict, with a service that fails in every way."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from project_platform import errors
from project_platform.commands.verdict import advice, status_of
from project_platform_stub import faults

CREATE = ("call", "records.create", "--type-slug", "deal", "--retry", "1")
READ = ("call", "agents.list", "--retry", "0")


@pytest.mark.parametrize(
    ("fault", "status", "applied"),
    [
        (faults.drop_after_apply(), 4, True),
        (faults.reset(), 4, False),
        (faults.status(500), 4, False),
        (faults.html_502(applied=True), 4, True),
        (faults.garbage_json(), 6, True),
        (faults.truncated(), 6, True),
        (faults.status(400), 3, False),
    ],
    ids=["dropped", "reset", "500", "502", "garbage", "truncated", "400"],
)
def test_the_status_of_a_write_says_whether_it_was_applied(run, stub, fault, status, applied):
    """A create is never repeated once it may have arrived; standard error says what to do."""
    before = len(stub.project.records)
    stub.world.faults.plan("records_create", fault)

    done = run(*CREATE)

    assert done.status == status
    assert done.out == ""
    assert (len(stub.project.records) > before) == applied
    verdict = {3: "applied: no", 4: "applied: unknown", 6: "applied: yes"}[status]
    assert verdict in done.err
    assert "what to do: " in done.err


def test_a_refused_or_unreadable_read_says_when_to_send_it_again(run, stub):
    stub.world.faults.plan("agents_list", faults.status(429, retry_after=7))
    assert "what to do: send it again in 7 s" in run(*READ).err
    stub.world.faults.plan("agents_list", faults.garbage_json())
    assert "what to do: it only reads, so it can be sent again" in run(*READ).err


def test_a_closed_port_is_no_response(run, stub):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        done = run(*CREATE, "--base-url", url, "--retry", "0")

    assert done.status == 5
    assert "nothing was sent" in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_the_output_may_fail_after_a_write(stub):
    """The verdict is printed before the record."""
    before = len(stub.project.records)
    with Path("/dev/full").open("wb") as full:
        words = [sys.executable, "-m", "project_platform", *CREATE]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)

    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "records.create: applied: yes (status 201, 1 attempt)"
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(stub.project.records) == before + 1


def broken_pipe() -> int:
    """Return the end of a pipe whose reader has ended, as `2>&1 | head` may leave it."""
    read, write = os.pipe()
    os.close(read)
    return write


def full_disk() -> int:
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.skipif(os.name == "nt", reason="file descriptors are not passed to commands on Windows")
@pytest.mark.parametrize(
    ("planned", "status", "place"),
    [
        ([], 0, None),
        ([], 0, full_disk),
        ([faults.status(400)], 3, broken_pipe),
        ([faults.drop_after_apply()], 4, broken_pipe),
        ([faults.drop_after_apply()], 4, full_disk),
        ([faults.drop_after_apply()], 4, None),
    ],
    ids=["yes, closed", "yes, full", "no, broken pipe", "unknown, broken pipe", "unknown, full", "unknown, closed"],
)
def test_the_status_does_not_depend_on_standard_error(stub, planned, status, place):
    """Without a place for the verdict, the exit status has it, and standard output has only the result."""
    if place is full_disk and not Path("/dev/full").exists():
        pytest.skip("the system has no /dev/full")
    if planned:
        stub.world.faults.plan("records_create", *planned)
    words = [sys.executable, "-m", "project_platform", *CREATE]
    if place is None:
        words = ["sh", "-c", 'exec "$@" 2>&-', "sh", *words]
    descriptor = None if place is None else place()
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=descriptor, timeout=60, check=False)
    finally:
        if descriptor is not None:
            os.close(descriptor)

    assert done.returncode == status
    assert (json.loads(done.stdout)["typeSlug"] if done.stdout else None) == (None if status else "deal")


@pytest.mark.skipif(os.name == "nt", reason="there is no sh")
@pytest.mark.parametrize("format", ["json", "table"])
def test_a_closed_standard_output_is_named(stub, format):
    words = [sys.executable, "-m", "project_platform", *CREATE, "--output", format]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )

    verdict, message = done.stderr.splitlines()
    assert verdict == "records.create: applied: yes (status 201, 1 attempt)"
    assert "standard output is closed" in message
    assert done.returncode == 1


def every_error() -> list[type[errors.PlatformError]]:
    found, new = [], [errors.PlatformError]
    while new:
        found += new
        new = [sub for kind in new for sub in kind.__subclasses__() if sub not in found]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_every_error_has_a_status_by_its_verdict(kind):
    error = kind.__new__(kind)
    error.retry_after, error.status, error.operation_id = None, 400, None
    statuses = {}
    for error.applied in ("yes", "in effect", "no", "unknown"):
        statuses[error.applied] = status_of(error)
        assert isinstance(advice(error), str | None)

    assert statuses["unknown"] == 4
    assert statuses["yes"] == statuses["in effect"] == 6
    usage, lost = issubclass(kind, errors.UsageError), issubclass(kind, errors.TransportError)
    assert statuses["no"] == (2 if usage else 5 if lost else 3)


def test_the_message_about_a_redirect_says_what_to_do():
    """To change the request, as after another refusal, would not help."""
    assert advice(errors.StatusError("Moved.", status=302)) == "correct the base URL"


def test_advice_has_the_options_of_the_connection_in_its_commands_only(run, stub):
    book = ("call", "calendar.book", "--start", "2031-01-05T14:00:00Z", "--duration-minutes", "30", "--summary", "x")
    assert run(*book).status == 0
    taken = run(*book, "--project", stub.project.id)
    assert (taken.status, "that `calendar.busy` does not list" in taken.err) == (3, True)
