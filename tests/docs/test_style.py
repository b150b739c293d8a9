"""The colours of the style sheet have enough contrast in both schemes (WCAG 2.2, 1.4.3 and 1.4.11), and its labels are current."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STYLE = (ROOT / "docs/assets/site.css").read_text("utf-8")
TEXT, RULE = 4.5, 3.0
KINDS = ("yes", "no", "unknown", "lost", "again")


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour such as `#0f766e`."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_text_and_borders_have_contrast(scheme: str) -> None:
    """Text has at least 4.5 to 1 on what it stands on, a border of a drawing 3 to 1."""
    block = re.search(rf'\[data-md-color-scheme="{scheme}"\] \{{(.*?)\n\}}', STYLE, re.DOTALL)
    assert block is not None
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block[1]))
    page, code, soft = (
        colours["md-default-bg-color"],
        colours["md-code-bg-color"],
        colours["md-default-fg-color--light"],
    )
    ratios = {name: contrast(colours[name], page) for name in ("md-typeset-color", "md-typeset-a-color")}
    ratios |= {
        name: contrast(value, code) for name, value in colours.items() if re.match(r"md-code-hl-.+-color$", name)
    }
    ratios |= {f"text on {kind}": contrast(soft, colours[f"site-{kind}"]) for kind in ("band", "box", *KINDS)}
    rules = {kind: contrast(colours[f"site-{kind}-rule"], page) for kind in KINDS}

    assert len(ratios) > 15
    assert {name: ratio for name, ratio in ratios.items() if ratio < TEXT} == {}
    assert {kind: ratio for kind, ratio in rules.items() if ratio < RULE} == {}


def test_the_cards_of_the_comparison_name_the_columns() -> None:
    """On a phone the header of the table is hidden, and each cell has the name of its SDK from the style sheet."""
    named = re.findall(r'\.compare td:nth-child\((\d+)\)::before \{ content: "([^"]+)"; \}', STYLE)
    measured = json.loads((ROOT / "benchmarks/compare.json").read_text("utf-8"))["sdks"]

    assert [(int(column), name) for column, name in named] == list(enumerate(measured, 2))
