"""The summary at the end of a run, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .formatting import (
    by_reason,
    down_lines,
    headline,
    inferred_that_differ,
    left_behind,
    rules_with_verdict,
    share_line,
    violation_lines,
    violation_summary,
)

_WIDTH = 200  # Maximum length of a line; the reports have the full text.
_LINES = 6  # Maximum number of lines about one violation.
_SHOWN = 12  # Maximum number of lines about lasting changes.


def summary_lines(report: dict[str, Any], written: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of the summary.

    Args:
        report: The report.
        written: Files that the run wrote.
    """
    yield from (_cut(f"DOWN      {line}") for line in down_lines(report))
    yield f"{report['target']['url'] or report['target']['kind']}, allowed: {', '.join(report['allowed'])}"
    for rule in rules_with_verdict(report, "violated"):
        yield _cut(f"VIOLATED  {rule['id']}: {rule['statement']}")
        violation = rule["violations"][0]
        yield _cut(f"          {violation_summary(violation)}")
        yield from (_cut(f"          {line}") for line in violation_lines(violation)[1:_LINES])
    for rule in inferred_that_differ(report):
        yield _cut(f"differs   {rule['id']} (inferred): {rule['statement']}")
        yield _cut(f"          {violation_summary(rule['violations'][0])}")
    for broken in report["broken"]:
        yield _cut(f"BROKEN    {broken['test']}, {broken['when']}: {violation_summary({**broken, 'exchanges': []})}")
    for why, remedy, rules in by_reason(report):
        yield _cut(
            f"not run   {len(rules)} because {why}{f' (run them with {remedy})' if remedy else ''}: {', '.join(rules)}"
        )
    # A stub is discarded after the run, with everything that was created in it.
    lines = list(left_behind(report)) if report["target"]["kind"] == "deployment" else []
    yield from map(_cut, lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"... and {len(lines) - _SHOWN} more, in the report"
    if report["floor"] is not None and report["floor"]["missing"]:
        missing = report["floor"]["missing"]
        yield f"FEWER     {len(missing)} of the {report['floor']['rules']} rules of {report['floor']['file']} not proven:"
        yield from (f"          {id}" for id in missing)
    if (line := share_line(report)) is not None:
        yield f"FEWER     {line}"
    for path in written:
        yield f"written   {path}"
    yield headline(report)


def _cut(line: str) -> str:
    line = " ".join(line.split("\n"))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
