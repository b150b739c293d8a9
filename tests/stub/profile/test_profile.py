"""Each switch of a profile, as a caller observes it: first without the switch, then with it."""

from __future__ import annotations

from contextlib import ExitStack

import httpx
import pytest

from project_platform_stub import Profile, Stub
from project_platform_stub.profile import RateLimit

from ..conftest import Api


@pytest.fixture
def caller(clock):
    """Return a function that returns a client of a stub with these switches."""
    with ExitStack() as opened:

        def caller(identity: str = "owner", **switches) -> Api:
            stub = Stub(now=clock, profile=Profile(**switches))
            return opened.enter_context(Api(stub, stub.token(identity)))

        yield caller


def create(client: Api, **body) -> httpx.Response:
    """Create a deal; its status is that of the profile."""
    return client.post(client.path("object-records"), json={"typeSlug": "deal", **body})


def test_success_statuses(caller):
    """`createdStatus` applies to the four operations that create something, `successStatus` to single operations."""
    usual, other = caller(), caller(created_status=200, success_status={"agents_list": 203, "records_create": 202})

    def statuses(client: Api) -> list[int]:
        workflow = {"name": "n", "triggerTypeSlug": "t", "triggerEventType": "e"}
        return [
            client.post(client.path("workflows"), json=workflow).status_code,
            create(client).status_code,
            client.get(client.path("agents")).status_code,
        ]

    assert statuses(usual) == [201, 201, 200]
    assert statuses(other) == [200, 202, 203]


def test_the_status_of_invalid_requests(caller):
    """`invalidStatus`, for bodies and parameters; for a label export the specification states 400."""
    usual, other = caller(), caller(invalid_status=422)

    def statuses(client: Api) -> list[int]:
        return [
            create(client, data=7).status_code,
            client.get(f"{client.path()}/agents?limit=0").status_code,
            client.get("/projects/x/agents").status_code,
            client.post(client.path("menu-items", "label-export"), json={"stock": "4x6"}).status_code,
        ]

    assert statuses(usual) == [400, 400, 400, 400]
    assert statuses(other) == [422, 422, 422, 400]


def test_the_status_of_an_unknown_project(caller):
    """`unknownProjectStatus`; a missing permission is still a 403, and so is a status that the specification states."""
    project = "/projects/0b9c4c6e-0000-4000-8000-000000000000"
    path = f"{project}/agents"
    viewer = caller("viewer", unknown_project_status=404)

    assert caller().get(path).status_code == 403
    assert viewer.get(path).status_code == 404
    assert viewer.post(f"{project}/menu-items/label-export", json={}).status_code == 403
    assert create(viewer).status_code == 403


def test_the_name_of_the_permission_parameter(caller):
    """`permissionParameter`; the default name is then unknown."""
    usual, other = caller(), caller(permission_parameter="scope")

    def check(client: Api, name: str) -> tuple[int, str]:
        response = client.get("/auth/check-permission", params={name: "agents:read"})
        return response.status_code, response.json().get("message", "")

    assert check(usual, "permission")[0] == check(other, "scope")[0] == 200
    assert check(other, "permission") == (400, "query.scope: is required")


DATA = {"site": {"city": "Köln", "storeys": 2}, "tags": [{"a": None}]}
CHANGE = {"site": {"city": None, "roof": {"kind": "flat", "age": None}}}


@pytest.mark.parametrize(
    ("switches", "site"),
    [
        ({}, {"city": None, "roof": {"kind": "flat", "age": None}}),
        ({"nested_nulls": "strip"}, {"roof": {"kind": "flat"}}),
        ({"merge": "deep"}, {"storeys": 2, "roof": {"kind": "flat"}}),
    ],
)
def test_the_depth_of_a_merge(caller, switches, site):
    """`merge` and `nestedNulls`: top level only, top level without nulls inside, or RFC 7396."""
    client = caller(**switches)
    record = create(client, data={**DATA, "gone": 1}).json()["record"]

    data = client.update(record, data={**CHANGE, "gone": None}).json()["record"]["data"]

    assert data["site"] == site
    assert "gone" not in data


