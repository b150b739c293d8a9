"""Results as JSON, tables and CSV."""

from __future__ import annotations

import io
import json
import sys
from unicodedata import combining, east_asian_width

import pytest

from project_platform.commands.output import plain, to_csv, to_json, to_table, write
from project_platform.json_values import exact_json
from project_platform.models import Agent, McpServer

HOSTILE = {"name": "a\x1b[31mb\x9b\u202f\u202e[bold]c", "size": 1}


def test_numbers_keep_their_digits():
    text = '{"a": 1.50, "b": 1E2, "c": 0.1234567890123456789, "d": [true, null, 12345678901234567890]}'
    assert to_json(exact_json.loads(text), "") == text


def test_json_is_indented():
    value = {"a": [1, {"b": []}], "c": {}}
    assert to_json(value) == json.dumps(value, indent=2)


def test_a_field_that_is_missing_is_not_printed():
    """A field that is null is printed as null; unknown fields are printed as they are."""
    agent = Agent.model_validate({"id": "a", "model": None, "newField": {"Headers": 1}})
    assert plain(agent) == {"id": "a", "model": None, "newField": {"Headers": 1}}


def test_headers_are_shown_by_their_keys():
    """Those of the contract, and those of unknown fields at any depth."""
    server = McpServer.model_validate({"name": "x", "headers": {"A": "s3cret"}, "more": [{"headers": "s3cret"}]})
    assert plain(server) == {"name": "x", "headers": {"A": "[redacted]"}, "more": [{"headers": "[redacted]"}]}


def test_text_does_not_control_a_terminal():
    """JSON escapes it, and a table leaves it out."""
    assert json.loads(to_json(HOSTILE)) == HOSTILE
    for shown in (to_json(HOSTILE), to_table(HOSTILE), to_table([HOSTILE])):
        assert "\x1b" not in shown
        assert "\x9b" not in shown
        assert "\u202e" not in shown


def test_json_is_readable_in_any_encoding(monkeypatch):
    output = io.TextIOWrapper(io.BytesIO(), "latin-1")
    monkeypatch.setattr(sys, "stdout", output)
    for format in ("json", "jsonl", "csv", "table"):
        write({"a": "é €", "b": "\ud800"}, format)
    first, _, _ = output.buffer.getvalue().decode("latin-1").partition("}")
    assert json.loads(first + "}") == {"a": "é €", "b": "\ud800"}


def test_a_table_of_a_list_has_no_nested_and_no_empty_columns():
    rows = [{"id": "1", "note": None, "tags": []}, {"id": "22", "note": None, "tags": ["x"]}]
    assert to_table(rows) == "id\n1\n22"
    assert to_table(rows, ["id", "note", "tags"]) == 'id  tags\n1   []\n22  ["x"]'
    assert to_table([]) == ""


@pytest.mark.parametrize("text", ["x" * 200, "料理" * 60, "e\u0301" * 100])
def test_a_row_of_a_table_is_a_line_of_the_terminal(monkeypatch, text):
    """The widest columns are cut, but never the first, which identifies the item; wide characters take two cells."""
    monkeypatch.setenv("COLUMNS", "80")
    identifier = "d110e6e6-957f-4582-942f-37e3bcd93397"
    head, row = to_table([{"id": identifier, "status": "open", "caption": text, "n": 1}]).splitlines()

    assert row.startswith(f"{identifier}  open")
    assert row.endswith("…  1")
    cells = sum(0 if combining(one) else 2 if east_asian_width(one) == "W" else 1 for one in row)
    assert cells == 80
    assert head.endswith("  n")


def test_an_object_is_a_table_of_fields():
    assert to_table({"a": 1, "b": None, "long": "x y\nz"}) == "field  value\na      1\nlong   x y z"


def test_csv_has_all_columns():
    """In the order of their first row; blanks in texts are left as they are."""
    rows = [{"a": "x  y", "b": None}, {"b": {"k": "p  q"}, "c": True}]
    assert to_csv(rows) == 'a,b,c\nx  y,,\n,"{""k"": ""p  q""}",true\n'


def test_lines_of_json_have_an_item_each(capsys):
    write([{"a": [1, 2]}, {"a": "x\ny"}], "jsonl")
    assert capsys.readouterr().out == '{"a": [1, 2]}\n{"a": "x\\ny"}\n'


def test_csv_has_no_characters_that_a_terminal_interprets():
    """A name of the service cannot clear the screen of who reads it; line breaks and tabs are part of CSV."""
    assert to_csv([{"a": "\x1b[2J\x9b1m\r\n\tb"}]) == 'a\n"\ufffd[2J\ufffd1m\r\n\tb"\n'
