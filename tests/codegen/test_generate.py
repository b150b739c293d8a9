"""What is made of the contract, and what is refused."""

from __future__ import annotations

import ast
import importlib
import inspect
import typing

import pytest
from pydantic.alias_generators import to_snake

from codegen.generate import OUTPUT, PACKAGE, GenerationError
from project_platform import Client, models

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.fixture
def operations(contract):
    """The operations of the contract, by their identifiers."""
    return {operation["operationId"]: operation for item in contract["paths"].values() for operation in item.values()}


@pytest.fixture
def method():
    """Return a function that gives a method of the client."""
    client = Client("https://platform.example", token="t", project_id=PROJECT)

    def method(resource, name):
        scope = client if resource == "auth" else client.project()
        return getattr(getattr(scope, resource), name)

    yield method
    client.close()


def test_every_operation_is_a_method_and_a_call(operations, method):
    """The identifier names the module, `x-sdk` the method."""
    for identifier, operation in operations.items():
        module = importlib.import_module(f"project_platform._generated.operations.{identifier}")
        sdk = operation["x-sdk"]

        assert module.OPERATION.id == identifier == f"{sdk['resource']}_{sdk['method']}"
        assert (module.OPERATION.retry, module.OPERATION.effect) == (sdk["retry"], sdk["effect"])
        assert callable(method(sdk["resource"], sdk["method"]))


def test_every_schema_is_a_public_model(contract):
    """But a free-form object is a dict and no class; every field has its name in Python."""
    schemas = contract["components"]["schemas"]
    maps = {name for name, schema in schemas.items() if "properties" not in schema and "enum" not in schema}

    assert set(models.__all__) == set(schemas) - maps
    for name in set(schemas) - maps:
        if "properties" in schemas[name]:
            fields = {field.alias: python for python, field in getattr(models, name).model_fields.items()}
            assert fields == {wire: to_snake(wire) for wire in schemas[name]["properties"]}, name


def test_every_value_of_an_enumeration_is_there(contract):
    """The 81 permissions above all; an open enumeration takes any text besides."""
    values = contract["components"]["schemas"]["Permission"]["enum"]

    assert list(typing.get_args(models.Permission)) == values
    assert len(values) == 81
    assert str in typing.get_args(models.AgentAccess)


def test_a_docstring_tells_all_that_a_caller_needs(operations, method):
    """Summary, every argument, every error that is documented, and where it stands in the specification."""
    known = {
        "400": "BadRequestError",
        "401": "AuthenticationError",
        "403": "PermissionDeniedError",
        "404": "NotFoundError",
    }
    for operation in operations.values():
        sdk = operation["x-sdk"]
        called = method(sdk["resource"], sdk["method"])
        told = inspect.getdoc(called)

        assert told.startswith(operation["summary"])
        assert f"Source: the specification, {sdk['section']}." in told
        assert all(f"\n    {name}: " in told for name in inspect.signature(called).parameters)
        assert all(f"\n    {known[status]}: {status}: " in told for status in operation["responses"] if status in known)
        assert "applied" in told


@pytest.mark.parametrize(
    ("resource", "name", "told"),
    [
        ("workflows", "create", ["1 to 200 characters", "1 to 120 characters", "at most 1000", "At most 12 tags"]),
        ("agents", "list", ["1 to 100", "0 or more"]),
        (
            "calendar",
            "book",
            ["at least 1 character", "SlotTakenError: 409", "RateLimitError: 429", "ServerError: 502"],
        ),
        ("records", "update", ["StalePreconditionError: 409", "`expected_data`"]),
        ("templates", "apply", ["`sub_projects:write`", "ConflictError: 409", "UnprocessableEntityError: 422"]),
    ],
)
def test_limits_and_conflicts_stand_in_the_docstring(method, resource, name, told):
    """What the service refuses can be read before it refuses it."""
    docstring = inspect.getdoc(method(resource, name))

    assert [part for part in told if part not in docstring] == []


@pytest.mark.parametrize(
    ("retry", "told"), [("safe", "twice is as good as once"), ("never", "Never sent again"), ("fenced", "only if")]
)
def test_a_docstring_tells_when_a_call_is_sent_again(operations, method, retry, told):
    """It is the first thing to know of a write."""
    chosen = [operation["x-sdk"] for operation in operations.values() if operation["x-sdk"]["retry"] == retry]

    assert chosen
    assert all(told in inspect.getdoc(method(sdk["resource"], sdk["method"])) for sdk in chosen)


def test_generated_files_say_that_they_are():
    """In their docstring, for whoever opens them."""
    files = [*OUTPUT.rglob("*.py"), *(PACKAGE / f"{name}.py" for name in ("__init__", "models", "operations"))]

    assert len(files) > 80
    for path in files:
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        assert docstring.endswith("Generated from openapi.yaml by `python -m codegen`. Do not edit."), path


def test_a_field_that_is_added_is_generated(document, generated):
    """A new field is an argument, a limit is checked, and a new member of an answer is read."""
    schemas = document["components"]["schemas"]
    schemas["UpdateMemoryBody"]["properties"]["sortKey"] = {"type": "string", "maxLength": 9, "description": "A key."}
    schemas["MemoryEntry"]["properties"]["sortKey"] = {"type": ["string", "null"], "description": "A key."}

    folder = generated(document)

    assert (
        "sort_key: Annotated[str | None, Field(max_length=9), NotNull] = None"
        in (folder / "models/update_memory_body.py").read_text()
    )
    assert "sort_key: str | None = None" in (folder / "models/memory_entry.py").read_text()
    assert (folder / "resources/memory.py").read_text().count("sort_key: str | Unset = UNSET,") == 2


