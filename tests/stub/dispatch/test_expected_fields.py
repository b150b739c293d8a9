"""Fields that the contract takes to be in an answer are in every answer of the stub."""

from __future__ import annotations

import pytest

from project_platform_stub.world.domain import Part, Template


def lacking(contract, schema, value, met, at=""):
    """Give the places at which a value lacks what `x-expected` names; `met` takes in the schemas that are."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = contract["components"]["schemas"][name]
        if isinstance(value, dict):
            met.add(name)
    for choice in schema.get("anyOf", []):
        yield from lacking(contract, choice, value, met, at)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from lacking(contract, schema.get("items", {}), item, met, f"{at}[{index}]")
    if isinstance(value, dict):
        yield from (f"{at}.{field}" for field in schema.get("x-expected", []) if value.get(field) is None)
        for field, below in schema.get("properties", {}).items():
            yield from lacking(contract, below, value.get(field), met, f"{at}.{field}")


def answers(contract):
    """Return the schema of the JSON that each operation answers with, by operationId."""
    return {
        operation["operationId"]: operation["responses"]["2XX"]["content"]["application/json"]["schema"]
        for item in contract["paths"].values()
        for operation in item.values()
        if "application/json" in operation["responses"].get("2XX", {"content": ()})["content"]
    }


@pytest.fixture
def template(stub):
    """A template of which one part lands, one is in every project, and one fails."""
    parts = (
        Part("objectType", {"slug": "site", "name": "Site"}),
        Part("objectType", {"slug": "person", "name": "Person"}),
        Part("objectRelation", {"name": "at", "from": "site", "to": "nothing"}),
    )
    stub.project.templates["tpl_test"] = Template("tpl_test", "Test", (), parts)
    return "tpl_test"


@pytest.fixture
def requests(api, stub, template):
    """A request of each operation that answers with JSON, with nothing in it that is not required."""
    project = stub.project.id
    accounts = {account["platform"]: account["id"] for account in stub.project.accounts.values()}
    published = (post for post in stub.project.posts.values() if post["status"] == "published")
    post = next(post["id"] for post in published if post["platform"] == "pagenet")
    event = api.book(start="2027-03-01T09:00:00Z", summary="Visit").json()["bookingUid"]
    events, slug = api.path("calendar", "provider", "events"), next(iter(stub.project.memory))
    return {
        "auth_check_permission": ("GET", "/auth/check-permission?permission=agents:read", None),
        "workflows_create": (
            "POST",
            api.path("workflows"),
            {"name": "w", "triggerTypeSlug": "t", "triggerEventType": "e"},
        ),
        "records_create": ("POST", api.path("object-records"), {"typeSlug": "deal"}),
        "records_update": ("PATCH", api.path("object-records", api.create()["id"]), {}),
        "calendar_book": ("POST", events, {"start": "2027-03-02T09:00:00Z", "summary": "Visit"}),
        "calendar_reschedule": ("PATCH", f"{events}/{event}", {}),
        "calendar_busy": (
            "GET",
            api.path("calendar", "provider", "busy") + "?timeMin=2026-01-01T00:00:00Z&timeMax=2028-01-01T00:00:00Z",
            None,
        ),
        # The stub answers with the sections that it was sent, so these are whole.
        "sidebar_replace": (
            "PUT",
            api.path("sidebar"),
            {"sections": [{"id": "sales", "label": "Sales", "items": [{"label": "Deals"}]}]},
        ),
        "templates_apply": ("POST", api.path("templates", template, "apply"), {"name": "Acme"}),
        "memory_update": ("PATCH", api.path("memory-entries", slug), {}),
        "engagement_like": (
            "POST",
            f"/socials/engagement/pagenet/{project}/{post}/like",
            {"accountId": accounts["pagenet"]},
        ),
        "agents_list": ("GET", api.path("agents") + "?limit=100", None),
        "web_analytics_get_config": ("GET", f"/web-analytics/config/{project}", None),
        "posts_list": ("GET", f"/socials/posts/{project}", None),
        "photo_analytics_list_media": (
            "GET",
            f"/socials/analytics/photonet/{project}/{accounts['photonet']}/media",
            None,
        ),
    }


def test_every_expected_field_is_in_the_answers(api, contract, requests):
    """Of each operation, in every part of its answer, and no schema that names some goes unmet."""
    met, missing = set(), {}
    schemas = answers(contract)
    assert requests.keys() == schemas.keys()

    for operation, (method, path, body) in requests.items():
        response = api.request(method, path, json=body)
        assert response.is_success, response.text
        missing[operation] = sorted(lacking(contract, schemas[operation], response.json(), met))

    assert {operation: places for operation, places in missing.items() if places} == {}
    expecting = {name for name, schema in contract["components"]["schemas"].items() if "x-expected" in schema}
    assert expecting - met == set()
