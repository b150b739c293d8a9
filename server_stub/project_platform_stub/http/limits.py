"""What one connection may take of the server, and how many connections there may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a client may take of the server. No limit is in the specification; where there is a precedent, it is named.

    Attributes:
        head_seconds: From the first byte of a request, or from the opening of the connection, to the end of the head.
        body_seconds: From the end of the head to the end of the body.
        unread_seconds: How long answers may lie unread.
        idle_seconds: How long a connection is kept between requests.
        head_bytes: Size of a head, and of what stands around the chunks of a body.
        head_fields: Header fields of a request.
        body_bytes: Size of a body that is still read to its end, though the service refuses smaller ones.
        waiting: Requests that wait on one connection while another one is answered; with more it is closed.
        connections: Open connections; more are turned away.
    """

    head_seconds: float = 10.0  # Apache's mod_reqtimeout starts with 20
    body_seconds: float = 30.0  # Apache's mod_reqtimeout starts with 20
    unread_seconds: float = 60.0  # nginx's send_timeout
    idle_seconds: int = 20  # longer than httpx (5) and aiohttp (15), so that it is the client who lets go
    head_bytes: int = 64 * 1024  # Node's is 16 KiB, that of Go 1 MiB
    head_fields: int = 100  # Apache's LimitRequestFields
    body_bytes: int = 16 * 1024 * 1024
    waiting: int = 32
    connections: int = 2000
