"""A certificate authority, and the TLS contexts of the servers and of the clients under test."""

from __future__ import annotations

import functools
import ssl
from dataclasses import dataclass
from typing import Final

import trustme

HOST: Final = "platform.test"  # only the proxies know where it is


class Certificates:
    """A certificate authority that only the tests trust."""

    def __init__(self) -> None:
        self._authority = trustme.CA()
        self.pem: str = self._authority.cert_pem.bytes().decode()

    def client(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self.pem)

    def server(self, *hosts: str) -> ssl.SSLContext:
        """Return the context of a server whose certificate is for these names and addresses."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*hosts).configure_cert(context)
        return context


@dataclass(frozen=True)
class Contexts:
    """The TLS contexts of a process.

    Attributes:
        server: The service and the proxies.
        http2: The service, with HTTP/2 offered by ALPN.
        impostor: A server whose certificate is not signed by the authority that clients trust.
        client: A client that trusts the authority.
    """

    server: ssl.SSLContext
    http2: ssl.SSLContext
    impostor: ssl.SSLContext
    client: ssl.SSLContext


@functools.cache
def contexts() -> Contexts:
    """Return the contexts of this process; the keys are new in each process."""
    trusted, other = Certificates(), Certificates()
    hosts = (HOST, "localhost", "127.0.0.1")
    server, http2, impostor = (authority.server(*hosts) for authority in (trusted, trusted, other))
    http2.set_alpn_protocols(["h2"])
    return Contexts(server, http2, impostor, trusted.client())
