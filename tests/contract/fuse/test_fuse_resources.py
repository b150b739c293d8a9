"""What a write may address in its path and its body, and what it may change."""

import re
from itertools import product

import httpx
import pytest

from project_platform_contract.fuse import BlockedError
from project_platform_contract.fuse.backup import Backup
from project_platform_contract.operations import contract, operations

from .fuse_requests import EVENTS, FOREIGN, PROJECT, RECORDS, blocked, fuse, request, write

# Members that look like identifiers, but address nothing that exists.
NO_REFERENCES = {
    "triggerTypeSlug": "what a workflow waits for; a workflow of the suite has no actions",
    "id": "of a section or an item, which the request creates in the sidebar that it replaces",
    "featureId": "where an item of the sidebar leads to",
    "pluginId": "where an item of the sidebar leads to",
}


def members(schema):
    """Yield the names of all members of a schema, at any depth."""
    if "$ref" in schema:
        schema = contract()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for name, member in schema.get("properties", {}).items():
        yield name
        yield from members(member)
    if "items" in schema:
        yield from members(schema["items"])


def body_schema(operation):
    node = contract()["paths"][operation.path][operation.method.lower()]
    return node["requestBody"]["content"]["application/json"]["schema"]


REFERENCES = [
    (operation, name)
    for operation in operations()
    if operation.effect != "read"
    for name in dict.fromkeys(members(body_schema(operation)))
    if name == "relations" or (re.search(r"(?:^i|I)ds?$|Slug$", name) and name not in NO_REFERENCES)
]
"""Every identifier in the body of a write, by the contract."""


def test_the_contract_has_identifiers_in_bodies():
    found = {(operation.id, name) for operation, name in REFERENCES}

    assert found == {
        ("calendar_book", "calendarId"),
        ("calendar_reschedule", "calendarId"),
        ("engagement_like", "accountId"),
        ("records_create", "externalId"),
        ("records_create", "relations"),
        ("records_create", "typeSlug"),
        ("records_update", "externalId"),
        ("records_update", "relations"),
    }


@pytest.mark.parametrize(("operation", "name"), REFERENCES, ids=lambda part: getattr(part, "id", part))
def test_a_write_with_an_unknown_identifier_in_its_body_is_blocked(operation, name):
    """Only identifiers of what the run created, that the data names for this member, or that contain a drawn one or the tag."""
    fused = fuse(resources={name: ["given"], "another": ["stranger"]})
    fused.created.add("created")
    fused.unused.add("drawn")
    unknown = ["given-not", "Created", " created"] if name == "relations" else ["given-not", "Created", "stranger"]

    for value, shape in product(("created", "given", "drawn", "00drawn.0", "contract-tag-none"), shapes(name)):
        assert fused.check(write(operation, shape(value))).operation == operation
    for value, shape in product(unknown, shapes(name)):
        with pytest.raises(BlockedError, match=f"the {name} .* was neither created by this run nor given"):
            fused.check(write(operation, shape(value)))


def shapes(name):
    """Return functions that put an identifier into a body."""
    if name == "relations":
        return [
            lambda value: {"relations": {"company": value}},
            lambda value: {"relations": {"companies": [{"deep": [value]}]}},
        ]
    spelling = re.sub(r"([A-Z])", r"_\1", name).lower()
    return [lambda value: {name: value}, lambda value: {spelling: value}, lambda value: {name.upper(): value}]


def test_a_member_that_is_given_twice_is_checked_twice():
    """Servers differ in which one they take."""
    content = b'{"calendarId": "stranger", "calendarId": "contract-tag"}'

    assert "the calendarId 'stranger'" in blocked(fuse(), "POST", EVENTS, content=content)


@pytest.mark.parametrize(
    "body", [{"typeSlug": 7}, {"typeSlug": ["deal"]}, {"relations": "text"}, {"externalId": None}, []]
)
def test_a_member_of_another_type_addresses_nothing(body):
    """All identifiers are strings."""
    assert fuse().check(request("POST", RECORDS, json=body)).effect == "write"


ADDRESSED = [
    (operation, name)
    for operation in operations()
    if operation.effect != "read"
    for name in re.findall(r"\{(\w+)\}", operation.path)
    if name != "projectId"
]
"""Every write with each of its path parameters, except the project."""


