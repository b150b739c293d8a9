"""What the terminal shows at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .formatting import by_reason, gist, headline, left_behind, of

_WIDTH = 200  # Characters of a line; the reports have all of it.
_SHOWN = 12  # Things of a kind.


def told(report: dict[str, Any], written: Sequence[Path]) -> Iterator[str]:
    """Give the lines."""
    yield f"{report['target']['url'] or report['target']['kind']}, allowed: {', '.join(report['allowed'])}"
    for rule in of(report, "violated"):
        yield _cut(f"VIOLATED  {rule['id']}: {rule['statement']}")
        yield _cut(f"          {gist(rule['violations'][0])}")
    for broken in report["broken"]:
        yield _cut(f"BROKEN    {broken['test']}, {broken['when']}: {gist({**broken, 'exchanges': []})}")
    for why, rules in by_reason(report).items():
        yield _cut(f"not run   {len(rules)} because {why}: {', '.join(rules)}")
    # What is left behind in a stub is gone with it.
    lines = list(left_behind(report)) if report["target"]["kind"] == "deployment" else []
    yield from map(_cut, lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"... and {len(lines) - _SHOWN} more, in the report"
    if report["floor"] is not None and report["floor"]["missing"]:
        missing = report["floor"]["missing"]
        yield f"FEWER     {len(missing)} of the {report['floor']['rules']} rules of {report['floor']['file']} not proven:"
        yield from (f"          {id}" for id in missing)
    for path in written:
        yield f"written   {path}"
    yield headline(report)


def _cut(line: str) -> str:
    line = " ".join(line.split("\n"))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
