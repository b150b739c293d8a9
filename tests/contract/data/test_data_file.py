"""The data file: what it may say, and what is told of one that cannot be used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from project_platform_contract.data.data_file import Data, DataError, MissingError, resolve_data, load_data
from project_platform_contract.data.stub_data import data_members, stub_data
from project_platform_contract.run.settings import recipients
from project_platform_stub import Stub

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a data file."""

    def written(text):
        path = tmp_path / "data.yaml"
        path.write_text(text, "utf-8")
        return path

    return written


def test_a_data_file_is_yaml_or_json(written):
    """A timestamp stays the text that it is, whether there are quotes or not."""
    yaml = load_data(written(f"project: {PROJECT}\nfree_slot: 2031-03-03T00:00:00Z\nmenu_month: 2026-11\n"))
    json_ = load_data(
        written(json.dumps({"project": PROJECT, "free_slot": "2031-03-03T00:00:00Z", "menu_month": "2026-11"}))
    )

    assert yaml == json_ == {"project": PROJECT, "free_slot": "2031-03-03T00:00:00Z", "menu_month": "2026-11"}
    assert load_data(written("# nothing\n")) == {}


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("project: 5\n", 1, "project: 5 is not"),
        (f"project: {PROJECT}\n\nmenu_items:\n  - {PROJECT}\n  - x\n", 5, "menu_items[1]: 'x' is not a 'uuid'"),
        (f"project: {PROJECT}\nrecipent: a@example.com\n", 2, "'recipent' was unexpected"),
        ("token_variables:\n  viewer: A\n  admin: B\n", 3, "'admin' is not one of"),
        ("free_slot: tomorrow\n", 1, "free_slot: 'tomorrow' is not a 'date-time'"),
        ("- project\n", 1, "is not of type 'object'"),
        ("calendar: a\ncalendar: b\n", 2, "'calendar' is there twice"),
        ("calendar: [\n", 2, "expected the node content"),
        ("calendar: !!python/object:os.system x\n", 1, "could not determine a constructor"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_member(written, text, line, told):
    """So that whoever wrote the file finds it."""
    path = written(text)

    with pytest.raises(DataError) as caught:
        load_data(path)

    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert told in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00"])
def test_a_file_that_is_no_text_is_told(tmp_path, content):
    """With its name."""
    path = tmp_path / "data.yaml"
    path.write_bytes(content)

    with pytest.raises(DataError, match=r"data\.yaml"):
        load_data(path)


def test_tokens_come_from_the_environment(monkeypatch):
    """The file names variables, so that no token is in a file."""
    monkeypatch.setenv("OWNER", " one ")
    monkeypatch.setenv("VIEWER", "two")

    data = resolve_data({"project": PROJECT, "token_variables": {"viewer": "VIEWER"}}, project=None, token_variable="OWNER")

    assert data.tokens == {"owner": "one", "viewer": "two"}
    assert "one" not in repr(data)


def test_a_variable_without_a_token_is_told(monkeypatch):
    """By its name, and by the identity that it is of."""
    monkeypatch.setenv("OWNER", "one")
    monkeypatch.setenv("VIEWER", "  ")
    values = {"project": PROJECT, "token_variables": {"viewer": "VIEWER"}}

    with pytest.raises(DataError, match="VIEWER has no token of the identity 'viewer'"):
        resolve_data(values, project=None, token_variable="OWNER")


def test_the_project_of_the_command_line_counts_more(monkeypatch):
    """Than that of the file."""
    monkeypatch.setenv("OWNER", "one")
    other = PROJECT.replace("0b", "1c")

    assert resolve_data({"project": PROJECT}, project=other, token_variable="OWNER")["project"] == other


def test_what_is_missing_is_named():
    """A member, or the token of an identity; the message becomes the reason why a rule was not run."""
    data = Data({"project": PROJECT}, {"owner": "one"})

    with pytest.raises(MissingError, match="the data file has no 'recipient'"):
        data["recipient"]
    with pytest.raises(MissingError, match="names no token of the identity 'viewer'"):
        data.token("viewer")


def test_addresses_that_are_given_may_be_written_to():
    """The recipient, and what the template's variables have; nothing else in the file."""
    values = {
        "recipient": "guest@example.com",
        "template_variables": {"client": "Acme", "mails": ["acme@example.com"]},
        "calendar": "team@calendar.example",
        "memory_slug": "not@example.com",
    }

    assert recipients(Data(values, {})) == {"guest@example.com", "acme@example.com"}
    assert recipients(Data({}, {})) == frozenset()


def test_a_stub_that_describes_itself_gives_a_data_file(tmp_path):
    """What is made of the description is the data of the stub, fits the schema, and its tokens go to the environment."""
    stub = Stub()
    (tmp_path / "stub.json").write_text(json.dumps(stub.describe("http://stub.localhost")), "utf-8")

    made = subprocess.run(
        [sys.executable, "-m", "project_platform_contract.data.stub_data", "stub.json", "contract.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    values = load_data(tmp_path / "contract.yaml")
    variables = dict(line.removeprefix("export ").split("=", 1) for line in made.stdout.splitlines())
    own = stub_data(stub).values
    assert {name: value for name, value in values.items() if name != "token_variables"} == {
        name: value for name, value in own.items() if name != "sidebar"
    }
    assert data_members(stub.describe("")) | {"sidebar": own["sidebar"]} == own
    assert {*values["token_variables"].values(), "CONTRACT_OWNER"} == set(variables)
    assert all(token.count(".") == 2 for name, token in variables.items() if name != "CONTRACT_SESSION")
