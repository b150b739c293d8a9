"""The progress of a run: the rule at hand, the share of the tests and an estimate."""

from __future__ import annotations

import io
import json
import re
from types import SimpleNamespace

import pytest

from project_platform_contract.run.progress import Progress


class Terminal(io.StringIO):
    """A text stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def now():
    return [0.0]


def report(rules, *, when="teardown", outcome="passed"):
    return SimpleNamespace(
        when=when,
        outcome=outcome,
        contract=json.dumps({"rules": rules}),
        **{name: outcome == name for name in ("passed", "failed")},
    )


def run(stream, now, tests):
    """Show the progress of tests of two seconds each."""
    progress = Progress(stream, lambda: now[0])
    progress.begin(tests)
    for number in range(tests):
        now[0] += 2
        progress.pytest_runtest_logreport(report([f"rule.{number}"]))
    return stream.getvalue()


def test_a_terminal_shows_every_test_in_one_line(now):
    lines = run(Terminal(), now, 10).split("\r")

    shown = [line.strip() for line in lines if line.strip()]
    assert shown[0] == "10 %  1 of 10 tests, about 18 s left  rule.0"
    assert shown[-1] == "100 %  10 of 10 tests, about 0 s left  rule.9"
    assert len(shown) == 10
    assert "\n" not in "".join(lines)


def test_a_log_has_a_line_every_ten_seconds(now):
    assert run(io.StringIO(), now, 12).splitlines() == [
        " 41 %  5 of 12 tests, about 14 s left  rule.4",
        " 83 %  10 of 12 tests, about 4 s left  rule.9",
    ]


@pytest.mark.parametrize(
    ("rule", "word"), [("agents.list.all", "violated"), ("workflows.create.trigger-condition", "differs")]
)
def test_a_failed_rule_is_shown_at_once(now, rule, word):
    """With the word that the report has for it: a rule that is only inferred is not violated."""
    stream = io.StringIO()
    progress = Progress(stream, lambda: now[0])

    progress.pytest_runtest_logreport(report([rule], when="call", outcome="failed"))

    assert stream.getvalue() == f"{word}: {rule}\n"


def test_the_command_shows_progress_in_place_of_dots(prove):
    run = prove("-k", "test_agents and limit")

    assert " passed" in run.out
    assert not re.search(r"^[.]{4}", run.out + run.err, re.MULTILINE)
    assert "%]" not in run.out
