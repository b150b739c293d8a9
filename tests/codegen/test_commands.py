"""The table of operations for the command line."""

from __future__ import annotations

import pytest

from codegen.commands import commands


def argument(document, command, name):
    (found,) = (one for one in commands(document) if one.name == command)
    return next(one for one in found.arguments if one.json_name == name)


@pytest.fixture
def body(document):
    return document["components"]["schemas"]["CreateRecordBody"]["properties"]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": ["string", "null"]}, "text"),
        ({"type": "integer"}, "integer"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "number"}, "json"),
        ({"type": "array", "items": {"type": "string"}}, "texts"),
        ({"type": "array", "items": {}}, "json"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "pairs"),
        ({"type": "object", "additionalProperties": True}, "json"),
        ({}, "json"),
        ({"$ref": "#/components/schemas/LabelStock"}, "text"),
    ],
)
def test_the_type_of_an_argument_follows_its_schema(document, body, schema, kind):
    body["newField"] = schema
    assert argument(document, "records.create", "newField").kind == kind


@pytest.mark.parametrize(
    ("schema", "help"),
    [
        ({"type": "string", "maxLength": 7}, "It. At most 7 characters."),
        ({"type": "string", "minLength": 1, "maxLength": 7}, "It. 1 to 7 characters."),
        ({"type": "array", "items": {}, "minItems": 2}, "It. At least 2 items."),
        ({"type": "integer", "minimum": 0, "x-assumed": "Not shown."}, "It."),
    ],
)
def test_limits_are_part_of_the_help(document, body, schema, help):
    """Unless they are only assumed, since those are not checked."""
    body["newField"] = {**schema, "description": "It."}
    assert argument(document, "records.create", "newField").help == help


def test_limits_are_not_repeated(document):
    """The description of a page's size has them."""
    assert argument(document, "agents.list", "limit").help.startswith("Agents on a page, 1 to 100; ")
    assert argument(document, "agents.list", "limit").help.count("100") == 1


def test_values_of_an_enumeration_are_listed(document):
    assert argument(document, "labels.export", "stock").values == ("5x3.5",)
