"""The journal: every request with its response, and hints about likely mistakes."""

from __future__ import annotations

import pytest

from project_platform_stub.dispatch import hints


@pytest.fixture
def last(stub):
    return lambda: stub.world.journal[-1]


@pytest.mark.parametrize(
    ("method", "path", "meant"),
    [
        ("GET", "/projects/{id}/agent", "GET /projects/{projectId}/agents"),
        ("GET", "/project/{id}/agents", "GET /projects/{projectId}/agents"),
        ("GET", "/projects/{id}/agents/", "GET /projects/{projectId}/agents"),
        ("GET", "/v1/projects/{id}/agents", "GET /projects/{projectId}/agents"),
        ("PATCH", "/projects/{id}/records/rec_1", "PATCH /projects/{projectId}/object-records/{recordId}"),
        ("PATCH", "/projects/{id}/memory-entries/brand/voice", None),
        ("GET", "/auth/check-permissions", "GET /auth/check-permission"),
        (
            "POST",
            "/socials/engagement/pagenet/{id}/p/likes",
            "POST /socials/engagement/pagenet/{projectId}/{postId}/like",
        ),
        ("GET", "/favicon.ico", None),
    ],
)
def test_a_path_that_does_not_exist_suggests_a_similar_one(api, stub, method, path, meant):
    """For a wrong word, a doubled slash and a wrong prefix."""
    response = api.request(method, path.replace("{id}", stub.project.id))

    message = response.json()["message"]
    assert response.status_code == 404
    assert message == (f"There is no such path; did you mean {meant}?" if meant else "There is no such path.")
    assert stub.world.journal[-1].message == message
    assert stub.world.journal[-1].near_miss


def test_an_unknown_field_is_a_hint(api, last):
    """An update with a misspelt guard is applied; only the journal shows the mistake."""
    record = api.create(data={"stage": "open"})

    response = api.update(record, data={"stage": "won"}, expectdData={"stage": "lost"})

    assert response.status_code == 200
    assert last().hints == ("body.expectdData: is not known (did you mean expectedData?), and was ignored",)
    assert last().near_miss


def test_a_thing_of_another_project_is_a_hint(api, stub, last):
    """A 404 for what another project has names that project, whatever the kind of the identifier."""
    record = api.create()
    api.patch(api.path("object-records", record["id"], project=stub.other_project.id), json={"data": {}})

    assert last().hints == (f"{record['id']} is in another project: Demo ({stub.project.id})",)
    assert hints.other_projects(stub.world, {"projectId": "other", "agentId": next(iter(stub.project.agents))})


def test_a_caller_who_is_not_a_member_gets_a_hint_with_their_projects(stub, sign_in, last):
    """Only in the journal: the response must not reveal which projects exist."""
    client = sign_in("outsider")
    response = client.get(f"/projects/{stub.project.id}/agents")

    assert last().hints == (f"outsider is a member of Elsewhere ({stub.foreign_project.id})",)
    assert "Elsewhere" not in response.text


def test_a_missing_permission_is_a_hint_with_the_roles_that_have_it(sign_in, last):
    """So the test's author knows which identity to use."""
    client = sign_in("viewer")
    client.put(client.path("sidebar"), json={"sections": []})

    assert last().hints == ("viewer has the role viewer; roles with settings:write: owner, integration",)


def test_requests_without_a_world_are_unmatched(stub, sign_in):
    """Those without a valid token; with one, a wrong path is a near miss of the token's world."""
    for token in ("x.y.z", stub.token()):
        sign_in(token=token).get(f"/projects/{stub.project.id}/agents")
        sign_in(token=token).get("/nowhere")

    assert [entry.verdict for entry in stub.unmatched_requests] == ["401 unauthorized", "404 no_such_path"]
    assert [(entry.identity, entry.verdict) for entry in stub.world.journal] == [
        ("owner", "200"),
        ("owner", "404 no_such_path"),
    ]


def test_no_token_is_recorded(api, stub):
    api.get(api.path("agents"))

    token = api.headers["Authorization"].removeprefix("Bearer ")
    assert token not in repr(stub.world.journal[-1])
    assert token not in str(stub.world.journal)


def test_only_the_latest_entries_are_stored(api, stub):
    """The journal has a maximum size, and so have the bodies in it."""
    for _ in range(1005):
        api.get("/auth/check-permission?permission=agents:read")
    api.update(api.create(), data={"text": "x" * 20_000})

    assert len(stub.world.journal) == 1000
    entry = stub.world.journal[-1]
    assert (entry.body, entry.size > 20_000) == (None, True)


def test_the_journal_can_be_filtered(api, stub):
    api.get(api.path("agents"))
    api.create()
    api.get(api.path("agents"), params={"limit": 0})

    assert [entry.status for entry in stub.world.journal.of("agents_list")] == [200, 400]
    assert [entry.number for entry in stub.world.journal.near_misses] == [3]
    assert "400 invalid_request: query.limit: is 0; the minimum is 1" in str(stub.world.journal)
    stub.world.journal.clear()
    assert str(stub.world.journal) == "no requests"
