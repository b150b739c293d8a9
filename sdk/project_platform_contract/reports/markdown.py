"""The report as Markdown, for a pull request or the summary of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .explanation import differences
from .formatting import (
    INFERRED,
    by_operation,
    by_reason,
    checks,
    details,
    down_lines,
    flaky_line,
    headline,
    inferred_that_differ,
    left_behind,
    remark,
    response_line,
    rules_with_verdict,
    share_line,
    source,
    title,
    waived_lines,
)

_LINES = 12  # Maximum number of differences of one violation.
_CHANGES = 50  # Maximum number of lines about what is left behind.
_COMMAND = 2000  # Characters of a command.
_RESPONSE = 800  # Characters of a response.
_REQUESTS = 20_000  # Characters of all requests; those of other violations are in `report.html`.
_COMMENT = 65_000  # Characters; a comment on GitHub has at most 65,536, and the lists of all rules are left out first.


def render_markdown(report: dict[str, Any]) -> str:
    """Return a report as Markdown; markup in responses is escaped."""
    whole = "\n".join([*_findings(report), *_rules(report), *_origin(report)]) + "\n"
    return whole if len(whole) <= _COMMENT else "\n".join([*_findings(report), *_origin(report)]) + "\n"


def _findings(report: dict[str, Any]) -> Iterator[str]:
    yield f"# {_plain(title(report))}"
    yield ""
    lead = "" if title(report) == headline(report) else f"**{_plain(headline(report))}.** "
    yield (
        f"{lead}{_plain(details(report))}. Target: {report['target']['url'] or report['target']['kind']}."
        f" Allowed: {', '.join(report['allowed'])}."
    )
    if (line := share_line(report)) is not None:
        yield f"{_plain(line)}."
    if down := down_lines(report):
        yield from ["", "## Down", "", *(f"- {_plain(line)}" for line in down)]
        for entry in report["down"]:
            yield from _exchange(entry["exchanges"][-1])
    violated = rules_with_verdict(report, "violated")
    if violated:
        yield from ["", "## Violated"]
    room = _REQUESTS
    for rule in violated:
        requests = _requests(rule["violations"][0], room)
        room -= sum(map(len, requests))
        yield from _violated(rule, requests)
    if report["floor"] is not None and report["floor"]["missing"]:
        yield from ["", f"## Fewer proven than {_plain(report['floor']['file'])}", ""]
        yield from (f"- `{id}`" for id in report["floor"]["missing"])
    if differing := inferred_that_differ(report):
        yield from ["", "## Inferred rules that differ", "", INFERRED]
        for rule in differing:
            yield from _violated(rule, _requests(rule["violations"][0], room // len(differing)))
    if report["flaky"]:
        yield from ["", "## Flaky", "", *(f"- {_plain(flaky_line(flaky))}" for flaky in report["flaky"])]
    if waived := waived_lines(report):
        yield from ["", "## Waived", "", *(f"- {_plain(line)}" for line in waived)]
    if report["broken"]:
        yield from ["", "## Broken tests", ""]
        yield from (
            f"- `{broken['test']}`, {broken['when']}: {_plain(differences(broken['said'])[0])}"
            for broken in report["broken"]
        )
    if reasons := by_reason(report):
        yield from ["", "## Not run", "", "| Rules | Reason | Run them with |", "|---|---|---|"]
        yield from (f"| {len(reason.rules)} | {_plain(reason.why)} | {_code(reason.remedy)} |" for reason in reasons)
    if lines := list(left_behind(report)):
        yield from [
            "",
            "## Left behind",
            "",
            *_folded(f"{len(lines)} changes", [f"- {_plain(line)}" for line in lines[:_CHANGES]]),
            *([f"{len(lines) - _CHANGES} more are in `report.json`."] if len(lines) > _CHANGES else []),
        ]
    yield from [
        "",
        "## Rules by operation",
        "",
        "| Operation | Proven | Violated | Not run | Seconds |",
        "|---|---|---|---|---|",
    ]
    yield from (
        f"| {group.operation.replace('_', chr(92) + '_')} | {group.counts['proven']} | {group.counts['violated']} |"
        f" {group.counts['not run']} | {group.seconds:.1f} |"
        for group in by_operation(report)
    )


def _rules(report: dict[str, Any]) -> Iterator[str]:
    """Yield all rules that hold or were not run, and all facts."""
    proven = [
        f"- `{rule['id']}`, {checks(rule)}: {_plain(rule['statement'])}"
        for rule in rules_with_verdict(report, "proven")
    ]
    yield from ["", *_folded(f"{len(proven)} proven rules", proven)]
    not_run = [f"- `{rule['id']}`: {_plain(rule['why'])}" for rule in rules_with_verdict(report, "not run")]
    yield from ["", *_folded(f"{len(not_run)} rules that were not run", not_run)]
    if report["facts"]:
        facts = [
            f"| `{key}` | {' or '.join(_plain(str(value['value'])) for value in values)} |"
            for key, values in report["facts"].items()
        ]
        yield from ["", *_folded(f"{len(facts)} facts", ["| Fact | Observed values |", "|---|---|", *facts])]


def _origin(report: dict[str, Any]) -> Iterator[str]:
    yield from ["", f"Run {report['run']}, {report['started_at']}, suite {report['suite']}."]


def _violated(rule: dict[str, Any], requests: list[str]) -> Iterator[str]:
    yield from ["", f"### `{rule['id']}`", "", f"{_plain(rule['statement'])} ({checks(rule)})", ""]
    yield from (f"> {_plain(quote)}  " for quote in rule["quotes"])
    yield from [f"> ({_plain(source(rule))})", ""]
    violation = rule["violations"][0]
    yield from (f"- {_plain(line)}" for line in violation["differs"][:_LINES])
    yield f"- Expected: {_plain(violation['expected'])}"
    yield f"- Also allowed: {_plain(violation['allowed'])}"
    yield from requests
    if (more := len(rule["violations"]) - 1) > 0:
        yield from ["", f"{more} more violations of this rule are in `report.html`."]


def _requests(violation: dict[str, Any], room: int) -> list[str]:
    """Return the requests of a violation, if there is room for them."""
    lines = [line for exchange in violation["exchanges"] for line in _exchange(exchange)]
    if sum(map(len, lines)) > room:
        return ["", "The requests are in `report.html`."]
    more = remark(violation)
    return lines if more is None else [*lines, "", f"{more}."]


def _exchange(exchange: dict[str, Any]) -> Iterator[str]:
    """Yield a request as a command, and its response."""
    command = exchange["curl"]
    if len(command) > _COMMAND:
        command = f"# {exchange['request']}: the command is in report.json, because its body is long"
    yield from [
        "",
        *_fenced("sh", command),
        "",
        *_fenced("", f"{response_line(exchange)}\n{exchange['received'][:_RESPONSE]}"),
    ]


def _fenced(language: str, text: str) -> list[str]:
    """Return a text as a block of code, with a fence that is not in it."""
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall(r"`+", text)), 3)
    return [f"{fence}{language}", text, fence]


def _folded(summary: str, lines: list[str]) -> list[str]:
    """Return lines that a reader opens; GitHub and GitLab show `details` in a comment."""
    return [f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"] if lines else []


def _code(text: str | None) -> str:
    """Return an option as code in a cell of a table."""
    return "" if text is None else f"`{text.replace('`', '').replace('|', chr(92) + '|')}`"


def _plain(text: str) -> str:
    """Return a text on one line, with Markdown's special characters escaped; `_` inside of a word is none."""
    return re.sub(r"([\\`*{}\[\]<>#|]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(text.split()))
