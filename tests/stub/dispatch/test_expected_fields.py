"""The fields in `x-expected` are in every response of the stub."""

from __future__ import annotations

import re

import pytest

from codegen.operation_pages.recorded_call import run_example
from project_platform_stub.world.domain import Part, Template

from ..conftest import LEAST_BODIES


def missing_fields(contract, schema, value, used, at=""):
    """Yield the places of expected fields that are missing or null, and add the names of the schemas to `used`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = contract["components"]["schemas"][name]
        if isinstance(value, dict):
            used.add(name)
    for choice in schema.get("anyOf", []):
        yield from missing_fields(contract, choice, value, used, at)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from missing_fields(contract, schema.get("items", {}), item, used, f"{at}[{index}]")
    if isinstance(value, dict):
        yield from (f"{at}.{field}" for field in schema.get("x-expected", []) if value.get(field) is None)
        for field, nested in schema.get("properties", {}).items():
            yield from missing_fields(contract, nested, value.get(field), used, f"{at}.{field}")


def response_schemas(contract):
    """Return the schemas of the JSON responses, by operationId."""
    return {
        operation["operationId"]: operation["responses"]["2XX"]["content"]["application/json"]["schema"]
        for item in contract["paths"].values()
        for operation in item.values()
        if "application/json" in operation["responses"].get("2XX", {"content": ()})["content"]
    }


@pytest.fixture
def template(stub):
    """A template with a part that is applied, one that is skipped as built in, and one that fails."""
    parts = (
        Part("objectType", {"slug": "site", "name": "Site"}),
        Part("objectType", {"slug": "person", "name": "Person"}),
        Part("objectRelation", {"name": "at", "from": "site", "to": "nothing"}),
    )
    stub.project.templates["tpl_test"] = Template("tpl_test", "Test", (), parts)
    return "tpl_test"


QUERIES = {
    "auth_check_permission": "?permission=agents:read",
    "agents_list": "?limit=100",
    "calendar_busy": "?timeMin=2026-01-01T00:00:00Z&timeMax=2028-01-01T00:00:00Z",
}
# The response has the sections of the request, so these are complete.
SECTIONS = [{"id": "sales", "label": "Sales", "items": [{"label": "Deals"}]}]


@pytest.fixture
def requests(api, stub, contract, template):
    """A request with only the required fields, for each operation whose path and body have known values."""
    accounts = {account["platform"]: account["id"] for account in stub.project.accounts.values()}
    published = (post for post in stub.project.posts.values() if post["status"] == "published")
    values = {
        "projectId": stub.project.id,
        "recordId": api.create()["id"],
        "eventId": api.book(start="2027-03-01T09:00:00Z").json()["bookingUid"],
        "templateId": template,
        "slug": next(iter(stub.project.memory)),
        "postId": next(post["id"] for post in published if post["platform"] == "pagenet"),
        "accountId": accounts["photonet"],
    }
    bodies = {
        **LEAST_BODIES,
        "sidebar_replace": {"sections": SECTIONS},
        "engagement_like": {"accountId": accounts["pagenet"]},
    }
    return {
        id: (method, path.format(**values) + QUERIES.get(id, ""), bodies.get(id))
        for path, item in contract["paths"].items()
        for method, node in item.items()
        if set(re.findall(r"{(\w+)}", path)) <= values.keys()
        and ("requestBody" in node) is ((id := node["operationId"]) in bodies)
    }


def test_every_expected_field_is_in_the_response(api, contract, requests):
    """Responses at any depth; every schema with `x-expected` occurs in one of them."""
    used, missing = set(), {}
    operations = {
        operation["operationId"]: operation for item in contract["paths"].values() for operation in item.values()
    }

    for operation, schema in response_schemas(contract).items():
        if operation in requests:
            method, path, body = requests[operation]
            response = api.request(method, path, json=body)
        else:
            *_, response = run_example(operations[operation])
        assert response.is_success, response.text
        missing[operation] = sorted(missing_fields(contract, schema, response.json(), used))

    assert {operation: places for operation, places in missing.items() if places} == {}
    expecting = {name for name, schema in contract["components"]["schemas"].items() if "x-expected" in schema}
    assert expecting - used == set()
