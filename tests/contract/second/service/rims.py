"""The two ways to reach the service: on a socket, and in this process."""

from __future__ import annotations

import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from .app import Reply, Request, Service


class InProcess(httpx.BaseTransport):
    """A transport to a service in this process.

    Args:
        service: The service.
        crashes: Receives the exceptions that the service raises; such a request is answered with 500.
    """

    def __init__(self, service: Service, crashes: list[Exception]) -> None:
        self._service = service
        self._crashes = crashes

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response of the service."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            reply = self._service(
                Request(request.method, request.url.raw_path.decode("ascii"), headers, request.read())
            )
        except Exception as crash:
            self._crashes.append(crash)
            return httpx.Response(500, json={"message": "The service crashed."})
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients whose connection was reset."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


@contextmanager
def on_a_socket(
    service: Callable[[Request], Reply | None],
    *,
    first_caller_stays: bool = False,
    tls: ssl.SSLContext | None = None,
) -> Iterator[str]:
    """Serve on a free port, and yield the base URL.

    Args:
        service: Returns the response to a request, or None to reset the connection.
        first_caller_stays: Whether all requests of a connection are those of its first caller, as behind a gateway that keeps it.
        tls: Encrypts the connections.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _respond(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            if first_caller_stays and "authorization" in headers:
                headers["authorization"] = vars(self).setdefault("caller", headers["authorization"])
            body = self.rfile.read(int(headers.get("content-length", 0)))
            reply = service(Request(self.command, self.path, headers, body))
            if reply is None:
                # Closing with a linger time of zero sends RST instead of FIN.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            self.send_response_only(reply.status)
            for name, value in {**reply.headers, "content-length": str(len(reply.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _respond  # noqa: N815  # the names of http.server

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
