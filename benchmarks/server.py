"""A server that responds from memory, so that the client dominates: `python -m benchmarks.server` prints its address.

The first segment of a path selects the response, which is by default a page of `limit` agents of a list of 10,000:

- `/pdf/N`: a PDF of N bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOTAL = 10_000
AGENT: dict[str, Any] = {
    "id": "a0",
    "projectId": "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11",
    "name": "Concierge",
    "description": "Answers guests about menus, dates and rooms",
    "builtIn": False,
    "systemPrompt": "You are the concierge of the house.",
    "memoryFiles": ["menu", "house-rules"],
    "toolCategories": ["memory"],
    "mcpServers": [{"name": "calendar", "url": "https://calendar.example", "headers": {"x-tenant": "house"}}],
    "access": "project_member",
    "allowedRoles": ["owner"],
    "maxSteps": 10,
    "model": "m-1",
    "metadata": {"revision": 1},
    "createdAt": "2026-01-01T00:00:00Z",
    "updatedAt": "2026-01-01T00:00:00Z",
}


@dataclass(frozen=True)
class Address:
    """The addresses of the server: the base URL without TLS, that with TLS, and the file of its certificate.

    The last two are None where no certificate can be created.
    """

    http: str
    https: str | None
    certificate: str | None


def _response(body: bytes, kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nx-request-id: r1\r\n\r\n"
    return head.encode() + body


@functools.lru_cache(maxsize=256)
def response(target: str) -> bytes:
    """Return the complete HTTP response for a target: a path and a query."""
    url = urlsplit(target)
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    limit, offset = int(query.get("limit", "100")), int(query.get("offset", "0"))
    match url.path.split("/")[1:3]:
        case ["pdf", size]:
            return _response(b"%PDF-" + b"x" * (int(size) - 5), "application/pdf")
        case _:
            agents = [{**AGENT, "id": f"a{number}"} for number in range(offset, min(offset + limit, TOTAL))]
            pagination = {"limit": limit, "offset": offset, "hasMore": offset + limit < TOTAL}
            return _response(json.dumps({"agents": agents, "pagination": pagination}).encode())


class Connection(asyncio.Protocol):
    """Responds to each request of a connection."""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._read = b""
        self._body = 0  # bytes of a request's body that are still to be skipped

    def data_received(self, data: bytes) -> None:
        self._read += data
        while True:
            skipped = min(self._body, len(self._read))
            self._read, self._body = self._read[skipped:], self._body - skipped
            if self._body or b"\r\n\r\n" not in self._read:
                return
            head, self._read = self._read.split(b"\r\n\r\n", 1)
            line, *fields = head.decode("latin-1").split("\r\n")
            lengths = [field.split(":")[1] for field in fields if field.lower().startswith("content-length:")]
            self._body = int(lengths[0]) if lengths else 0
            self._transport.write(response(line.split(" ")[1]))


async def main(folder: Path) -> None:
    """Serve until the process is terminated."""
    loop = asyncio.get_running_loop()
    plain = await loop.create_server(Connection, "127.0.0.1", 0, backlog=2048)
    ports, certificate = [plain.sockets[0].getsockname()[1]], None
    with contextlib.suppress(ImportError):
        import trustme

        authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate = str(folder / "certificate.pem")
        authority.cert_pem.write_to_path(certificate)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        secure = await loop.create_server(Connection, "127.0.0.1", 0, ssl=context)
        ports.append(secure.sockets[0].getsockname()[1])
    print(json.dumps({"ports": ports, "certificate": certificate}), flush=True)
    await plain.serve_forever()


@contextlib.contextmanager
def running() -> Iterator[Address]:
    """Run the server in another process, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.server", folder], stdout=subprocess.PIPE, env=dict(os.environ)
        )
        assert process.stdout is not None
        try:
            started = json.loads(process.stdout.readline())
            urls = [f"{way}://127.0.0.1:{port}" for way, port in zip(("http", "https"), started["ports"], strict=False)]
            yield Address(urls[0], urls[1] if len(urls) > 1 else None, started["certificate"])
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    with contextlib.suppress(ImportError):
        import uvloop

        uvloop.install()
    asyncio.run(main(Path(sys.argv[1])))
