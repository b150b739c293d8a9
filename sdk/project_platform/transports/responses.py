"""A response whose body is read from its connection, up to the limit of the request; all transports share it."""

from __future__ import annotations

from typing import Final

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from .bodies import Body, BodyDecodingError, BodyTooLargeError

_HELD: Final = 256 * 1024  # bytes; httpcore reads 64 KiB at a time


class BodyReader:
    """A response whose body is read from the connection, up to the limit of the request."""

    def __init__(self, status: int, headers: Headers, request: Request) -> None:
        self._status = status
        self._headers = headers
        self._body: Body | None = None
        self._error: Exception | None = None
        self._ignored = 0
        try:
            self._body = Body(headers.get("content-encoding", ""), request.limit(status))
        except BodyDecodingError as error:
            self._error = error

    def add(self, chunk: bytes) -> bool:
        """Add a chunk as received, and return whether more is needed: not after one that cannot be used."""
        if self._error is not None or self._body is None:
            self._ignored += len(chunk) + 1
            return False
        try:
            self._body.add(chunk)
        except (BodyDecodingError, BodyTooLargeError) as error:
            self._error = error
        return self._error is None

    @property
    def ignored_enough(self) -> bool:
        """Whether more was ignored than a connection holds: reading has no end."""
        return self._ignored > _HELD

    def whole(self) -> Response:
        """Return the response after the last chunk, with its body if that is whole."""
        if self._error is not None or self._body is None:
            return self.cut_off(timed_out=False)
        try:
            return Response(self._status, self._headers, self._body.finish())
        except BodyDecodingError:
            return self.cut_off(timed_out=False)

    def cut_off(self, *, timed_out: bool) -> Response:
        """Return the response with the part of its body that was read; `timed_out` says that there was no time for the rest."""
        partial = b"" if self._body is None else self._body.partial()
        too_large = isinstance(self._error, BodyTooLargeError)
        late = timed_out and self._error is None
        return Response(self._status, self._headers, partial, complete=False, too_large=too_large, timed_out=late)
