"""The page of features agrees with what was measured."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/features.md").read_text("utf-8")
MEASURED: dict[str, Any] = json.loads((ROOT / "benchmarks/features.json").read_text("utf-8"))
WORDS = {"yes": "**yes**", "part": "in part", "no": "no"}


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_every_verdict_of_the_summary_was_measured() -> None:
    """A cell says what was measured, and "not run" where nothing was."""
    header, *rows = _rows(PAGE.partition("## ")[0])
    assert header[1:] == list(MEASURED["sdks"])
    expected = [
        [
            WORDS[cell["verdict"]] if (cell := sdk["cells"].get(feature["id"])) else "not run"
            for sdk in MEASURED["sdks"].values()
        ]
        for feature in MEASURED["features"]
    ]
    expected.append([sdk["version"] for sdk in MEASURED["sdks"].values()])
    assert [row[1:] for row in rows] == expected


def test_every_line_that_was_run_is_shown() -> None:
    """Each feature has a table with the line and the observation of each SDK."""
    for feature in MEASURED["features"]:
        section = PAGE.partition(f"### {feature['title']}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
        shown = {row[0]: row[1:] for row in _rows(section)[1:]}
        assert list(shown) == list(MEASURED["sdks"])
        for name, sdk in MEASURED["sdks"].items():
            cell = sdk["cells"].get(feature["id"])
            if cell is None:
                assert shown[name] == ["", "not run", ""]
            else:
                assert cell["line"].replace("|", "\\|") in shown[name][0]
                assert cell["observed"].replace("|", "\\|") in shown[name][2]


def test_the_lines_that_were_run_are_those_of_the_list() -> None:
    """The results are not older than the lines."""
    listed = {
        (feature["id"], name): line
        for feature in tomllib.loads((ROOT / "benchmarks/features.toml").read_text("utf-8"))["feature"]
        for name, line in feature["lines"].items()
    }
    run = {(id, name): cell["line"] for name, sdk in MEASURED["sdks"].items() for id, cell in sdk["cells"].items()}
    assert run == listed


def test_a_feature_that_another_sdk_has_and_the_sdk_has_not_is_named() -> None:
    """The page says where another SDK is the better choice."""
    better = PAGE.partition("## Where another SDK")[2].partition("## Line by line")[0]
    own = MEASURED["sdks"]["project-platform"]["cells"]
    for feature in MEASURED["features"]:
        has = own.get(feature["id"], {}).get("verdict")
        others = [sdk["cells"].get(feature["id"], {}).get("verdict") for sdk in MEASURED["sdks"].values()]
        if has != "yes" and "yes" in others:
            named = {"raw": "One answer as it was received", "classes": "Records as classes of your own"}
            assert named[feature["id"]] in better
