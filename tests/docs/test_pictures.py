"""The pictures in the documentation show what the code does now."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
VISIBLE = 64  # Difference of a pixel, of 255, that is more than another version of the renderer makes.
SHARE = 0.002  # Of all pixels: a word that is printed elsewhere is more.


def test_the_label_sheet_is_the_one_that_the_stub_prints():
    """`docs/pictures/label_sheet.py` writes it anew."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    script = runpy.run_path(str(PICTURES / "label_sheet.py"))

    rendered = script["render"](script["export"]()).convert("L")
    with image.open(PICTURES / "label_sheet.png") as stored:
        expected = stored.convert("L")

    assert rendered.size == expected.size
    pairs = zip(rendered.tobytes(), expected.tobytes(), strict=True)
    different = sum(abs(one - other) > VISIBLE for one, other in pairs)
    assert different < SHARE * len(expected.tobytes())


def test_the_terminals_show_what_the_commands_and_the_traces_are():
    """`docs/pictures/terminals.py` writes them anew."""
    script = runpy.run_path(str(PICTURES / "terminals.py"))

    for name, draw in script["PICTURES"].items():
        assert draw() == (PICTURES / name).read_text("utf-8"), name
