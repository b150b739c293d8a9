"""A server that stops answers the requests under way, and accepts no others."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from project_platform_stub.http.server import StubServer

# The command, with a service that delays every response by a second.
LATE_COMMAND = """
import sys, dataclasses
from project_platform_stub import cli
from project_platform_stub.dispatch.service import Service
handle = Service.handle
Service.handle = lambda self, request: dataclasses.replace(handle(self, request), delay=4.0)
sys.exit(cli.main(sys.argv[1:]))
"""


def connect(server):
    url = httpx.URL(server.base_url)
    return socket.create_connection((url.host, url.port), timeout=5)


def closed_at(connection):
    """Wait for a FIN, and return the time."""
    assert connection.recv(1) == b""
    return time.monotonic()


def connect_error_after(seconds, server):
    time.sleep(seconds)
    try:
        connect(server).close()
    except OSError as error:
        return type(error)
    return None


@pytest.mark.parametrize("way", ["delay", "thread"])
def test_requests_under_way_are_answered(serve, handler, way):
    """Requests under way are answered, idle connections are closed at once, and new connections are refused."""
    with ThreadPoolExecutor() as pool:
        with serve() as server, connect(server) as idle, connect(server) as silent:
            idle.sendall(b"GET /quick HTTP/1.1\r\nHost: x\r\n\r\n")
            read = b""
            while not read.endswith(b"/quick"):
                read += idle.recv(65536)
            requested = time.monotonic()
            response = pool.submit(httpx.get, f"{server.base_url}/{way}/4", timeout=20)
            assert handler.waits.wait(5)
            ends = [pool.submit(closed_at, connection) for connection in (idle, silent)]
            late = pool.submit(connect_error_after, 2.5, server)
            started = time.monotonic()
            server.__exit__(None, None, None)
            stopped = time.monotonic()

    assert response.result().text == f"/{way}/4"
    assert response.result().headers["connection"] == "close"
    assert [end.result() - started < 3.0 for end in ends] == [True, True]
    assert late.result() is ConnectionRefusedError
    assert 4.0 < stopped - requested < 15.0


def test_all_pipelined_requests_are_answered(serve, handler):
    """A request that was received completely before the stop is under way, even if it waits for earlier ones."""
    with serve() as server, connect(server) as connection:
        connection.sendall(b"".join(b"GET /delay/0.%d HTTP/1.1\r\nHost: x\r\n\r\n" % tenths for tenths in (4, 3, 2)))
        assert handler.waits.wait(5)
        server.__exit__(None, None, None)
        read = b""
        while piece := connection.recv(65536):
            read += piece

    assert read.count(b"HTTP/1.1 200") == 3
    assert read.index(b"/delay/0.4") < read.index(b"/delay/0.3") < read.index(b"/delay/0.2")


@pytest.mark.parametrize("path", ["/delay/30", "/delay/inf"])
def test_a_request_longer_than_the_grace_is_cut_off(serve, handler, path, caplog):
    """The server stops after the grace, and an unanswered request ends like a lost connection."""
    with ThreadPoolExecutor() as pool:
        with serve(grace=0.5) as server:
            response = pool.submit(httpx.get, f"{server.base_url}{path}", timeout=20)
            assert handler.waits.wait(5)
            started = time.monotonic()

        assert 0.5 <= time.monotonic() - started < 5.0
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            response.result()
    assert caplog.records == []


def test_a_disconnected_client_is_not_waited_for(serve, handler):
    with serve() as server:
        with connect(server) as connection:
            connection.sendall(b"GET /delay/30 HTTP/1.1\r\nHost: x\r\n\r\n")
            assert handler.waits.wait(5)
        started = time.monotonic()

    assert time.monotonic() - started < 5.0


def test_the_command_answers_requests_under_way_at_sigterm(tmp_path):
    """SIGTERM ends the command with status 0 after the last response."""
    described = tmp_path / "stub.json"
    arguments = [sys.executable, "-c", LATE_COMMAND, "--port", "0", "--describe", str(described)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        while "ready" not in process.stdout.readline():
            assert process.poll() is None
        url = json.loads(described.read_text(encoding="utf-8"))["base_url"]
        with ThreadPoolExecutor() as pool:
            response = pool.submit(httpx.get, f"{url}/_stub/health", timeout=20)
            time.sleep(1.5)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)

    assert response.result().status_code == 200
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("host", "reachable"), [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("::", "127.0.0.1")]
)
def test_the_base_url_is_one_that_a_client_can_connect_to(handler, host, reachable):
    """The base URL of a server on all addresses names loopback."""
    with StubServer(handler, host, 0) as server:
        assert server.host == host
        assert server.base_url.startswith(f"http://{reachable}:")
        assert httpx.get(f"{server.base_url}/quick").text == "/quick"
