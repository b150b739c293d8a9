"""The bytes of a response in HTTP/1.1, framed well or badly, and surplus bytes that follow a response."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from dataclasses import dataclass
from typing import Final

from .service import Response

CHUNKED: Final = {
    "chunked",
    "chunk extensions",
    "trailers",
    "length and chunked",
    "garbage in a chunk",
    "chunk size too long",
}
INTERIM: Final = {
    "100 first": b"HTTP/1.1 100 Continue\r\n\r\n",
    "103 first": b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n",
    "flood of 1xx": b"HTTP/1.1 102 Processing\r\n\r\n" * 2000,
}
REASONS: Final = {
    200: "OK",
    401: "Unauthorized",
    409: "Conflict",
    413: "Too Large",
    429: "Too Many",
    503: "Unavailable",
}


@dataclass
class Framed:
    """The bytes of a response.

    Attributes:
        data: All of them, interim responses included.
        head: Number of bytes until the end of the final head.
        closes: Whether the end of the connection is the end of the body.
    """

    data: bytes
    head: int
    closes: bool = False


def frame(response: Response, framing: str, rng: random.Random, *, announce_close: bool = False) -> Framed:
    """Return the bytes of a response in a framing of `plans.WELL_FORMED` or `plans.MALFORMED`."""
    coding, body = _coded(response.body, framing, rng)
    content, lengths = _content(body, framing, rng)
    closes = framing.endswith("until close")
    lines = ["Content-Type: application/json", *(f"{name}: {value}" for name, value in response.headers.items())]
    lines += [f"Content-Encoding: {coding}"] if coding else []
    lines += ["Connection: close"] if announce_close else []
    lines += [f"Content-Length: {length}" for length in lengths or () if not closes]
    lines += ["Transfer-Encoding: chunked"] if framing in CHUNKED else []
    lines += _odd_fields(framing, rng)
    version = "HTTP/1.0" if framing.startswith("HTTP/1.0") else "HTTP/1.1"
    status_line = f"{version} {response.status} {REASONS.get(response.status, 'Status')}"
    if framing == "no version":
        status_line = f"{response.status} answered"
    head = "\r\n".join([status_line, *lines, "", ""]).encode("latin-1")
    interim = INTERIM.get(framing, b"")
    return Framed(interim + head + content, len(interim + head), closes)


def _coded(body: bytes, framing: str, rng: random.Random) -> tuple[str, bytes]:
    """Return the content coding of a body, and the coded body."""
    match framing:
        case "gzip":
            return "gzip", gzip.compress(body, 1)
        case "deflate":
            return "deflate", zlib.compress(body)
        case "broken gzip":
            packed = bytearray(gzip.compress(body, 1))
            packed[rng.randrange(len(packed))] ^= 0xFF
            return "gzip", bytes(packed)
        case "truncated gzip":
            return "gzip", gzip.compress(body, 1)[: -rng.randrange(1, 12)]
        case "body is not JSON":
            return "", b"<html>an appliance</html>"
    return "", body


def _odd_fields(framing: str, rng: random.Random) -> list[str]:
    match framing:
        case "long head":
            return ["X-Filler: " + "a" * rng.choice((8_000, 60_000, 200_000))]
        case "many fields":
            return [f"X-Field-{number}: value" for number in range(rng.choice((90, 300)))]
        case "bad field":
            return [rng.choice(("no colon here", "X\x00Y: value", " folded", "Name : value", ": no name"))]
    return []


def _content(body: bytes, framing: str, rng: random.Random) -> tuple[bytes, list[int] | None]:
    """Return the body as it is sent, and the values of its Content-Length."""
    half = max(1, len(body) // 2)
    match framing:
        case "length too short":
            return body, [rng.randrange(len(body))]
        case "length too long":
            return body, [len(body) + rng.choice((1, 7, 500))]
        case "two lengths":
            return body, [len(body), half]
        case "chunked":
            return _chunks(body[:half], body[half:]), None
        case "chunk extensions":
            return _chunks(body, extension=b";name=" + b"v" * 100), None
        case "trailers":
            return _chunks(body, trailers=b"X-Checksum: 0\r\n"), None
        case "length and chunked":
            return _chunks(body), [rng.choice((half, len(body)))]
        case "garbage in a chunk":
            return b"%x\r\n%b\r\nzz\r\n" % (half, body[:half]), None
        case "chunk size too long":
            return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body) + 9, body), None
    return body, [len(body)]


def _chunks(*pieces: bytes, extension: bytes = b"", trailers: bytes = b"") -> bytes:
    chunks = b"".join(b"%x%b\r\n%b\r\n" % (len(piece), extension, piece) for piece in pieces if piece)
    return chunks + b"0\r\n" + trailers + b"\r\n"


def surplus(rng: random.Random) -> bytes:
    """Return bytes that follow a response though no request asks for them: a response that fits any call, or part of it."""
    nonce = "surplus"
    fitting = {
        "record": {"id": nonce, "typeSlug": "deal", "data": {"nonce": nonce}},
        "bookingUid": nonce,
        "success": True,
        "data": {"sections": [{"id": nonce, "label": nonce, "items": []}]},
        "entry": {"id": nonce, "slug": nonce, "content": nonce},
        "agents": [{"id": nonce, "projectId": nonce, "name": nonce}],
        "pagination": {"limit": 50, "offset": 0, "hasMore": False},
        "config": {"id": nonce, "projectId": nonce, "enabled": True},
        "busy": [{"start": nonce, "end": nonce}],
        "message": f"surplus nonce:{nonce[::-1]};",
    }
    status = rng.choice((200, 200, 200, 409, 404, 429))
    data = frame(Response(status, json.dumps(fitting).encode()), "length", rng).data
    return rng.choice((data, data, data, data[: rng.randrange(1, len(data))], b"\r\n", b"\x00", data + b" " * 100_000))
