"""Writes the tables of `docs/compare.md` from what the trials and the benchmark have measured; what was not run says so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from .markdown import table

_OURS: Final = "project-platform"
_NOT_RUN: Final = "not run"
_TRIALS: Final = {
    "lost": "The answer to a POST is lost: requests sent",
    "failed": "A POST is applied and answered with 500: requests sent",
    "conflict": "A POST is answered with 409: requests sent",
    "limited": "A POST is answered with 429 and `Retry-After: 1`",
    "conditional": "The answer to a conditional write is lost, and the retry refused; ours with `settle`",
}
_LISTS: Final = {
    "slow": "The body arrives slowly, with a limit of 2 s: the call ends after",
    "stalled": "The body stops after its first byte, with a limit of 2 s: the call ends after",
    "loop": "The server names the same next page again and again: requests sent",
}
_MEASURES: Final = {
    "one agent": "CPU of one call",
    "page of 100": "CPU of a page of 100 objects",
    "50 in flight": "CPU of a call, 50 in flight",
}
_SIDE: Final = r"^\| {row} \| {side} \| [\d,]+ \| ([\d.]+ \([\d.]+ to [\d.]+\)) \|"


def trials(root: Path) -> str:
    """Return the table of the trials of writes, with a column for each SDK and a row for their versions."""
    return _trials(root, _TRIALS, _outcome)


def lists(root: Path) -> str:
    """Return the table of the trials of lists, with a column for each SDK and a row for their versions."""
    return _trials(root, _LISTS, _list_outcome)


def _trials(root: Path, titles: Mapping[str, str], outcome: Callable[[str, dict[str, Any]], str]) -> str:
    recorded: dict[str, Any] = json.loads((root / "benchmarks/compare.json").read_text("utf-8"))
    sdks: dict[str, Any] = recorded["sdks"]
    rows = [
        (
            title,
            *(outcome(trial, sdk["cells"][trial]) if trial in sdk["cells"] else _NOT_RUN for sdk in sdks.values()),
        )
        for trial, title in titles.items()
    ]
    versions = ("Version", *(sdk["version"] or _NOT_RUN for sdk in sdks.values()))
    shown = table(("Trial", *sdks), [*rows, versions])
    note = f"`python -m benchmarks.compare`, Python {recorded['python']}, {recorded['date']}\n{{ .source }}"
    return f'<div class="compare" markdown>\n\n{shown}\n\n</div>\n\n{note}'


def _outcome(trial: str, cell: dict[str, Any]) -> str:
    requests, end = cell["requests"], _code(cell["end"])
    if trial == "limited":
        return f"sent again after {cell['waited']} s" if requests > 1 else f"not sent again: {end}"
    if trial == "conditional":
        reported = cell["end"].removeprefix("result, applied ")
        return f"result: `{reported}`" if reported != cell["end"] else _bad(end)
    count = f"{requests}{' in 20 s' if cell['end'].startswith('cut off') else ''}"
    shown = count if requests == 1 else _bad(count)
    return f"{shown}: {end}"


def _list_outcome(trial: str, cell: dict[str, Any]) -> str:
    if cell["end"].startswith("still "):
        return _bad(cell["end"])
    requests, end = cell["requests"], _code(cell["end"])
    if trial == "loop":
        return f"{requests}: {end}"
    return f"{cell['seconds']} s, {requests} request{'s' if requests > 1 else ''}: {end}"


def _code(text: str) -> str:
    """Return code in which a long name, such as that of an exception, is broken before a capital letter."""
    return f"<code>{re.sub(r'(?<=[a-z])(?=[A-Z])', '<wbr>', escape(text, quote=False))}</code>"


def _bad(text: str) -> str:
    return f"*{text}*{{ .bad }}"


def speed(root: Path) -> str:
    """Return the table of the benchmark, with the columns of the table of trials."""
    sides: dict[str, Any] = json.loads((root / "benchmarks/compare.json").read_text("utf-8"))["sdks"]
    text = (root / "benchmarks/README.md").read_text("utf-8")
    measured = text.partition("\n## Measured\n")[2]
    rows = [(title, *(_ratio(measured, row, side) for side in sides)) for row, title in _MEASURES.items()]
    note = f"[Benchmarks](benchmarks.md#measured), `python -m benchmarks --peers`, {_circumstances(measured, sides)}\n{{ .source }}"
    return f'<div class="compare" markdown>\n\n{table(("Measure", *sides), rows)}\n\n</div>\n\n{note}'


def _circumstances(measured: str, sides: Iterable[str]) -> str:
    """Return the Python of the first table, the versions of the SDKs with a column, and the date."""
    head = " ".join(measured.partition("\n### ")[0].split())
    python, day = re.search(r"Python ([\d.]+\d)", head), re.search(r"\d{4}-\d\d-\d\d", head)
    if python is None or day is None:
        raise ValueError("benchmarks/README.md: the text below `## Measured` has no version of Python or no date")
    versions = [found[0] for name in ("httpx", *sides) if (found := re.search(rf"\b{name} [\d.]+\d", head))]
    return ", ".join([f"Python {python[1]}", *versions, day[0]])


def _ratio(measured: str, row: str, side: str) -> str:
    name = "SDK" if side == _OURS else side
    found = re.search(_SIDE.format(row=re.escape(row), side=re.escape(name)), measured, re.MULTILINE)
    return f"{found[1]} &times;" if found else _NOT_RUN