@pytest.mark.parametrize(("operation", "name"), ADDRESSED, ids=lambda part: getattr(part, "id", part))
def test_a_write_to_an_unknown_resource_is_blocked(operation, name):
    """Even if every effect is allowed: only resources that the run created, that the data names for this parameter, or that have its tag."""
    fused = fuse(resources={name: ["given"], "another": ["stranger"]})
    fused.created.add("created")

    for value in ("created", "given", "contract-tag-none"):
        assert fused.check(write(operation, {}, **{name: value})).operation == operation
    for value in ("stranger", "given-not", "Created", "%2563reated"):
        with pytest.raises(BlockedError, match=f"the {name} .* was neither created by this run nor given"):
            fused.check(write(operation, {}, **{name: value}))


def test_without_a_tag_nothing_counts_as_tagged():
    """The empty string is part of every identifier."""
    assert "neither created" in blocked(fuse(tag=""), "PATCH", f"{RECORDS}/rec-other", json={})


def test_a_created_resource_may_be_written_to():
    """Its identifier is taken from the response."""
    fused = fuse()
    booking = request("POST", EVENTS, json={"summary": "contract-tag"})
    passed = fused.check(booking)
    fused.record_response(passed, booking, httpx.Response(201, json={"bookingUid": "evt-new"}))

    assert fused.check(request("PATCH", f"{EVENTS}/evt-new", json={})).number == 2


ENTRY = f"/projects/{PROJECT}/memory-entries/welcome"
SIDEBAR = f"/projects/{PROJECT}/sidebar"
SECTIONS = [{"id": "a", "label": "A", "items": []}]


def saving_fuse(**limits):
    """Return a fuse that knows an entry and the current sidebar."""
    return fuse(resources={"slug": ["welcome"]}, unchanged={SIDEBAR: {"sections": SECTIONS}}, **limits)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", ENTRY, {"title": "new"}),
        ("PATCH", ENTRY, ["contract"]),
        ("PATCH", ENTRY.replace("welcome", "wel%63ome"), {"title": "new"}),
        ("PUT", SIDEBAR, {"sections": []}),
        ("PUT", SIDEBAR, {}),
        ("PUT", SIDEBAR.replace(PROJECT, PROJECT.upper()), {"sections": SECTIONS}),
        ("PUT", SIDEBAR.replace(PROJECT, FOREIGN), {"sections": SECTIONS}),
    ],
)
def test_a_change_without_a_backup_is_blocked(method, path, body):
    """Its previous value must be in the ledger; that of the sidebar of another project is not known."""
    fused = saving_fuse(projects=[PROJECT, FOREIGN])

    assert "the previous value of" in blocked(fused, method, path, json=body)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", ENTRY, {}),
        ("PATCH", ENTRY.replace("welcome", "contract-tag-nothing"), {"title": "new"}),
        ("PUT", SIDEBAR, {"sections": SECTIONS}),
    ],
)
def test_a_request_that_changes_nothing_of_the_user_needs_no_backup(method, path, body):
    """An update without fields, an entry that does not exist, or the sidebar as it is."""
    assert saving_fuse().check(request(method, path, json=body)).effect == "write"


def test_a_change_with_a_backup_is_allowed():
    """Of the resource with the backup only."""
    fused = saving_fuse()
    fused.backups[ENTRY] = Backup("memory_update", ENTRY, {"title": "old"}, "the memory entry 'welcome'")

    assert fused.check(request("PATCH", ENTRY, json={"title": "new"})).number == 1
    with pytest.raises(BlockedError, match=r"the previous value of .*/sidebar is not in the ledger"):
        fused.check(request("PUT", SIDEBAR, json={"sections": []}))


def test_what_was_changed_is_restored_even_if_the_budget_is_spent():
    """And even if the target stopped responding."""
    fused = saving_fuse(requests=1, silent=1)
    fused.backups[ENTRY] = Backup("memory_update", ENTRY, {"title": "old"}, "the memory entry 'welcome'")
    fused.check(request("PATCH", ENTRY, json={"title": "new"}))
    fused.record_outcome(answered=False)

    with pytest.raises(BlockedError):
        fused.check(request("PATCH", ENTRY, json={"title": "newer"}))
    with fused.restoring():
        assert fused.check(request("PATCH", ENTRY, json={"title": "old"})).number == 2
    with pytest.raises(BlockedError):
        fused.check(request("PATCH", ENTRY, json={"title": "newer"}))
