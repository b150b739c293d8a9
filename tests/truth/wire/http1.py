"""One connection of HTTP/1.1, from the side of a server that carries out plans."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import h11

from .framing import Framed, frame, surplus
from .plans import Plan
from .service import Arrival, Request, Response
from .streams import ClosedError, Stream

if TYPE_CHECKING:
    from .server import Server

DRIP = 0.002  # seconds between two bytes
DRIPPED = 40  # bytes


class Http1Connection:
    """Reads requests, and responds to them by their plans, until the connection ends."""

    def __init__(self, stream: Stream, server: Server, *, tls: bool) -> None:
        self._stream, self._server, self._tls = stream, server, tls
        self._parser = h11.Connection(h11.SERVER)

    def serve(self) -> None:
        try:
            while self._parser.trailing_data[0] or self._fill():
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
        response = self._server.reply(plan, request)
        if not plan.responds:
            return self._end(plan.ending)
        framed = frame(response, plan.framing, rng, announce_close=plan.after.startswith("announce"))
        return self._send(plan, rng, framed, response, arrival)

    def _send(
        self, plan: Plan, rng: random.Random, framed: Framed, response: Response, arrival: Arrival | None
    ) -> bool:
        data = framed.data if plan.cut is None else framed.data[: int(len(framed.data) * plan.cut)]
        if arrival is not None and response.status in {401, 429} and len(data) >= framed.head:
            arrival.permits_resending = True
        if plan.cut is not None:
            self._stream.send(data)
            return self._end(plan.ending)
        self._server.ledger.log.append(f"    sends {response.status} {plan.framing} {plan.pace} {plan.after}")
        extra = surplus(rng)
        if plan.after == "same segment" or (plan.after in {"own segment", "late"} and not _is_last(response)):
            self._stream.send(data + extra)
        elif plan.after == "own record":
            self._stream.send(data, extra)
        else:
            self._pace(plan, rng, data)
        if plan.after in {"own segment", "late"} and _is_last(response):
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
        self._body(request, wait=False)
        if request.whole:  # the client cannot know that it was not read
            self._server.arrived(request)
        return self._end(plan.ending)

    def _refuse_early(self, plan: Plan, request: Request) -> bool:
        self._body(request, wait=False)
        if request.whole:
            self._server.arrived(request)
        response = self._server.reply(plan, request)
        self._stream.send(frame(response, "length", random.Random(0), announce_close=True).data)
        return self._end(plan.ending)

    def _end(self, ending: str) -> bool:
        self._server.end(self._stream, ending)
        return False

    # Reading

    def _fill(self) -> bool:
        received = self._stream.receive()
        self._parser.receive_data(received)
        return bool(received)

    def _head(self) -> Request:
        rest, _ = self._parser.trailing_data
        self._parser = h11.Connection(h11.SERVER)
        self._parser.receive_data(rest)
        while (head := self._parser.next_event()) is h11.NEED_DATA:
            if not self._fill():
                raise ClosedError
        assert isinstance(head, h11.Request)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
        return Request.of(head.method.decode(), head.target.decode("latin-1"), headers)

    def _body(self, request: Request, *, wait: bool = True) -> None:
        """Read the body; without waiting, only what was received with the head."""
        while not request.whole:
            match self._parser.next_event():
                case h11.Data(data=data):
                    request.body += data
                case h11.EndOfMessage():
                    request.whole = True
                case _ if not wait:
                    return
                case _ if not self._fill():
                    raise ClosedError


def _is_last(response: Response) -> bool:
    """Return whether the client waits for the server before its next request on the connection."""
    return response.status == 200 or (response.status >= 500 and "Retry-After" not in response.headers)
