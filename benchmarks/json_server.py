"""A local server that answers in JSON, for trials of SDKs: a handler says what."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class JsonHandler(BaseHTTPRequestHandler):
    """Reads and sends bodies, and logs nothing. A subclass defines the methods that `http.server` calls, such as `do_GET`."""

    protocol_version = "HTTP/1.1"

    def read_body(self) -> bytes:
        """Return the body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status: int, content: Any, headers: Mapping[str, str] | None = None) -> None:
        """Send a response whose body is a value as JSON."""
        body = json.dumps(content).encode()
        self.send_response(status)
        fields = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.send_body(body)

    def send_body(self, body: bytes) -> None:
        """Send the body of a response."""
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def serve(handler: type[JsonHandler]) -> str:
    """Serve until the process ends, and return the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
