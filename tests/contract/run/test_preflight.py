"""The preflight requests and the connection to the target: no proxy, and certificates are verified."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import status

from ..second.service.app import Reply, Request
from ..second.service.rims import on_a_socket

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
    with on_a_socket(lambda request: Reply(401, b"", {}), tls=context) as url:
        yield url.replace("127.0.0.1", "localhost"), file


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


PAGE = b"<!doctype html><title>Sign in</title><form action=/login>"
OTHERS = {
    "a page": (200, {"Content-Type": "text/html"}, PAGE, "200 OK (text/html: <!doctype html><title>Sign in</title>"),
    "an empty object": (200, {"Content-Type": "application/json"}, b"{}", "200 OK (application/json: {})"),
    "nothing": (200, {}, b"", "200 OK (no content type: empty)"),
    "another service": (
        *(200, {"Content-Type": "application/json"}, b'{"success": true, "data": {"items": []}}'),
        '200 OK (application/json: {"success": true, "data": {"items": []}})',
    ),
    "another service's error": (
        *(404, {"Content-Type": "application/json"}, b'{"message": "Not Found"}'),
        '404 Not Found (application/json: {"message": "Not Found"})',
    ),
    "a failure": (500, {"Content-Type": "text/plain"}, b"oops", "500 Internal Server Error (text/plain: oops)"),
}


@contextmanager
def another_service(status: int, headers: dict[str, str], content: bytes) -> Iterator[tuple[str, list[str]]]:
    """Serve one response to every request; yield the base URL and the paths of the requests."""
    paths: list[str] = []

    def reply(request: Request) -> Reply:
        paths.append(request.target)
        return Reply(status, content, headers)

    with on_a_socket(reply) as url:
        yield url, paths


@pytest.mark.parametrize("name", OTHERS)
def test_a_target_that_is_not_the_api_ends_the_run(prove, name):
    """With exit code 4, after five plain reads of different operations, and with one sentence about the responses."""
    status, headers, content, seen = OTHERS[name]
    with another_service(status, headers, content) as (url, paths):
        run = prove(url, "--project", PROJECT, environment=TOKEN)

    assert run.code == ExitCode.NOTHING_PROVEN
    assert f"{url} does not answer as the Project Platform API: 5 plain reads got {seen}" in run.out + run.err
    assert "proven" not in run.out
    assert len({path.partition("?")[0] for path in paths}) == len(paths) == 5


def test_a_quota_that_is_spent_is_not_taken_for_another_service(prove):
    """With exit code 4, after five plain reads."""
    with another_service(429, {"Content-Type": "application/json"}, b'{"message": "slow down"}') as (url, _):
        run = prove(url, "--project", PROJECT, environment=TOKEN)

    assert run.code == ExitCode.NOTHING_PROVEN
    assert f"{url} is unavailable: it answered 429 to 5 plain reads" in run.out + run.err


def test_a_redirect_to_a_login_page_ends_the_run(prove):
    """After one request; the message names the page."""
    with another_service(302, {"Location": "/login"}, b"") as (url, paths):
        run = prove(url, "--project", PROJECT, environment=TOKEN)

    assert run.code == ExitCode.NOTHING_PROVEN
    assert "redirects to /login" in run.out + run.err
    assert len(paths) == 1


def test_an_api_whose_first_read_is_down_is_the_api(prove_on, served):
    """The next read of the preflight shows it; all of its requests are counted."""
    served.stub.world.faults.plan("agents_list", [status(403)] * 50)

    run = prove_on("-k", "test_web_analytics")

    assert run.code == ExitCode.PROVEN, run.out
    assert run.report["requests"]["sent"] == len(served.journal)


def test_a_project_that_the_owner_may_not_read_ends_the_run(prove, served):
    """With exit code 4: the permission check, which is not of the project, succeeds."""
    description = served.stub.describe(served.base_url)
    environment = {"PROJECT_PLATFORM_TOKEN": description["tokens"]["owner"]}

    for command in ((), ("init",)):
        run = prove(*command, served.base_url, "--project", PROJECT, environment=environment)

        assert run.code == ExitCode.NOTHING_PROVEN
        assert f"refused each of 4 plain reads of the project {PROJECT} (403): check the project" in run.out + run.err
