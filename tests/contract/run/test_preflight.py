"""The preflight requests and the connection to the target: no proxy, and certificates are verified."""

from __future__ import annotations

import socket
import ssl
import time

import pytest

from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import status

from ...truth.wire.certificates import Certificates
from ..second.service.app import Reply, Request
from ..second.service.rims import on_a_socket

AGENTS = ("-k", "test_agents")
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
TOKEN = {"PROJECT_PLATFORM_TOKEN": "opaque-token"}


@pytest.fixture
def closed_url() -> str:
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


def test_certificates_are_always_verified(prove, tmp_path):
    """An untrusted certificate ends the run before the token is sent; `SSL_CERT_FILE` adds a trusted one."""
    certificates = Certificates()
    (authority,) = certificates.client().get_ca_certs(binary_form=True)
    (tmp_path / "authority.pem").write_text(ssl.DER_cert_to_PEM_cert(authority))
    context = certificates.server("localhost", "127.0.0.1")
    with on_a_socket(lambda request: Reply(401, b"", {}), tls=context) as url:
        unknown = prove(url, "--project", PROJECT, environment=TOKEN)
        trusted = {**TOKEN, "SSL_CERT_FILE": str(tmp_path / "authority.pem")}
        known = prove(url, "--project", PROJECT, environment=trusted)

    assert "TLS failed: unable to get local issuer certificate" in unknown.out + unknown.err
    assert "refused the owner's token (401)" in known.out + known.err
    assert unknown.code == known.code == ExitCode.NOTHING_PROVEN


def test_a_proxy_of_the_environment_is_not_used(prove_on, prove, served, closed_url):
    """And the error message of an unreachable target mentions it."""
    proxies = {"http_proxy": closed_url, "HTTP_PROXY": closed_url, "all_proxy": closed_url}

    reached = prove_on(*AGENTS, environment=proxies)
    not_reached = prove(closed_url, "--project", PROJECT, environment={**TOKEN, **proxies})

    assert reached.code == ExitCode.PROVEN, reached.out + reached.err
    assert "The proxy of the environment is not used" in not_reached.out + not_reached.err


JSON = {"Content-Type": "application/json"}
PAGE = b"<!doctype html><title>Sign in</title><form action=/login>"
NOT_THE_API = "does not respond as the Project Platform API: 5 plain reads got "
OTHERS = {
    "a page": (
        Reply(200, PAGE, {"Content-Type": "text/html"}),
        f"{NOT_THE_API}200 OK (text/html: <!doctype html><title>Sign in</title>",
    ),
    "an empty object": (Reply(200, b"{}", JSON), f"{NOT_THE_API}200 OK (application/json: {{}})"),
    "nothing": (Reply(200, b"", {}), f"{NOT_THE_API}200 OK (no content type: empty)"),
    "another service": (
        Reply(200, b'{"success": true, "data": {"items": []}}', JSON),
        f'{NOT_THE_API}200 OK (application/json: {{"success": true, "data": {{"items": []}}}})',
    ),
    "another service's error": (
        Reply(404, b'{"message": "Not Found"}', JSON),
        f'{NOT_THE_API}404 Not Found (application/json: {{"message": "Not Found"}})',
    ),
    "a failure": (
        Reply(500, b"oops", {"Content-Type": "text/plain"}),
        f"{NOT_THE_API}500 Internal Server Error (text/plain: oops)",
    ),
    "a spent quota": (
        Reply(429, b'{"message": "slow down"}', JSON),
        "is unavailable: it answered 429 to 5 plain reads",
    ),
    "a failing gateway": (Reply(503, b"", {}), "is unavailable: it answered 503 to 5 plain reads"),
}
AT_ONCE = {
    "a login page elsewhere": (Reply(302, b"", {"Location": "/login"}), "redirects to /login"),
    "a refused token": (Reply(401, b"", {}), "refused the owner's token (401)"),
}


@pytest.mark.parametrize("name", [*OTHERS, *AT_ONCE])
def test_a_target_that_does_not_serve_the_api_ends_the_run(prove, name):
    """With exit code 4 and one sentence, after plain reads of five different operations, or after one."""
    reply, message = (OTHERS | AT_ONCE)[name]
    paths: list[str] = []

    def serve(request: Request) -> Reply:
        paths.append(request.target.partition("?")[0])
        return reply

    with on_a_socket(serve) as url:
        run = prove(url, "--project", PROJECT, environment=TOKEN)

    assert run.code == ExitCode.NOTHING_PROVEN
    assert message in run.out + run.err
    assert "proven" not in run.out
    assert len(set(paths)) == len(paths) == (1 if name in AT_ONCE else 5)


def test_an_api_whose_first_read_is_down_is_the_api(prove_on, served):
    """The next read of the preflight shows it; all of its requests are counted."""
    served.stub.world.faults.plan("agents_list", [status(403)] * 50)
    served.stub.world.faults.plan("posts_list", status(503))

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
