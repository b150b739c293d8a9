"""The summary at the end of a run, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .explanation import differences
from .formatting import (
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
    some,
    source,
    waived_lines,
)

_WIDTH = 200  # Maximum length of a line that is no command; the reports have the full text.
_COMMAND = 2000  # Maximum length of a command; a longer one would fill a screen.
_LINES = 6  # Maximum number of differences of one violation.
_SHOWN = 4  # Maximum number of lines about lasting changes.


def summary_lines(report: dict[str, Any], written: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of the summary; the run wrote some files."""
    for line, down in zip(down_lines(report), report["down"], strict=True):
        yield _cut(f"DOWN      {line}")
        last = down["exchanges"][-1]
        yield _cut(f"          sent: {last['sent'] or 'no body'}; received: {last['received'] or 'no body'}")
    yield f"{report['target']['url'] or report['target']['kind']}, allowed: {', '.join(report['allowed'])}"
    for rule in rules_with_verdict(report, "violated"):
        yield from _violated("VIOLATED", rule)
    for rule in inferred_that_differ(report):
        yield from _violated("differs", rule)
    yield from (_cut(f"flaky     {flaky_line(flaky)}") for flaky in report["flaky"])
    yield from (_cut(f"waived    {line}") for line in waived_lines(report))
    for broken in report["broken"]:
        yield _cut(f"BROKEN    {broken['test']}, {broken['when']}: {differences(broken['said'])[0]}")
    for why, remedy, rules in by_reason(report):
        yield _cut(
            f"not run   {len(rules)} because {why}{f' (run them with {remedy})' if remedy else ''}: {some(rules)}"
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
    if (share := share_line(report)) is not None:
        yield f"FEWER     {share}"
    for path in written:
        yield f"written   {path}"
    yield details(report)
    yield headline(report)


def _violated(word: str, rule: dict[str, Any]) -> Iterator[str]:
    """Yield the first violation of a rule, with its requests as commands."""
    kind = "" if rule["kind"] == "stated" else f"{rule['kind']}, "
    yield _cut(f"{word:10}{rule['id']} ({kind}{checks(rule)}): {rule['statement']}")
    violation = rule["violations"][0]
    yield _cut(f"          {source(rule)}")
    yield from (_cut(f'          "{quote}"') for quote in rule["quotes"])
    yield from (_cut(f"          {line}") for line in violation["differs"][:_LINES])
    yield f"          expected: {violation['expected']}"
    yield f"          also allowed: {violation['allowed']}"
    for exchange in violation["exchanges"]:
        command = exchange["curl"]
        yield f"          $ {command if len(command) <= _COMMAND else f'{command[:_WIDTH]}... (whole in the report)'}"
        yield _cut(f"          {response_line(exchange)} {exchange['received']}")
    if (line := remark(violation)) is not None:
        yield f"          {line}"
    if (more := len(rule["violations"]) - 1) > 0:
        yield f"          and {more} more violations of this rule, in the report"


def _cut(line: str) -> str:
    line = " ".join(line.split("\n"))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
