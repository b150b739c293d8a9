"""A request that is refused as invalid proves nothing, unless the specification states that it is valid."""

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.suite.support.free_form import is_plain
from project_platform_contract.suite.support.preconditions import accepted, without_invalid

URL = "https://platform.example/api-v2/projects/0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11/object-records"


def response(status, **body):
    return httpx.Response(status, json=body, request=httpx.Request("POST", URL))


@pytest.mark.parametrize("status", [400, 402, 413, 414, 422, 428])
def test_a_refusal_as_invalid_is_not_run_with_its_operation_status_and_message(status):
    with pytest.raises(MissingError) as reason:
        accepted(response(status, message="'stage' is no field of a deal."))

    assert str(reason.value) == f"records.create was refused with {status}: 'stage' is no field of a deal."


@pytest.mark.parametrize("status", [401, 403, 404, 409, 500])
def test_another_error_is_a_failure(status):
    with pytest.raises(AssertionError, match=f"records.create was refused with {status}: "):
        accepted(response(status, message="No."))


def test_a_success_is_returned():
    created = response(201, record={})

    assert accepted(created) is created


def test_what_is_refused_as_invalid_is_left_out_of_a_table_unless_it_is_stated_to_be_valid():
    sent = {"plain": response(422), "odd": response(422), "right": response(200), "wrong": response(409)}

    assert list(without_invalid(sent, ["plain"])) == ["plain", "right", "wrong"]


def test_a_table_of_which_everything_is_refused_as_invalid_is_not_run():
    with pytest.raises(MissingError, match="was refused with 422"):
        without_invalid({"one": response(422), "two": response(400)})


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("another", True),
        ("contract-20261126 5", True),
        ({"stage": "another"}, True),
        (["a", "b c"], True),
        ({}, True),
        ("", False),
        (" a", False),
        ("a.b", False),
        ("\u00fc", False),
        ("a" * 1001, False),
        ({"stage": 7}, False),
        ({"a.b": "c"}, False),
        ({"stage": {"a": "b"}}, False),
    ],
)
def test_plain_values_are_short_texts_of_ascii_words_and_flat_objects_and_lists_of_them(value, plain):
    assert is_plain(value) is plain
