"""Each switch of a profile, as a caller observes it: first without the switch, then with it."""

from __future__ import annotations

from contextlib import ExitStack

import httpx
import pytest

from project_platform_stub import Profile, Stub
from project_platform_stub.profile import RateLimit

from ..conftest import MISSING, Api

UNKNOWN = "0b9c4c6e-0000-4000-8000-000000000000"


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
    return client.call("records_create", **body)


# Switches, requests as operation and fields, and their statuses without and with the switches.
STATUSES = {
    "`createdStatus` applies to what creates something, `successStatus` to single operations": (
        {"created_status": 200, "success_status": {"agents_list": 203, "records_create": 202}},
        [("workflows_create", {}), ("records_create", {}), ("agents_list", {})],
        ([201, 201, 200], [200, 202, 203]),
    ),
    "`invalidStatus` applies to bodies and parameters; for a label export the specification states 400": (
        {"invalid_status": 422},
        [
            ("records_create", {"data": 7}),
            ("agents_list", {"query": {"limit": 0}}),
            ("agents_list", {"projectId": "x"}),
            ("labels_export", {"stock": "4x6"}),
        ],
        ([400, 400, 400, 400], [422, 422, 422, 400]),
    ),
    "`unknownProjectStatus`; a missing permission is still a 403, and so is a status that the specification states": (
        {"unknown_project_status": 404},
        [("agents_list", {"projectId": UNKNOWN}), ("labels_export", {"projectId": UNKNOWN}), ("records_create", {})],
        ([403, 403, 201], [404, 403, 201]),
    ),
    "`permissionParameter`; the default name is then unknown": (
        {"permission_parameter": "scope"},
        [
            ("auth_check_permission", {}),
            ("auth_check_permission", {"query": {"permission": MISSING, "scope": "agents:read"}}),
        ],
        ([200, 400], [400, 200]),
    ),
    "`encodedSlash`: part of a slug, or a separator of segments, as behind some proxies": (
        {"encoded_slash": "separator"},
        [("memory_update", {"slug": "brand/voice"}), ("memory_update", {})],
        ([200, 200], [404, 200]),
    ),
    "`unknownFields`: ignored, or refused": (
        {"unknown_fields": "refuse"},
        [("records_create", {"externalID": "x"})],
        ([201], [400]),
    ),
}


@pytest.mark.parametrize(("switches", "requests", "statuses"), STATUSES.values(), ids=STATUSES)
def test_statuses_without_and_with_a_switch(caller, switches, requests, statuses):
    for client, expected in zip((caller(), caller(**switches)), statuses, strict=True):
        assert [client.call(operation, **fields).status_code for operation, fields in requests] == expected


def test_the_messages_of_a_switch_name_what_is_expected(caller):
    """An unknown field has a suggestion, and a missing permission the name of its parameter."""
    unknown = create(caller(unknown_fields="refuse"), externalID="x").json()
    missing = caller(permission_parameter="scope").call("auth_check_permission").json()

    assert unknown["message"] == "body.externalID: is not known (did you mean externalId?)"
    assert missing["message"] == "query.scope: is required"


def test_the_permissions_of_operations(caller):
    """`permissions`: another one, or none; `unknownProjectStatus` does not change the status of a missing one."""
    needs = {"agents_list": "settings:manage", "records_create": None}
    usual, other = caller("viewer", unknown_project_status=404), caller("viewer", permissions=needs)

    def statuses(client: Api) -> list[int]:
        return [client.call("agents_list").status_code, create(client).status_code]

    assert statuses(usual) == [200, 403]
    assert statuses(other) == [403, 201]


def test_an_encoded_slash_may_be_in_lower_case(caller):
    client = caller(encoded_slash="separator")

    assert client.patch(f"{client.path()}/memory-entries/brand%2fvoice", json={}).status_code == 404


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

    assert caller().call("agents_list").json()["pagination"]["limit"] == 50
    assert client.call("agents_list").json()["pagination"] == {"limit": 3, "offset": 0, "hasMore": True}
    assert client.call("agents_list", query={"limit": 5}).json()["pagination"]["limit"] == 5


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

    responses = [
        create(client),
        create(client),
        create(client, typeSlug="company", externalId="crm-42"),
        create(client, projectId=client.stub.other_project.id, externalId="crm-42"),
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

    held = [
        tags
        for tags in (["c", "a"], ["a"], ["a", "b", "c"], ["d"], ["a", "b", "c", "d"])
        if client.update(record, expectedData={"tags": tags}).status_code == 200
    ]

    assert held == contained


def test_the_metadata_of_a_memory_entry(caller):
    """`memoryMetadata`: replaced as a whole, or merged."""
    for how, expected in (("replaced", {"b": 2}), ("merged", {"a": 1, "b": 2})):
        client = caller(memory_metadata=how)
        client.call("memory_update", metadata={"a": 1})
        metadata = client.call("memory_update", metadata={"b": 2}).json()["entry"]["metadata"]

        assert {name: metadata.get(name) for name in expected} == expected
        assert ("a" in metadata) is (how == "merged")


@pytest.mark.parametrize(
    ("how", "header"), [("none", None), ("seconds", "10"), ("date", "Mon, 02 Nov 2026 08:30:10 GMT")]
)
def test_a_rate_limit(caller, clock, how, header):
    """`rateLimit` and `retryAfter`: a maximum number of requests of an identity in a window of the world's time."""
    client = caller(rate_limit=RateLimit(2, 10.0), retry_after=how)

    def get() -> httpx.Response:
        return client.call("agents_list")

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
        return [client.call("agents_list").status_code for _ in range(5)].count(200)

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
        assert client.call("agents_list").status_code == 200
    clock.advance(seconds=10)
    assert client.call("agents_list").status_code == 200

    assert waited == [0.25, 0.5, 0.75, 0.25]


@pytest.mark.parametrize("argument", ["profile", "world"])
def test_a_path_is_neither_a_profile_nor_a_world(argument):
    with pytest.raises(TypeError, match=rf"{argument} is of type str; give a .*, such as load_\w+\(path\)"):
        Stub(**{argument: "file.yaml"})
