"""Endpoints 8: replace sidebar configuration."""

from __future__ import annotations

import pytest

SECTIONS = [
    {
        "id": "work",
        "label": "Work",
        "items": [
            {
                "label": "CRM",
                "icon": "users",
                "id": "crm",
                "featureId": "crm",
                "pluginId": "p",
                "href": "/crm",
                "customLabel": "Customers",
            }
        ],
    },
    {"id": "empty", "label": "Empty", "items": []},
    {"label": None, "items": None},
]


def replace(client, sections):
    return client.put(client.path("sidebar"), json={"sections": sections})


@pytest.mark.parametrize("sections", [SECTIONS, SECTIONS[::-1], []])
def test_the_whole_list_is_replaced(api, stub, sections):
    """Old sections are gone, and the order is that of the request."""
    api.event_hooks = {}  # the response lacks the expected fields that the request lacks
    response = replace(api, sections)

    assert (response.status_code, response.json()) == (200, {"success": True, "data": {"sections": sections}})
    assert stub.project.sidebar == sections


@pytest.mark.parametrize(
    ("sections", "place"),
    [
        (["x"], "body.sections[0]: must be object"),
        ([{"items": {}}], "body.sections[0].items: must be null or array"),
        ([{"items": [{}, 1]}], "body.sections[0].items[1]: must be object"),
        ([{"items": [{"label": 7}]}], "body.sections[0].items[0].label: must be"),
        ([{"id": 7}], "body.sections[0].id: must be"),
    ],
)
def test_sections_of_another_shape_are_refused(api, refused, stub, sections, place):
    """The message names the place; nothing is replaced."""
    before = list(stub.project.sidebar)

    refused(replace(api, sections), 400, place)
    assert stub.project.sidebar == before


def test_unknown_fields_are_dropped(api):
    section, item = {"id": "a", "label": "A"}, {"label": "B"}
    sent = [{**section, "hidden": True, "items": [{**item, "hidden": True}]}]

    assert replace(api, sent).json()["data"]["sections"] == [{**section, "items": [item]}]
