"""Draws the diagrams of the documentation as SVG files: `files` returns them.

A page includes a drawing as a snippet, so that it follows the colour scheme of the page and needs no script. Each diagram is
drawn twice at one text size: wide for a desktop column and narrow for a phone. Colours are CSS classes; the attributes are
for viewers without the style sheet of the site.
"""

from __future__ import annotations

from pathlib import Path

from .contents import CONTENTS, LOST_OTHERS, LOST_OURS, SEQUENCES
from .layouts import NARROW, WIDE, sequence

__all__ = ["files"]

_VERDICT_AT = 386  # Both sequences stand beside each other, so their verdicts begin at the same height.


def files(folder: Path) -> dict[Path, str]:
    """Return the SVG files of a folder, with their contents."""
    found: dict[Path, str] = {}
    for name, diagram in CONTENTS.items():
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            drawing = diagram.draw(width)
            found[folder / f"{name}-{kind}.svg"] = drawing.svg(f"{name}-{kind}", diagram.title, diagram.description)
    for name, messages, verdict in (("lost-others", *LOST_OTHERS), ("lost-ours", *LOST_OURS)):
        title, description = SEQUENCES[name]
        drawing = sequence(["Program", "SDK", "Service"], messages, verdict, least=_VERDICT_AT)
        found[folder / f"{name}.svg"] = drawing.svg(name, title, description)
    return found
