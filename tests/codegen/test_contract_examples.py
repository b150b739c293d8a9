"""The examples of the contract are what the calls of the reference pages send and receive."""

from __future__ import annotations

import json

import pytest
import yaml

from codegen.generate import DOCUMENT
from codegen.marks import resolved
from codegen.operation_pages.recorded_call import run_example
from codegen.operations import raw_operations

CONTRACT = yaml.safe_load(DOCUMENT.read_text("utf-8"))
OPERATIONS = raw_operations(CONTRACT)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_examples_of_an_operation_are_a_call_of_the_demo_world(name):
    """A mock server that returns them is as good as a recording; the label sheet, which is a PDF, has none."""
    operation = OPERATIONS[name]
    success = next(resolved(CONTRACT, node) for status, node in operation["responses"].items() if status[0] == "2")
    content = success["content"].get("application/json", {})

    _, _, request, response = run_example(operation)

    if request.content:
        assert operation["requestBody"]["content"]["application/json"]["example"] == json.loads(request.content)
    if name != "labels_export":
        assert content["example"] == response.json()
