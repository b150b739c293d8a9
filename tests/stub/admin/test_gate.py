"""The admin routes need no token, so no other web page may use them through somebody's browser."""

from __future__ import annotations

import httpx
import pytest

from project_platform_stub.admin import Admin
from project_platform_stub.dispatch.service import Service
from project_platform_stub.http.errors import RefusalError
from project_platform_stub.http.messages import Request
from project_platform_stub.profile import Profile

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost:8080", "LOCALHOST", "app.localhost:8080", "127.0.0.1:8080", "127.8.9.10", "[::1]:8080",
        "192.168.0.7:8080", "stub", "stub:80", "stub.example", "stub.test", "localhost.",
    ],
)  # fmt: skip
def test_names_that_nobody_can_register_are_this_server(admin, host):
    """An address, a name without a dot, and names under localhost, test and example are let through."""
    assert admin.get("/_stub/worlds", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.com", "evil.com:8080", "127.0.0.1.evil.com", "localhost.evil.com", "", "[evil.com]"]
)
@pytest.mark.parametrize("path", ["/_stub/worlds", "/_stub/", "/_stub/style.css", "/_stub/nowhere"])
def test_other_names_are_refused(admin, refused, host, path):
    """A name that somebody else can point at this machine is refused with a 421 (DNS rebinding)."""
    refused(admin.get(path, headers={"Host": host}), 421, "Host: ")


def test_a_name_can_be_allowed(stub, refused):
    """`hosts` lists the other names under which a server is known; upper and lower case are the same."""
    service = Service(stub.worlds, profile=Profile())
    request = Request("GET", b"/_stub/worlds", headers={"host": "Stub.Team.Dev:8080"})
    with pytest.raises(RefusalError):
        Admin(service).handle(request)

    assert Admin(service, ["stub.Team.dev"]).handle(request).status == 200


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
def test_another_page_changes_nothing(admin, stub, refused, headers):
    """A request that a browser sends for another site, or for another port of this one, is refused with a 403."""
    before = list(stub.worlds)

    refused(admin.post("/_stub/worlds", json={}, headers=headers), 403)
    refused(admin.post("/_stub/page", content="", headers={"Content-Type": FORM, **headers}), 403)
    refused(admin.post("/_stub/worlds/demo/reset", headers=headers), 403)
    refused(admin.request("DELETE", "/_stub/worlds/demo", headers=headers), 403)

    assert list(stub.worlds) == before


@pytest.mark.parametrize("mode", ["cors", "no-cors", "websocket", "same-origin"])
def test_another_page_reads_nothing(admin, refused, mode):
    """What another page asks for without leaving it is refused as well."""
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}

    refused(admin.get("/_stub/worlds", headers=headers), 403, "Sec-Fetch-Site")


def test_a_link_from_elsewhere_leads_here(admin):
    """Somebody who follows a link from a chat or a document gets the page: a visit changes nothing."""
    response = admin.get("/_stub/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})

    assert response.status_code == 200


@pytest.mark.parametrize("content_type", ["text/plain", FORM, "multipart/form-data", ""])
def test_json_routes_take_only_json(admin, refused, content_type):
    """What a form of another page can send without asking first is no JSON, and refused with a 415."""
    refused(admin.post("/_stub/worlds", content="{}", headers={"Content-Type": content_type}), 415, "Content-Type")


def test_a_form_shows_where_it_comes_from(admin, stub, refused):
    """A form needs the `Origin` that every browser sends, or `Sec-Fetch-Site`; a program has the JSON routes."""
    form = {"url": "/_stub/page", "content": "id=made"}

    refused(admin.post(**form, headers={"Content-Type": FORM}), 403, "Origin")
    refused(admin.post(**form, headers={"Content-Type": "application/json", "Origin": "http://stub"}), 415, "body")
    assert stub.worlds.get("made") is None

    response = admin.post(**form, headers={"Content-Type": FORM, "Origin": "http://stub"})

    assert (response.status_code, response.headers["Location"]) == (303, "/_stub/page/made?note=created")
    assert stub.worlds.get("made") is not None


def test_no_answer_is_shared(admin):
    """No answer names another origin that may read it, and no browser keeps it or guesses its type."""
    for path in ["/_stub/worlds", "/_stub/", "/_stub/style.css"]:
        response = admin.get(path, headers={"Origin": "http://stub"})

        assert not [name for name in response.headers if name.startswith("access-control-")]
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_what_there_is_not_is_told(admin, refused):
    """An unknown path is a 404, and another method a 405 that names those there are."""
    refused(admin.get("/_stub/wolrds"), 404)
    refused(admin.get("/_stub/worlds/nowhere"), 404, "There is no world 'nowhere'")
    refused(admin.get("/_stub/worlds/demo/clock/hands"), 404)
    response = admin.patch("/_stub/worlds/demo")

    refused(response, 405)
    assert response.headers["Allow"] == "GET, DELETE"


def test_the_path_without_a_slash_leads_to_the_page(stub):
    """Who types `/_stub` gets to the page."""
    with httpx.Client(transport=stub.transport(), base_url="http://stub") as client:
        response = client.get("/_stub")

    assert (response.status_code, response.headers["Location"]) == (303, "/_stub/")


def test_admin_requests_are_in_no_journal(admin, stub, api):
    """They take no numbers either, so that a journal has no gaps."""
    admin.get("/_stub/worlds")
    api.get(api.path("agents"))
    admin.get("/_stub/worlds/demo/journal")
    api.get(api.path("agents"))

    assert [entry.number for entry in stub.world.journal] == [1, 2]
    assert admin.get("/_stub/journal").json() == {"entries": []}
