"""The elements of a drawing: boxes, texts, arrows, and the SVG document that holds them."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from html import escape
from typing import Final

LINE: Final = 18  # Height of a line of text.
ADVANCE: Final = 7.0  # Average width of a character of 14 px.
SMALL_ADVANCE: Final = 6.3  # Average width of a character of 12.5 px.
_BOLD_ADVANCE: Final = 7.6  # Average width of a character of 14 px in a heavier weight.
_PADDING: Final = 12

# Colours for viewers without the style sheet of the site, by class.
_FALLBACK: Final = {
    "d-box": 'fill="#fff" stroke="#94a3b8"',
    "d-line": 'fill="none" stroke="#64748b" stroke-width="1.5"',
    "d-text": 'fill="#0f172a"',
    "d-soft": 'fill="#475569"',
    "d-yes": 'fill="#dcfce7" stroke="#15803d"',
    "d-no": 'fill="#e2e8f0" stroke="#475569"',
    "d-unknown": 'fill="#fef3c7" stroke="#b45309"',
    "d-lost": 'fill="#fee2e2" stroke="#b91c1c"',
    "d-again": 'fill="#e0f2fe" stroke="#0369a1"',
}


@dataclass
class Drawing:
    """A drawing that grows downward.

    Attributes:
        width: Width in pixels.
        height: Height in pixels; it grows with the boxes.
        parts: SVG elements, in the order in which they are painted.
    """

    width: float
    height: float = 0
    parts: list[str] = field(default_factory=list)

    def rect(self, x: float, y: float, w: float, h: float, kind: str = "d-box", radius: float = 8) -> None:  # noqa: PLR0917  # x, y, width, height, as in SVG
        """Draw a box."""
        place = f'x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{radius:g}"'
        self.parts.append(f'<rect class="{kind}" {_FALLBACK[kind]} {place}/>')
        self.height = max(self.height, y + h + 2)

    def text(self, x: float, y: float, value: str, kind: str = "d-text", size: float = 14, more: str = "") -> None:  # noqa: PLR0917  # as above
        """Draw one line of text."""
        place = f'x="{x:g}" y="{y:g}" font-size="{size:g}" {more}'.rstrip()
        self.parts.append(f'<text class="{kind}" {_FALLBACK[kind]} {place}>{escape(value)}</text>')

    def path(self, d: str, *, arrow: bool = True, more: str = "") -> None:
        """Draw a line, with an arrow at its end by default."""
        head = ' marker-end="url(#d-arrow)"' if arrow else ""
        self.parts.append(f'<path class="d-line" {_FALLBACK["d-line"]} d="{d}"{head} {more}/>')

    def card(self, x: float, y: float, w: float, title: str, note: str = "", kind: str = "d-box") -> float:  # noqa: PLR0917  # as above
        """Draw a box with a title and a note, and return its height."""
        titles = textwrap.wrap(title, int((w - 2 * _PADDING) / _BOLD_ADVANCE))
        notes = textwrap.wrap(note, int((w - 2 * _PADDING) / SMALL_ADVANCE))
        height = 14 + LINE * (len(titles) + len(notes))
        self.rect(x, y, w, height, kind)
        for row, value in enumerate(titles):
            self.text(x + _PADDING, y + 20 + LINE * row, value, more='font-weight="600"')
        for row, value in enumerate(notes, len(titles)):
            self.text(x + _PADDING, y + 20 + LINE * row, value, "d-soft", 12.5)
        return height

    def number(self, x: float, y: float, number: int) -> None:
        """Draw the number of a step in a circle."""
        style = 'text-anchor="middle" font-weight="700" style="fill:var(--site-on-accent,#fff)"'
        self.parts.append(f'<circle class="d-number" fill="#0f766e" cx="{x:g}" cy="{y:g}" r="13"/>')
        self.text(x, y + 5, str(number), "d-text", 13, style)

    def svg(self, name: str, title: str, description: str) -> str:
        """Return the document.

        Args:
            name: Name of the file; its last part is the CSS class of the drawing.
            title: What the drawing shows.
            description: What it says, for readers who do not see it.
        """
        arrow = f"arrow-{name}"
        label = escape(f"{title}: {description}", quote=True)
        attributes = (
            f'xmlns="http://www.w3.org/2000/svg" class="{name.rpartition("-")[2]}" role="img" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" width="{self.width:g}" height="{self.height:g}" '
            f'font-family="system-ui, sans-serif" aria-label="{label}"'
        )
        marker = (
            f'<marker id="{arrow}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path class="d-head" fill="#64748b" d="M0 0 8 4 0 8z"/></marker>'
        )
        parts = "".join(self.parts).replace("url(#d-arrow)", f"url(#{arrow})")
        return f"<svg {attributes}><defs>{marker}</defs>{parts}</svg>\n"
