"""Requests reach the stub over in-process transports and over a socket."""

from __future__ import annotations

import json


def test_the_server_sends_the_responses_of_the_in_process_transport(api, connect, stub):
    """Status, body and headers are equal, except for the headers that the server adds."""
    requests = [
        ("GET", api.path("agents")),
        ("GET", "/nowhere"),
        ("HEAD", api.path("agents")),
        ("PATCH", api.path("memory-entries", "brand/voice/café")),
        ("PATCH", api.path("memory-entries", "%2F")),
        ("GET", f"{api.path('agents')}?limit=0"),
    ]
    client = connect(stub)
    for method, path in requests:
        body = {"json": {}} if method == "PATCH" else {}
        over_socket, in_process = client.request(method, path, **body), api.request(method, path, **body)
        assert (over_socket.status_code, over_socket.content) == (in_process.status_code, in_process.content)
        added = {"date", "x-request-id"}
        assert {name: value for name, value in over_socket.headers.items() if name not in added} == {
            name: value for name, value in in_process.headers.items() if name not in added
        }


def test_a_description_has_the_identifiers_of_the_first_project(stub):
    """It is JSON, and `details` describes the same things in the same order."""
    described = json.loads(json.dumps(stub.describe("http://stub")))
    tables = ("records", "agents", "events", "posts", "accounts", "menu_items", "memory", "object_types", "calendars")

    for name in (*tables, "templates"):
        assert described[name] == list(getattr(stub.project, name))
        assert [item.get("id", item.get("slug")) for item in described["details"][name]] == described[name]
    projects = (described[f"{which}project_id"] for which in ("", "other_", "foreign_"))
    assert list(projects) == [item["id"] for item in described["details"]["projects"]] == list(stub.world.projects)
    assert described["template"] == described["templates"][0]
