"""The admin routes need no token, so other web sites must not use them through a browser."""

from __future__ import annotations

import pytest

from project_platform_stub import Stub

from ..conftest import Api

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost:8080", "LOCALHOST", "app.localhost:8080", "127.0.0.1:8080", "127.8.9.10", "[::1]:8080",
        "192.168.0.7:8080", "stub", "stub:80", "stub.example", "stub.test", "localhost.",
    ],
)  # fmt: skip
def test_unregistrable_names_are_accepted(admin, host):
    """The gate accepts addresses, names without a dot, and names under localhost, test and example."""
    assert admin.get("/_stub/worlds", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.com", "evil.com:8080", "127.0.0.1.evil.com", "localhost.evil.com", "", "[evil.com]"]
)
@pytest.mark.parametrize("path", ["/_stub/worlds", "/_stub/", "/_stub/style.css", "/_stub/nowhere"])
def test_other_names_are_refused(admin, refused, host, path):
    """The response is a 421, because a name that can be registered may point to this machine (DNS rebinding)."""
    refused(admin.get(path, headers={"Host": host}), 421, "Host: ")


def test_a_name_can_be_allowed():
    """`hosts` lists additional names of the server, compared case-insensitively."""
    with Api(Stub(hosts=["stub.Team.dev"]), None) as client:
        assert client.get("/_stub/worlds", headers={"Host": "Stub.Team.Dev:8080"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.com"},
        {"Origin": "http://stub:3000"},
        {"Origin": "http://localhost"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://evil.com@stub"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Origin": "http://stub", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_another_site_changes_nothing(admin, stub, refused, headers):
    """A request that a browser sends for another site, or for another port, is refused with a 403."""
    before = list(stub.worlds)

    refused(admin.post("/_stub/worlds", json={}, headers=headers), 403)
    refused(admin.post("/_stub/page", content="", headers={"Content-Type": FORM, **headers}), 403)
    refused(admin.post("/_stub/worlds/demo/reset", headers=headers), 403)
    refused(admin.request("DELETE", "/_stub/worlds/demo", headers=headers), 403)

    assert list(stub.worlds) == before


@pytest.mark.parametrize("mode", ["cors", "no-cors", "websocket", "same-origin"])
def test_another_site_reads_nothing(admin, refused, mode):
    """A request from another site that is not a navigation is refused as well."""
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}

    refused(admin.get("/_stub/worlds", headers=headers), 403, "Sec-Fetch-Site")


def test_a_link_from_another_site_is_followed(admin):
    """A navigation changes nothing."""
    response = admin.get("/_stub/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})

    assert response.status_code == 200


@pytest.mark.parametrize("content_type", ["text/plain", FORM, "multipart/form-data", ""])
def test_json_routes_take_only_json(admin, refused, content_type):
    """A form of another site cannot send JSON without a preflight request; other types are refused with a 415."""
    refused(admin.post("/_stub/worlds", content="{}", headers={"Content-Type": content_type}), 415, "Content-Type")


def test_a_form_needs_its_origin(admin, stub, refused):
    """Browsers send `Origin`, or `Sec-Fetch-Site`; programs use the JSON routes."""
    form = {"url": "/_stub/page", "content": "id=new"}

    refused(admin.post(**form, headers={"Content-Type": FORM}), 403, "Origin")
    refused(
        admin.post(**form, headers={"Content-Type": "application/json", "Origin": "http://stub"}),
        415,
        "Content-Type: is application/json; it must be application/x-www-form",
    )
    assert stub.worlds.get("new") is None

    response = admin.post(**form, headers={"Content-Type": FORM, "Origin": "http://stub"})

    assert (response.status_code, response.headers["Location"]) == (303, "/_stub/page/new?note=created")
    assert stub.worlds.get("new") is not None


def test_responses_are_private(admin):
    """No response permits other origins to read it, and browsers neither store it nor guess its type."""
    for path in ["/_stub/worlds", "/_stub/", "/_stub/style.css"]:
        response = admin.get(path, headers={"Origin": "http://stub"})

        assert not [name for name in response.headers if name.startswith("access-control-")]
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_unknown_paths_and_methods_are_refused(admin, refused):
    refused(admin.get("/_stub/wolrds"), 404)
    refused(admin.get("/_stub/worlds/nowhere"), 404, "There is no world 'nowhere'")
    refused(admin.get("/_stub/worlds/demo/clock/hands"), 404)
    response = admin.patch("/_stub/worlds/demo")

    refused(response, 405)
    assert response.headers["Allow"] == "GET, HEAD, DELETE"


def test_the_path_without_a_slash_redirects_to_the_page(admin):
    response = admin.get("/_stub")

    assert (response.status_code, response.headers["Location"]) == (303, "/_stub/")


def test_admin_requests_are_not_recorded(admin, stub, api):
    """Admin requests get no numbers, so a journal has no gaps."""
    admin.get("/_stub/worlds")
    api.get(api.path("agents"))
    admin.get("/_stub/worlds/demo/journal")
    api.get(api.path("agents"))

    assert [entry.number for entry in stub.world.journal] == [1, 2]
    assert admin.get("/_stub/journal").json() == {"entries": []}
