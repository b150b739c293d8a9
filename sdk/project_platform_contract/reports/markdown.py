"""The report as Markdown, for a pull request or the summary of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .formatting import (
    INFERRED,
    by_operation,
    by_reason,
    down_lines,
    headline,
    inferred_that_differ,
    left_behind,
    rules_with_verdict,
    share_line,
    verdict_line,
    violation_lines,
    violation_summary,
)

_LINES = 12  # Maximum number of lines about one violation.
_CHANGES = 50  # Maximum number of lines about what is left behind: a comment on GitHub has at most 65,536 characters.


def render_markdown(report: dict[str, Any]) -> str:
    """Return a report as Markdown; markup in responses is escaped."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"# {verdict_line(report)}"
    yield ""
    yield f"**{headline(report)}.** Target: {report['target']['url'] or report['target']['kind']}. Allowed: {', '.join(report['allowed'])}."
    if (line := share_line(report)) is not None:
        yield f"{_plain(line)}."
    if down := down_lines(report):
        yield from ["", "## Down", "", *(f"- {_plain(line)}" for line in down)]
    if violated := rules_with_verdict(report, "violated"):
        yield from ["", "## Violated"]
        for rule in violated:
            yield from _violated(rule)
    if report["floor"] is not None and report["floor"]["missing"]:
        yield from ["", f"## Fewer proven than {_plain(report['floor']['file'])}", ""]
        yield from (f"- `{id}`" for id in report["floor"]["missing"])
    if differing := inferred_that_differ(report):
        yield from ["", "## Inferred rules that differ", "", INFERRED]
        for rule in differing:
            yield from _violated(rule)
    if report["broken"]:
        yield from ["", "## Broken tests", ""]
        yield from (
            f"- `{broken['test']}`, {broken['when']}: {_plain(violation_summary({**broken, 'exchanges': []}))}"
            for broken in report["broken"]
        )
    if lines := list(left_behind(report)):
        yield from [
            "",
            "## Left behind",
            "",
            *_folded(f"{len(lines)} changes", [f"- {_plain(line)}" for line in lines[:_CHANGES]]),
            *([f"{len(lines) - _CHANGES} more are in `report.json`."] if len(lines) > _CHANGES else []),
        ]
    if reasons := by_reason(report):
        yield from ["", "## Not run", "", "| Rules | Reason | Run them with |", "|---|---|---|"]
        yield from (f"| {len(reason.rules)} | {_plain(reason.why)} | {_code(reason.remedy)} |" for reason in reasons)
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
    proven = [f"- `{rule['id']}`: {_plain(rule['statement'])}" for rule in rules_with_verdict(report, "proven")]
    yield from ["", *_folded(f"{len(proven)} proven rules", proven)]
    not_run = [f"- `{rule['id']}`: {_plain(rule['why'])}" for rule in rules_with_verdict(report, "not run")]
    yield from ["", *_folded(f"{len(not_run)} rules that were not run", not_run)]
    if report["facts"]:
        facts = [
            f"| `{key}` | {' or '.join(_plain(str(value['value'])) for value in values)} |"
            for key, values in report["facts"].items()
        ]
        yield from ["", *_folded(f"{len(facts)} facts", ["| Fact | Observed values |", "|---|---|", *facts])]
    yield from ["", f"Run {report['run']}, {report['started_at']}, suite {report['suite']}."]


def _violated(rule: dict[str, Any]) -> Iterator[str]:
    yield from ["", f"**`{rule['id']}`** ({rule['section']}): {_plain(rule['statement'])}", ""]
    for violation in rule["violations"]:
        yield f"- {_plain(violation_summary(violation))}"
        yield from (f"    - {_plain(line)}" for line in violation_lines(violation)[1:_LINES])


def _folded(summary: str, lines: list[str]) -> list[str]:
    """Return lines that a reader opens; GitHub and GitLab show `details` in a comment."""
    return [f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"] if lines else []


def _code(text: str | None) -> str:
    """Return an option as code in a cell of a table."""
    return "" if text is None else f"`{text.replace('`', '').replace('|', chr(92) + '|')}`"


def _plain(text: str) -> str:
    """Return a text on one line, with Markdown's special characters escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))
