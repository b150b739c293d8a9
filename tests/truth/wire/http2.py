"""One connection of HTTP/2, from the side of a server that carries out plans."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

from .plans import Plan
from .service import Request
from .streams import ClosedError, Stream

if TYPE_CHECKING:
    from .server import Server

# What the server does to a request in HTTP/2, in place of the framing of HTTP/1.1.
BEFORE: Final = ("refused stream", "going away before")
# Frames that break the connection, by the identifier of the stream: type, flags, stream and payload.
FRAMES: Final[dict[str, Callable[[int], tuple[int, int, int, bytes]]]] = {
    "unreadable headers": lambda stream: (1, 0x4, stream, b"\xff" * 12),
    "window update of a connection": lambda _: (8, 0, 0, bytes(4)),
    "window update of a stream": lambda stream: (8, 0, stream, bytes(4)),
    "data on an unopened stream": lambda stream: (0, 0x1, stream + 100, b"surplus"),
    "headers of an unopened stream": lambda stream: (1, 0x5, stream + 101, b"\x88"),
    "unknown frame": lambda stream: (0xEE, 0, stream, b"unknown"),
    "too long frame": lambda stream: (0, 0, stream, b"a" * 70_000),
    "pushed": lambda stream: (5, 0x4, stream, struct.pack(">L", 2) + b"\x82"),
}
AFTER: Final = (*FRAMES, "reset stream", "going away after", "garbage", "cut off", "settings in the middle")
CODES: Final = (h2.errors.ErrorCodes.INTERNAL_ERROR, h2.errors.ErrorCodes.CANCEL, h2.errors.ErrorCodes.NO_ERROR)


class Http2Connection:
    """Responds to requests by their plans until the connection ends."""

    def __init__(self, stream: Stream, server: Server) -> None:
        self._stream, self._server = stream, server
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self._h2 = h2.connection.H2Connection(config)
        self._requests: dict[int, Request] = {}

    def serve(self) -> None:
        self._h2.initiate_connection()
        self._flush()
        try:
            while received := self._stream.receive():
                with self._server.working():
                    events = self._h2.receive_data(received)
                    self._flush()
                    if not all(self._handled(event) for event in events):
                        return
        except (ClosedError, h2.exceptions.ProtocolError):
            self._stream.drop()

    def _handled(self, event: h2.events.Event) -> bool:
        """Handle an event; return whether the connection stays open."""
        match event:
            case h2.events.RequestReceived():
                headers = dict(event.headers)
                method, target = headers[":method"], headers[":path"]
                self._requests[event.stream_id] = Request.of(method, target, headers)
            case h2.events.DataReceived():
                self._requests[event.stream_id].body += event.data
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                self._flush()
            case h2.events.StreamEnded():
                return self._exchange(event.stream_id, self._requests.pop(event.stream_id))
        return True

    def _exchange(self, stream_id: int, request: Request) -> bool:
        request.whole = True
        plan, rng = self._server.plan(tls=True)
        self._server.note("HTTP/2 request")
        fault = self._fault(plan, rng)
        if fault == "settings in the middle" and self._server.at_once > 1:
            fault = "reset stream"  # httpcore waits for ever if fewer streams are allowed than it has open
        if fault:
            self._server.note(fault)
        arrival = self._server.arrived(request)
        if fault in BEFORE:
            # RFC 9113 section 8.7: the server states that it has not processed the stream and will not.
            if arrival is not None:
                arrival.permits_resending = True
            if fault == "refused stream":
                self._h2.reset_stream(stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
                self._flush()
                return True
            self._h2.close_connection(last_stream_id=0)
            self._flush()
            self._stream.close()
            return False
        if plan.another:
            self._server.write_by_another(request)
        response = self._server.reply(plan, request)
        if fault and fault != "settings in the middle":
            return self._break(fault, stream_id, rng)
        if not plan.responds:
            return self._end(plan.ending)
        if arrival is not None and response.status in {401, 429}:
            arrival.permits_resending = True
        fields = [(":status", str(response.status)), ("content-type", "application/json")]
        fields += [(name.lower(), value) for name, value in response.headers.items()]
        self._h2.send_headers(stream_id, fields)
        if fault:
            self._h2.update_settings({0x3: 1})
        self._flush()
        if plan.cut is not None:
            self._h2.send_data(stream_id, response.body[: int(len(response.body) * plan.cut)])
            self._flush()
            return self._end(plan.ending)
        self._h2.send_data(stream_id, response.body, end_stream=True)
        self._flush()
        return True

    def _fault(self, plan: Plan, rng: random.Random) -> str:
        """Return the fault of HTTP/2 that replaces one that only HTTP/1.1 has."""
        if plan.name in {"stopped", "refused early"}:
            plan.responds, plan.early, plan.status = True, False, None
            return rng.choice(BEFORE)
        if plan.name in {"malformed", "well formed", "closed", "surplus", "paced"}:
            return rng.choice(AFTER)
        return ""

    def _break(self, fault: str, stream_id: int, rng: random.Random) -> bool:
        """Break the stream or the connection after the request was carried out."""
        stays = False
        match fault:
            case "reset stream":
                self._h2.reset_stream(stream_id, rng.choice(CODES))
                stays = True
            case "going away after":
                self._h2.close_connection(rng.choice(CODES), last_stream_id=stream_id)
            case "garbage":
                self._stream.send(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 3)
            case fault if fault in FRAMES:
                self._stream.send(_frame(*FRAMES[fault](stream_id)))
        self._flush()
        return stays or self._end(rng.choice(("close", "drop", "reset", "garbage record", "alert")))

    def _end(self, ending: str) -> bool:
        self._server.end(self._stream, ending)
        return False

    def _flush(self) -> None:
        data = self._h2.data_to_send()
        if data:
            self._stream.send(data)


def _frame(kind: int, flags: int, stream_id: int, payload: bytes) -> bytes:
    """Return a frame of RFC 9113, section 4.1."""
    return struct.pack(">L", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">L", stream_id) + payload
