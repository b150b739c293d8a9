"""The layout of a meal label: lines, the scale at which they fit, and parts that are not printed.

All fields are printed at the largest scale at which they fit. If they do not fit at the smallest, they are printed in
order, and the first field that does not fit is cut; a marker refers to the review.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final

from project_platform_stub.world.domain import Json

from .label_fonts import Piece, printed_length
from .label_text import Field, Shaped, label_fields, shape

WIDTH: Final = 5 * 72 - 36.0  # points, inside the padding of 18
HEIGHT: Final = 3.5 * 72 - 36.0
ASCENT: Final = 1.05  # em above the baseline: room for two marks on a capital letter
_LINE_HEIGHT = ASCENT + 0.36  # em
_FIELD_GAP = 2.0  # points
_SCALES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)  # of 20 and 12 points, so at least 10 and 6
_NAME_SHARE = 1 / 3  # of the height, at most: the allergens always have room
_MARKER = "… more in label-review.json"
_TOLERANCE = 1e-6  # em


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a label: its pieces, the font size, and the distance from the top to its baseline, in points."""

    pieces: Sequence[Piece]
    size: float
    baseline: float
    is_right_to_left: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """A field that is not printed as it is."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class LabelLayout:
    """The lines of a label, and the problems of its fields."""

    lines: Sequence[Line]
    problems: Sequence[Problem]


def lay_out(item: Json) -> LabelLayout:
    """Return the layout of the label of a menu item."""
    fields = label_fields(item)
    texts = [shape(field.text, bold=field.bold) for field in fields]
    problems = [Problem(field.name, text) for field in fields for text in field.problems]
    for scale in _SCALES:
        column = _Column(scale)
        if all(column.add(field, text, HEIGHT) for field, text in zip(fields, texts, strict=True)):
            return LabelLayout(column.lines, problems)
    column = _Column(_SCALES[-1])
    return LabelLayout(column.lines, [*problems, *_cut(column, fields, texts)])


class _Column:
    """The lines of a label so far."""

    def __init__(self, scale: float) -> None:
        self.lines: list[Line] = []
        self._scale = scale
        self._bottom = -_FIELD_GAP

    def add(self, field: Field, text: Shaped, room: float) -> bool:
        """Add a field unless the column would become taller than `room`; return whether it was added."""
        size = field.size * self._scale
        top = self._bottom + _FIELD_GAP
        height = _LINE_HEIGHT * size
        most = max(0, int((room - top) / height + _TOLERANCE))
        lines = list(islice(break_lines(text.pieces, WIDTH / size), most + 1))
        if len(lines) > most:
            return False
        self.lines += [
            Line(line, size, top + at * height + ASCENT * size, text.is_right_to_left) for at, line in enumerate(lines)
        ]
        self._bottom = top + len(lines) * height
        return True

    def cut(self, field: Field, text: Shaped, room: float) -> int:
        """Add as much of a field as fits, and the marker; return the number of characters of the field that are printed."""

        def add(column: _Column, kept: list[Piece]) -> bool:
            marker = shape(f" {_MARKER}", bold=True)
            return column.add(field, Shaped([*kept, *marker.pieces], text.is_right_to_left), room)

        def overflows(count: int) -> bool:
            trial = _Column(self._scale)
            trial._bottom = self._bottom
            return not add(trial, _stripped(text.pieces[:count]))

        kept = _stripped(text.pieces[: bisect_left(range(1, len(text.pieces) + 1), True, key=overflows)])
        if kept:
            add(self, kept)
        return sum(piece.length for piece in kept)


def _cut(column: _Column, fields: Sequence[Field], texts: Sequence[Shaped]) -> Iterator[Problem]:
    """Add to the column what fits of the fields, and yield what does not."""
    marker = Field("", _MARKER, bold=True)
    reserved = _LINE_HEIGHT * marker.size * _SCALES[-1] + _FIELD_GAP
    is_left_out = False
    for index, (field, text) in enumerate(zip(fields, texts, strict=True)):
        room = HEIGHT - reserved if index else HEIGHT * _NAME_SHARE
        if not column.add(field, text, room):
            printed = column.cut(field, text, room)
            is_left_out = is_left_out or not printed
            yield Problem(field.name, f"does not fit: {printed} of {printed_length(field.text)} characters printed")
    if is_left_out:
        column.add(marker, shape(_MARKER, bold=True), HEIGHT)


def break_lines(pieces: Sequence[Piece], limit: float) -> Iterator[list[Piece]]:
    """Yield the lines of a text. A word that is wider than a line is broken between letters, any other word is not.

    The limit is the width of a line in em; every piece is narrower.
    """
    limit += _TOLERANCE
    line: list[Piece] = []
    for is_space, run in groupby(pieces, lambda piece: piece.text == " "):
        part = list(run)
        if is_space:
            line += part
            continue
        if width_of(line) + width_of(part) > limit >= width_of(part):
            yield _stripped(line)
            line = []
        width = width_of(line)
        for piece in part:
            if width + piece.width > limit:
                yield _stripped(line)
                line, width = [], 0.0
            line.append(piece)
            width += piece.width
    yield line


def _stripped(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces without the spaces at their end."""
    kept = list(pieces)
    while kept and kept[-1].text == " ":
        kept.pop()
    return kept


def width_of(pieces: Sequence[Piece]) -> float:
    """Return the width of a line, in em."""
    return sum(piece.width for piece in pieces)
