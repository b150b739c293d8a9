"""Fact files: writing, reading, showing and comparing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from project_platform.version import VERSION
from project_platform_contract.facts import fact_file
from project_platform_contract.facts.cli import main

TARGET = "https://platform.example"


def seen(value: Any, at: str = "2026-11-20T09:00:00+00:00", request_id: str | None = "req_1") -> dict[str, Any]:
    """Return an observation as the suite collects it."""
    return {"value": value, "at": at, "request_id": request_id}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "facts.json"


@pytest.fixture
def file_of(tmp_path):
    """Returns a function that writes a fact file, with each value observed once, and returns its path."""

    def file_of(name: str, **values: Any) -> str:
        path = tmp_path / name
        fact_file.write(path, TARGET, {key: [seen(value) for value in several] for key, several in values.items()})
        return str(path)

    return file_of


def test_a_fact_file_round_trips(path):
    """A fact has its value, the time and request of its first observation, and the number of observations."""
    fact_file.write(
        path,
        TARGET,
        {"merge": [seen("deep", "2026-11-20T09:00:02+00:00", "req_2"), seen("deep")], "defaultLimit": [seen(50)]},
    )
    read = fact_file.read(path)

    assert read["facts"] == {"defaultLimit": [{**seen(50), "seen": 1}], "merge": [{**seen("deep"), "seen": 2}]}
    assert (read["target"], read["suite"]) == (TARGET, VERSION)
    assert abs(datetime.now(UTC) - datetime.fromisoformat(read["taken_at"])).total_seconds() < 60


def test_distinct_values_are_all_stored(path):
    """And true is not equal to 1."""
    fact_file.write(path, TARGET, {"flag": [seen(True), seen(1), seen(True), seen(None, request_id=None)]})

    stored = fact_file.read(path)["facts"]["flag"]
    assert [(repr(each["value"]), each["seen"]) for each in stored] == [("1", 1), ("None", 1), ("True", 2)]
    assert json.loads(path.read_text())["facts"]["flag"] == stored


HEAD = {"target": "t", "taken_at": "2026-01-01T00:00:00Z", "suite": "1"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "not valid JSON: "),
        ([], "top level: [] is not of type 'object'"),
        ({"merge": "deep"}, "top level: Additional properties are not allowed ('merge' was unexpected)"),
        (HEAD, "top level: 'facts' is a required property"),
        (HEAD | {"taken_at": "now", "facts": {}}, "taken_at: 'now' is not a 'date-time'"),
        ("deep", "facts.merge: 'deep' is not of type 'object', 'array'"),
        ({"at": HEAD["taken_at"], "request_id": None, "seen": 1}, "facts.merge: 'value' is a required property"),
        ({**seen("deep"), "seen": 0}, "facts.merge.seen: 0 is less than the minimum of 1"),
        ({**seen("deep", at="noon"), "seen": 1}, "facts.merge.at: 'noon' is not a 'date-time'"),
        ([{**seen("deep"), "seen": 1}], "facts.merge: "),
    ],
)
def test_an_invalid_fact_file_is_refused(path, content, problem):
    """A fact needs its evidence. The message names the file and the place."""
    value = HEAD | {"facts": {"merge": content}} if problem.startswith("facts.merge") else content
    path.write_text("{" if content == "{" else json.dumps(value))

    with pytest.raises(ValueError) as raised:
        fact_file.read(path)

    assert str(raised.value).startswith(f"{path}: {problem}")


def test_show_lists_values_with_evidence(file_of, capsys):
    status = main(["show", file_of("a.json", merge=["deep", "deep"], invalidStatus=[400, 422])])

    source, *lines, last = capsys.readouterr().out.splitlines()
    assert status == 0
    assert source.startswith(f"{TARGET}, taken at ")
    assert lines == [
        "invalidStatus  400  (2026-11-20T09:00:00+00:00, request req_1, seen 1x)",
        "invalidStatus  422  (2026-11-20T09:00:00+00:00, request req_1, seen 1x)",
        'merge          "deep"  (2026-11-20T09:00:00+00:00, request req_1, seen 2x)',
    ]
    assert last == "2 facts, 1 with more than one value"


def test_diff_lists_differences_and_exits_with_1(file_of, capsys):
    before = file_of("a.json", merge=["shallow"], defaultLimit=[50], invalidStatus=[400, 422], old=[1])
    after = file_of("b.json", merge=["deep"], defaultLimit=[50, 50], invalidStatus=[400], new=[[None]])

    status = main(["diff", before, after])

    assert status == 1
    assert capsys.readouterr().out.splitlines()[2:] == [
        "added    new: [null]",
        "gone     old: 1",
        "changed  invalidStatus: 400 or 422 -> 400",
        'changed  merge: "shallow" -> "deep"',
        "1 added, 1 gone, 2 changed, 1 the same",
    ]


def test_times_and_numbers_of_observations_make_no_difference(tmp_path, capsys):
    early = {"flag": [seen(1), seen({"a": 1, "b": 2})]}
    late = {"flag": [seen({"b": 2, "a": 1}, "2027-01-01T00:00:00Z", None), seen(1, "2027-01-01T00:00:00Z"), seen(1)]}
    for name, observed in (("a.json", early), ("b.json", late)):
        fact_file.write(tmp_path / name, TARGET, observed)

    assert main(["diff", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["0 added, 0 gone, 0 changed, 1 the same"]


@pytest.mark.parametrize("arguments", [[], ["show"], ["diff", "a.json"], ["merge", "a.json"], ["diff", "1", "2", "3"]])
def test_invalid_arguments_exit_with_2(arguments, capsys):
    """So that a script does not mistake a misspelt command for a difference."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert "usage: project-platform facts" in capsys.readouterr().err


def test_an_unreadable_file_exits_with_2(file_of, tmp_path, capsys):
    """With a message on stderr that names it."""
    missing = tmp_path / "missing.json"

    assert main(["diff", file_of("a.json", merge=["deep"]), str(missing)]) == 2
    assert capsys.readouterr() == ("", f"{missing}: cannot be read: No such file or directory\n")
