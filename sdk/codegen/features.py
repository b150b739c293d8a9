"""Writes the tables of `docs/features.md` from `benchmarks/features.json`; what was not run says so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from .markdown import table

_NOT_RUN: Final = "not run"
_VERDICTS: Final = {"yes": "**yes**", "part": "in part", "no": "no"}


def summary(root: Path) -> str:
    """Return the table of verdicts, with a column for each SDK and a row for their versions."""
    recorded = _recorded(root)
    sdks: dict[str, Any] = recorded["sdks"]
    rows = [
        (
            f"[{feature['title']}](#{_anchor(feature['title'])})",
            *(_verdict(sdk["cells"].get(feature["id"])) for sdk in sdks.values()),
        )
        for feature in recorded["features"]
    ]
    versions = ("Version", *(sdk["version"] or _NOT_RUN for sdk in sdks.values()))
    note = f"`python -m benchmarks.features`, Python {recorded['python']}, {recorded['date']}\n{{ .source }}"
    return f"{table(('Feature', *sdks), [*rows, versions])}\n\n{note}"


def lines(root: Path) -> str:
    """Return a section for each feature: the line of each SDK, the verdict, and what was observed."""
    recorded = _recorded(root)
    return "\n\n".join(_section(feature, recorded["sdks"]) for feature in recorded["features"])


def _section(feature: dict[str, str], sdks: dict[str, Any]) -> str:
    rows = [_row(name, sdk["cells"].get(feature["id"])) for name, sdk in sdks.items()]
    shown = table(("SDK", "Line", "Verdict", "Observed"), rows)
    check = feature["check"][0].upper() + feature["check"][1:]
    return f"### {feature['title']}\n\n{check}.\n\n{shown}"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w-]+", "-", title.replace(",", "").lower())


def _row(name: str, cell: dict[str, str] | None) -> tuple[str, str, str, str]:
    if cell is None:
        return name, "", _NOT_RUN, ""
    return name, _code(cell["line"]), _verdict(cell), _code(cell["observed"])


def _verdict(cell: dict[str, str] | None) -> str:
    return _VERDICTS[cell["verdict"]] if cell else _NOT_RUN


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{fence}{space}{text.replace('|', chr(92) + '|')}{space}{fence}"


def _recorded(root: Path) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads((root / "benchmarks/features.json").read_text("utf-8"))
    return recorded
