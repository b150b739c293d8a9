"""Verdicts: what the tests say of the rules.

A rule may have several tests. One that fails makes it violated. It is proven when each of its tests was run and passed;
when one was not run, neither was the rule, and why is told: half a proof is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import pytest

from project_platform_contract.rules import RULES

Verdict: TypeAlias = Literal["proven", "violated", "not run"]

UNFINISHED = "the run ended before"


@dataclass(slots=True)
class Finding:
    """What is known of one rule.

    Attributes:
        passed: Tests that passed.
        failed: Tests that failed: `test`, what it `said`, and the `exchanges` before.
        skipped: Why tests were not run, by test.
        expected: Tests that were to be run.
    """

    passed: list[str] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    expected: set[str] = field(default_factory=set)

    @property
    def verdict(self) -> Verdict:
        """Violated by one test is violated; proven needs all its tests to have been run."""
        if self.failed:
            return "violated"
        return "proven" if self.passed and not self.not_run else "not run"

    @property
    def not_run(self) -> dict[str, str]:
        """Why tests were not run, by test."""
        seen = {*self.passed, *self.skipped, *(failure["test"] for failure in self.failed)}
        return {**self.skipped, **dict.fromkeys(sorted(self.expected - seen), UNFINISHED)}

    @property
    def why(self) -> str | None:
        """Why the rule was not run; None if it was."""
        if self.verdict != "not run":
            return None
        told = "; ".join(dict.fromkeys(self.not_run.values())) or "it has no test"
        some = (
            f" ({len(self.passed)} of its {len(self.passed) + len(self.not_run)} tests passed)" if self.passed else ""
        )
        return told + some


class Verdicts:
    """Takes in reports of tests, and says what they mean for the rules.

    Attributes:
        findings: What is known of each rule, by identifier.
        facts: What was seen where the specification is silent, by key.
        broken: Tests that could not do their work: `test`, `when` and what was `said`.
    """

    def __init__(self) -> None:
        self.findings: dict[str, Finding] = {id: Finding() for id in RULES}
        self.facts: dict[str, list[dict[str, Any]]] = {}
        self.broken: list[dict[str, str]] = []

    def of(self, verdict: Verdict) -> list[str]:
        """Return the rules with a verdict, in the order of the specification."""
        return [id for id, finding in self.findings.items() if finding.verdict == verdict]

    def expect(self, test: str, rules: Iterable[str]) -> None:
        """Note that a test of these rules is to be run."""
        for id in rules:
            self.findings[id].expected.add(test)

    def deselect(self, test: str, rules: Iterable[str]) -> None:
        """Note that a test of these rules was not wanted."""
        for id in rules:
            self.findings[id].skipped[test] = "not selected"

    def take(self, report: pytest.TestReport) -> None:
        """Take in what a part of a test (setup, call, teardown) says; with pytest-xdist, in the controller."""
        said: dict[str, list[Any]] = {}
        for name, value in report.user_properties:
            if name.startswith("contract-"):
                said.setdefault(name, []).append(json.loads(str(value)))
        rules = said.get("contract-rules", [[]])[0]
        for id in rules:
            self._note(self.findings[id], report, said)
        if report.failed and (report.when != "call" or not rules):
            self.broken.append({"test": report.nodeid, "when": str(report.when), "said": report.longreprtext})
        if report.when == "teardown":
            for key, seen in said.get("contract-fact", []):
                self.facts.setdefault(key, []).append(seen)
            for operation, problem, exchange in said.get("contract-answer", []):
                self._wrong_answer(report.nodeid, operation, problem, exchange)

    def _note(self, finding: Finding, report: pytest.TestReport, said: dict[str, list[Any]]) -> None:
        if report.skipped:
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            finding.skipped[report.nodeid] = why.removeprefix("Skipped: ")
        elif report.when == "call" and report.failed:
            exchanges = said.get("contract-exchanges", [[]])[0]
            finding.failed.append({"test": report.nodeid, "said": report.longreprtext, "exchanges": exchanges})
        elif report.when == "call":
            finding.passed.append(report.nodeid)
        elif report.when == "setup" and report.failed:
            finding.skipped[report.nodeid] = f"it could not be prepared: {_last_line(report.longreprtext)}"

    def _wrong_answer(self, test: str, operation: str, problem: str, exchange: dict[str, Any]) -> None:
        area = "answers" if exchange["status"] < 400 else "errors.body"  # noqa: PLR2004  # the least status of an error
        finding = self.findings.get(f"{area}.{operation.replace('_', '-')}")
        if finding is not None:
            finding.failed.append({"test": test, "said": problem, "exchanges": [exchange]})


def _last_line(text: str) -> str:
    """Return the line of a traceback that says what went wrong."""
    errors = [line.removeprefix("E").strip() for line in text.splitlines() if line.startswith("E  ")]
    return errors[0] if errors else text.strip().rpartition("\n")[2]
