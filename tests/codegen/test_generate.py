"""The generator writes code for the contract, and refuses documents with mistakes."""

from __future__ import annotations

import typing

import pytest
from pydantic import ValidationError
from pydantic.alias_generators import to_snake

from codegen.complaints import GenerationError
from project_platform import models


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


def test_a_field_that_is_added_is_generated(document, generated):
    """A new field is generated as an argument with its limit, and as a field of the response model."""
    schemas = document["components"]["schemas"]
    schemas["UpdateMemoryBody"]["properties"]["sortKey"] = {"type": "string", "maxLength": 9, "description": "A key."}
    schemas["MemoryEntry"]["properties"]["sortKey"] = {"type": ["string", "null"], "description": "A key."}

    folder = generated(document)

    assert (
        "sort_key: Annotated[str | None, Field(max_length=9), NotNull] = None"
        in (folder / "models/memory.py").read_text()
    )
    assert "sort_key: str | None = None" in (folder / "models/memory.py").read_text()
    assert (folder / "resources/memory.py").read_text().count("sort_key: str | Unset = UNSET,") == 2


def test_expected_fields_are_typed_without_none(contract):
    """Fields in `x-expected` are typed without None, other nullable fields are not."""
    for name, schema in contract["components"]["schemas"].items():
        hints = typing.get_type_hints(getattr(models, name)) if "properties" in schema else {}
        for field in schema.get("properties", {}):
            if "x-expected" in schema and "null" in str(schema["properties"][field]):
                nullable = type(None) in typing.get_args(hints[to_snake(field)])
                assert nullable is (field not in schema["x-expected"]), f"{name}.{field}"


def test_all_mistakes_are_reported_at_once(document, generated):
    """Each with its place: references, marks, names of fields, and names of options of the command line."""
    paths, schemas = document["paths"], document["components"]["schemas"]
    sidebar = paths["/projects/{projectId}/sidebar"]["put"]
    sidebar["requestBody"]["content"]["application/json"]["schema"] = {"$ref": "#/components/schemas/Nothing"}
    del paths["/projects/{projectId}/workflows"]["post"]["x-sdk"]
    schemas["Agent"] |= {"x-expected": ["id", "nmae", "name"], "required": ["name"]}
    schemas["UpdateMemoryBody"]["properties"]["HTMLTitle"] = {"type": "string", "description": "T."}
    schemas["CreateRecordBody"]["properties"]["output"] = {"type": "string", "description": "It."}

    with pytest.raises(GenerationError) as refused:
        generated(document)

    body = "paths./projects/{projectId}/sidebar.put.requestBody.content.application/json.schema"
    for problem in (
        f"{body}: $ref is '#/components/schemas/Nothing', which the document does not have",
        "workflows_create: x-sdk: Field required; the header of openapi.yaml explains the marks",
        "Agent: x-expected names nmae, which properties does not have",
        "Agent: name is in x-expected and in required; leave it in one",
        "UpdateMemoryBody.html_title would be sent as htmlTitle",
    ):
        assert problem in refused.value.problems
    assert [
        problem for problem in refused.value.problems if problem.startswith("records_create: output would be --output")
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda node: node["x-stub"].pop("permission"),
            r"memory_update: x-stub\.permission: Field required; the header of openapi.yaml explains the marks",
        ),
        (lambda node: node["x-stub"].update(permission="memory:write"), "x-stub.permission is 'memory:write'"),
        (lambda node: node["x-stub"].update(creatd=True), r"x-stub\.creatd: Extra inputs are not permitted"),
        (lambda node: node["x-sdk"].pop("section"), r"x-sdk\.section: Field required"),
        (lambda node: node["x-sdk"].update(section="endpoint ten"), "section: String should match pattern"),
        (lambda node: node["x-sdk"].update(retries="safe"), r"x-sdk\.retries: Extra inputs are not permitted"),
        (lambda node: node["x-sdk"].update(retry="always"), "retry: Input should be 'safe', 'fenced' or 'never'"),
        (
            lambda node: node["x-sdk"].pop("look"),
            r"x-sdk\.look is missing; say what a person does after a lost response",
        ),
        (lambda node: node["x-sdk"].update(settle="ask"), "settle: Input should be 'record', 'memory', 'event'"),
        (lambda node: node["x-sdk"].update(retry="fenced"), r"x-sdk\.fence is required with `retry: fenced`"),
        (lambda node: node["x-sdk"].update(conflict="SlotTakenError"), "conflict needs a 409 among the responses"),
        (lambda node: node["x-sdk"].update(method="change"), "operationId must be <resource>_<method> of x-sdk"),
        (lambda node: node.update(operationId="sidebar_replace"), "two operations have this operationId"),
        (lambda node: node["parameters"].pop(), "`parameters` differ in slug; a path parameter must be in both"),
        (lambda node: node["responses"].update({"x-uncounted": [400]}), "responses has x-uncounted, which stock tools"),
        (lambda node: node["x-uncounted"].append(418), "x-uncounted is '418'; it must be one of 400"),
        (lambda node: node["responses"].update({"2XX": {"description": "Done."}}), "no success response has content"),
        (lambda node: node.pop("summary"), "summary: Field required"),
        (lambda node: node["x-sdk"].update(retry="never", effect="read"), "effect is one of write"),
        (
            lambda node: node["x-sdk"].update(retry="never", settle="repeat"),
            "settle is repeat, .* it needs `retry: safe`",
        ),
        (
            lambda node: node["x-sdk"].update(unwrap="entree"),
            "x-sdk.unwrap is 'entree'; the response has no such member",
        ),
        (lambda node: node["x-sdk"].update(page={"items": "entries"}), "x-sdk.page.pagination: Field required"),
        (
            lambda node: node["x-sdk"].update(positional=["titel"]),
            "x-sdk.positional is 'titel'; it must be one of .*title",
        ),
        (
            lambda node: node.update({"x-column": ["id"]}),
            "patch: x-column is unknown; the marks are x-assumed, x-columns",
        ),
        (
            lambda node: node["parameters"].append({"name": "at", "in": "query", "x-sdk": {"timestamps": True}}),
            r"x-sdk.timestamps: Extra inputs are not permitted",
        ),
    ],
)
def test_a_mark_that_is_missing_or_wrong_is_refused(document, generated, change, problem):
    """The error names the operation, the mark and how to fix it; nothing is generated."""
    change(document["paths"]["/projects/{projectId}/memory-entries/{slug}"]["patch"])

    with pytest.raises(GenerationError, match=problem):
        generated(document)


def test_a_document_that_cannot_be_generated_leaves_the_old_code(document, generated):
    """Existing code is removed only if the new code can be generated."""
    folder = generated(document)
    before = sorted(path.name for path in folder.rglob("*.py"))
    del document["paths"]["/projects/{projectId}/sidebar"]["put"]["x-sdk"]

    with pytest.raises(GenerationError):
        generated(document)

    assert sorted(path.name for path in folder.rglob("*.py")) == before
