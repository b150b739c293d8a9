"""Verdicts: what the tests say of the rules, gathered where the whole run is seen."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import pytest

from .rules import RULES

Verdict: TypeAlias = Literal["proven", "violated", "not run"]


@dataclass(slots=True)
class Finding:
    """What is known of one rule.

    Attributes:
        passed: Tests that passed.
        failed: Tests that failed, with what they say and the requests before.
        skipped: Why tests were not run.
        wrong_answers: How answers of its operation differ from the contract.
    """

    passed: list[str] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """Violated by one test is violated; proven needs all its tests to have been run."""
        if self.failed:
            return "violated"
        return "proven" if self.passed and not self.skipped else "not run"

    @property
    def why(self) -> str:
        """Why it was not run."""
        return "; ".join(dict.fromkeys(self.skipped)) or "no test of it was run"


class Verdicts:
    """Gathers reports into findings, by rule."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.findings: dict[str, Finding] = {id: Finding() for id in RULES}
        self.facts: dict[str, list[dict[str, Any]]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what a test says; with pytest-xdist this runs in the controller."""
        said: dict[str, list[Any]] = {}
        for name, value in report.user_properties:
            if name.startswith("contract-"):
                said.setdefault(name, []).append(json.loads(str(value)))
        rules = said.get("contract-rules", [[]])[0]
        if report.when == "call" or report.outcome != "passed":
            for id in rules:
                self._note(self.findings[id], report, said)
        if report.when == "call":
            for key, seen in said.get("contract-fact", []):
                self.facts.setdefault(key, []).append(seen)
            for operation, problem in said.get("contract-answer", []):
                self._wrong_answer(report.nodeid, operation, problem)

    def _note(self, finding: Finding, report: pytest.TestReport, said: dict[str, list[Any]]) -> None:
        if report.skipped:
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            finding.skipped.append(why.removeprefix("Skipped: "))
        elif report.failed:
            exchanges = said.get("contract-exchanges", [[]])[0]
            finding.failed.append({"test": report.nodeid, "said": report.longreprtext, "exchanges": exchanges})
        else:
            finding.passed.append(report.nodeid)

    def _wrong_answer(self, test: str, operation: str, problem: str) -> None:
        finding = self.findings.get(f"answers.{operation.replace('_', '-')}")
        if finding is not None:
            finding.failed.append({"test": test, "said": problem, "exchanges": []})