def test_an_operation_that_is_added_is_generated(document, generated):
    """A module, a method on both kinds of client, and a property if its resource is new."""
    listed = document["paths"]["/web-analytics/config/{projectId}"]["get"]
    x_sdk = {**listed["x-sdk"], "resource": "boats", "method": "find", "unwrap": "config"}
    document["paths"]["/boats/{projectId}"] = {"get": {**listed, "operationId": "boats_find", "x-sdk": x_sdk}}

    folder = generated(document)

    assert 'path="/boats/{project_id}"' in (folder / "operations/boats_find.py").read_text()
    resource = (folder / "resources/boats.py").read_text()
    assert "class BoatsResource(Resource):" in resource
    assert "    async def find(" in resource
    assert "def boats(self) ->" in (folder / "scopes.py").read_text()


def test_a_name_that_does_not_survive_is_refused(document, generated):
    """A field that would be sent under another name is found when the code is made, not when the service ignores it."""
    document["components"]["schemas"]["UpdateMemoryBody"]["properties"]["HTMLTitle"] = {
        "type": "string",
        "description": "T.",
    }

    with pytest.raises(ValueError, match=r"UpdateMemoryBody\.\w+ would be sent as htmlTitle"):
        generated(document)


def test_expected_fields_are_typed_without_none(contract):
    """Each field that `x-expected` names, and no other field that may be null."""
    for name, schema in contract["components"]["schemas"].items():
        hints = typing.get_type_hints(getattr(models, name)) if "properties" in schema else {}
        for field in schema.get("properties", {}):
            if "x-expected" in schema and "null" in str(schema["properties"][field]):
                nullable = type(None) in typing.get_args(hints[to_snake(field)])
                assert nullable is (field not in schema["x-expected"]), f"{name}.{field}"


@pytest.mark.parametrize(
    ("expected", "problem"),
    [
        (["id", "nmae", "boat"], "Agent: x-expected names boat, nmae, which properties does not have"),
        (["id", "name"], "Agent: name is in x-expected and in required; leave it in one"),
    ],
)
def test_an_expected_field_is_one_that_may_be_missing(document, generated, expected, problem):
    """A misspelt name is found when the code is made, and one that is required needs no mark."""
    document["components"]["schemas"]["Agent"] |= {"x-expected": expected, "required": ["name"]}

    with pytest.raises(ValueError, match=problem):
        generated(document)


def test_a_reference_to_nothing_is_refused(document, generated):
    """The parser's complaint is an error and not a missing method."""
    operation = document["paths"]["/projects/{projectId}/sidebar"]["put"]
    operation["requestBody"]["content"]["application/json"]["schema"] = {"$ref": "#/components/schemas/Nothing"}

    with pytest.raises(GenerationError, match=r"PUT .*sidebar.* will not be generated"):
        generated(document)


def test_an_operation_without_a_place_in_the_sdk_is_refused(document, generated):
    """Nothing is guessed: without `x-sdk` it is not known how the operation may be repeated."""
    del document["paths"]["/projects/{projectId}/sidebar"]["put"]["x-sdk"]

    with pytest.raises((GenerationError, KeyError), match="x-sdk"):
        generated(document)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda node: node["x-stub"].pop("permission"), "memory_update: x-stub has no permission; name the one"),
        (lambda node: node["x-stub"].update(permission="memory:write"), "x-stub.permission is 'memory:write'"),
        (
            lambda node: node["x-stub"].update(creatd=True),
            r"x-stub\.creatd is not known; there are: permission, created",
        ),
        (lambda node: node["x-sdk"].pop("section"), "x-sdk has no section"),
        (lambda node: node["x-sdk"].update(section="endpoint ten"), "section is 'endpoint ten'; name a section"),
        (lambda node: node["x-sdk"].update(retries="safe"), r"x-sdk\.retries is not known"),
        (lambda node: node["x-sdk"].update(retry="always"), "retry is 'always'; it must be one of safe, fenced, never"),
        (lambda node: node["x-sdk"].update(retry="never"), "has no find_out; say how a caller finds out"),
        (lambda node: node["x-sdk"].update(retry="fenced", find_out="Look."), "fence belongs to `retry: fenced`"),
        (lambda node: node["x-sdk"].update(conflict="SlotTakenError"), "conflict needs a 409 among the responses"),
        (lambda node: node["x-sdk"].update(method="change"), "operationId must be <resource>_<method> of x-sdk"),
        (lambda node: node.update(operationId="sidebar_replace"), "two operations have this operationId"),
        (lambda node: node["parameters"].pop(), "`parameters` differ in slug; a path parameter stands in both"),
        (lambda node: node["responses"].update({"x-uncounted": [400]}), "responses has x-uncounted, which stock tools"),
        (lambda node: node["responses"].update({"2XX": {"description": "Done."}}), "no success response has content"),
        (lambda node: node.pop("summary"), "there is no summary"),
    ],
)
def test_a_mark_that_is_missing_or_wrong_is_refused(document, generated, change, problem):
    """The error names the operation, the mark and the way out; nothing is generated."""
    change(document["paths"]["/projects/{projectId}/memory-entries/{slug}"]["patch"])

    with pytest.raises(GenerationError, match=problem):
        generated(document)


def test_a_document_that_cannot_be_generated_leaves_the_old_code(document, generated, tmp_path):
    """What was there is removed only when there is something to put in its place."""
    folder = generated(document)
    before = sorted(path.name for path in folder.rglob("*.py"))
    del document["paths"]["/projects/{projectId}/sidebar"]["put"]["x-sdk"]

    with pytest.raises((GenerationError, KeyError)):
        generated(document)

    assert sorted(path.name for path in folder.rglob("*.py")) == before
