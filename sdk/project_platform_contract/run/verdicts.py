"""Verdicts on the rules, derived from the reports of their tests.

A rule may have several tests. It is violated if one of them fails, and proven if all of them pass. If one was not run, the
rule counts as not run, with the reason: the other tests prove only a part of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeAlias

import pytest

from project_platform_contract.facts.fact_file import gather
from project_platform_contract.operations import operations
from project_platform_contract.reports.explanation import explanation, quotes
from project_platform_contract.rules import RULES

from .exchange import rule_of_response
from .settings import Settings

_MEMBERS: Final = frozenset({"id", "statement", "section", "operation", "effect", "kind"})


Verdict: TypeAlias = Literal["proven", "violated", "not run"]

UNFINISHED = "the run ended first"
DESELECTED = "not selected"


@dataclass(slots=True)
class Finding:
    """The results of the tests of one rule.

    Attributes:
        failed: Tests that failed, each with the members `test`, `said` (its output) and `exchanges`.
        skipped: Reasons of the tests that were not run, by test.
        expected: Tests that were going to run.
        remedies: Options that would run the tests that were not run.
        checked: Number of times that the rule was checked: by a test that ended, or with the response to any request.
    """

    passed: list[str] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    expected: set[str] = field(default_factory=set)
    remedies: set[str] = field(default_factory=set)
    seconds: float = 0.0
    checked: int = 0

    @property
    def verdict(self) -> Verdict:
        """Violated if a test failed, proven if all tests passed, else not run."""
        if self.failed:
            return "violated"
        return "proven" if self.passed and not self.not_run else "not run"

    @property
    def not_run(self) -> dict[str, str]:
        """Reasons of all tests that were not run, by test, including those that never started."""
        seen = {*self.passed, *self.skipped, *(failure["test"] for failure in self.failed)}
        return {**self.skipped, **dict.fromkeys(sorted(self.expected - seen), UNFINISHED)}

    @property
    def why(self) -> str | None:
        """Reason why the rule was not run; None if it was run."""
        if self.verdict != "not run":
            return None
        parts = (part for reason in self.not_run.values() for part in reason.split("; "))
        reasons = "; ".join(dict.fromkeys(parts)) or "the rule has no test"
        if not self.passed:
            return reasons
        return f"{reasons} ({len(self.passed)} of {len(self.passed) + len(self.not_run)} tests passed)"


def attached_to(report: pytest.TestReport) -> dict[str, Any]:
    """Return what the plugin attached to a report; that of a worker that crashed has nothing."""
    attached: dict[str, Any] = json.loads(getattr(report, "contract", "{}"))
    return attached


class Verdicts:
    """Collects reports of tests, and derives the verdict on every rule.

    Attributes:
        findings: Results by rule.
        facts: Observed facts by key.
        down: Operations that are down, each with the members `operation`, `why` and `exchanges`.
        flaky: By test, failures that did not recur, each with the members `rules`, `why` and `exchanges`.
        broken: Tests whose setup or teardown failed, each with the members `test`, `when` and `said` (the output).
    """

    def __init__(self) -> None:
        self.findings: dict[str, Finding] = {id: Finding() for id in RULES}
        self.facts: dict[str, list[dict[str, Any]]] = {}
        self.down: dict[str, dict[str, Any]] = {}
        self.flaky: dict[str, dict[str, Any]] = {}
        self.broken: list[dict[str, str]] = []

    def of(self, verdict: Verdict) -> list[str]:
        """Return the rules with a verdict, in the order of the specification."""
        return [id for id, finding in self.findings.items() if finding.verdict == verdict]

    def report(self, settings: Settings) -> dict[str, Any]:
        """Return the members of a report that are about rules and tests."""
        rules = [_rule(id, finding) for id, finding in self.findings.items()]
        counting = [rule for rule in rules if settings.counts(rule["id"])]
        inferred = [rule for rule in rules if not settings.counts(rule["id"]) and rule["id"] not in settings.waived]
        selected = [
            finding
            for id, finding in self.findings.items()
            if RULES[id].effect in settings.effects and DESELECTED not in finding.skipped.values()
        ]
        return {
            "share": {
                "selected": len(selected),
                "proven": sum(finding.verdict == "proven" for finding in selected),
                "min_percent": settings.min_proven,
            },
            "counts": {**_counts(counting), "inferred": _counts(inferred)},
            "down": [self.down[operation.id] for operation in operations() if operation.id in self.down],
            "rules": counting,
            "inferred": inferred,
            "waived": [
                {"id": id, "statement": RULES[id].statement, "reason": reason, "verdict": self.findings[id].verdict}
                for id, reason in settings.waived.items()
            ],
            "flaky": list(self.flaky.values()),
            "broken": self.broken,
            "facts": gather(self.facts),
        }

    def expect(self, test: str, rules: Iterable[str]) -> None:
        """Record that a test of these rules is going to run."""
        for id in rules:
            self.findings[id].expected.add(test)

    def deselect(self, test: str, rules: Iterable[str]) -> None:
        """Record that a test of these rules was deselected."""
        for id in rules:
            self.findings[id].skipped[test] = DESELECTED
            self.findings[id].remedies.add("no -k")

    def add(self, report: pytest.TestReport) -> None:
        """Add the report of one phase of a test (setup, call or teardown); with pytest-xdist, in the controller."""
        attached = attached_to(report)
        rules = attached.get("rules", [])
        for id in rules:
            self._add_to_finding(self.findings[id], report, attached)
        if report.failed and (report.when != "call" or not rules):
            self.broken.append({"test": report.nodeid, "when": str(report.when), "said": report.longreprtext})
        if "down" in attached:
            operation, problem, exchange = attached["down"]
            self.down.setdefault(operation, {"operation": operation, "why": problem, "exchanges": [exchange]})
        if "flaky" in attached:
            why, exchanges = attached["flaky"]
            self.flaky[report.nodeid] = {"rules": rules, "why": why, "exchanges": exchanges}
        if report.when == "teardown":
            for key, seen in attached.get("facts", []):
                self.facts.setdefault(key, []).append(seen)
            for id, times in attached.get("checked", {}).items():
                if id in self.findings:
                    self.findings[id].checked += times
            for operation, problem, exchange in attached.get("responses", []):
                self._add_nonconformity(report.nodeid, operation, problem, exchange)

    def _add_to_finding(self, finding: Finding, report: pytest.TestReport, attached: dict[str, Any]) -> None:
        finding.seconds += report.duration
        if report.skipped:
            finding.remedies.update(filter(None, [attached.get("remedy")]))
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            finding.skipped[report.nodeid] = why.removeprefix("Skipped: ")
        elif report.when == "call" and report.failed:
            finding.checked += 1
            shown = {"exchanges": attached.get("exchanges", []), "omitted": attached.get("omitted", 0)}
            finding.failed.append({"test": report.nodeid, "said": report.longreprtext, **shown})
        elif report.when == "call":
            finding.checked += 1
            finding.passed.append(report.nodeid)
        elif report.when == "setup" and report.failed:
            finding.skipped[report.nodeid] = f"the setup failed: {_error_line(report.longreprtext)}"

    def _add_nonconformity(self, test: str, operation: str, problem: str, exchange: dict[str, Any]) -> None:
        finding = self.findings.get(rule_of_response(operation, exchange["status"]))
        if finding is not None:
            finding.failed.append({"test": test, "said": problem, "exchanges": [exchange], "omitted": 0})


def _error_line(text: str) -> str:
    """Return the line of a traceback that contains the error."""
    errors = [line.removeprefix("E").strip() for line in text.splitlines() if line.startswith("E  ")]
    return errors[0] if errors else text.strip().rpartition("\n")[2]


def _counts(rules: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    found = Counter(str(rule["verdict"]) for rule in rules)
    return {name.replace(" ", "_"): found[name] for name in ("proven", "violated", "not run")}


def _rule(id: str, finding: Finding) -> dict[str, Any]:
    rule = RULES[id]
    return {
        **{name: value for name, value in asdict(rule).items() if name in _MEMBERS},
        "quotes": quotes(rule, "\n".join(failure["said"] for failure in finding.failed)),
        "verdict": finding.verdict,
        "checked": finding.checked,
        "why": finding.why,
        "remedy": " and ".join(sorted(finding.remedies)) or None if finding.why else None,
        "seconds": round(finding.seconds, 3),
        "tests": {"passed": sorted(finding.passed), "not_run": finding.not_run},
        "violations": [failure | explanation(id, failure["said"]) for failure in finding.failed],
    }