@pytest.mark.parametrize(
    ("switches", "tags"), [({}, [{"a": None}]), ({"nested_nulls": "strip"}, [{}]), ({"merge": "deep"}, [{"a": None}])]
)
def test_nulls_in_arrays(caller, switches, tags):
    """`jsonb_strip_nulls` also strips objects in arrays, RFC 7396 does not."""
    assert create(caller(**switches), data=DATA).json()["record"]["data"]["tags"] == tags


def test_the_size_of_a_page(caller):
    """`defaultLimit` applies to requests without a limit."""
    client = caller(default_limit=3)

    assert caller().get(client.path("agents")).json()["pagination"]["limit"] == 50
    assert client.get(client.path("agents")).json()["pagination"] == {"limit": 3, "offset": 0, "hasMore": True}
    assert client.get(f"{client.path()}/agents?limit=5").json()["pagination"]["limit"] == 5


def test_the_permissions_of_operations(caller):
    """`permissions`: another one, or none."""
    needs = {"agents_list": "settings:manage", "records_create": None}
    usual, other = caller("viewer"), caller("viewer", permissions=needs)

    def statuses(client: Api) -> list[int]:
        return [client.get(client.path("agents")).status_code, create(client).status_code]

    assert statuses(usual) == [200, 403]
    assert statuses(other) == [403, 201]


def test_a_duplicate_external_id(caller):
    """`externalId`: another record, a conflict, or an update of the existing record."""

    def twice(client: Api) -> tuple[int, bool, dict]:
        first = create(client, externalId="crm-42", data={"a": 1, "b": 1}).json()["record"]
        second = create(client, externalId="crm-42", data={"b": 2})
        record = second.json().get("record", {})
        stored = client.stub.project.records[first["id"]]["data"]
        return second.status_code, record.get("id") == first["id"], stored

    assert twice(caller()) == (201, False, {"a": 1, "b": 1})
    assert twice(caller(external_id="unique")) == (409, False, {"a": 1, "b": 1})
    assert twice(caller(external_id="upsert")) == (201, True, {"a": 1, "b": 2})


@pytest.mark.parametrize("policy", ["unique", "upsert"])
def test_only_the_same_external_id_of_the_same_type_is_a_duplicate(caller, policy):
    """Not a record without one, of another type, or in another project."""
    client = caller(external_id=policy)
    create(client, externalId="crm-42")
    other_type = {"typeSlug": "company", "externalId": "crm-42"}
    elsewhere = client.path("object-records", project=client.stub.other_project.id)

    responses = [
        create(client),
        create(client),
        client.post(client.path("object-records"), json=other_type),
        client.post(elsewhere, json={"typeSlug": "deal", "externalId": "crm-42"}),
    ]

    assert [response.status_code for response in responses] == [201] * 4
    assert len({response.json()["record"]["id"] for response in responses}) == 4


def test_an_update_without_changes(caller, clock):
    """`noOpUpdate`: it sets the record's times, or leaves them unchanged."""

    def touched(client: Api, **body) -> bool:
        record = create(client, data={"n": 1, "flag": True}).json()["record"]
        clock.advance(seconds=5)
        return client.update(record, **body).json()["record"]["updatedAt"] != record["updatedAt"]

    for body in ({"data": {"n": 1}}, {"data": {"absent": None}}, {}, {"expectedData": {"n": 1}}):
        assert touched(caller(), **body)
        assert not touched(caller(no_op_update="ignore"), **body)
    for body in ({"data": {"n": 2}}, {"data": {"flag": 1}}, {"externalId": "x"}, {"relations": {"a": "b"}}):
        assert touched(caller(no_op_update="ignore"), **body)


@pytest.mark.parametrize(
    ("arrays", "contained"),
    [
        ("subset", [["c", "a"], ["a"], ["a", "b", "c"]]),
        ("prefix", [["a"], ["a", "b", "c"]]),
        ("equal", [["a", "b", "c"]]),
    ],
)
def test_arrays_in_expected_data(caller, arrays, contained):
    """`containmentArrays`: regardless of order and count, the first elements, or an array of the same length."""
    client = caller(containment_arrays=arrays)
    record = create(client, data={"tags": ["a", "b", "c"]}).json()["record"]
    path = client.path("object-records", record["id"])

    held = [
        tags
        for tags in (["c", "a"], ["a"], ["a", "b", "c"], ["d"], ["a", "b", "c", "d"])
        if client.patch(path, json={"expectedData": {"tags": tags}}).status_code == 200
    ]

    assert held == contained


