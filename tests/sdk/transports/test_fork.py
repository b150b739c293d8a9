"""A forked process has new connections and locks, whatever the threads of its parent were doing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace

import anyio
import pytest

from project_platform import ConnectionLostError, Response, Timeout
from project_platform.transports.async_pool import AsyncConnectionTransport
from project_platform.transports.pool import ConnectionTransport
from project_platform.transports.proxies import Proxy
from project_platform.transports.tls import tls_context

from .carrier import get
from .proxy_server import ProxyServer
from .server import OK, PATIENT, echo

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*multi-threaded.*:DeprecationWarning"
)  # a fork with threads is the subject


HANGS = 3 * PATIENT  # seconds; a child that waits for a lock of a thread that it does not have never ends


def child_ends_well(act: Callable[[], bool]) -> bool:
    """Fork, return whether the function returns True in the child, and whether the child ends at all."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if act() else 1
        except BaseException:  # shown with the failure; the child must not return
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    until = time.monotonic() + HANGS
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.parametrize("way", ["plain", "tls", "proxy"])
def test_children_of_a_busy_parent_get_their_own_responses(serve, certificates, way):
    """Threads of the parent send while it forks; each child gets the responses to its own requests, and so does the parent."""
    server = serve(echo, tls=certificates.server("localhost") if way == "tls" else None)
    proxy = ProxyServer(server) if way == "proxy" else None
    transport = ConnectionTransport(certificates.client, proxy=Proxy.of(proxy.url, "HTTP_PROXY") if proxy else None)

    slow = Timeout(HANGS, HANGS, HANGS, HANGS)  # six busy threads share one interpreter

    def right(name):
        bodies = [f"{name}-{number}".encode() for number in range(20)]
        puts = [replace(get(server), method="PUT", body=body, timeout=slow) for body in bodies]
        return [transport.send(put).body for put in puts] == bodies

    assert right("warm")
    stop = threading.Event()
    wrong: list[str] = []
    connected = threading.Barrier(4)

    def connect():
        """Leave four open connections: in a lookup or a handshake, glibc and OpenSSL have locks that a child would wait for without end."""
        body = transport.send(replace(get(server), stream=True, timeout=slow)).stream
        connected.wait(HANGS)
        list(body)
        body.close()

    def busy(name):
        connect()
        while not stop.is_set():
            if not right(name):
                wrong.append(name)

    threads = [threading.Thread(target=busy, args=(f"parent{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    connect()
    children = [child_ends_well(lambda number=number: right(f"child{number}")) for number in range(6)]
    stop.set()
    for thread in threads:
        thread.join()
    transport.close()
    if proxy:
        proxy.stop()

    assert children == [True] * 6
    assert not wrong


def test_a_child_forked_inside_of_a_call_loses_its_connection_and_the_parent_does_not(serve):
    """A signal handler may fork while the process waits for a response: only the parent reads it."""
    reached, go_on = threading.Event(), threading.Event()

    def late(line):
        line.request()
        reached.set()
        go_on.wait(PATIENT)
        line.send(OK)

    server = serve(late)
    transport = ConnectionTransport(lambda: tls_context(verify=True))
    children: list[int] = []
    read_end, write_end = os.pipe()
    parent = os.getpid()

    def fork(*_):
        child = os.fork()
        if child:
            children.append(child)
            go_on.set()

    before = signal.signal(signal.SIGUSR1, fork)
    try:
        threading.Thread(target=lambda: (reached.wait(PATIENT), os.kill(parent, signal.SIGUSR1)), daemon=True).start()
        outcome = transport.send(get(server))
        if os.getpid() != parent:
            os.write(write_end, type(outcome).__name__.encode())
            os._exit(0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    os.waitpid(children[0], 0)

    assert os.read(read_end, 100) == ConnectionLostError.__name__.encode()
    assert isinstance(outcome, Response)
    assert outcome.body == b"ok"
    os.close(read_end)
    os.close(write_end)
    transport.close()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_event_loop_of_a_child_opens_new_connections(serve, backend):
    """A process that is forked while an event loop runs may use the client in a new event loop."""
    server = serve(echo)
    transport = AsyncConnectionTransport(lambda: tls_context(verify=True))

    async def right(name):
        bodies = [f"{name}-{number}".encode() for number in range(10)]
        responses = [await transport.send(replace(get(server), method="PUT", body=body)) for body in bodies]
        return [response.body for response in responses] == bodies

    def in_a_thread():
        """Run an event loop where none is running: a thread that `fork` did not copy."""
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append(anyio.run(right, "child", backend=backend)))
        thread.start()
        thread.join(HANGS)
        return found == [True]

    async def parent():
        return await right("before") and child_ends_well(in_a_thread) and await right("after")

    assert anyio.run(parent, backend=backend)
    assert server.opened == 2


WHILE_A_THREAD_IMPORTS = """
import os, signal, sys, threading, time

from project_platform import Client, NotSentError, RetryPolicy, operations

importing = threading.Event()


class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            importing.set()
            time.sleep(0.5)


sys.meta_path.insert(0, Slow())
project = Client("http://127.0.0.1:9", token="a-token").project("00000000-0000-4000-8000-000000000001")
threading.Thread(target=first_use, args=(project,)).start()
importing.wait()
child = os.fork()
if child == 0:
    signal.alarm(40)
    first_use(project)
    os._exit(0)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize(
    ("use", "module"),
    [
        ("project.agents", "_generated.resources.agents"),
        ("operations.agents_list", "_generated.operations.agents_list"),
        ("RetryPolicy().delay(1, NotSentError('no connection'), retry='safe', elapsed=0, now=0)", "tenacity"),
    ],
)
def test_a_child_can_import_what_a_thread_of_its_parent_was_importing(use, module):
    """Resources and operations are imported on first use: a fork waits until that is done."""
    module = module if module == "tenacity" else f"project_platform.{module}"
    head = f"MODULE = {module!r}\ndef first_use(project):\n    {use}\n"

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", head + WHILE_A_THREAD_IMPORTS],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stdout == "0\n", done.stderr


def test_a_call_imports_no_codec_for_the_name_of_a_host():
    """For text, `socket` imports a codec on first use, which a child of a fork could wait for without end."""
    program = """
import sys
from project_platform import Client, TransportError
try:
    Client("http://127.0.0.1:9", token="a-token").project("00000000-0000-4000-8000-000000000001").agents.list().first_page()
except TransportError:
    print("encodings.idna" in sys.modules)
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)

    assert done.stdout == "False\n", done.stderr


WHILE_THREADS_READ = """
import os, signal, sys, threading

from project_platform import Response
from project_platform._generated.operations.posts_list import OPERATION

RESPONSE = Response(200, [("Content-Type", "application/json")], sys.argv[1].encode())
sys.setswitchinterval(1e-6)
begin = threading.Event()
for _ in range(4):
    threading.Thread(target=lambda: begin.wait() and OPERATION.read(RESPONSE), daemon=True).start()
begin.set()
for _ in range(int(sys.argv[2])):
    pass
statuses = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        OPERATION.read(RESPONSE)
        os._exit(0)
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(*statuses)
"""


def test_children_can_read_what_threads_of_their_parent_were_reading_for_the_first_time():
    """A model and each type are prepared by pydantic on first use: a child that finds them half prepared would wait without end."""
    post = {
        "id": "00000000-0000-4000-8000-000000000001",
        "mediaType": "IMAGE",
        "caption": "Thursday",
        "media": [{"position": 0}],
        "account": {"id": "00000000-0000-4000-8000-000000000001"},
    }
    body = json.dumps({"success": True, "data": {"posts": [post], "total": 1}})
    for iterations in range(0, 800, 80):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", WHILE_THREADS_READ, body, str(iterations)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

        assert done.stdout == "0 0 0 0\n", done.stderr
