"""Phrases that more than one format of the report uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from project_platform_contract.operations import operation_by_id

VERDICTS: Final = ("violated", "not run", "proven")
"""The verdicts, in the order in which a report shows them."""
INFERRED: Final = (
    "The specification has no sentence for these rules, so a deployment that differs may be correct. "
    "The member `inferred` of the data file switches them off, or makes them count."
)
_NEEDS: Final = 4  # Maximum number of needs in the headline.
_DATA: Final = "a data file with "
_ACCOUNTS: Final = {
    "viewer": "a second account",
    "service_account": "a service account",
    "outsider": "an account outside of the project",
    "session": "a session credential",
}


def headline(report: dict[str, Any]) -> str:
    """Return how many rules have each verdict, and what those that were not run need."""
    counts = report["counts"]
    total = counts["proven"] + counts["violated"] + counts["not_run"]
    line = f"{counts['proven']} of {total} rules proven, {counts['violated']} violated, {counts['not_run']} not run"
    needs = _needs(report)
    return f"{line} (they need: {', '.join(needs)})" if needs else line


def details(report: dict[str, Any]) -> str:
    """Return the numbers of inferred rules and of requests as a sentence."""
    inferred = report["counts"]["inferred"]
    return (
        f"Inferred rules: {inferred['proven']} hold, {inferred['violated']} differ, {inferred['not_run']} not run;"
        f" {report['requests']['sent']} requests in {report['seconds']:.0f} s"
    )


def _needs(report: dict[str, Any]) -> list[str]:
    """Return what the rules that were not run need; what most of them need comes first."""
    not_run = [rule for rule in report["rules"] if rule["verdict"] == "not run"]
    counted = Counter(need for rule in not_run for need in dict.fromkeys(_needs_of(rule)))
    members = [need for need in counted if need.startswith(_DATA)]
    if len(members) > 1:
        counted[f"{len(members)} members of the data file"] = sum(counted.pop(member) for member in members)
    found = [need for need, _ in counted.most_common()]
    return [*found[:_NEEDS], *([f"and {len(found) - _NEEDS} more"] if len(found) > _NEEDS else [])]


def _needs_of(rule: dict[str, Any]) -> Iterator[str]:
    """Yield what a rule that was not run needs, in a few words."""
    for remedy in filter(None, (rule["remedy"] or "").split(" and ")):
        if token := re.search(r"token_variables: \{(\w+)", remedy):
            yield _ACCOUNTS.get(token[1], "tokens that must be refused")
        else:
            yield remedy.partition(" --i-own ")[0]
    if rule["remedy"] is None:
        down = re.match(r"([\w.]+) is down", rule["why"])
        yield (
            f"{down[1]}, which is down"
            if down
            else "a stub server of the run"
            if "only a stub" in rule["why"]
            else ("what the report lists")
        )


def title(report: dict[str, Any]) -> str:
    """Return the outcome of the run."""
    violated = [rule["id"] for rule in rules_with_verdict(report, "violated")]
    return {
        0: headline(report),
        1: f"Violated: {some(violated)}" if violated else "Broken tests",
        3: "Too few rules proven",
        4: "Nothing proven",
        5: "Not restored",
        6: f"Down: {', '.join(operation_by_id(down['operation']).name for down in report['down'])}",
        130: "Interrupted",
    }[report["exit_code"]]


def some(names: list[str]) -> str:
    """Return the first names of a list, and the number of the others."""
    more = len(names) - _NEEDS
    return ", ".join(names[:_NEEDS]) + (f" and {more} more" if more > 0 else "")


def rules_with_verdict(report: dict[str, Any], verdict: str) -> list[dict[str, Any]]:
    """Return the rules with a verdict, in the order of the report."""
    return [rule for rule in report["rules"] if rule["verdict"] == verdict]


def inferred_that_differ(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inferred rules that the deployment violates, although it may be correct."""
    return [rule for rule in report["inferred"] if rule["verdict"] == "violated"]


def down_lines(report: dict[str, Any]) -> list[str]:
    """Return a line for each operation that is down: its name, its responses, and its last plain request."""
    return [
        f"{operation_by_id(down['operation']).name}: {down['why']}; the last was {request_line(down['exchanges'][-1])}"
        for down in report["down"]
    ]


def share_line(report: dict[str, Any]) -> str | None:
    """Return how many of the selected rules are proven; None if they are enough."""
    share = report["share"]
    if report["floor"] is not None or 100 * share["proven"] >= share["min_percent"] * share["selected"]:
        return None
    return (
        f"{share['proven']} of the {share['selected']} selected and allowed rules proven, inferred ones included: less than"
        f" {share['min_percent']:g} % (--min-proven)"
    )


class Reason(NamedTuple):
    """The identifiers of rules that were not run for the same reason, and the way to run them, if there is one."""

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
    """The rules of an operation, of no operation, or the inferred ones.

    Attributes:
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


def source(rule: dict[str, Any]) -> str:
    """Return the section that a rule cites, and whether it is expected or inferred rather than stated there."""
    return str(rule["section"]) if rule["kind"] == "stated" else f"{rule['kind']}, {rule['section']}"


def flaky_line(flaky: dict[str, Any]) -> str:
    """Return the rules of a failure that did not recur, how the test failed, and its last request."""
    exchanges = flaky["exchanges"]
    last = f"; the last request was {request_line(exchanges[-1])}" if exchanges else ""
    return f"{', '.join(flaky['rules'])}: {flaky['why'].splitlines()[0]}{last}"


def waived_lines(report: dict[str, Any]) -> list[str]:
    """Return a line for each rule that the data file waives, with the reason."""
    return [f"{rule['id']} ({rule['verdict']}): {rule['reason']}" for rule in report["waived"]]


def checks(rule: dict[str, Any]) -> str:
    """Return how often a rule was checked."""
    return "checked once" if rule["checked"] == 1 else f"checked {rule['checked']} times"


def request_line(exchange: dict[str, Any]) -> str:
    """Return a request, the identity that sent it, and the status of the response, such as `GET /x as viewer -> 200`."""
    return f"{exchange['request']} as {exchange['caller'] or 'an unknown caller'} -> {exchange['status']}"


def response_line(exchange: dict[str, Any]) -> str:
    """Return the status and the header fields of a response."""
    headers = "; ".join(f"{name}: {value}" for name, value in exchange["headers"].items())
    return f"{exchange['status']}{f' ({headers})' if headers else ''}"


def remark(violation: dict[str, Any]) -> str | None:
    """Return what else to know of a violation: requests that are not shown, and a 404 that the data file may have caused."""
    number, last = violation["omitted"], violation["exchanges"][-1:]
    parts = [f"{number} other requests of the test are not shown"] if number else []
    parts += [f"check {' and '.join(each['data'])} in the data file, for a 404" for each in last if each.get("data")]
    return "; ".join(parts) or None


def left_behind(report: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each lasting change of the run, and for each resource that it restored."""
    remains = report["remains"]
    for resource in remains["created"]:
        name = f" ({resource['name']})" if resource["name"] else ""
        yield f"left behind: {resource['kind']} {resource['id']}{name}"
    for request in remains["unanswered"]:
        yield f"perhaps applied: {request}"
    for request in remains["changed"]:
        yield f"changed and not restored: {request}; its previous value is in the ledger, from which the next run restores it"
    for resource in dict.fromkeys(remains["restored"]):
        yield f"restored: {resource}"
