"""Requests reach the stub over in-process transports and over a socket."""

from __future__ import annotations

import json

import httpx
import pytest


@pytest.fixture
def server(stub):
    """The stub on a socket."""
    with stub.serve() as server:
        yield server


def test_the_server_sends_the_responses_of_the_in_process_transport(api, server):
    """Status, body and headers are equal, except for the headers that the server adds."""
    requests = [
        ("GET", api.path("agents")),
        ("GET", "/nowhere"),
        ("HEAD", api.path("agents")),
        ("PATCH", api.path("memory-entries", "brand/voice/café")),
        ("PATCH", api.path("memory-entries", "%2F")),
        ("GET", f"{api.path('agents')}?limit=0"),
    ]
    with httpx.Client(base_url=server.base_url, headers={"Authorization": api.headers["Authorization"]}) as client:
        for method, path in requests:
            body = {"json": {}} if method == "PATCH" else {}
            over_socket, in_process = client.request(method, path, **body), api.request(method, path, **body)
            assert (over_socket.status_code, over_socket.content) == (in_process.status_code, in_process.content)
            added = {"date", "x-request-id"}
            assert {name: value for name, value in over_socket.headers.items() if name not in added} == {
                name: value for name, value in in_process.headers.items() if name not in added
            }


def test_every_identifier_of_a_description_exists(stub, contract):
    """The description is JSON, and the service finds every identifier in it."""
    described = json.loads(json.dumps(stub.describe("http://stub")))
    headers = {"Authorization": f"Bearer {described['tokens']['owner']}"}
    project = f"/projects/{described['project_id']}"
    account, page = (
        next(account["id"] for account in described["details"]["accounts"] if account["platform"] == platform)
        for platform in ("photonet", "pagenet")
    )
    post = next(
        post["id"]
        for post in described["details"]["posts"]
        if (post["platform"], post["status"]) == ("pagenet", "published")
    )
    with httpx.Client(transport=stub.transport(), base_url=described["base_url"], headers=headers) as client:
        answers = [
            *(client.patch(f"{project}/object-records/{record}", json={}) for record in described["records"]),
            *(client.post(f"{project}/templates/{id}/apply", json={"name": "N"}) for id in described["templates"]),
            *(client.patch(f"{project}/calendar/provider/events/{event}", json={}) for event in described["events"]),
            *(
                client.patch(f"{project}/memory-entries/{slug.replace('/', '%2F')}", json={})
                for slug in described["memory"]
            ),
            *(client.post(f"{project}/object-records", json={"typeSlug": slug}) for slug in described["object_types"]),
            client.post(f"{project}/menu-items/label-export", json={"itemIds": described["menu_items"]}),
            client.get(f"/socials/analytics/photonet/{described['project_id']}/{account}/media"),
            client.post(f"/socials/engagement/pagenet/{described['project_id']}/{post}/like", json={"accountId": page}),
            client.get(f"/web-analytics/config/{described['other_project_id']}"),
        ]
        listed = client.get(f"/socials/posts/{described['project_id']}").json()["data"]["posts"]
        agents = client.get(f"{project}/agents").json()["agents"]

    assert [answer.status_code for answer in answers if not answer.is_success] == []
    assert [post["id"] for post in listed] == described["posts"]
    assert [agent["id"] for agent in agents] == described["agents"]
    assert described["template"] == described["templates"][0]
