"""The generator writes code for the contract, and refuses documents with mistakes."""

from __future__ import annotations

import ast
import importlib
import inspect
import typing

import pytest
from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from codegen.generate import OUTPUT, PACKAGE, GenerationError
from project_platform import Client, models

pytestmark = pytest.mark.one_python

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.fixture
def operations(contract):
    """The operations of the contract, by operationId."""
    return {operation["operationId"]: operation for item in contract["paths"].values() for operation in item.values()}


@pytest.fixture
def method():
    """Return a function that returns a method of the client by resource and name."""
    client = Client("https://platform.example", token="t", project_id=PROJECT)

    def method(resource, name):
        scope = client if resource == "auth" else client.project()
        return getattr(getattr(scope, resource), name)

    yield method
    client.close()


def test_every_operation_is_a_method_and_a_call(operations, method):
    """The module is named after the operationId, the method after `x-sdk`."""
    for identifier, operation in operations.items():
        module = importlib.import_module(f"project_platform._generated.operations.{identifier}")
        sdk = operation["x-sdk"]

        assert module.OPERATION.id == identifier == f"{sdk['resource']}_{sdk['method']}"
        assert (module.OPERATION.retry, module.OPERATION.effect) == (sdk["retry"], sdk["effect"])
        assert callable(method(sdk["resource"], sdk["method"]))


def test_every_schema_is_a_public_model(contract):
    """Every schema except free-form objects, which are dicts, is a model with Python names for its fields."""
    schemas = contract["components"]["schemas"]
    maps = {name for name, schema in schemas.items() if "properties" not in schema and "enum" not in schema}

    assert set(models.__all__) == set(schemas) - maps
    for name in set(schemas) - maps:
        if "properties" in schemas[name]:
            fields = {field.alias: python for python, field in getattr(models, name).model_fields.items()}
            assert fields == {wire: to_snake(wire) for wire in schemas[name]["properties"]}, name


def test_every_value_of_an_enumeration_is_there(contract):
    """The type of an enumeration has all values, such as the 81 permissions; an open one is a string."""
    values = contract["components"]["schemas"]["Permission"]["enum"]

    assert list(typing.get_args(models.Permission)) == values
    assert len(values) == 81
    assert models.Agent.model_fields["access"].annotation is str


def test_a_limit_that_is_only_assumed_is_not_enforced():
    """The stub server refuses a length of no minutes; a deployment may accept it, so the SDK sends it."""
    body = models.CreateBookingBody(start="2031-07-01T09:00:00Z", summary="Tasting", duration_minutes=0)

    assert body.duration_minutes == 0
    with pytest.raises(ValidationError, match="at least 1 character"):  # which the specification states
        models.CreateBookingBody(start="2031-07-01T09:00:00Z", summary="")


def test_a_docstring_is_complete(operations, method):
    """A docstring has the summary, every argument, every documented error, and the section of the specification."""
    known = {
        "400": "BadRequestError",
        "401": "AuthenticationError",
        "403": "PermissionDeniedError",
        "404": "NotFoundError",
    }
    for operation in operations.values():
        sdk = operation["x-sdk"]
        called = method(sdk["resource"], sdk["method"])
        docstring = inspect.getdoc(called)

        assert docstring.startswith(operation["summary"])
        assert f"Source: the specification, {sdk['section']}." in docstring
        assert all(f"\n    {name}: " in docstring for name in inspect.signature(called).parameters)
        documented = [status for status in operation["responses"] if status in known]
        assert all(f"\n    {known[status]}: {status}: " in docstring for status in documented)
        assert "applied" in docstring


