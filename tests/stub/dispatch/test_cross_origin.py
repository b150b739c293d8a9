"""Web pages of other origins: what a browser needs to let them call the operations (Fetch standard, section 3.3)."""

from __future__ import annotations

import httpx
import pytest

from project_platform_stub import Stub
from project_platform_stub.faults import status

PAGE = "http://localhost:5173"
OTHER = "http://localhost:5174"


@pytest.fixture
def connect_from(connect):
    """Return a function that returns a new stub with allowed origins, and a client of it without a token, over a socket."""

    def connect_from(*origins: str) -> tuple[Stub, httpx.Client]:
        stub = Stub(allow_origins=origins)
        client = connect(stub)
        del client.headers["Authorization"]
        return stub, client

    return connect_from


def preflight(client: httpx.Client, path: str, origin: str = PAGE, method: str = "PATCH") -> httpx.Response:
    """Send the request that a browser sends before a page's own."""
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    return client.options(path, headers=headers)


def cors(response: httpx.Response) -> dict[str, str]:
    """Return the header fields of a response by which a browser decides."""
    return {name: value for name, value in response.headers.items() if name.startswith("access-control-")}


def test_no_page_is_allowed_by_default(connect_from):
    """The specification says nothing about web pages."""
    stub, client = connect_from()
    path = f"/projects/{stub.project.id}/agents"
    headers = {"Origin": PAGE, "Authorization": f"Bearer {stub.token()}"}

    for response in (client.get(path, headers=headers), preflight(client, path)):
        assert (response.is_success, cors(response), "Vary" in response.headers) == (True, {}, False)


def test_an_allowed_page_may_send_a_write_with_a_token(connect_from):
    """The preflight needs no token, and allows the method and the header fields that the page is about to send."""
    stub, client = connect_from(PAGE)
    path = f"/projects/{stub.project.id}/object-records/{next(iter(stub.project.records))}"

    allowed = preflight(client, path)

    assert allowed.status_code == 204
    assert allowed.headers["Access-Control-Allow-Origin"] == PAGE
    assert "PATCH" in allowed.headers["Access-Control-Allow-Methods"].split(", ")
    assert allowed.headers["Access-Control-Allow-Headers"] == "authorization,content-type"
    assert int(allowed.headers["Access-Control-Max-Age"]) > 0
    assert "Access-Control-Allow-Credentials" not in allowed.headers

    headers = {"Origin": PAGE, "Authorization": f"Bearer {stub.token()}"}
    written = client.patch(path, json={"data": {"stage": "won"}}, headers=headers)
    assert (written.status_code, written.headers["Access-Control-Allow-Origin"]) == (200, PAGE)


def test_an_allowed_page_can_read_every_response(connect_from):
    """Errors of the API, of the path and of a fault as well: without the header field a page sees a network error only."""
    stub, client = connect_from(PAGE)
    stub.world.faults.plan("agents_list", status(503, retry_after=2))
    token = {"Authorization": f"Bearer {stub.token()}"}
    project = f"/projects/{stub.project.id}"

    responses = [
        client.get(f"{project}/agents", headers={"Origin": PAGE}),
        client.get("/nowhere", headers={"Origin": PAGE}),
        client.get(f"{project}/agents", headers={"Origin": PAGE, **token}),
        client.get("/api/auth/jwks", headers={"Origin": PAGE}),
        client.post(f"{project}/menu-items/label-export", json={}, headers={"Origin": PAGE, **token}),
    ]

    assert [response.status_code for response in responses] == [401, 404, 503, 200, 200]
    for response in responses:
        assert response.headers["Access-Control-Allow-Origin"] == PAGE
        exposed = response.headers["Access-Control-Expose-Headers"].split(", ")
        assert {"Retry-After", "X-Label-Summary", "X-Request-Id"} <= set(exposed)


def test_another_page_is_not_allowed(connect_from):
    """Its requests get no header field, and a cache does not mix the responses."""
    stub, client = connect_from(PAGE, "https://app.example")
    path = f"/projects/{stub.project.id}/agents"

    for origin in (OTHER, "null", f"{PAGE}.evil.example", "https://localhost:5173"):
        for response in (preflight(client, path, origin, "GET"), client.get(path, headers={"Origin": origin})):
            assert (cors(response), response.headers["Vary"]) == ({}, "Origin")
    assert cors(preflight(client, path, "https://app.example", "GET"))["access-control-allow-origin"] == (
        "https://app.example"
    )


def test_every_page_is_allowed_by_an_asterisk(connect_from):
    """The token is not a cookie, so a page needs more than the user's browser."""
    stub, client = connect_from("*")

    response = preflight(client, f"/projects/{stub.project.id}/agents", "null", "GET")

    assert (response.headers["Access-Control-Allow-Origin"], "Vary" in response.headers) == ("*", False)


@pytest.mark.parametrize("origins", [(PAGE,), ("*",)])
def test_the_admin_routes_are_never_allowed(connect_from, origins):
    """They need no token and give tokens to everyone, so an allowed page must not reach them."""
    _, client = connect_from(*origins)

    for response in (
        preflight(client, "/_stub/worlds", method="POST"),
        client.get("/_stub/worlds", headers={"Origin": PAGE}),
        client.post("/_stub/worlds", headers={"Origin": PAGE}, json={}),
    ):
        assert (response.status_code, cors(response)) == (403, {})


def test_a_preflight_is_in_the_journal_and_meets_no_fault(connect_from):
    """It belongs to no world, because it has no token."""
    stub, client = connect_from(PAGE)
    stub.world.faults.plan("*", status(503))

    preflight(client, f"/projects/{stub.project.id}/agents", method="GET")

    (entry,) = stub.unmatched_requests
    assert (entry.method, entry.operation, entry.status, entry.near_miss) == ("OPTIONS", "options", 204, False)
    assert len(stub.world.faults.left) == 1


@pytest.mark.parametrize(
    "origin", ["localhost:5173", "http://localhost:5173/", "http://*", "", "http://a,http://b", "**"]
)
def test_a_malformed_origin_is_refused(tmp_path, origin):
    """Before the state file is opened, so that the file is not in use afterwards."""
    state = tmp_path / "state.db"

    with pytest.raises(ValueError, match=r"is not an origin; write the scheme, the host and the port"):
        Stub(allow_origins=[origin], state=state)

    assert not state.exists()
