"""Sentences that more than one form of the report tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def headline(report: dict[str, Any]) -> str:
    """Return the counts as a sentence."""
    counts = report["counts"]
    return (
        f"{counts['proven']} rules proven, {counts['violated']} violated, {counts['not_run']} not run"
        f" ({report['requests']['sent']} requests in {report['seconds']:.0f} s)"
    )


def of(report: dict[str, Any], verdict: str) -> list[dict[str, Any]]:
    """Return the rules with a verdict."""
    return [rule for rule in report["rules"] if rule["verdict"] == verdict]


def by_reason(report: dict[str, Any]) -> dict[str, list[str]]:
    """Return the rules that were not run, by why; the reason of most of them first."""
    reasons: dict[str, list[str]] = {}
    for rule in of(report, "not run"):
        reasons.setdefault(rule["why"], []).append(rule["id"])
    return dict(sorted(reasons.items(), key=lambda item: -len(item[1])))


def gist(violation: dict[str, Any]) -> str:
    """Return how a rule is violated, in a line."""
    exchanges = violation["exchanges"]
    lines = violation["said"].strip().splitlines() or ["it says nothing"]
    # pytest marks what went wrong, and says of a bare truth value where it is from; without a traceback all of it is.
    wrong = [line[1:].strip() for line in lines if line.startswith("E  ")] or lines
    where = next((line.removeprefix("+  where ") for line in wrong if line.startswith("+  where ")), None)
    said = f"{wrong[0]}, where {where}" if where and wrong[0].endswith("assert False") else wrong[0]
    return f"{exchanges[-1]['request']} -> {exchanges[-1]['status']}: {said}" if exchanges else said


def left_behind(report: dict[str, Any]) -> Iterator[str]:
    """Give a line for each thing that the run leaves in the world."""
    remains = report["remains"]
    for thing in remains["created"]:
        name = f" ({thing['name']})" if thing["name"] else ""
        yield f"left behind: {thing['kind']} {thing['id']}{name}"
    for request in remains["unanswered"]:
        yield f"perhaps left behind, no answer came: {request}"
    for request in remains["changed"]:
        yield f"changed, and not known to be put back: {request}"
    for what in dict.fromkeys(remains["restored"]):
        yield f"put back: {what}"
