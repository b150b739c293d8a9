"""The three layouts of the diagrams: a ladder of steps with results, a list of stops, and a sequence of messages."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .svg import ADVANCE, LINE, SMALL_ADVANCE, Drawing

WIDE: Final = 688  # Width of the text column on a desktop.
NARROW: Final = 328  # Width of the text column on a phone.
_DASHED: Final = 'stroke-dasharray="5 4"'


@dataclass(frozen=True)
class Result:
    """The end of a branch.

    Attributes:
        when: Text on the arrow.
        kind: Meaning of its colour: yes, no, unknown, lost or again.
        label: Text in the box.
        note: Smaller text below it.
    """

    when: str
    kind: str
    label: str
    note: str = ""


@dataclass(frozen=True)
class Step:
    """A question or a noun, with its results; `then` is the text on the arrow to the next step."""

    title: str
    note: str = ""
    results: tuple[Result, ...] = ()
    then: str = ""


@dataclass(frozen=True)
class Message:
    """An arrow between two actors.

    Attributes:
        start: Index of the sender.
        end: Index of the receiver.
        label: Text above the arrow.
        lost: Whether the arrow ends halfway.
        mark: Text at the receiver.
    """

    start: int
    end: int
    label: str
    lost: bool = False
    mark: str = ""


def ladder(steps: Sequence[Step], width: float) -> Drawing:
    """Draw steps downward; the results of each are beside it in a wide drawing, below it in a narrow one."""
    wide = width >= WIDE
    drawing, y = Drawing(width), 2.0
    card_width = 262 if wide else width - 2
    for step in steps:
        height = drawing.card(1, y, card_width, step.title, step.note)
        draw = _results_beside if wide else _results_below
        end = max(y + height, draw(drawing, step, y, height))
        following = end + (34 if step.then else 26)
        if step is not steps[-1]:
            x = 131 if wide else 18
            drawing.path(f"M{x} {y + height:g}V{following - 2:g}")
            if step.then:
                drawing.text(x + 8, following - 12, step.then, "d-soft", 12.5)
        y = following
    return drawing


def _results_beside(
    drawing: Drawing, step: Step, top: float, height: float
) -> float:  # the height is for the other one
    x, y = 372, top
    for result in step.results:
        box = drawing.card(x, y, drawing.width - x - 1, result.label, result.note, f"d-{result.kind}")
        middle = y + min(box / 2, 25)
        start = f"M263 {middle:g}" if y == top else f"M280 {top + 25:g}V{middle:g}"
        drawing.path(f"{start}H{x - 2}")
        drawing.text(287, middle - 6, result.when, "d-soft", 12.5)
        y += box + 10
    return y - 10


def _results_below(drawing: Drawing, step: Step, top: float, height: float) -> float:
    x, y = 44, top + height + 12
    for result in step.results:
        label = f"{result.when}: {result.label}"
        box = drawing.card(x, y, drawing.width - x - 1, label, result.note, f"d-{result.kind}")
        drawing.path(f"M18 {top + height:g}V{y + 20:g}H{x - 2}")
        y += box + 8
    return y - 8


def stops(items: Sequence[tuple[str, str]], width: float, back: str = "") -> Drawing:
    """Draw numbered stops downward.

    Args:
        items: Title and note of each stop.
        width: Width of the drawing.
        back: Text on a line from the last stop back to the first; empty for no line.
    """
    beside = width >= WIDE and not back
    lane = 30 if back else 0
    drawing, y = Drawing(width), 2.0
    middles: list[float] = []
    for number, (title, note) in enumerate(items, 1):
        height = drawing.card(40, y, 230 if beside else width - 41 - lane, title, "" if beside else note)
        if beside:
            lines = textwrap.wrap(note, int((width - 290) / ADVANCE))
            for row, value in enumerate(lines):
                drawing.text(288, y + height / 2 + 5 + LINE * (row - (len(lines) - 1) / 2), value, "d-soft", 13)
            height = max(height, LINE * len(lines))
        drawing.number(15, y + 16, number)
        middles.append(y + 16)
        if number < len(items):
            drawing.path(f"M64 {y + height:g}V{y + height + 20:g}")
        y += height + 22
    if back:
        first, last = middles[0], middles[-1]
        x, middle = width - lane, (first + last) / 2
        drawing.path(f"M{x} {last:g}H{width - 12}V{first:g}H{x + 3}", more=_DASHED)
        turned = f'text-anchor="middle" transform="rotate(90 {width - 4:g} {middle:g})"'
        drawing.text(width - 4, middle, back, "d-soft", 12.5, turned)
        drawing.width = width + 4
    return drawing


def sequence(actors: Sequence[str], messages: Sequence[Message], verdict: Result, *, least: float) -> Drawing:
    """Draw messages downward between life lines, and the verdict below them.

    Args:
        actors: Names of the three actors.
        messages: The messages, in order.
        verdict: What the first actor learns.
        least: Height at which the verdict begins at the earliest.
    """
    drawing = Drawing(NARROW)
    xs = [46.0, NARROW / 2, NARROW - 46.0]
    for x, name in zip(xs, actors, strict=True):
        drawing.rect(x - 45, 2, 90, 32)
        drawing.text(x, 23, name, more='text-anchor="middle" font-weight="600"')
    behind = len(drawing.parts)
    y = 66.0
    for message in messages:
        y = _message(drawing, message, xs[message.start], xs[message.end], y)
    foot = max(y - 18, least)
    lines = [f'<path class="d-life" stroke="#94a3b8" stroke-dasharray="2 4" d="M{x:g} 34V{foot:g}"/>' for x in xs]
    drawing.parts[behind:behind] = lines
    drawing.height = foot + drawing.card(1, foot, NARROW - 2, verdict.label, verdict.note, f"d-{verdict.kind}") + 2
    return drawing


def _message(drawing: Drawing, message: Message, start: float, end: float, y: float) -> float:
    """Draw one message, and return the height of the next."""
    sign = 1 if end > start else -1
    middle = (start + end) / 2
    drawing.text(middle, y - 7, message.label, "d-text", 12.5, 'text-anchor="middle"')
    if message.lost:
        drawing.path(f"M{start + 4 * sign:g} {y:g}H{middle - 6 * sign:g}", arrow=False, more=_DASHED)
        cross = f"M{middle - 6:g} {y - 5:g}l10 10m0-10l-10 10"
        drawing.parts.append(f'<path class="d-cross" fill="none" stroke="#b91c1c" stroke-width="2.5" d="{cross}"/>')
    else:
        drawing.path(f"M{start + 4 * sign:g} {y:g}H{end - 4 * sign:g}", more=_DASHED if sign < 0 else "")
    if message.mark:
        width = len(message.mark) * SMALL_ADVANCE + 12
        drawing.rect(end - width / 2 + 10, y + 8, width, 22, "d-yes", 11)
        drawing.text(end + 10, y + 23, message.mark, "d-text", 12, 'text-anchor="middle"')
        y += 24
    return y + 38
