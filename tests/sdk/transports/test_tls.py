"""TLS certificates are checked, and a failed handshake means that the request was not sent."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from project_platform import NotSentError
from project_platform.transports.tls import _tls_context

from .carrier import get, within
from .server import PATIENT, Line


@pytest.mark.parametrize(("host", "trusted"), [("elsewhere.example", True), ("localhost", False)])
def test_a_certificate_that_is_not_that_of_the_host_is_refused(serve, make, certificates, host, trusted):
    """Nothing is sent to a server whose certificate names another host, or whose authority is not trusted."""
    server = serve(tls=certificates.server(host))

    assert isinstance(make(certificates.client() if trusted else None).send(get(server)), NotSentError)


def test_an_authority_is_trusted_by_the_variable_that_messages_name(serve, make, certificates, monkeypatch, tmp_path):
    """Also where its file is missing."""
    server = serve(tls=certificates.server("localhost"))
    assert "by SSL_CERT_FILE" in str(make().send(get(server)))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    _tls_context.cache_clear()
    assert "SSL_CERT_FILE" in str(make().send(get(server)))
    (tmp_path / "authority.pem").write_text(certificates.pem)
    assert make().send(get(server)).status == 200
    _tls_context.cache_clear()


@pytest.mark.parametrize("script", [Line.until_closed, lambda line: line.sock.recv(10)], ids=["silent", "closes"])
def test_a_request_whose_tls_handshake_fails_is_not_sent(serve, carrier, script):
    """The connect timeout ends a handshake, too."""
    server = serve(script)
    request = replace(get(server), url=f"https://127.0.0.1:{server.port}/")

    assert isinstance(carrier.send(within(request, connect=0.2)), NotSentError)
    server.wait_for_an_end()


def test_cancellation_during_the_tls_handshake_closes_the_socket(kind, serve, make):
    if kind == "sync":
        pytest.skip("a thread cannot be cancelled")
    reached = threading.Event()

    def silent(line):
        line.sock.recv(10)
        reached.set()
        line.until_closed()

    server = serve(silent)
    carrier = make(max_connections=1)
    started = carrier.start(replace(get(server), url=f"https://127.0.0.1:{server.port}/"))
    assert reached.wait(PATIENT)

    started.cancel()

    server.wait_for_an_end()
