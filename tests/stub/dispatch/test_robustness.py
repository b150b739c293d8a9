"""Every response fits the contract, whatever the request, and none is a 500."""

from __future__ import annotations

import re
import time
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project_platform_stub import Stub

STRANGE = [
    "",
    " ",
    "\x00",
    "é",
    "🌾",
    "../..",
    "%2F",
    "2026-11-10T09:00:00",
    "9999-12-31T23:59:59-23:59",
    "Europe/Berlin",
    "{{a}}",
]


def json_values(known):
    """Return JSON values that often contain strings that the service knows."""
    texts = st.sampled_from([*known, *STRANGE]) | st.text(max_size=8)
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    scalars = st.none() | st.booleans() | numbers | texts
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
    )


# The required fields of all operations in one body: fields that an operation does not know are ignored.
REQUIRED = {
    "name": "N",
    "triggerTypeSlug": "lead",
    "triggerEventType": "created",
    "typeSlug": "lead",
    "start": "2026-11-10T09:00:00Z",
    "summary": "S",
    "sections": [],
    "accountId": "0b9c4c6e-0000-4000-8000-000000000000",
}


def test_no_request_makes_a_500(api, stub: Stub, contract):
    """Arbitrary fields and parameters are accepted or refused as the contract says."""
    described = stub.describe("http://stub")
    known = [item for value in described.values() if isinstance(value, list) for item in value]
    texts = st.sampled_from([*known, *STRANGE]) | st.text(max_size=8)
    queries = st.dictionaries(st.sampled_from(["limit", "offset", "timeMin", "timeMax", "calendarId", "status"]), texts)
    bodies = {"get": st.none()}
    for name, schema in contract["components"]["schemas"].items():
        if name.endswith("Body") and name != "ErrorBody":
            fields = st.sampled_from(sorted(schema["properties"]))
            bodies[name] = st.dictionaries(fields, json_values(known), max_size=2).map(
                lambda drawn: {**REQUIRED, **drawn}
            )
    operations = [
        (method, path, operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2])
        if "requestBody" in operation
        else (method, path, "get")
        for path, item in contract["paths"].items()
        for method, operation in item.items()
    ]
    seen = set()

    @settings(max_examples=600, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data(), st.sampled_from(operations), queries)
    def send(data, operation, query):
        method, path, body = operation
        segments = path.replace("{projectId}", stub.project.id).removeprefix("/").split("/")
        filled = [data.draw(texts.filter(bool)) if part.startswith("{") else part for part in segments]
        url = "/" + "/".join(quote(part, safe="") for part in filled)

        response = api.request(method, url, params=query, json=data.draw(bodies[body]))  # checked by the client

        assert response.status_code < 500, response.text
        seen.add(response.status_code)

    send()

    assert {200, 201, 400, 404} <= seen


MIB = 1024 * 1024
JSON = "application/json"


@pytest.mark.parametrize(
    ("content", "media_type", "refusal"),
    [
        (b"{" + b" " * (MIB - 1) + b"}", JSON, (413, "body: is larger than the maximum of 1048576 bytes")),
        (b'{"x":' + b"[" * 100 + b"]" * 100 + b"}", JSON, (400, "body: is nested more than 100 levels deep")),
        (b'{"x":' + b"[" * 500_000, JSON, (400, "body: is nested more than 100 levels deep")),
        (b"{}", "text/plain", (415, "Content-Type: is text/plain; it must be")),
        (b"{}", "application/x-www-form-urlencoded", (415, "Content-Type: is application/x-www-form-urlencoded;")),
        (b'{"x":"\xff"}', JSON, (400, "body: is not UTF-8 at byte 6")),
        (b'{"x":"\xed\xa0\x80"}', JSON, (400, "body: is not UTF-8 at byte 6")),
        ("{}".encode("utf-16"), JSON, (400, "body: is not UTF-8 at byte 0")),
        (b'{"x":1,"x":', JSON, (400, "body: is not JSON")),
    ],
)
def test_every_operation_refuses_an_unreadable_body(stub: Stub, contract, content, media_type, refusal):
    """Over a socket: a clear error, on a connection that stays open."""
    headers = {"Authorization": f"Bearer {stub.token()}", "Content-Type": media_type}
    with stub.serve() as server, httpx.Client(base_url=server.base_url, headers=headers, trust_env=False) as client:
        sent = 0
        for path, item in contract["paths"].items():
            for method in (method for method, operation in item.items() if "requestBody" in operation):
                url = re.sub(r"\{(?!projectId)\w+\}", "x", path).replace("{projectId}", stub.project.id)
                answer = client.request(method, url, content=content)
                sent += 1
                if path.endswith("label-export"):  # the specification lists 400, 401 and 403
                    refusal = (400, refusal[1])
                assert (answer.status_code, answer.json()["message"][: len(refusal[1])]) == refusal, path
        assert client.get("/_stub/health").json() == {"status": "ok"}
    assert sent == 10


BOOKING = {"start": "2026-11-10T09:00:00Z", "summary": "S"}


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (["sidebar"], {"sections": [1] * 400_000}, "body.sections[0]: must be object"),
        (["menu-items", "label-export"], {"itemIds": ["x"] * 200_000}, "body.itemIds[0]: is not a valid uuid"),
        (
            ["workflows"],
            {"name": "n", "triggerTypeSlug": "t", "triggerEventType": "e", "tags": [1] * 400_000},
            "body.tags",
        ),
        (
            ["calendar", "provider", "events"],
            {**BOOKING, "attendee": {"email": "a" * 10**6}},
            "body.attendee.email: is no",
        ),
    ],
)
def test_a_body_that_is_invalid_throughout_is_refused_quickly(api, refused, path, body, message):
    """Only the first problem is reported; collecting all of them would take minutes."""
    began = time.process_time()
    refused(api.request("PUT" if path == ["sidebar"] else "POST", api.path(*path), json=body), 400, message)

    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "fields", [{f"field{number}": 1 for number in range(50_000)}, {"x" * 900_000: 1}], ids=["many names", "a long name"]
)
def test_the_journal_stores_little_of_a_large_request(api, stub: Stub, fields):
    """It lists only the first unknown names, and shortens them."""
    api.create(**fields)

    (entry,) = stub.world.journal
    assert entry.hints[0].startswith("body.field0: is not known" if len(fields) > 1 else "body.xxx")
    assert entry.body is None
    assert len(str(entry)) < 2000
    if len(fields) > 1:
        assert entry.hints[-1] == "body: 49990 more names are not known, and was ignored"


def test_a_message_shortens_a_long_name(api, refused):
    """The response to a filter of any length is short."""
    body = refused(api.get(f"/socials/posts/{api.stub.project.id}", params={"x" * 50_000: "1"}), 400, "query.xxx")

    assert len(body["message"]) < 300
    assert body["message"].endswith("x...: is not a field to filter by")
