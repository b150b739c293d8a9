"""One connection of HTTP/1.1, from the side of a server that carries out plans."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from .framing import Framed, frame, surplus
from .plans import Plan
from .service import WRITES, Answer, Arrival, Request
from .streams import ALERT, GARBAGE, ClosedError, Stream

if TYPE_CHECKING:
    from .server import Server

HEAD_END = b"\r\n\r\n"
DRIP = 0.002  # seconds between two bytes
DRIPPED = 40  # bytes


class Http1Connection:
    """Reads requests, and answers them by their plans, until the connection ends."""

    def __init__(self, stream: Stream, server: Server, *, tls: bool) -> None:
        self._stream, self._server, self._tls = stream, server, tls
        self._buffer = b""

    def serve(self) -> None:
        """Serve the connection until it ends."""
        try:
            while self._buffer or self._fill():
                with self._server.working():
                    stays = self._exchange()
                if not stays:
                    return
        except ClosedError:
            self._stream.drop()

    def _exchange(self) -> bool:
        """Serve one request; return whether the connection stays open."""
        plan, rng = self._server.plan(tls=self._tls)
        request = self._head()
        if plan.stop == "head" or (plan.stop == "body" and not plan.early):
            return self._stop(plan, request)
        if plan.early:
            return self._refuse_early(plan, request)
        self._body(request)
        arrival = self._server.arrived(request)
        if plan.another:
            self._server.write_by_another(request)
        answer = self._server.answer(plan, request)
        if not plan.answers:
            return self._end(plan.ending)
        framed = frame(answer, plan.framing, rng, announce_close=plan.after.startswith("announce"))
        return self._send(plan, rng, framed, answer, arrival)

    def _send(self, plan: Plan, rng: random.Random, framed: Framed, answer: Answer, arrival: Arrival | None) -> bool:
        data = framed.data if plan.cut is None else framed.data[: int(len(framed.data) * plan.cut)]
        if arrival is not None and answer.status in {401, 429} and len(data) >= framed.head:
            arrival.permits_resending = True
        if plan.cut is not None:
            self._stream.send(data)
            return self._end(plan.ending)
        self._server.ledger.log.append(f"    sends {answer.status} {plan.framing} {plan.pace} {plan.after}")
        extra = surplus(rng)
        if plan.after == "same segment" or (plan.after in {"own segment", "late"} and not _is_last(answer)):
            self._stream.send(data + extra)
        elif plan.after == "own record":
            self._stream.send(data, extra)
        else:
            self._pace(plan, rng, data)
        if plan.after in {"own segment", "late"} and _is_last(answer):
            if plan.after == "late":
                time.sleep(DRIP)
            self._stream.send(extra)
        if framed.closes or plan.after in {"close", "announce close"}:
            self._stream.close()
            return False
        return True

    def _pace(self, plan: Plan, rng: random.Random, data: bytes) -> None:
        if plan.pace == "whole":
            self._stream.send(data)
        elif plan.pace == "pieces":
            middle = rng.randrange(len(data))
            self._stream.send(data[:middle])
            time.sleep(DRIP)
            self._stream.send(data[middle:])
        else:
            for index in range(DRIPPED):
                self._stream.send(data[index : index + 1])
                time.sleep(DRIP)
            self._stream.send(data[DRIPPED:])

    def _stop(self, plan: Plan, request: Request) -> bool:
        self._take_body(request)
        if request.whole:  # the client cannot know that it was not read
            self._server.arrived(request)
        return self._end(plan.ending)

    def _refuse_early(self, plan: Plan, request: Request) -> bool:
        self._take_body(request)
        if request.whole:
            self._server.arrived(request)
        answer = self._server.answer(plan, request)
        self._stream.send(frame(answer, "length", random.Random(0), announce_close=True).data)
        return self._end(plan.ending)

    def _end(self, ending: str) -> bool:
        """End the connection."""
        stream = self._stream
        match ending:
            case "reset":
                stream.reset()
            case "drop":
                stream.drop()
            case "stall":
                self._server.wait_for_end(stream)
            case "garbage":
                stream.send(b"\x16\x03\x00 SSH-2.0-appliance\r\n\r\n")
                stream.close()
            case "alert":
                stream.send_below(ALERT)
                stream.drop()
            case "garbage record":
                stream.send_below(GARBAGE)
                stream.drop()
            case _:
                stream.close()
        return False

    # Reading

    def _fill(self) -> bool:
        received = self._stream.receive()
        self._buffer += received
        return bool(received)

    def _need(self) -> None:
        if not self._fill():
            raise ClosedError

    def _head(self) -> Request:
        while HEAD_END not in self._buffer:
            self._need()
        head, _, self._buffer = self._buffer.partition(HEAD_END)
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        pairs = (line.partition(":") for line in lines)
        return Request.of(method, target, {name.lower(): value.strip() for name, _, value in pairs})

    def _body(self, request: Request) -> None:
        self._take_body(request)
        while not request.whole:
            self._need()
            self._take_body(request)

    def _take_body(self, request: Request) -> None:
        """Take the body from what was received, if it is complete."""
        if request.headers.get("transfer-encoding") == "chunked":
            self._take_chunks(request)
            return
        length = int(request.headers.get("content-length", "0"))
        if len(self._buffer) >= length:
            request.body, self._buffer, request.whole = self._buffer[:length], self._buffer[length:], True

    def _take_chunks(self, request: Request) -> None:
        body, rest = b"", self._buffer
        while True:
            size, found, after = rest.partition(b"\r\n")
            if not found:
                return
            length = int(size.partition(b";")[0], 16)
            if len(after) < length + 2:
                return
            if length == 0:
                request.body, self._buffer, request.whole = body, after[2:], True
                return
            body, rest = body + after[:length], after[length + 2 :]


def _is_last(answer: Answer) -> bool:
    """Return whether the client waits for the server before its next request on the connection."""
    return answer.status == 200 or (answer.status >= 500 and "Retry-After" not in answer.headers)


def is_write(request: Request) -> bool:
    """Return whether a request changes something: a probe does not."""
    return request.method in WRITES and not request.probe
