"""The preflight request and the connection to the target: no proxy, and certificates are verified."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import status

AGENTS = ("-k", "test_agents")
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
TOKEN = {"PROJECT_PLATFORM_TOKEN": "opaque-token"}


@pytest.fixture
def closed_url() -> str:
    """A URL whose port is closed."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return f"http://127.0.0.1:{closed.getsockname()[1]}"


def test_an_unreachable_target_ends_the_run(prove, closed_url):
    """With exit code 4 and one message, before any test."""
    started = time.monotonic()
    run = prove(closed_url, "--project", PROJECT, environment=TOKEN)

    assert run.code == ExitCode.NOTHING_PROVEN
    assert f"{closed_url} cannot be reached: " in run.out + run.err
    assert "proven" not in run.out
    assert time.monotonic() - started < 30


class Refusing(BaseHTTPRequestHandler):
    """Answers every GET with 401."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@pytest.fixture
def self_signed(tmp_path):
    """A server with a self-signed certificate, and the certificate's file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(days=1), now + timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    certificate = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path / "certificate.pem"
    file.write_bytes(certificate + private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    yield f"https://localhost:{server.server_port}", file
    server.shutdown()
    thread.join()
    server.server_close()


def test_certificates_are_always_verified(prove, self_signed):
    """An untrusted certificate ends the run before the token is sent; `SSL_CERT_FILE` adds a trusted one."""
    url, file = self_signed

    unknown = prove(url, "--project", PROJECT, environment=TOKEN)
    known = prove(url, "--project", PROJECT, environment={**TOKEN, "SSL_CERT_FILE": str(file)})

    assert "TLS failed: self-signed certificate" in unknown.out + unknown.err
    assert "refused the owner's token (401)" in known.out + known.err
    assert unknown.code == known.code == ExitCode.NOTHING_PROVEN


def test_a_proxy_of_the_environment_is_not_used(prove_on, prove, served, closed_url):
    """And the error message of an unreachable target mentions it."""
    proxies = {"http_proxy": closed_url, "HTTP_PROXY": closed_url, "all_proxy": closed_url}

    reached = prove_on(*AGENTS, environment=proxies)
    not_reached = prove(closed_url, "--project", PROJECT, environment={**TOKEN, **proxies})

    assert reached.code == ExitCode.PROVEN, reached.out + reached.err
    assert "The proxy of the environment is not used" in not_reached.out + not_reached.err


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (status(401), "refused the owner's token (401)"),
        (status(503), "is unavailable: it answered 503"),
    ],
)
def test_a_target_that_refuses_the_preflight_request_ends_the_run(prove_on, served, answer, message):
    """With exit code 4, after one request."""
    served.stub.world.faults.plan("agents_list", answer)

    run = prove_on()

    assert run.code == ExitCode.NOTHING_PROVEN
    assert message in run.out + run.err
    assert len(served.journal) == 1
