"""Fact files as profiles: the stub adopts the observed behaviour of a deployment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from project_platform_stub import Profile
from project_platform_stub.cli import main
from project_platform_stub.documents.document import DocumentError
from project_platform_stub.profile import load_profile, read_profile

EVIDENCE = {"at": "2026-11-20T09:00:00+00:00", "request_id": "req_1", "seen": 1}


@pytest.fixture
def file_of(tmp_path):
    """Return a function that writes a fact file; a list stands for several values."""

    def file_of(facts: dict[str, Any]) -> Path:
        written = {
            key: [{"value": observed, **EVIDENCE} for observed in value]
            if isinstance(value, list)
            else {"value": value, **EVIDENCE}
            for key, value in facts.items()
        }
        document = {"target": "https://x", "taken_at": EVIDENCE["at"], "suite": "1", "facts": written}
        path = tmp_path / "facts.json"
        path.write_text(json.dumps(document, indent=0))
        return path

    return file_of


def test_facts_that_have_a_switch_become_switches(file_of):
    """Statuses and permissions of single operations have keys with a dot."""
    path = file_of(
        {
            "merge": "deep",
            "defaultLimit": 20,
            "successStatus.records_create": 200,
            "successStatus.calendar_book": 202,
            "permissions.agents_list": None,
            "rateLimit": {"requests": 3, "perSeconds": 0.5},
            "publishDuePosts": False,
        }
    )

    assert load_profile(path) == Profile.from_mapping(
        {
            "merge": "deep",
            "defaultLimit": 20,
            "successStatus": {"records_create": 200, "calendar_book": 202},
            "permissions": {"agents_list": None},
            "rateLimit": {"requests": 3, "perSeconds": 0.5},
            "publishDuePosts": False,
        }
    )


def test_facts_without_a_switch_are_ignored_and_listed(file_of):
    """Also facts that are related to a switch but are not its value."""
    path = file_of(
        {
            "merge": "deep",
            "containment.arrays": "subset",
            "retryAfter.seen": True,
            "merge.depth": 2,
            "successStatus": {"records_create": 200},
            "successStatus.labels_export": 200,
            "successStatus.nothing_do": 200,
        }
    )

    profile, left_out = read_profile(path)

    assert profile == Profile(merge="deep")
    assert dict.fromkeys(left_out.values()) == {"the profile has no switch for it": None}
    assert len(left_out) == 6


def test_a_switch_cannot_have_two_values(file_of):
    """Contradicting facts are refused with their key; without a switch they do not matter."""
    path = file_of({"merge": "deep", "invalidStatus": [422, 400], "filters.posts": ["a", "b"]})

    with pytest.raises(DocumentError) as raised:
        load_profile(path)

    (problem,) = raised.value.problems
    assert problem.startswith(f"{path}:")
    assert problem.endswith(": facts.invalidStatus: has different values, 400 and 422; keep one, or remove the fact")


def test_an_invalid_fact_file_is_reported_with_its_lines(problems_of):
    """It is read as strictly as a profile."""
    text = '{"target": "t",\n "suite": "1",\n "facts": {"merge":\n {"value": "deep", "seen": "often"}}}'

    assert sorted(problems_of(load_profile, "facts.json", text)) == [
        "facts.json:1: taken_at: is required",
        "facts.json:3: facts.merge.at: is required",
        "facts.json:3: facts.merge.request_id: is required",
        "facts.json:4: facts.merge.seen: must be integer, not string",
    ]


def test_the_command_lists_the_ignored_facts(file_of, tmp_path, capsys):
    """On stderr, before it starts the server."""
    path = file_of({"merge": "deep", "retryAfter.seen": True, "defaultLimit": 200, "code.posts_list.400": None})
    nowhere = tmp_path / "missing" / "stub.json"

    status = main(["--port", "0", "--profile", str(path), "--describe", str(nowhere)])

    assert status == 1  # `--describe` fails, so the server does not start
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: ignored facts, because the profile has no switch for it: retryAfter.seen, code.posts_list.400",
        f"{path}: ignored facts, because the switch does not support the value 200: it is 200; the maximum is 100: defaultLimit",
        f"Cannot write {nowhere}: No such file or directory",
    ]
