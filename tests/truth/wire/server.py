"""The faulty server of a process: its listeners, the plans of the present run, and when everything has come to rest."""

from __future__ import annotations

import contextlib
import json
import random
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import urlencode

from .certificates import contexts
from .http1 import Http1Connection
from .http2 import Http2Connection
from .plans import SURPLUS, SURPLUS_AT_ONCE, Plan, plan_connection, plan_request
from .service import WRITES, Arrival, Ledger, Request, Response, Service
from .streams import ALERT, GARBAGE, ClosedError, SocketStream, Stream, TlsStream

READ_TIMEOUT: Final = 0.12  # seconds that a client under test waits for bytes
PATIENCE: Final = 1.0  # seconds after which the server drops a connection on which nothing happens
REST: Final = 2.0  # seconds after which a run that does not come to rest is an error of the trials

CONNECTION_ENDINGS: Final = {
    "reset at once": "reset",
    "handshake reset": "reset",
    "handshake met by an alert": "alert",
    "handshake stalled": "stall",
}

Serve = Callable[[Stream], None]


class Listener:
    """A port, and what serves its connections. A closed listener refuses connections until it is opened."""

    def __init__(self, server: Server, serve: Serve, *, opened: bool = True) -> None:
        self._server, self._serve = server, serve
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._accepting = threading.Lock()
        self._ended = False
        self._opened = False
        if opened:
            self.open()

    def open(self) -> None:
        if not self._opened:
            self._opened = True
            self._socket.listen(64)
            threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._ended = True
        with self._accepting, contextlib.suppress(OSError):
            self._socket.close()

    def flush(self) -> None:
        """Return when no connection waits to be accepted."""
        while self._opened and not self._ended:
            with self._accepting:
                if not _readable(self._socket, 0):
                    return
            time.sleep(0)

    def _accept(self) -> None:
        while not self._ended:
            with contextlib.suppress(OSError, ValueError):  # it was closed
                if not _readable(self._socket, 0.5):
                    continue
                with self._accepting:
                    connection, _ = self._socket.accept()
                    self._server.start(self._serve, SocketStream(connection, PATIENCE))


def _readable(waiting: socket.socket, seconds: float) -> bool:
    return bool(select.select([waiting], [], [], seconds)[0])


