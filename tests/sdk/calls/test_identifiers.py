"""Identifiers may be strings or UUIDs in every operation."""

from __future__ import annotations

import inspect
import uuid
from operator import attrgetter

import httpx
import pytest

from project_platform import Change, Client, UsageError, operations
from project_platform.models import ObjectRecord

ID = uuid.UUID("3F1F5D3D-0000-4000-8000-00000000000A")
TEXT = "3f1f5d3d-0000-4000-8000-00000000000a"
PROJECT = uuid.UUID("0B9C4C6E-5D0E-4C39-9A53-3F1F5D3D0B11")
SPAN = {"time_min": "2026-11-20T00:00Z", "time_max": "2026-11-21T00:00Z"}

# Method of a project, an argument that is an identifier, and the other arguments that the method needs.
IDENTIFIERS = [
    ("calendar.book", "calendar_id", {"start": "2026-11-20T09:00Z", "summary": "s"}),
    ("calendar.busy", "calendar_id", SPAN),
    ("calendar.reschedule", "calendar_id", {"event_id": "e1"}),
    ("calendar.reschedule", "event_id", {"summary": "s"}),
    ("engagement.like", "account_id", {"post_id": "p1"}),
    ("engagement.like", "post_id", {"account_id": TEXT}),
    ("labels.export", "item_ids", {}),
    ("photo_analytics.list_media", "account_id", {}),
    ("records.create", "external_id", {"type_slug": "deal"}),
    ("records.update", "external_id", {"record_id": "r1"}),
    ("records.update", "record_id", {"data": {}}),
    ("templates.apply", "template_id", {"name": "n"}),
]


@pytest.mark.parametrize(("method", "argument", "others"), IDENTIFIERS)
def test_a_uuid_is_sent_as_its_string(project, service, method, argument, others):
    service.will(*[httpx.Response(404, json={"message": "not there"})] * 2)
    many = argument.endswith("s")

    for given in (ID, TEXT):
        with pytest.raises(Exception, match="not there"):
            attrgetter(method)(project)(**others, **{argument: [given] if many else given})

    from_uuid, from_text = service.requests
    assert (from_uuid.url, from_uuid.content) == (from_text.url, from_text.content)
    assert TEXT in str(from_uuid.url) + from_uuid.content.decode()


def test_every_identifier_is_tested():
    """An argument whose name ends in `_id` or `_ids` is in the list above, and may be a UUID by its type."""
    with Client("https://platform.example", token="t") as client:
        project = client.project(PROJECT)
        resources = {name: getattr(project, name) for name in dir(project) if not name.startswith("_") and name != "id"}
        found = {
            (f"{resource}.{method}", name): str(parameter.annotation)
            for resource, instance in resources.items()
            for method, function in inspect.getmembers(instance, callable)
            if not method.startswith("_") and method != "stream"
            for name, parameter in inspect.signature(function).parameters.items()
            if name.endswith(("_id", "_ids"))
        }

    assert found.keys() == {(method, argument) for method, argument, _ in IDENTIFIERS}
    assert [name for name, annotation in found.items() if "UUID" not in annotation] == []


@pytest.mark.parametrize(
    "given", ["no-uuid", "", "../other", "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b1", 7, b"x", ["x"], {}]
)
def test_a_project_id_has_to_be_a_uuid(client, given):
    """Anything else is a mix-up with a slug or a name, also where the type is wrong."""
    with pytest.raises(UsageError, match="which is not a UUID; give the project's UUID"):
        client.project(given)
    with pytest.raises(UsageError, match="which is not a UUID"):
        operations.agents_list(given)


@pytest.mark.parametrize("given", [PROJECT, "0B9C4C6E5D0E4C399A533F1F5D3D0B11"])
def test_a_project_is_written_as_the_service_writes_it(client, given, project_id):
    assert client.project(given).id == project_id


def test_the_project_of_a_change_may_be_a_uuid(project_id):
    change = Change.between(ObjectRecord(id="r1", data={}), {"a": 1}, project_id=PROJECT)

    assert change.project_id == project_id
