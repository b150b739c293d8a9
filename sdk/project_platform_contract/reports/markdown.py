"""The report as Markdown, for a pull request or a job's summary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .formatting import by_reason, gist, headline, left_behind, of


def text(report: dict[str, Any]) -> str:
    """Return a report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield "# Contract of the Project Platform API"
    yield ""
    yield f"**{headline(report)}.** Target: {report['target']['url'] or report['target']['kind']}. Allowed: {', '.join(report['allowed'])}."
    yield f"Run {report['run']}, {report['started_at']}, suite {report['suite']}."
    if report["floor"] is not None and report["floor"]["missing"]:
        yield from ["", f"## Fewer proven than {_plain(report['floor']['file'])}", ""]
        yield from (f"- `{id}`" for id in report["floor"]["missing"])
    if violated := of(report, "violated"):
        yield from ["", "## Violated", ""]
        for rule in violated:
            yield f"- **`{rule['id']}`** ({rule['section']}): {_plain(rule['statement'])}"
            yield from (f"    - {_plain(gist(violation))}" for violation in rule["violations"])
    if report["broken"]:
        yield from ["", "## Tests that could not do their work", ""]
        yield from (
            f"- `{broken['test']}`, {broken['when']}: {_plain(gist({**broken, 'exchanges': []}))}"
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
        yield from ["", "## Facts", "", "| Fact | Seen |", "|---|---|"]
        for key, values in report["facts"].items():
            yield f"| `{key}` | {' or '.join(_plain(str(value['value'])) for value in values)} |"
    yield from ["", "## Proven", ""]
    yield from (f"- `{rule['id']}`: {_plain(rule['statement'])}" for rule in of(report, "proven"))


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))