class Server:
    """The service behind faulty connections. One run at a time."""

    def __init__(self) -> None:
        self.service = Service()
        self.faults: Counter[str] = Counter()
        self._condition = threading.Condition()
        self._busy = 0
        self._threads: list[threading.Thread] = []
        self._listeners: list[Listener] = []
        self.begin("", 0.0, at_once=1, surplus=False)

    @property
    def ledger(self) -> Ledger:
        """The events of the present run."""
        return self.service.ledger

    def listen(self, serve: Serve, *, opened: bool = True) -> Listener:
        listener = Listener(self, serve, opened=opened)
        self._listeners.append(listener)
        return listener

    def close(self) -> None:
        while self._listeners:
            self.forget(self._listeners[-1])

    def forget(self, listener: Listener) -> None:
        self._listeners.remove(listener)
        listener.close()

    # A run

    def begin(self, seed: str, bad: float, *, at_once: int, surplus: bool) -> None:
        """Begin a run.

        Args:
            seed: Determines the faults.
            bad: The probability of a fault.
            at_once: Number of calls that the client makes at the same time.
            surplus: Whether surplus bytes may follow a response.
        """
        self.service = Service()
        self._seed, self.bad, self.at_once = seed, bad, at_once
        self._surplus = (SURPLUS if at_once == 1 else SURPLUS_AT_ONCE) if surplus else ()
        self._requests = self._connections = 0

    def settle(self) -> None:
        """Return when no connection has anything left to do, so that all bytes are with the client."""
        with self._condition:
            self._condition.wait_for(lambda: not self._busy, REST)

    def finish(self) -> None:
        """Return when all connections have ended, and carry out what was delayed."""
        for listener in self._listeners:
            listener.flush()
        for thread in self._threads:
            thread.join(REST)
            assert not thread.is_alive(), "a connection did not end"
        self._threads.clear()
        self.service.land_late_requests()

    def random(self, what: str) -> random.Random:
        """Return the random generator of the next request or connection."""
        with self._condition:
            self._requests += 1
            return random.Random(f"{self._seed} {what} {self._requests}")

    def plan(self, *, tls: bool) -> tuple[Plan, random.Random]:
        """Return the plan of the next request, and its random generator."""
        rng = self.random("request")
        plan = plan_request(rng, self.bad, tls=tls, surplus=self._surplus)
        self.faults[plan.name] += 1
        if plan.name != "none":
            self.ledger.log.append(f"  {plan}")
        return plan, rng

    def note(self, fault: str) -> None:
        """Count and log a fault."""
        self.faults[fault] += 1
        self.ledger.log.append(f"  {fault}")

    # A connection

    def start(self, serve: Serve, stream: Stream) -> None:
        def run() -> None:
            with contextlib.suppress(ClosedError):
                serve(stream)
            stream.drop()

        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Mark that a connection has something left to do."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def wait_for_end(self, stream: Stream) -> None:
        """Send nothing until the client closes the connection, or longer than it waits."""
        self._count(-1)
        try:
            end = time.monotonic() + 3 * READ_TIMEOUT
            while time.monotonic() < end and stream.receive():
                pass
        except ClosedError:
            pass
        finally:
            self._count(1)
            stream.drop()

    def end(self, stream: Stream, ending: str) -> None:
        """End a connection in one of the ways of `plans.TLS_ENDINGS`."""
        match ending:
            case "reset":
                stream.reset()
            case "stall":
                self.wait_for_end(stream)
            case "garbage":
                stream.send(b"\x16\x03\x00 SSH-2.0-appliance\r\n\r\n")
                stream.close()
            case "alert" | "garbage record":
                stream.send_below(ALERT if ending == "alert" else GARBAGE)
                stream.drop()
            case "drop":
                stream.drop()
            case _:
                stream.close()

    def _count(self, difference: int) -> None:
        with self._condition:
            self._busy += difference
            if not self._busy:
                self._condition.notify_all()

    def serve_plain(self, stream: Stream) -> None:
        if not self._refused(stream, tls=False):
            Http1Connection(stream, self, tls=False).serve()

    def serve_tls(self, stream: Stream) -> None:
        self._serve_tls(stream, http2=False)

    def serve_http2(self, stream: Stream) -> None:
        self._serve_tls(stream, http2=True)

    def _serve_tls(self, stream: Stream, *, http2: bool) -> None:
        if self._refused(stream, tls=True):
            return
        tls = TlsStream(stream, contexts().http2 if http2 else contexts().server)
        if tls.handshake() == "h2":
            Http2Connection(tls, self).serve()
        else:
            Http1Connection(tls, self, tls=True).serve()

    def _refused(self, stream: Stream, *, tls: bool) -> bool:
        """Carry out the fault of a new connection, if there is one."""
        rng = self.random("connection")
        fault = plan_connection(rng, self.bad, tls=tls)
        if not fault:
            return False
        self.note(fault)
        if not fault.endswith("at once") and fault != "wrong certificate":
            stream.receive()
        match fault:
            case "handshake met by garbage":
                stream.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                stream.close()
            case "wrong certificate":
                impostor = TlsStream(stream, contexts().impostor)
                impostor.handshake()
                Http1Connection(impostor, self, tls=True).serve()
            case _:
                with self.working():
                    self.end(stream, CONNECTION_ENDINGS.get(fault, "close"))
        return True

    # A request

    def arrived(self, request: Request) -> Arrival | None:
        """Note that a request arrived complete; None if it changes nothing."""
        if request.method not in WRITES or request.probe:
            return None
        arrival = Arrival(request.body)
        self.ledger.arrivals[request.nonce].append(arrival)
        return arrival

    def write_by_another(self, request: Request) -> None:
        """Change the record that a request is about, if it is about one."""
        if request.method == "PATCH" and "/object-records/" in request.path:
            self.ledger.log.append("    another client writes")
            self.service.write_by_another(request.path.rpartition("/")[2], "stage", "by another")

    def reply(self, plan: Plan, request: Request) -> Response:
        """Carry a request out, or not, and return the response of the plan."""
        response = None
        if plan.apply == "now":
            response = self.service.perform(request)
        elif plan.apply == "late":
            self.service.late.append(request)
        if plan.status is None:
            return response or Response(500, b"")
        body = json.dumps({"message": f"planned nonce:{request.nonce[::-1]};"}).encode()
        headers = {"Retry-After": "0"} if plan.retry_after else {}
        if plan.status in {307, 308}:
            query = f"?{urlencode(request.query, doseq=True)}" if request.query else ""
            headers["Location"] = f"/moved{request.path}{query}"
        return Response(plan.status, body, headers)
