"""The report as Markdown, for a pull request or the summary of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .formatting import by_reason, headline, left_behind, rules_with_verdict, violation_summary


def render_markdown(report: dict[str, Any]) -> str:
    """Return a report as Markdown; markup in responses is escaped."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield "# Contract of the Project Platform API"
    yield ""
    yield f"**{headline(report)}.** Target: {report['target']['url'] or report['target']['kind']}. Allowed: {', '.join(report['allowed'])}."
    yield f"Run {report['run']}, {report['started_at']}, suite {report['suite']}."
    if report["floor"] is not None and report["floor"]["missing"]:
        yield from ["", f"## Fewer proven than {_plain(report['floor']['file'])}", ""]
        yield from (f"- `{id}`" for id in report["floor"]["missing"])
    if violated := rules_with_verdict(report, "violated"):
        yield from ["", "## Violated", ""]
        for rule in violated:
            yield f"- **`{rule['id']}`** ({rule['section']}): {_plain(rule['statement'])}"
            yield from (f"    - {_plain(violation_summary(violation))}" for violation in rule["violations"])
    if report["broken"]:
        yield from ["", "## Broken tests", ""]
        yield from (
            f"- `{broken['test']}`, {broken['when']}: {_plain(violation_summary({**broken, 'exchanges': []}))}"
            for broken in report["broken"]
        )
    if reasons := by_reason(report):
        yield from ["", "## Not run", ""]
        for why, rules in reasons.items():
            yield f"- {_plain(why)}: {', '.join(f'`{id}`' for id in rules)}"
    if lines := list(left_behind(report)):
        yield from ["", "## Left behind", ""]
        yield from (f"- {_plain(line)}" for line in lines)
    if report["facts"]:
        yield from ["", "## Facts", "", "| Fact | Observed values |", "|---|---|"]
        for key, values in report["facts"].items():
            yield f"| `{key}` | {' or '.join(_plain(str(value['value'])) for value in values)} |"
    yield from ["", "## Proven", ""]
    yield from (f"- `{rule['id']}`: {_plain(rule['statement'])}" for rule in rules_with_verdict(report, "proven"))


def _plain(text: str) -> str:
    """Return a text on one line, with Markdown's special characters escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))
