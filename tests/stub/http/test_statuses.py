"""Statuses and header fields over a socket, against the sentences of the specification and of RFC 9110.

The requests are written with plain httpx, and the expectations are written out here, not read from `openapi.yaml`.
"""

from __future__ import annotations

import dataclasses
import gzip

import pytest

from project_platform_stub import Profile, Stub
from project_platform_stub.world.permissions import PERMISSIONS

MIB = 1024 * 1024
# Specification, Endpoints 16: "Error responses: 400, 401, 403 (JSON error body)".
UNFIT_BODIES = {
    "text": ({"Content-Type": "text/plain"}, b"{}"),
    "form": ({"Content-Type": "application/x-www-form-urlencoded"}, b"menuMonth=2026-11"),
    "multipart": ({"Content-Type": "multipart/form-data; boundary=x"}, b"--x--"),
    "no type": ({"Content-Type": ""}, b"{}"),
    "gzip": ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, gzip.compress(b"{}")),
    "large": ({"Content-Type": "application/json"}, b"{" + b" " * MIB + b"}"),
    "large text": ({"Content-Type": "text/plain"}, b"x" * 2 * MIB),
    "empty": ({"Content-Type": "application/json"}, b""),
    "array": ({"Content-Type": "application/json"}, b"[]"),
}
PROFILES = {
    "default": Profile(),
    "other statuses": Profile(invalid_status=422, unknown_project_status=404, external_id="unique"),
}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_valid_identity_without_a_project_has_no_permission(clock, connect, profile):
    """Endpoints 1: "resolves the caller identity and returns whether it holds the permission". It does not: `false`."""
    stub = Stub(now=clock, profile=profile)
    client, (owner, *_) = connect(stub), stub.world.identities.values()

    def responses() -> set[tuple[int, str]]:
        found = (client.get("/auth/check-permission", params={"permission": permission}) for permission in PERMISSIONS)
        return {(response.status_code, response.text) for response in found}

    stub.world.identities[owner.id] = dataclasses.replace(owner, home="00000000-0000-4000-8000-000000000000")
    assert responses() == {(200, '{"allowed":false}')}
    stub.world.identities[owner.id] = owner
    for project in stub.world.projects.values():
        project.members.clear()
    assert responses() == {(200, '{"allowed":false}')}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize(("headers", "content"), UNFIT_BODIES.values(), ids=UNFIT_BODIES)
def test_the_label_export_answers_400_to_an_unfit_body(clock, connect, profile, headers, content):
    """Endpoints 16 lists 400, 401 and 403, with a JSON error body: no profile and no body adds a status."""
    stub = Stub(now=clock, profile=profile)
    path = f"/projects/{stub.project.id}/menu-items/label-export"

    response = connect(stub).post(path, headers=headers, content=content)

    assert (response.status_code, response.headers["Content-Type"]) == (400, "application/json")
    assert isinstance(response.json()["message"], str)


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"Content-Type": "text/plain"}, "Content-Type: is text/plain; it must be application/json"),
        ({"Content-Type": "text/xml; charset=utf-8"}, "Content-Type: is text/xml; it must be application/json"),
        ({"Content-Type": ""}, "Content-Type: is missing; it must be application/json"),
        (
            {"Content-Type": "application/json", "Content-Encoding": "br"},
            "Content-Encoding: is br; the body must not be compressed",
        ),
    ],
)
def test_a_415_names_what_the_request_had(stub, connect, headers, message):
    """Of an operation whose statuses the specification leaves open."""
    response = connect(stub).post(f"/projects/{stub.project.id}/object-records", headers=headers, content=b"{}")

    assert (response.status_code, response.json()["message"]) == (415, message)


def test_head_is_get_without_the_body(stub, connect):
    """RFC 9110 section 9.3.2: HEAD is GET without content, and its header fields are those of GET."""
    client, agents = connect(stub), f"/projects/{stub.project.id}/agents"

    for path in [f"{agents}?limit=2", f"{agents}?limit=0", "/api/auth/jwks", "/_stub/health", "/_stub/worlds"]:
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
        changing = {"date", "x-request-id"}
        assert {name: value for name, value in head.headers.items() if name not in changing} == {
            name: value for name, value in got.headers.items() if name not in changing
        }, path


def test_options_names_the_methods_of_a_path(stub, connect):
    """RFC 9110 section 9.3.7; it needs no token, because browsers send none with it."""
    client = connect(stub)
    del client.headers["Authorization"]

    def allowed(path: str) -> tuple[int, str | None, bytes]:
        response = client.options(path)
        return response.status_code, response.headers.get("Allow"), response.content

    assert allowed(f"/projects/{stub.project.id}/agents") == (204, "GET, HEAD, OPTIONS", b"")
    assert allowed(f"/projects/{stub.project.id}/object-records/x") == (204, "PATCH, OPTIONS", b"")
    assert client.options("/nowhere").status_code == 404


@pytest.mark.parametrize("name", [" Acme", "Acme ", "\tAcme\n", " A  b ", "\u00a0Acme"])
def test_the_name_of_a_sub_project_is_not_trimmed(stub, connect, name):
    """Endpoints 9 states no rule about blanks: the name in the response is the name of the request."""
    template = next(iter(stub.project.templates))

    response = connect(stub).post(f"/projects/{stub.project.id}/templates/{template}/apply", json={"name": name})

    assert response.json()["data"]["project"]["name"] == name


def test_the_root_names_the_page(stub, connect):
    """Programs get an error of the API, browsers the page."""
    client = connect(stub)

    response = client.get("/")
    assert (response.status_code, response.headers["Content-Type"]) == (404, "application/json")
    assert "/_stub/" in response.json()["message"]
    shown = client.get("/", headers={"Accept": "text/html,application/xhtml+xml"})
    assert (shown.status_code, shown.headers["Location"]) == (303, "/_stub/")
