"""A sick or hostile server ends the run: in bounded time, with bounded memory, and with its exit code."""

from __future__ import annotations

import os
import re
import ssl
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from project_platform_contract.run.exit_code import ExitCode
from project_platform_contract.run.target import BoundedTransport

from . import hostile_server as hostile

resource = pytest.importorskip("resource", reason="the platform does not measure the memory of a process")

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "contract.md"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
TIMEOUT = 1.0  # Seconds for a whole request; the default is 30.
SILENT = 5  # Number of requests without a response after which no more are sent.
START = 90.0  # Seconds to start the suite and to write its reports, on a busy machine.

# Runs the suite as a child, and prints the peak of its resident set.
MEASURED = """
import resource, subprocess, sys
code = subprocess.call([sys.executable, "-m", "project_platform_contract.cli", *sys.argv[1:]])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("peak", peak if sys.platform == "darwin" else peak * 1024)
sys.exit(code)
"""


class Measured(NamedTuple):
    """A run and what it cost."""

    code: int
    out: str
    seconds: float
    peak: int
    requests: int


def measure(behaviour, folder, *arguments, good):
    """Run the suite against a server that answers some requests well, and then misbehaves."""
    server = hostile.HostileServer(behaviour, good)
    with server.serve() as url:
        started = time.monotonic()
        options = ("--project", PROJECT, "--timeout", f"{TIMEOUT:g}", "--fuzz", "0")
        run = subprocess.run(
            [sys.executable, "-c", MEASURED, url, *options, *arguments],
            cwd=folder,
            env={**os.environ, "PROJECT_PLATFORM_TOKEN": "opaque-token"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    peak = re.search(r"^peak (\d+)$", run.stdout, re.MULTILINE)
    assert peak is not None, run.stdout + run.stderr
    return Measured(run.returncode, run.stdout + run.stderr, time.monotonic() - started, int(peak[1]), server.requests)


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    """Peak memory of a run against a server that closes every connection at once."""
    return measure(hostile.closes_at_once, tmp_path_factory.mktemp("baseline"), good=1).peak


CASES = {
    "An endless body": (hostile.endless_body, "the limit of 16 MiB"),
    "10 GB in `Content-Length`, and sent": (hostile.ten_gigabytes, "the limit of 16 MiB"),
    "One byte of the body a second": (hostile.a_byte_a_second, "the timeout"),
    "One byte of the header a second": (hostile.a_header_byte_a_second, "the timeout"),
    "An endless header": (hostile.endless_header, "the limit of 100 KiB"),
    "Endless interim responses": (hostile.endless_interim_responses, "the limit of 100 KiB"),
    "A gzip bomb: 1 MB for 1 GB": (hostile.gzip_bomb, "the limit of 16 MiB"),
    "No response": (hostile.never_answers, "the timeout"),
    "The connection closed at once": (hostile.closes_at_once, "the closed connection"),
}
MESSAGES = {
    "the limit of 16 MiB": "the response body has more than 16 MiB",
    "the limit of 100 KiB": "the head, a chunk header or the trailers are too long",
    "the timeout": f"{TIMEOUT:g} s",
    "the closed connection": "the server closed it without a response",
}
MEMORY = 256 << 20  # Bytes above the baseline: the responses of a test, as received and as values, and the shared ones.
SLACK = 5.0  # Seconds that a busy machine adds to a request.


@pytest.mark.parametrize("name", CASES)
def test_a_request_ends_with_its_limit(name):
    """The one that the table of the guide names; before the timeout if the limit is one of size."""
    behaviour, limit = CASES[name]
    with hostile.HostileServer(behaviour).serve() as url:
        with httpx.Client(transport=BoundedTransport(ssl.create_default_context), timeout=TIMEOUT) as client:
            started = time.monotonic()
            with pytest.raises(httpx.TransportError, match=MESSAGES[limit]):
                client.get(url)

    assert time.monotonic() - started < TIMEOUT + SLACK


@pytest.mark.parametrize("good", [0, 1])
@pytest.mark.parametrize("name", {limit: name for name, (_, limit) in CASES.items()}.values())
def test_a_hostile_server_ends_the_run(tmp_path, baseline, name, good):
    """The first request finds out. If that is answered well, some in a row without a complete response do, and no more are sent."""
    run = measure(CASES[name][0], tmp_path, good=good)

    assert run.code == ExitCode.NOTHING_PROVEN, run.out
    silent = f"{SILENT} requests in a row received no complete response, so no more are sent"
    assert (silent if good else "cannot be reached") in run.out
    assert "Traceback" not in run.out
    assert run.requests == (1 + SILENT if good else 1)
    assert run.seconds < START + (SILENT if good else 1) * TIMEOUT
    assert run.peak < baseline + MEMORY, f"{run.peak >> 20} MiB, {baseline >> 20} MiB without a large body"


def test_large_responses_are_not_kept(tmp_path, baseline):
    """A server whose responses are just small enough takes neither all the memory nor all the time."""
    run = measure(hostile.large_response, tmp_path, "-k", "agents or endpoint", good=0)  # it pages, and searches texts

    assert run.code == ExitCode.VIOLATED, run.out
    assert run.requests > 20
    assert run.peak < baseline + MEMORY, f"{run.peak >> 20} MiB, {baseline >> 20} MiB without a large body"


def test_the_guide_lists_the_servers():
    """With what the tests above find."""
    text = GUIDE.read_text("utf-8")
    table = text.partition("| Server |")[2].partition("\n\n")[0]

    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]] == [
        [name, limit, f"1, or 1 + {SILENT}", str(int(ExitCode.NOTHING_PROVEN))] for name, (_, limit) in CASES.items()
    ]
    assert f"None of these runs takes {MEMORY >> 20} MiB of memory more than the last one" in text
