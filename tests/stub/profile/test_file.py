"""Profiles: the switches, their defaults, and their files."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
import yaml

from project_platform_stub.contract import load_contract
from project_platform_stub.documents.document import DocumentError
from project_platform_stub.documents.schema import packaged_schema
from project_platform_stub.profile import Profile, RateLimit, load_profile
from project_platform_stub.world.permissions import PERMISSIONS

from ..conftest import OTHERWISE

SCHEMA: dict[str, Any] = dict(packaged_schema("profile/profile.schema.json"))


@pytest.fixture
def refused(problems_of):
    return lambda text: problems_of(load_profile, "profile.yaml", text)


def test_every_switch_can_be_changed():
    """From a mapping and back."""
    profile = Profile.from_mapping(OTHERWISE)

    assert profile.as_mapping() == OTHERWISE
    assert [name for name, value in Profile().as_mapping().items() if value == OTHERWISE[name]] == []
    assert profile.rate_limit == RateLimit(requests=40, per_seconds=0.1)


def test_a_rate_limit_may_change():
    """A list of limits, from a mapping and back."""
    limits = [{"requests": 3, "perSeconds": 1.0}, {"requests": 1, "perSeconds": 1.0, "afterSeconds": 30.0}]

    profile = Profile.from_mapping({"rateLimit": limits})

    assert profile.rate_limit == (RateLimit(3, 1.0), RateLimit(1, 1.0, after_seconds=30.0))
    assert profile.as_mapping()["rateLimit"] == limits


def test_a_profile_is_read_from_yaml_and_from_json(tmp_path):
    """Both formats give the same profile."""
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(OTHERWISE))
    (tmp_path / "a.json").write_text(json.dumps({"$schema": "profile.schema.json", **OTHERWISE}))

    assert load_profile(tmp_path / "a.yaml") == load_profile(tmp_path / "a.json") == Profile.from_mapping(OTHERWISE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("createdStatus: 204", "createdStatus: must be a status from 200 to 299 with a response body"),
        ("createdStatus: 205", "createdStatus: must be a status from 200 to 299 with a response body"),
        ("createdStatus: 300", "createdStatus: must be a status from 200 to 299 with a response body"),
        ("successStatus: {labels_export: 201}", "successStatus.labels_export: must be one of "),
        (
            "successStatus: {record_create: 200}",
            'successStatus.record_create: is none of those allowed: "record_create"; did',
        ),
        ("invalidStatus: 404", "invalidStatus: must be one of 400, 422\n"),
        ("unknownProjectStatus: 401", "unknownProjectStatus: must be one of 403, 404"),
        ("permissionParameter: a b", "permissionParameter: must be the name of a query parameter"),
        ("merge: dep", 'merge: is none of those allowed: "dep"; did you mean "deep"?'),
        ("nestedNulls: no", 'nestedNulls: must be one of "keep", "strip"'),
        ("defaultLimit: 0", "defaultLimit: is 0; the minimum is 1"),
        ("defaultLimit: 101", "defaultLimit: is 101; the maximum is 100"),
        (
            "permissions: {agents_list: agent:read}",
            'permissions.agents_list: is none of those allowed: "agent:read"; did',
        ),
        (
            "permissions: {agent_list: null}",
            'permissions.agent_list: is none of those allowed: "agent_list"; did you mean',
        ),
        (
            "permissions: {auth_check_permission: agents:read}",
            'permissions.auth_check_permission: must be one of "workflows_create"',
        ),
        ("externalId: deny", 'externalId: must be one of "free", "unique", "upsert"'),
        ("noOpUpdate: true", 'noOpUpdate: must be one of "touch", "ignore"'),
        ("encodedSlash: dta", 'encodedSlash: is none of those allowed: "dta"; did you mean "data"?'),
        ("retryAfter: minutes", 'retryAfter: must be one of "none", "seconds", "date"'),
        ("rateLimit: {requests: 1}", "rateLimit.perSeconds: is required"),
        ("rateLimit: {requests: 1, perSeconds: 0}", "rateLimit.perSeconds: is 0; it must be more than 0"),
        ("unknownFields: drop", 'unknownFields: must be one of "ignore", "refuse"'),
        ("publishDuePosts: yes", "publishDuePosts: must be boolean, not string"),
        ("mrege: deep", 'mrege: is not known here; did you mean "merge"?'),
    ],
)
def test_an_invalid_switch_is_reported_with_its_line(text, problem, refused):
    (reported,) = refused(f"# a comment\n{text}\n")

    assert f"{reported}\n".startswith(f"profile.yaml:2: {problem}")


def test_an_invalid_switch_is_refused_in_python_too():
    """By the same rules as in a file."""
    with pytest.raises(DocumentError, match=r"^profile: createdStatus: must be a status"):
        Profile(created_status=204)
    with pytest.raises(
        DocumentError, match=r"^profile: created_status: is not known here; did you mean \"createdStatus\""
    ):
        Profile.from_mapping({"created_status": 200})


def test_a_whole_number_may_be_written_with_a_fraction():
    """To JSON Schema 20.0 is an integer."""
    limit = Profile.from_mapping({"defaultLimit": 20.0}).default_limit

    assert (limit, type(limit)) == (20, int)


def test_a_profile_is_a_value():
    """Neither a profile nor its mappings can be changed."""
    given = {"agents_list": "agents:manage"}
    profile = Profile(permissions=given)
    given["agents_list"] = "social:read"

    assert profile.needed("agents_list") == "agents:manage"
    with pytest.raises(FrozenInstanceError):
        profile.merge = "deep"  # type: ignore[misc]   # the mistake under test
    with pytest.raises(TypeError):
        profile.permissions["agents_list"] = None  # type: ignore[index]   # the mistake under test


def test_the_schema_has_the_switches_and_their_defaults():
    """Editors show the defaults of the code."""
    defaults = {name: rule["default"] for name, rule in SCHEMA["properties"].items() if name != "$schema"}

    assert defaults == Profile().as_mapping()


def test_the_schema_has_the_operations_and_the_permissions():
    """Those of the contract; the status of labels_export is not a switch, nor is a permission without a 403."""
    definitions, statuses = SCHEMA["$defs"], SCHEMA["properties"]["successStatus"]

    with_permission = [id for id in load_contract().operations if id != "auth_check_permission"]
    assert definitions["operation_with_permission"]["enum"] == with_permission
    assert definitions["permission"]["enum"] == [*PERMISSIONS, None]
    assert statuses["propertyNames"]["enum"] == [id for id in load_contract().operations if id != "labels_export"]
