"""The header fields and body of a response, as both the server and the in-process transports send them."""

from __future__ import annotations

from .messages import Response

_BODILESS = {204, 304}


def framed(response: Response, method: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the header fields and the body of a response as they are sent.

    Args:
        response: The response.
        method: Method of the request.
    """
    fields = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
    if response.status in _BODILESS:  # RFC 9110 section 8.6: no Content-Length for these.
        return fields, b""
    fields.append((b"content-length", b"%d" % len(response.body)))
    # RFC 9110 section 9.3.2: the response to HEAD is the response to GET without its body.
    return fields, b"" if method == "HEAD" else response.body