@pytest.mark.parametrize(
    ("resource", "name", "parts"),
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
def test_limits_and_conflicts_are_in_the_docstring(method, resource, name, parts):
    """A docstring has the limits of arguments, the permission and the errors for conflicts."""
    docstring = inspect.getdoc(method(resource, name))

    assert [part for part in parts if part not in docstring] == []


@pytest.mark.parametrize(
    ("retry", "part"),
    [("safe", "the same effect as applying it once"), ("never", "Never sent again"), ("fenced", "only if")],
)
def test_a_docstring_says_when_a_call_is_sent_again(operations, method, retry, part):
    """A docstring has the sentence for the retry class of its operation."""
    chosen = [operation["x-sdk"] for operation in operations.values() if operation["x-sdk"]["retry"] == retry]

    assert chosen
    assert all(part in inspect.getdoc(method(sdk["resource"], sdk["method"])) for sdk in chosen)


def test_generated_files_say_that_they_are():
    """The docstring of a generated file says that it is generated."""
    files = [*OUTPUT.rglob("*.py"), *(PACKAGE / f"{name}.py" for name in ("__init__", "models", "operations"))]

    assert len(files) > 80
    for path in files:
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        assert docstring.endswith("Generated from openapi.yaml by `python -m codegen`. Do not edit."), path


def test_a_field_that_is_added_is_generated(document, generated):
    """A new field is generated as an argument with its limit, and as a field of the response model."""
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
    """A new operation is generated as a module and a method of both clients, and a new resource as a property."""
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
    """The generator refuses a field that would be sent under another name, which the service would ignore."""
    document["components"]["schemas"]["UpdateMemoryBody"]["properties"]["HTMLTitle"] = {
        "type": "string",
        "description": "T.",
    }

    with pytest.raises(ValueError, match=r"UpdateMemoryBody\.\w+ would be sent as htmlTitle"):
        generated(document)


def test_expected_fields_are_typed_without_none(contract):
    """Fields in `x-expected` are typed without None, other nullable fields are not."""
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
    """The generator refuses an `x-expected` field that does not exist or that is required."""
    document["components"]["schemas"]["Agent"] |= {"x-expected": expected, "required": ["name"]}

    with pytest.raises(ValueError, match=problem):
        generated(document)


def test_a_reference_to_nothing_is_refused(document, generated):
    """A warning of the parser is an error, so that no method is missing."""
    operation = document["paths"]["/projects/{projectId}/sidebar"]["put"]
    operation["requestBody"]["content"]["application/json"]["schema"] = {"$ref": "#/components/schemas/Nothing"}

    with pytest.raises(GenerationError, match=r"PUT .*sidebar.* will not be generated"):
        generated(document)


def test_an_operation_without_a_place_in_the_sdk_is_refused(document, generated):
    """`x-sdk` is required, because the generator does not guess whether an operation may be sent again."""
    del document["paths"]["/projects/{projectId}/sidebar"]["put"]["x-sdk"]

    with pytest.raises((GenerationError, KeyError), match="x-sdk"):
        generated(document)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda node: node["x-stub"].pop("permission"),
            r"memory_update: x-stub\.permission is missing; it is the permission",
        ),
        (lambda node: node["x-stub"].update(permission="memory:write"), "x-stub.permission is 'memory:write'"),
        (
            lambda node: node["x-stub"].update(creatd=True),
            r"x-stub\.creatd is unknown; the marks are permission, created",
        ),
        (lambda node: node["x-sdk"].pop("section"), r"x-sdk\.section is missing"),
        (lambda node: node["x-sdk"].update(section="endpoint ten"), "section is 'endpoint ten'; it must be a section"),
        (lambda node: node["x-sdk"].update(retries="safe"), r"x-sdk\.retries is unknown"),
        (lambda node: node["x-sdk"].update(retry="always"), "retry is 'always'; it must be one of safe, fenced, never"),
        (
            lambda node: node["x-sdk"].pop("look"),
            r"x-sdk\.look is missing; say what a person does after a lost response",
        ),
        (lambda node: node["x-sdk"].update(settle="ask"), "settle is 'ask'; it must be one of record, memory, event"),
        (lambda node: node["x-sdk"].update(retry="fenced"), r"x-sdk\.fence is required with `retry: fenced`"),
        (lambda node: node["x-sdk"].update(conflict="SlotTakenError"), "conflict needs a 409 among the responses"),
        (lambda node: node["x-sdk"].update(method="change"), "operationId must be <resource>_<method> of x-sdk"),
        (lambda node: node.update(operationId="sidebar_replace"), "two operations have this operationId"),
        (lambda node: node["parameters"].pop(), "`parameters` differ in slug; a path parameter must be in both"),
        (lambda node: node["responses"].update({"x-uncounted": [400]}), "responses has x-uncounted, which stock tools"),
        (lambda node: node["x-uncounted"].append(418), "x-uncounted has 418, which `responses` does not have"),
        (lambda node: node["responses"].update({"2XX": {"description": "Done."}}), "no success response has content"),
        (lambda node: node.pop("summary"), "summary is missing"),
    ],
)
def test_a_mark_that_is_missing_or_wrong_is_refused(document, generated, change, problem):
    """The error names the operation, the mark and how to fix it; nothing is generated."""
    change(document["paths"]["/projects/{projectId}/memory-entries/{slug}"]["patch"])

    with pytest.raises(GenerationError, match=problem):
        generated(document)


def test_a_document_that_cannot_be_generated_leaves_the_old_code(document, generated, tmp_path):
    """Existing code is removed only if the new code can be generated."""
    folder = generated(document)
    before = sorted(path.name for path in folder.rglob("*.py"))
    del document["paths"]["/projects/{projectId}/sidebar"]["put"]["x-sdk"]

    with pytest.raises((GenerationError, KeyError)):
        generated(document)

    assert sorted(path.name for path in folder.rglob("*.py")) == before
