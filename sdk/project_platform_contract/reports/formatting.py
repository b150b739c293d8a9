"""Phrases that more than one format of the report uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from project_platform_contract.operations import operation_by_id

VERDICTS: Final = ("violated", "not run", "proven")
"""The verdicts, in the order in which a report shows them."""
INFERRED: Final = (
    "The specification has no sentence for these rules, so a deployment that differs may be correct. "
    "The member `inferred` of the data file switches them off, or makes them count."
)


def headline(report: dict[str, Any]) -> str:
    """Return the numbers of verdicts and requests as a sentence."""
    counts = report["counts"]
    inferred = counts["inferred"]
    return (
        f"{counts['proven']} rules proven, {counts['violated']} violated, {counts['not_run']} not run;"
        f" inferred rules: {inferred['proven']} hold, {inferred['violated']} differ, {inferred['not_run']} not run"
        f" ({report['requests']['sent']} requests in {report['seconds']:.0f} s)"
    )


def rules_with_verdict(report: dict[str, Any], verdict: str) -> list[dict[str, Any]]:
    """Return the rules with a verdict, in the order of the report."""
    return [rule for rule in report["rules"] if rule["verdict"] == verdict]


def inferred_that_differ(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inferred rules that the deployment violates, although it may be correct."""
    return [rule for rule in report["inferred"] if rule["verdict"] == "violated"]


def down_lines(report: dict[str, Any]) -> list[str]:
    """Return a line for each operation that is down: its name, how it answered, and its last plain request."""
    return [
        f"{operation_by_id(down['operation']).name}: {down['why']}; the last was {request_line(down['exchanges'][-1])}"
        for down in report["down"]
    ]


def verdict_line(report: dict[str, Any]) -> str:
    """Return the outcome of the run in a few words, without numbers."""
    return {
        0: "Proven: every rule that was run",
        1: "Violated" if report["counts"]["violated"] else "Broken tests",
        3: "Too few rules proven",
        4: "Nothing proven",
        5: "Not restored",
        6: f"Down: {', '.join(operation_by_id(down['operation']).name for down in report['down'])}",
        130: "Interrupted",
    }[report["exit_code"]]


def share_line(report: dict[str, Any]) -> str | None:
    """Return how many of the selected rules are proven; None if they are enough."""
    share = report["share"]
    if report["floor"] is not None or 100 * share["proven"] >= share["min_percent"] * share["selected"]:
        return None
    return (
        f"{share['proven']} of the {share['selected']} selected and allowed rules proven, less than"
        f" {share['min_percent']:g} % (--min-proven)"
    )


class Reason(NamedTuple):
    """Rules that were not run for the same reason.

    Attributes:
        why: The reason.
        remedy: What would run them; None if nothing would.
        rules: Their identifiers.
    """

    why: str
    remedy: str | None
    rules: list[str]


def by_reason(report: dict[str, Any]) -> list[Reason]:
    """Return the rules that were not run, inferred or not, grouped by reason; the most frequent reason comes first."""
    reasons: dict[tuple[str, str | None], list[str]] = {}
    for rule in (rule for rule in (*report["rules"], *report["inferred"]) if rule["verdict"] == "not run"):
        reasons.setdefault((rule["why"], rule["remedy"]), []).append(rule["id"])
    found = [Reason(why, remedy, rules) for (why, remedy), rules in reasons.items()]
    return sorted(found, key=lambda reason: -len(reason.rules))


class Group(NamedTuple):
    """The rules of an operation.

    Attributes:
        operation: The operationId; `all operations` for rules that belong to none, `inferred rules` for inferred ones.
        rules: The rules.
        counts: Number of rules by verdict.
        seconds: Time that their tests took. A test of several rules counts for each of them.
    """

    operation: str
    rules: list[dict[str, Any]]
    counts: dict[str, int]
    seconds: float


def by_operation(report: dict[str, Any]) -> list[Group]:
    """Return the rules grouped by operation, in the order of the report, and the inferred ones at the end."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for rule in report["rules"]:
        groups.setdefault(rule["operation"] or "all operations", []).append(rule)
    if report["inferred"]:
        groups["inferred rules"] = report["inferred"]
    return [
        Group(
            operation,
            rules,
            {verdict: sum(rule["verdict"] == verdict for rule in rules) for verdict in VERDICTS},
            sum(rule["seconds"] for rule in rules),
        )
        for operation, rules in groups.items()
    ]


def violation_summary(violation: dict[str, Any]) -> str:
    """Return a violation in one line: the last request, its status, and the first line of the error."""
    exchanges = violation["exchanges"]
    error = violation_lines(violation)[0]
    return f"{request_line(exchanges[-1])}: {error}" if exchanges else error


def request_line(exchange: dict[str, Any]) -> str:
    """Return a request, the identity that sent it, and the status of the response, such as `GET /x as viewer -> 200`."""
    return f"{exchange['request']} as {exchange['caller'] or 'an unknown caller'} -> {exchange['status']}"


def violation_lines(violation: dict[str, Any]) -> list[str]:
    """Return the error of a violation, with a line for each member that differs if values were compared."""
    lines = violation["said"].strip().splitlines() or ["no message"]
    # pytest marks the lines of the error with E, and explains a bare `assert False` in a `where` line.
    errors = [line[1:].strip() for line in lines if line.startswith("E  ")] or lines[:1]
    where = next((line.removeprefix("+  where ") for line in errors if line.startswith("+  where ")), None)
    if where and errors[0].endswith("assert False"):
        return [f"{errors[0]}, where {where}"]
    if "; expected " in errors[0]:  # a difference of `comparison.py`, before which pytest puts the words of Python
        errors[0] = errors[0].removeprefix("AssertionError: ").removeprefix("assert ")
    return [line for line in errors if line and not line.startswith("+  ")]


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