def test_the_metadata_of_a_memory_entry(caller):
    """`memoryMetadata`: replaced as a whole, or merged."""
    for how, expected in (("replaced", {"b": 2}), ("merged", {"a": 1, "b": 2})):
        client = caller(memory_metadata=how)
        path = client.path("memory-entries", "welcome")
        client.patch(path, json={"metadata": {"a": 1}})
        metadata = client.patch(path, json={"metadata": {"b": 2}}).json()["entry"]["metadata"]

        assert {name: metadata.get(name) for name in expected} == expected
        assert ("a" in metadata) is (how == "merged")


def test_an_encoded_slash(caller):
    """`encodedSlash`: part of a slug, or a separator of segments, as behind some proxies."""
    path = "/memory-entries/brand%2Fvoice"
    usual, other = caller(), caller(encoded_slash="separator")

    assert usual.patch(f"{usual.path()}{path}", json={}).status_code == 200
    assert other.patch(f"{other.path()}{path}", json={}).status_code == 404
    assert other.patch(f"{other.path()}{path.lower()}", json={}).status_code == 404
    assert other.patch(other.path("memory-entries", "welcome"), json={}).status_code == 200


def test_unknown_fields(caller):
    """`unknownFields`: ignored, or refused with a suggestion."""
    usual, other = caller(), caller(unknown_fields="refuse")

    assert create(usual, externalID="x").status_code == 201
    response = create(other, externalID="x")
    assert response.status_code == 400
    assert response.json()["message"] == "body.externalID: is not known (did you mean externalId?)"


@pytest.mark.parametrize(
    ("how", "header"), [("none", None), ("seconds", "10"), ("date", "Mon, 02 Nov 2026 08:30:10 GMT")]
)
def test_a_rate_limit(caller, clock, how, header):
    """`rateLimit` and `retryAfter`: a maximum number of requests of an identity in a window of the world's time."""
    client = caller(rate_limit=RateLimit(2, 10.0), retry_after=how)

    def get() -> httpx.Response:
        return client.get(f"{client.path()}/agents?limit=1")

    assert [get().status_code for _ in range(3)] == [200, 200, 429]
    refusal = get()
    assert refusal.json()["code"] == "rate_limited"
    assert refusal.headers.get("Retry-After") == header
    client.headers["Authorization"] = f"Bearer {client.stub.token('viewer')}"
    assert get().status_code == 200, "each identity has its own count"
    client.headers["Authorization"] = f"Bearer {client.stub.token()}"
    clock.advance(seconds=9.999)
    assert get().status_code == 429
    clock.advance(seconds=0.001)
    assert get().status_code == 200


def test_a_rate_limit_that_changes(caller, clock):
    """`rateLimit` as a list: each limit counts from a time after the first request of the world."""
    client = caller(rate_limit=(RateLimit(3, 1.0), RateLimit(1, 1.0, after_seconds=30)))

    def admitted() -> int:
        clock.advance(seconds=2)
        return [client.get(client.path("agents")).status_code for _ in range(5)].count(200)

    assert admitted() == 3
    clock.advance(seconds=26)
    assert admitted() == 3
    assert admitted() == 1


def test_a_capacity(caller, clock, monkeypatch):
    """`capacity`: requests wait for those before them, by the world's time; an idle service carries a request out at once."""
    waited = []
    monkeypatch.setattr("project_platform_stub.http.in_process.time.sleep", waited.append)
    client = caller(capacity=4)

    for _ in range(3):
        assert client.get(client.path("agents")).status_code == 200
    clock.advance(seconds=10)
    assert client.get(client.path("agents")).status_code == 200

    assert waited == [0.25, 0.5, 0.75, 0.25]


@pytest.mark.parametrize("argument", ["profile", "world"])
def test_a_path_is_neither_a_profile_nor_a_world(argument):
    with pytest.raises(TypeError, match=rf"{argument} is of type str; give a .*, such as load_\w+\(path\)"):
        Stub(**{argument: "file.yaml"})
