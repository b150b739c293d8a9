"""Proof that a request was, or was not, sent through httpx: by what happened, never by the name of an exception.

HTTP/2 raises `LocalProtocolError` for what it reads, and a transport that repeats requests raises the `ConnectError` of its last
attempt although the first one was sent. The proof is httpx's documented extension `trace`: before the head of a request is
written, the event `http11.send_request_headers.started` or `http2.send_request_headers.started` occurs with the request, so that
a CONNECT to a proxy is not mistaken for it. If a transport of httpx has had no event at all, it has begun nothing, as when its
pool has no connection in time. Any other transport without an event, such as a mock, a WSGI transport or one over another
library, proves nothing.

httpx repeats a request by itself if the service says that HTTP/2 ends before it, and other transports do so as they like. A write
that had no response is not repeated like that: `Trace` raises `RepeatedError` before it is sent again.
"""

from __future__ import annotations

import builtins
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from ..errors import ConnectionLostError, NotSentError, TimeoutError, TransportError

if TYPE_CHECKING:
    from ..calls.operation import Request

# After these, httpx has sent something; a mock raises them in the place of a transport, without an event.
_AFTER_SENDING: Final = frozenset({"ReadError", "ReadTimeout", "RemoteProtocolError", "WriteError", "WriteTimeout"})
_TIMEOUTS: Final = frozenset({"ConnectTimeout", "PoolTimeout", "ReadTimeout", "WriteTimeout"})
_QUOTED: Final = re.compile(r"bytearray\(|\bb['\"]|\n")


class RepeatedError(Exception):
    """A transport was about to repeat a write that had no response, which only the SDK may decide."""


class Trace:
    """Records how far a request got; the extension `trace` of a request of a synchronous client.

    Args:
        method: Method of the request.
        complete: Whether the transport is known to be httpx's, so that no event means that nothing began.
    """

    __slots__ = ("_complete", "_heard", "_sent", "_unanswered", "_writes")

    def __init__(self, method: str, *, complete: bool) -> None:
        self._writes = method not in {"GET", "HEAD", "OPTIONS"}
        self._complete = complete
        self._heard = False
        self._sent = False
        self._unanswered = False

    def __call__(self, event: str, info: dict[str, Any]) -> Any:
        """Record an event.

        Raises:
            RepeatedError: A write that had no response is about to be sent again.
        """
        self._heard = True
        if event.endswith("send_request_headers.started"):
            if getattr(info.get("request"), "method", None) == b"CONNECT":
                return
            if self._writes and self._unanswered:
                raise RepeatedError("a transport was about to repeat a write that had no response")
            self._sent = self._unanswered = True
        elif event.endswith("receive_response_headers.complete"):
            self._unanswered = False

    def proves_not_sent(self, error: Exception | None = None) -> bool:
        """Return whether nothing was sent of the request, which ended with an exception or was cancelled."""
        silent = self._complete and (error is None or not is_after_sending(error))
        return not self._sent and (self._heard or silent)


class AsyncTrace(Trace):
    """Same as `Trace`, but for asynchronous clients."""

    __slots__ = ()

    async def __call__(self, event: str, info: dict[str, Any]) -> None:
        """Record an event, as `Trace` does."""
        super().__call__(event, info)


def httpx_of(value: object) -> ModuleType | None:
    """Return the module httpx or httpx2 if the class of a value is one of its classes or derived from one."""
    roots = (kind.__module__.partition(".")[0] for kind in type(value).__mro__)
    return next((sys.modules[root] for root in roots if root in {"httpx", "httpx2"}), None)


def is_after_sending(error: Exception) -> bool:
    """Return whether an exception, by its name, occurs only after something was sent."""
    return bool(_AFTER_SENDING & {base.__name__ for base in type(error).__mro__})


def is_timeout(error: Exception) -> bool:
    """Return whether an exception, by its name, says that something took too long."""
    return isinstance(error, builtins.TimeoutError) or bool(_TIMEOUTS & {base.__name__ for base in type(error).__mro__})


def failure(error: Exception, request: Request, *, not_sent: bool) -> TransportError:
    """Return the error for an exception of httpx, of a transport or of an event hook, which is its cause.

    Args:
        error: The exception.
        request: The request.
        not_sent: Whether it is proven that nothing of the request was sent.
    """
    what = type(error).__name__  # the message of other code may contain anything, and is shown with the cause
    happened = "no complete response from"
    httpx = httpx_of(error)
    if httpx is not None:
        what, happened = _cleaned(error) or what, "the connection broke to"
        if isinstance(error, httpx.RequestError):
            rebuilt: Any = error
            rebuilt.request = httpx.Request(request.method, origin(request))  # without the header fields and the body
    kind: type[TransportError] = ConnectionLostError
    if not_sent:
        kind, happened = NotSentError, "nothing was sent to"
    elif is_timeout(error):
        kind, happened = TimeoutError, "no response in time from"
    result = kind(f"{happened} {origin(request)}: {what}")
    result.__cause__ = error
    return result


def origin(request: Request) -> str:
    """Return the scheme, host and port of a request; path and query may contain what must not be shown."""
    return "/".join(request.url.split("/", 3)[:3])


def _cleaned(error: Exception) -> str:
    """Remove from an exception of httpx what may contain a token or a body, and return its message.

    Parsers quote the bytes that they do not understand, and local variables of the frames of httpx contain the header fields.
    """
    message = _QUOTED.split(str(error), maxsplit=1)[0].rstrip(": .")
    error.args = (message,)
    error.__cause__ = error.__context__ = error.__traceback__ = None
    return message
