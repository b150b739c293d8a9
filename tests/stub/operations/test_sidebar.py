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


@pytest.mark.parametrize("sections", [SECTIONS, SECTIONS[::-1], []])
def test_the_whole_list_is_replaced(api, stub, sections):
    """Old sections are gone, and the order is that of the request."""
    api.event_hooks = {}  # the response lacks the expected fields that the request lacks
    response = api.call("sidebar_replace", sections=sections)

    assert (response.status_code, response.json()) == (200, {"success": True, "data": {"sections": sections}})
    assert stub.project.sidebar == sections


def test_unknown_fields_are_dropped(api):
    section, item = {"id": "a", "label": "A"}, {"label": "B"}
    sent = [{**section, "hidden": True, "items": [{**item, "hidden": True}]}]

    assert api.call("sidebar_replace", sections=sent).json()["data"]["sections"] == [{**section, "items": [item]}]
