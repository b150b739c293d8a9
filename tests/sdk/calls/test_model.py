"""Fields that responses are expected to have: what holds where one is missing."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import httpx
import pytest
from pydantic import ValidationError

from project_platform import FieldMissingError, PlatformError
from project_platform._generated.models.agents import AgentsPage
from project_platform.calls.model import problems
from project_platform.models import Agent, ObjectRecord

TIMES = {"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}
FULL = {"id": "rec_1", "typeSlug": "deal", "data": {"a": 1}, **TIMES}
BODIES = pytest.mark.parametrize("body", [FULL, {"id": "rec_1"}, {"id": None, "status": None}, {}])


def test_a_field_that_is_missing_raises_on_access_alone(project, service):
    service.will(httpx.Response(201, json={"record": {"id": "rec_1", "typeSlug": None, "zzz": 1}}))

    record = project.records.create(type_slug="deal")

    assert (record.id, record.zzz, record.status) == ("rec_1", 1, None)
    with pytest.raises(FieldMissingError, match=r"ObjectRecord\.type_slug .* no 'typeSlug'") as raised:
        record.type_slug  # noqa: B018
    assert (raised.value.model, raised.value.field, raised.value.wire_name) == ("ObjectRecord", "type_slug", "typeSlug")
    assert not isinstance(raised.value, PlatformError)  # a model does not know its call, so `applied` could say nothing
    assert not hasattr(record, "data")
    assert getattr(record, "data", None) is None


def test_the_error_pickles_and_copies():
    error = FieldMissingError("ObjectRecord", "type_slug", "typeSlug")

    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert str(other) == str(error)
        assert (other.model, other.field, other.wire_name) == ("ObjectRecord", "type_slug", "typeSlug")


def test_an_unknown_attribute_is_an_ordinary_attribute_error():
    with pytest.raises(AttributeError, match="nonsense") as raised:
        ObjectRecord.model_validate({}).nonsense  # noqa: B018

    assert not isinstance(raised.value, FieldMissingError)


@BODIES
def test_a_model_is_the_same_after_a_round_trip(body):
    record = ObjectRecord.model_validate(body)
    dumped = record.model_dump()

    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.copy(record) == copy.deepcopy(record) == record.model_copy() == record
    assert ObjectRecord(**dumped) == record
    assert ObjectRecord.model_validate_json(record.model_dump_json(by_alias=True)) == record
    assert ObjectRecord.model_validate_json(json.dumps(body)) == record
    assert record.model_copy(update={"status": "won"}) != record
    assert {"id", "data"} & set(dumped) == {name for name in ("id", "data") if body.get(name) is not None}


@BODIES
def test_the_sentinel_of_a_missing_field_is_never_shown(body):
    record = ObjectRecord.model_validate(body)
    constructed = ObjectRecord.model_construct(status="open")

    for shown in (repr(record), str(record), repr(record.model_dump()), repr(vars(record)), repr(vars(constructed))):
        assert "object at" not in shown
        assert "Field" not in shown
    assert not hasattr(constructed, "id")


def test_equality_and_hash_ignore_missing_fields():
    one, same, other = (
        ObjectRecord.model_construct(**given) for given in ({"id": "r"}, {"id": "r"}, {"type_slug": "d"})
    )

    assert one == same
    assert hash(one) == hash(same)
    assert one != other


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_the_json_schema_is_the_one_of_the_type(mode):
    """Without a default, a warning, or the choice that stands for what is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = Agent.model_json_schema(mode=mode)

    assert schema["properties"]["name"] == {"title": "Name", "type": "string"}
    assert schema["properties"]["mcpServers"]["items"] == {"$ref": "#/$defs/McpServer"}
    assert "name" not in schema.get("required", [])


@pytest.mark.parametrize("strict", [False, True])
def test_a_value_with_parts_that_lack_fields_is_written_as_it_is(strict):
    """Pydantic warned about each of these fields; such a warning is an error here."""
    agent = Agent.model_validate({"mcpServers": [{"name": "x"}, {"url": None}]}, strict=strict)

    assert agent.model_dump(by_alias=True, exclude_unset=True) == {"mcpServers": [{"name": "x"}, {}]}
    assert '"mcp_servers":[{"name":"x","headers":null},{"headers":null}]' in agent.model_dump_json()


def test_completion_shows_only_the_fields_of_the_response():
    shown = dir(ObjectRecord.model_validate({"id": "rec_1", "zzz": 1}))

    assert {"id", "status", "zzz", "model_dump"} <= set(shown)
    assert not {"data", "parse_obj", "dict"} & {*shown, *dir(ObjectRecord)}


def test_a_validation_error_of_a_response_names_the_path():
    """The place on the wire, with nothing in it of how an expected field is read."""
    agent = '{"id":17,"mcpServers":[{"url":{}}],"memoryFiles":["a",2],"createdAt":"soon","maxSteps":"x"}'

    with pytest.raises(ValidationError) as raised:
        AgentsPage.model_validate_json(f'{{"agents":[{agent}],"pagination":{{"hasMore":[]}}}}')

    assert [(".".join(map(str, detail["loc"])), detail["type"]) for detail in problems(raised.value)] == [
        ("agents.0.id", "string_type"),
        ("agents.0.memoryFiles.1", "string_type"),
        ("agents.0.mcpServers.0.url", "string_type"),
        ("agents.0.maxSteps", "int_parsing"),
        ("agents.0.createdAt", "datetime_from_date_parsing"),
        ("pagination.hasMore", "bool_type"),
    ]


def test_a_validation_error_of_an_argument_names_the_path(project):
    """Sections of a sidebar are sent as well as answered."""
    with pytest.raises(Exception, match=r"^sections\[0\]\.items\[0\]\.label: input should be a valid string$"):
        project.sidebar.replace(sections=[{"id": "a", "items": [{"label": 3}]}])
