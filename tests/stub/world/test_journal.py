"""The journal: every request, what became of it, and what may have been meant."""

from __future__ import annotations

import pytest


@pytest.fixture
def last(stub):
    """Return the newest entry of the demo world."""
    return lambda: stub.world.journal[-1]


def test_a_request_is_written_down(api, stub, last):
    """With operation, identity, world, verdict, body and the answer's request id."""
    answer = api.get(api.path("agents"), params={"limit": 3})

    entry = last()

    assert (entry.method, entry.path) == ("GET", f"{api.path('agents')}?limit=3")
    assert (entry.operation, entry.identity, entry.world) == ("agents_list", "owner", "demo")
    assert (entry.status, entry.verdict, entry.near_miss) == (200, "200", False)
    assert entry.at == stub.world.clock.now()
    assert entry.request_id == answer.headers["X-Request-Id"]


def test_entries_are_numbered_as_they_come(api, stub):
    """Across all worlds of a stub."""
    for _ in range(3):
        api.get(api.path("agents"))

    assert [entry.number for entry in stub.world.journal] == [1, 2, 3]
    assert len({entry.request_id for entry in stub.world.journal}) == 3


def test_a_refusal_says_why(api, last):
    """The place and the limit are in the entry as they are in the answer."""
    body = {"name": "n", "triggerTypeSlug": "t", "triggerEventType": "e", "tags": ["a", "b", "c", "x" * 41]}
    api.post(api.path("workflows"), json=body)

    entry = last()

    assert entry.verdict == "400 invalid_request"
    assert entry.message == "body.tags[3]: 41 characters, at most 40"
    assert entry.near_miss


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
        ("GET", "/", None),
        ("GET", "/favicon.ico", None),
    ],
)
def test_a_path_that_does_not_exist_has_a_neighbour(api, stub, method, path, meant):
    """A wrong word, a slash too many, a prefix too much: the answer asks whether the right one was meant."""
    answer = api.request(method, path.replace("{id}", stub.project.id))

    message = answer.json()["message"]
    assert answer.status_code == 404
    assert message == (f"There is no such path; did you mean {meant}?" if meant else "There is no such path.")
    assert stub.world.journal[-1].message == message
    assert stub.world.journal[-1].near_miss


def test_a_field_that_nobody_listens_to_is_noticed(api, last):
    """An update whose guard is misspelt goes through: the journal tells."""
    record = api.create(data={"stage": "open"})

    answer = api.update(record, data={"stage": "won"}, expectdData={"stage": "lost"})

    assert answer.status_code == 200
    assert last().hints == ("body.expectdData: is not known (did you mean expectedData?), and was ignored",)
    assert last().near_miss


def test_a_query_parameter_that_nobody_listens_to_is_noticed(api, last):
    """It is ignored."""
    api.get(api.path("agents"), params={"limitt": 3})

    assert last().hints == ("query.limitt: is not known (did you mean limit?), and was ignored",)


def test_a_thing_in_another_project_is_pointed_out(api, stub, last):
    """A record that is not found here may be there."""
    record = api.create()
    api.patch(api.path("object-records", record["id"], project=stub.other_project.id), json={"data": {}})

    assert last().hints == (f"{record['id']} is in another project: Demo ({stub.project.id})",)


def test_who_is_no_member_learns_where_they_are_one(stub, sign_in, last):
    """The journal tells what the answer must not."""
    client = sign_in("outsider")
    answer = client.get(f"/projects/{stub.project.id}/agents")

    assert last().hints == (f"outsider is a member of Elsewhere ({stub.foreign_project.id})",)
    assert "Elsewhere" not in answer.text


def test_who_may_not_learns_who_may(sign_in, last):
    """With the roles that have the permission."""
    client = sign_in("viewer")
    client.put(client.path("sidebar"), json={"sections": []})

    assert last().hints == ("viewer has the role viewer; settings:write is with owner, integration",)


def test_requests_of_no_world_are_strays(stub, sign_in):
    """Those without a good token; with one, a path that does not exist is a near miss of the token's world."""
    for token in ("x.y.z", stub.token()):
        sign_in(token=token).get(f"/projects/{stub.project.id}/agents")
        sign_in(token=token).get("/nowhere")

    assert [entry.verdict for entry in stub.strays] == ["401 unauthorized", "404 no_such_path"]
    assert [(entry.identity, entry.verdict) for entry in stub.world.journal] == [
        ("owner", "200"),
        ("owner", "404 no_such_path"),
    ]


def test_health_checks_are_not_written_down(api, stub):
    """Whoever waits for the server asks often."""
    api.get("/_stub/health")

    assert len(stub.strays) == len(stub.world.journal) == 0


def test_no_token_is_written_down(api, stub):
    """Neither in an entry nor in its text."""
    api.get(api.path("agents"))

    token = api.headers["Authorization"].removeprefix("Bearer ")
    assert token not in repr(stub.world.journal[-1])
    assert token not in str(stub.world.journal)


def test_only_the_latest_entries_are_kept(api, stub):
    """A journal does not grow without end, and neither do the bodies in it."""
    for _ in range(1005):
        api.get("/auth/check-permission?permission=agents:read")
    api.update(api.create(), data={"text": "x" * 20_000})

    assert len(stub.world.journal) == 1000
    entry = stub.world.journal[-1]
    assert (entry.body, entry.size > 20_000) == (None, True)


def test_the_journal_can_be_asked(api, stub):
    """By operation, and for what was not understood."""
    api.get(api.path("agents"))
    api.create()
    api.get(api.path("agents"), params={"limit": 0})

    assert [entry.status for entry in stub.world.journal.of("agents_list")] == [200, 400]
    assert [entry.number for entry in stub.world.journal.near_misses] == [3]
    assert "400 invalid_request: query.limit: is 0, at least 1" in str(stub.world.journal)
    stub.world.journal.clear()
    assert str(stub.world.journal) == "no requests"
