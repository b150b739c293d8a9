"""Results as JSON, tables and CSV."""

from __future__ import annotations

import io
import json
import sys

import pytest

from project_platform.commands.output import plain, to_csv, to_json, to_table, write
from project_platform.json_values import exact_json
from project_platform.models import Agent, McpServer

HOSTILE = {"name": "a\x1b[31mb\x9b\u202f[bold]c", "size": 1}


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


def test_json_is_readable_in_any_encoding(monkeypatch):
    """Characters that the output cannot encode are escaped."""
    output = io.TextIOWrapper(io.BytesIO(), "latin-1")
    monkeypatch.setattr(sys, "stdout", output)
    for format in ("json", "table", "csv"):
        write({"a": "é €", "b": "\ud800"}, format)
    first, _, _ = output.buffer.getvalue().decode("latin-1").partition("}")
    assert json.loads(first + "}") == {"a": "é €", "b": "\ud800"}


def test_a_table_has_no_empty_columns():
    rows = [{"id": "1", "note": None, "tags": []}, {"id": "22", "note": None, "tags": ["x"]}]
    assert to_table(rows) == 'id  tags\n1   []\n22  ["x"]'
    assert to_table([]) == ""


def test_long_cells_of_a_list_are_cut():
    assert to_table([{"a": "x" * 100}]).splitlines()[1] == "x" * 39 + "…"


def test_an_object_is_a_table_of_fields():
    assert to_table({"a": 1, "b": None, "long": "x y\nz"}) == "field  value\na      1\nlong   x y z"


def test_csv_has_all_columns():
    """In the order of their first row; blanks in texts are left as they are."""
    rows = [{"a": "x  y", "b": None}, {"b": {"k": "p  q"}, "c": True}]
    assert to_csv(rows) == 'a,b,c\nx  y,,\n,"{""k"": ""p  q""}",true\n'


def test_csv_has_no_characters_that_a_terminal_interprets():
    """A name of the service cannot clear the screen of who reads it; line breaks and tabs are part of CSV."""
    assert to_csv([{"a": "\x1b[2J\x9b1m\r\n\tb"}]) == 'a\n"\ufffd[2J\ufffd1m\r\n\tb"\n'


def test_rich_draws_tables_on_a_terminal(monkeypatch):
    """Without interpreting markup or control characters of the service."""
    pytest.importorskip("rich", reason="the extra rich is not installed")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    output = Terminal()
    monkeypatch.setattr(sys, "stdout", output)
    write([HOSTILE], "table")

    assert "[bold]c" in output.getvalue()
    assert "┃" in output.getvalue()
    assert "\x9b" not in output.getvalue()


def test_a_terminal_without_rich_shows_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    output = io.StringIO()
    output.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", output)
    write([{"a": 1}], "table")
    assert output.getvalue() == "a\n1\n"
