"""Whatever is sent, the answer is one that the contract knows, and never a 500."""

from __future__ import annotations

from urllib.parse import quote

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
    """Return JSON values in which the texts that the service knows occur often."""
    texts = st.sampled_from([*known, *STRANGE]) | st.text(max_size=8)
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    scalars = st.none() | st.booleans() | numbers | texts
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
    )


# What the operations require, all in one: fields that an operation does not know are ignored.
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


def test_nothing_that_is_sent_makes_a_500(api, stub: Stub, contract):
    """Fields of any value and parameters of any text are accepted or refused as the contract says."""
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
