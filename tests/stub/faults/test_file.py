"""Fault plans in a file: every fault, and every mistake with its line."""

from __future__ import annotations

import pytest

from project_platform_stub import faults
from project_platform_stub.contract import load_contract
from project_platform_stub.documents.document import DocumentError
from project_platform_stub.documents.schema import packaged_schema
from project_platform_stub.faults.file import FAULTS, load_fault_file, read_faults
from project_platform_stub.faults.plans import ANY, TOKEN


@pytest.mark.parametrize(
    ("described", "fault"),
    [
        ({"fault": "status", "status": 503}, faults.status(503)),
        ({"fault": "status", "status": 429, "retryAfter": 2}, faults.status(429, retry_after=2)),
        (
            {"fault": "status", "status": 429, "retryAfter": 0.25, "retryAfterForm": "milliseconds"},
            faults.status(429, retry_after=0.25, retry_after_form="milliseconds"),
        ),
        (
            {"fault": "status", "status": 409, "message": "no", "applied": True},
            faults.status(409, message="no", applied=True),
        ),
        ({"fault": "status", "status": 500, "body": "oops", "contentType": "text/plain"},
         faults.status(500, body="oops", content_type="text/plain")),
        ({"fault": "status", "status": 500, "body": [1]}, faults.status(500, body=b"[1]")),
        ({"fault": "latency", "seconds": 1.5}, faults.latency(1.5)),
        ({"fault": "reset"}, faults.reset()),
        ({"fault": "empty", "applied": True}, faults.empty(applied=True)),
        ({"fault": "drop_after_apply"}, faults.drop_after_apply()),
        ({"fault": "truncated", "after": 7}, faults.truncated(7)),
        ({"fault": "reset_mid_body"}, faults.reset_mid_body()),
        ({"fault": "hang"}, faults.hang()),
        ({"fault": "hang", "seconds": 2, "applied": True}, faults.hang(2, applied=True)),
        ({"fault": "apply_late", "seconds": 3, "hangs": 1}, faults.apply_late(3, hangs=1)),
        ({"fault": "garbage_json"}, faults.garbage_json()),
        ({"fault": "html_502", "applied": False}, faults.html_502()),
    ],
)  # fmt: skip
def test_every_fault_can_be_described(described, fault):
    """A description is the name of the function and its arguments."""
    assert read_faults({"operation": "agents_list", "faults": [described]}) == [("agents_list", [fault])]


def test_a_file_plans_for_several_operations(tmp_path):
    """In order, with `times` repetitions of a fault."""
    path = tmp_path / "faults.yaml"
    path.write_text(
        "plans:\n"
        "  - operation: records_update\n"
        "    faults:\n"
        "      - {fault: status, status: 503, retryAfter: 2, times: 2}\n"
        "      - {fault: drop_after_apply}\n"
        "  - {operation: '*', faults: [{fault: latency, seconds: 0.5}]}\n",
        "utf-8",
    )

    assert load_fault_file(path) == [
        ("records_update", [*[faults.status(503, retry_after=2)] * 2, faults.drop_after_apply()]),
        ("*", [faults.latency(0.5)]),
    ]


def test_every_mistake_is_reported_with_its_line(problems_of):
    text = (
        "plans:\n"
        "  - operation: records.update\n"
        "    faults:\n"
        "      - {fault: statsu, status: 503}\n"
        "      - fault: latency\n"
        "      - fault: hang\n"
        "        second: 3\n"
        "      - {fault: status, status: 99}\n"
        "      - {fault: reset, times: 0}\n"
    )

    assert problems_of(load_fault_file, "faults.yaml", text) == [
        'faults.yaml:2: plans[0].operation: is none of those allowed: "records.update"; did you mean "records_update"?',
        'faults.yaml:4: plans[0].faults[0].fault: is none of those allowed: "statsu"; did you mean "status"?',
        "faults.yaml:5: plans[0].faults[1].seconds: is required",
        'faults.yaml:7: plans[0].faults[2].second: is not known here; did you mean "seconds"?',
        "faults.yaml:8: plans[0].faults[3].status: is 99; the minimum is 200",
        "faults.yaml:9: plans[0].faults[4].times: is 0; the minimum is 1",
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"operation": "agents_list", "faults": [{"fault": "status", "status": 503, "retryAfter": 0.5}]},
         "faults: faults[0]: retry_after is 0.5; use whole seconds, or retry_after_form='milliseconds'"),
        ({"plans": [{"operation": "agents_list", "faults": [{"fault": "status", "status": 503, "retryAfter": 0.5}]}]},
         "faults: plans[0].faults[0]: retry_after is 0.5; use whole seconds, or retry_after_form='milliseconds'"),
        ({"operation": "agents_list", "faults": []}, "faults: faults: must not be empty"),
        ({"operation": "agents_list"}, "faults: faults: is required"),
        ({"plan": []}, 'faults: plan: is not known here; did you mean "plans"?\nfaults: plans: is required'),
        ([], "faults: document: must be object, not array"),
    ],
)  # fmt: skip
def test_a_json_value_is_read_as_strictly_as_a_file(value, message):
    """Its problems have places, but no lines."""
    with pytest.raises(DocumentError) as caught:
        read_faults(value)

    assert str(caught.value) == message


def test_the_schema_lists_all_operations_and_faults():
    definitions = packaged_schema("faults/faults.schema.json")["$defs"]

    assert definitions["operation"]["enum"] == [*load_contract().operations, TOKEN, ANY]
    assert definitions["fault"]["properties"]["fault"]["enum"] == list(FAULTS)
