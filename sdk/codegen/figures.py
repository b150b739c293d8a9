"""Writes the figures of the landing page from the files that the benchmark, the truth trials and the rules leave behind."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

_CALL: Final = re.compile(
    r"^\| one agent \| SDK \| [\d,]+ \| (?P<ratio>[\d.]+) \((?P<low>[\d.]+) to (?P<high>[\d.]+)\)", re.MULTILINE
)
_MEASURED: Final = re.compile(
    r"^## Measured\n\nPython (?P<python>[\d.]+)[^,]*, httpx (?P<httpx>[\d.]+),.*?(?P<date>\d{4}-\d\d-\d\d)",
    re.MULTILINE | re.DOTALL,
)


class Figure(NamedTuple):
    """A figure: its value, what was counted, its source, and what the source depends on."""

    value: str
    counted: str
    source: str
    link: str
    context: str


def landing(root: Path) -> str:
    """Return the figures as the landing page shows them, each with its source, as Markdown."""
    figures = (_verdicts(root), _call(root), _rules())
    return "\n".join(['<div class="figures" markdown>', *map(_shown, figures), "</div>"])


def _shown(figure: Figure) -> str:
    return (
        f"<div markdown>\n\n{figure.value}\n{{ .figure }}\n\n{figure.counted}\n\n"
        f"[{figure.source}]({figure.link}), {figure.context}\n{{ .source }}\n\n</div>"
    )


def _verdicts(root: Path) -> Figure:
    trials: dict[str, Any] = json.loads((root / "tests/truth/measured.json").read_text("utf-8"))
    return Figure(
        f"{trials['wrong']} wrong",
        f"verdicts in {trials['calls']:,} calls over sockets, whose answers were lost, late, cut or damaged.",
        "Truth trials",
        "writes.md#how-it-is-tested",
        f"version {trials['version']}, {_day(trials['date'])}",
    )


def _call(root: Path) -> Figure:
    text = (root / "benchmarks/README.md").read_text("utf-8")
    row, measured = _CALL.search(text), _MEASURED.search(text)
    if row is None or measured is None:
        raise ValueError("benchmarks/README.md: there is no row for the SDK's call of one agent below `## Measured`")
    return Figure(
        f"{row['ratio']} &times;",
        "the CPU time of `httpx.get` and `json.loads`, for a call with retries, validation and types "
        f"({row['low']} to {row['high']} in the rounds).",
        "Benchmark",
        "compare.md#speed",
        f"httpx {measured['httpx']}, Python {measured['python']}, {_day(measured['date'])}",
    )


def _rules() -> Figure:
    # Imported here, because the rules read openapi.yaml, and the generator must report its mistakes first.
    from project_platform.version import VERSION
    from project_platform_contract.rules import RULES

    inferred = sum(rule.inferred for rule in RULES.values())
    return Figure(
        f"{len(RULES)} rules",
        f"of the contract suite: {len(RULES) - inferred} cite the specification, {inferred} are inferred. Some need the stub, because no "
        "operation shows what they state.",
        "The rules",
        "contract-rules.md",
        f"version {VERSION}",
    )


def _day(iso: str) -> str:
    """Return a date in words, such as `22 November 2026`."""
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"
