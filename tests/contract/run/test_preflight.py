"""Whether the target is there, and how it is reached: told at once, directly, and over a connection that is checked."""

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
def nowhere() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return f"http://127.0.0.1:{closed.getsockname()[1]}"


def test_a_target_that_is_not_there_is_told_at_once(prove, nowhere):
    """Exit code 4 and a sentence, before a test is run."""
    started = time.monotonic()
    run = prove(nowhere, "--project", PROJECT, environment=TOKEN)

    assert run.code == ExitCode.NOTHING_PROVEN
    assert f"{nowhere} cannot be reached: " in run.out + run.err
    assert "proven" not in run.out
    assert time.monotonic() - started < 30


class Refusing(BaseHTTPRequestHandler):
    """Lets nobody in."""

    def do_GET(self) -> None:
        """Refuse."""
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def with_own_certificate(tmp_path):
    """A server whose certificate nobody has signed, and the file with it."""
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


def test_certificates_are_always_checked(prove, with_own_certificate):
    """A certificate that nobody vouches for ends the run before the token is sent; one's own can be named."""
    url, file = with_own_certificate

    unknown = prove(url, "--project", PROJECT, environment=TOKEN)
    known = prove(url, "--project", PROJECT, environment={**TOKEN, "SSL_CERT_FILE": str(file)})

    assert "CERTIFICATE_VERIFY_FAILED" in unknown.out + unknown.err
    assert "refuses the owner's token (401)" in known.out + known.err
    assert unknown.code == known.code == ExitCode.NOTHING_PROVEN


def test_a_proxy_of_the_environment_is_not_used(prove_on, prove, served, nowhere):
    """A proxy is another host: requests go to the target itself, and where that fails it is told."""
    proxies = {"http_proxy": nowhere, "HTTP_PROXY": nowhere, "all_proxy": nowhere}

    reached = prove_on(*AGENTS, environment=proxies)
    not_reached = prove(nowhere, "--project", PROJECT, environment={**TOKEN, **proxies})

    assert reached.code == ExitCode.PROVEN, reached.out + reached.err
    assert "The proxy of the environment is not used" in not_reached.out + not_reached.err


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (status(401), "refuses the owner's token (401)"),
        (status(503), "is not there: it answers 503"),
    ],
)
def test_a_target_that_lets_nobody_in_is_told_at_once(prove_on, served, answer, told):
    """Exit code 4 after one request."""
    served.stub.world.faults.plan("agents_list", answer)

    run = prove_on()

    assert run.code == ExitCode.NOTHING_PROVEN
    assert told in run.out + run.err
    assert len(served.journal) == 1
