"""The data file: valid content, and messages about invalid content."""

import json
import subprocess
import sys

import pytest

from project_platform_contract.data.data_file import Data, MissingError, load_data, resolve_data
from project_platform_contract.data.stub_data import data_members, stub_data
from project_platform_contract.run.settings import recipients
from project_platform_stub import Stub

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "data.yaml"
        path.write_text(text, "utf-8")
        return path

    return write


def test_a_data_file_is_yaml_or_json(write):
    """A timestamp is a string, with quotes or without."""
    yaml = load_data(write(f"project: {PROJECT}\nfree_slot: 2031-03-03T00:00:00Z\nmenu_month: 2026-11\n"))
    json_ = load_data(
        write(json.dumps({"project": PROJECT, "free_slot": "2031-03-03T00:00:00Z", "menu_month": "2026-11"}))
    )

    assert yaml == json_ == {"project": PROJECT, "free_slot": "2031-03-03T00:00:00Z", "menu_month": "2026-11"}
    assert load_data(write("# nothing\n")) == {}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("project: 5\n", 1, "project: 5 is not of type 'string'. Expected: Identifier of the project."),
        (
            f"project: {PROJECT}\n\nmenu_items:\n  - {PROJECT}\n  - x\n",
            5,
            "menu_items[1]: 'x' is not a 'uuid'. Expected: Ident",
        ),
        (
            f"project: {PROJECT}\nrecipent: a@example.com\n",
            2,
            "there is no member 'recipent': did you mean 'recipient'?",
        ),
        ("x: 1\n", 1, "there is no member 'x': the members are project, other_project, "),
        ("token_variables:\n  viewer: A\n  admin: B\n", 3, "token_variables: 'admin' is not one of ['viewer', "),
        ("free_slot: tomorrow\n", 1, "free_slot: 'tomorrow' is not a 'date-time'. Expected: Start of a year"),
        ("free_slot: tomorrow\n", 1, 'Example: "2031-01-01T00:00:00Z"'),
        ("- project\n", 1, "is not of type 'object'"),
        ("calendar: a\ncalendar: b\n", 2, "duplicate member 'calendar'"),
        ("calendar: [\n", 2, "expected the node content"),
        ("calendar: !!python/object:os.system x\n", 1, "could not determine a constructor"),
    ],
)
def test_an_error_names_file_line_and_member(write, text, line, message):
    path = write(text)

    with pytest.raises(ValueError) as caught:
        load_data(path)

    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00"])
def test_a_binary_file_is_refused(tmp_path, content):
    path = tmp_path / "data.yaml"
    path.write_bytes(content)

    with pytest.raises(ValueError, match=r"data\.yaml"):
        load_data(path)


def test_tokens_are_read_from_the_environment(monkeypatch):
    """The project of the command line overrides that of the file."""
    monkeypatch.setenv("OWNER", " one ")
    monkeypatch.setenv("VIEWER", "two")
    values, other = {"project": PROJECT, "token_variables": {"viewer": "VIEWER"}}, PROJECT.replace("0b", "1c")

    data = resolve_data(values, project=other, token_variable="OWNER")

    assert data.tokens == {"owner": "one", "viewer": "two"}
    assert "one" not in repr(data)
    assert data["project"] == other


def test_a_missing_member_is_named():
    """The message becomes the reason why a rule is not run."""
    data = Data({"project": PROJECT}, {"owner": "one"})

    with pytest.raises(MissingError, match="the data file has no member 'recipient'"):
        data["recipient"]
    with pytest.raises(MissingError, match="has no token for the identity 'viewer'"):
        data.token("viewer")


def test_recipients_are_the_addresses_of_recipient_and_variables():
    """Addresses in other members do not count."""
    values = {
        "recipient": "guest@example.com",
        "template_variables": {"client": "Acme", "mails": ["acme@example.com"]},
        "calendar": "team@calendar.example",
        "memory_slug": "not@example.com",
    }

    assert recipients(Data(values, {})) == {"guest@example.com", "acme@example.com"}
    assert recipients(Data({}, {})) == frozenset()


def test_the_description_of_a_stub_gives_a_data_file(tmp_path):
    """The file is valid and complete, and the printed commands set the tokens."""
    stub = Stub()
    (tmp_path / "stub.json").write_text(json.dumps(stub.describe("http://stub.localhost")), "utf-8")

    command = subprocess.run(
        [sys.executable, "-m", "project_platform_contract.data.stub_data", "stub.json", "contract.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    values = load_data(tmp_path / "contract.yaml")
    variables = dict(line.removeprefix("export ").split("=", 1) for line in command.stdout.splitlines())
    expected = stub_data(stub).values
    assert {name: value for name, value in values.items() if name != "token_variables"} == expected
    assert data_members(stub.describe("")) == expected
    assert {*values["token_variables"].values(), "CONTRACT_OWNER"} == set(variables)
    assert all(token.count(".") == 2 for name, token in variables.items() if name != "CONTRACT_SESSION")
