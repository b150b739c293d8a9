"""Phrases that more than one format of the report uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def headline(report: dict[str, Any]) -> str:
    """Return the numbers of verdicts and requests as a sentence."""
    counts = report["counts"]
    return (
        f"{counts['proven']} rules proven, {counts['violated']} violated, {counts['not_run']} not run"
        f" ({report['requests']['sent']} requests in {report['seconds']:.0f} s)"
    )


def rules_with_verdict(report: dict[str, Any], verdict: str) -> list[dict[str, Any]]:
    """Return the rules with a verdict, in the order of the report."""
    return [rule for rule in report["rules"] if rule["verdict"] == verdict]


def by_reason(report: dict[str, Any]) -> dict[str, list[str]]:
    """Return the rules that were not run, grouped by reason; the most frequent reason comes first."""
    reasons: dict[str, list[str]] = {}
    for rule in rules_with_verdict(report, "not run"):
        reasons.setdefault(rule["why"], []).append(rule["id"])
    return dict(sorted(reasons.items(), key=lambda item: -len(item[1])))


def violation_summary(violation: dict[str, Any]) -> str:
    """Return a violation in one line: the last request, its status, and the error."""
    exchanges = violation["exchanges"]
    lines = violation["said"].strip().splitlines() or ["no message"]
    # pytest marks the lines of the error with E, and explains a bare `assert False` in a `where` line.
    errors = [line[1:].strip() for line in lines if line.startswith("E  ")] or lines
    where = next((line.removeprefix("+  where ") for line in errors if line.startswith("+  where ")), None)
    error = f"{errors[0]}, where {where}" if where and errors[0].endswith("assert False") else errors[0]
    return f"{exchanges[-1]['request']} -> {exchanges[-1]['status']}: {error}" if exchanges else error


def left_behind(report: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each lasting change of the run, and for each resource that it restored."""
    remains = report["remains"]
    for resource in remains["created"]:
        name = f" ({resource['name']})" if resource["name"] else ""
        yield f"left behind: {resource['kind']} {resource['id']}{name}"
    for request in remains["unanswered"]:
        yield f"perhaps applied, no response received: {request}"
    for request in remains["changed"]:
        yield f"changed and not restored: {request}"
    for resource in dict.fromkeys(remains["restored"]):
        yield f"restored: {resource}"
