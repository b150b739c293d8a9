"""Worlds over HTTP: create, list, reset and delete them, and their snapshots."""

from __future__ import annotations

import pytest

WORLD = {
    "people": [{"key": "ada"}],
    "projects": [
        {
            "name": "Agency",
            "members": {"ada": "owner"},
            "objectTypes": [{"slug": "deal"}],
            "records": [{"id": "rec_1", "type": "deal", "data": {"title": "Roof", "size": 12.5}}],
        }
    ],
}


@pytest.fixture
def deals(stub):
    def deals(id):
        return [record["data"].get("title") for record in stub.worlds.get(id).project.records.values()]

    return deals


def test_a_new_world_is_returned_with_its_description(admin, stub):
    """The response has the base URL of the request, valid tokens, and identifiers."""
    response = admin.post("/_stub/worlds", json={"id": "mine", "seed": 7}, headers={"Host": "localhost:8080"})

    created = response.json()
    assert response.status_code == 201
    assert (created["world"], created["base_url"]) == ("mine", "http://localhost:8080")
    headers = {"Authorization": f"Bearer {created['tokens']['owner']}"}
    agents = admin.get(f"/projects/{created['project_id']}/agents", headers=headers)
    assert [agent["id"] for agent in agents.json()["agents"]] == created["agents"]
    assert admin.get("/_stub/worlds/mine").json()["project_id"] == created["project_id"] != stub.project.id


def test_a_world_can_be_described_in_the_request(admin, deals):
    """`world` has the format of a world file."""
    created = admin.post("/_stub/worlds", json={"id": "mine", "world": WORLD, "at": "2026-11-02T09:00:00Z"}).json()

    assert (list(created["tokens"]), deals("mine")) == (["ada"], ["Roof"])
    assert admin.get("/_stub/worlds/mine/clock").json()["now"].startswith("2026-11-02T09:00:0")


def test_a_world_can_be_a_copy(admin, deals, stub):
    """`copyOf` copies the content of a world; afterwards the two are isolated."""
    admin.post("/_stub/worlds", json={"id": "first", "world": WORLD})
    first = stub.worlds.get("first").project
    first.records["rec_2"] = {"id": "rec_2", "data": {"title": "Cellar"}}
    admin.post("/_stub/worlds", json={"id": "second", "copyOf": "first"})
    del first.records["rec_1"]

    assert (deals("first"), deals("second")) == (["Cellar"], ["Roof", "Cellar"])
    stub.worlds.get("second").reset()
    assert deals("second") == ["Roof", "Cellar"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"sede": 1}, 'body: sede: is not known here; did you mean "seed"?'),
        ({"id": "a/b"}, "body: id: must be at most 64 letters"),
        ({"seed": "1"}, "body: seed: must be integer, not string"),
        ({"at": "noon"}, "body.at: is not an ISO 8601 timestamp"),
        ({"at": "0001-01-01T00:00:00Z"}, "body.at: must be in the years 1970 to 9000"),
        ({"copyOf": "nowhere"}, "body.copyOf: there is no world 'nowhere'"),
        ({"copyOf": "demo", "world": WORLD}, "body: document: must be an object with at most one"),
        ({"world": {"people": [{"key": "ada"}]}}, "body.world: projects: is required"),
        ({"world": {"projcts": []}}, "body.world: people: is required"),
        ([], "body: document: must be an object"),
    ],
)
def test_an_invalid_world_is_refused(admin, refused, stub, body, message):
    """The message names the field, and no world is created."""
    refused(admin.post("/_stub/worlds", json=body), 400, message)
    assert len(stub.worlds) == 1


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [("{", 400, "body: is not JSON"), (f'"{"x" * 2**20}"', 413, "body: is larger than")],
    ids=["not JSON", "more than 1 MiB"],
)
def test_a_body_that_is_not_json_or_too_long_is_refused(admin, refused, content, status, message):
    """The message has the position of the syntax error, or the limit."""
    headers = {"Content-Type": "application/json"}
    refused(admin.post("/_stub/worlds", content=content, headers=headers), status, message)


def test_identifiers_of_worlds_are_unique(admin, refused):
    refused(admin.post("/_stub/worlds", json={"id": "demo"}), 409, "body.id: a world 'demo' already exists")


def test_worlds_are_listed(admin, api):
    api.get(api.path("agents"))
    admin.post("/_stub/worlds", json={"id": "other", "seed": 3})

    first, second = admin.get("/_stub/worlds").json()["worlds"]

    assert (first["id"], first["requests"], first["projects"], first["frozen"]) == ("demo", 1, 3, False)
    assert (second["id"], second["requests"], second["seed"], second["snapshots"]) == ("other", 0, 3, [])


def test_a_world_is_deleted(admin, stub, refused):
    """Its tokens are refused afterwards, and its path is a 404."""
    created = admin.post("/_stub/worlds", json={"id": "mine"}).json()

    assert admin.delete("/_stub/worlds/mine").json() == {"deleted": "mine"}

    headers = {"Authorization": f"Bearer {created['tokens']['owner']}"}
    response = admin.get(f"/projects/{created['project_id']}/agents", headers=headers)
    refused(response, 401, "The world of the token does not exist on this server, or was deleted.")
    refused(admin.get("/_stub/worlds/mine"), 404, "There is no world 'mine'")
    refused(admin.delete("/_stub/worlds/mine"), 404)
    assert [world.id for world in stub.worlds] == ["demo"]


def test_a_world_is_reset(admin, api, stub):
    """Content, clock, faults and journal are in their initial state."""
    created = api.create()
    stub.world.clock.advance(3600)

    response = admin.post("/_stub/worlds/demo/reset")

    assert (response.status_code, response.json()["requests"]) == (200, 0)
    assert created["id"] not in stub.project.records


def test_a_snapshot_is_taken_and_restored(admin, api, stub):
    """Every restore gives the content at the time of the snapshot."""
    saved = api.create(data={"title": "saved"})
    assert admin.post("/_stub/worlds/demo/snapshots", json={"name": "a/b c"}).json() == {"name": "a/b c"}
    for _ in range(2):
        lost = api.create(data={"title": "lost"})

        assert admin.post("/_stub/worlds/demo/snapshots/a%2Fb%20c/restore").json() == {"name": "a/b c"}

        assert saved["id"] in stub.project.records
        assert lost["id"] not in stub.project.records
    assert admin.get("/_stub/worlds/demo/snapshots").json() == {"snapshots": ["a/b c"]}


def test_a_snapshot_is_deleted(admin, refused):
    admin.post("/_stub/worlds/demo/snapshots", json={"name": "one"})

    assert admin.delete("/_stub/worlds/demo/snapshots/one").json() == {"discarded": "one"}

    refused(admin.delete("/_stub/worlds/demo/snapshots/one"), 404, "This world has no snapshot 'one'")
    refused(admin.post("/_stub/worlds/demo/snapshots/one/restore"), 404, "This world has no snapshot 'one'")
    refused(admin.post("/_stub/worlds/demo/snapshots", json={"name": ""}), 400, "body: name: must not be empty")
