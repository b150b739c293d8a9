"""The layout of a meal label: lines, the scale at which they fit, and parts that are not printed.

All fields are printed at the largest scale at which they fit. If they do not fit at the smallest, they are printed in
order, and the first field that does not fit is cut; a marker refers to the review.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from project_platform_stub.world.domain import Json

from .label_fonts import printed_length
from .label_text import Field, Word, label_fields, shape

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
    """A line of a label: its words, the font size, and the distance from the top to its baseline, in points."""

    words: Sequence[Word]
    size: float
    baseline: float


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
        if all(column.add(field, words, HEIGHT) for field, words in zip(fields, texts, strict=True)):
            return LabelLayout(column.lines, problems)
    column = _Column(_SCALES[-1])
    return LabelLayout(column.lines, [*problems, *_cut(column, fields, texts)])


class _Column:
    """The lines of a label so far."""

    def __init__(self, scale: float) -> None:
        self.lines: list[Line] = []
        self._scale = scale
        self._bottom = -_FIELD_GAP

    def add(self, field: Field, words: Sequence[Word], room: float) -> bool:
        """Add a field unless the column would become taller than `room`; return whether it was added."""
        size = field.size * self._scale
        top = self._bottom + _FIELD_GAP
        height = _LINE_HEIGHT * size
        most = max(0, int((room - top) / height + _TOLERANCE))
        lines = list(islice(break_lines(words, WIDTH / size), most + 1))
        if len(lines) > most:
            return False
        self.lines += [Line(line, size, top + at * height + ASCENT * size) for at, line in enumerate(lines)]
        self._bottom = top + len(lines) * height
        return True

    def cut(self, field: Field, words: Sequence[Word], room: float) -> int:
        """Add as much of a field as fits, and the marker; return the number of characters of the field that are printed."""

        def overflows(count: int) -> bool:
            trial = _Column(self._scale)
            trial._bottom = self._bottom
            return not trial.add(field, [*_first(words, count), *_marker()], room)

        most = sum(len(word.pieces) + 1 for word in words)
        kept = _first(words, bisect_left(range(1, most), True, key=overflows))
        if not kept:
            return 0
        self.add(field, [*kept, *_marker()], room)
        return sum(piece.length for word in kept for piece in word.pieces) + len(kept) - 1


def _cut(column: _Column, fields: Sequence[Field], texts: Sequence[Sequence[Word]]) -> Iterator[Problem]:
    """Add to the column what fits of the fields, and yield what does not."""
    marker = Field("", _MARKER, bold=True)
    reserved = _LINE_HEIGHT * marker.size * _SCALES[-1] + _FIELD_GAP
    is_left_out = False
    for index, (field, words) in enumerate(zip(fields, texts, strict=True)):
        room = HEIGHT - reserved if index else HEIGHT * _NAME_SHARE
        if not column.add(field, words, room):
            printed = column.cut(field, words, room)
            is_left_out = is_left_out or not printed
            yield Problem(field.name, f"does not fit: {printed} of {printed_length(field.text)} characters printed")
    if is_left_out:
        column.add(marker, _marker(), HEIGHT)


def break_lines(words: Sequence[Word], limit: float) -> Iterator[list[Word]]:
    """Yield the lines of a text. A word that is wider than a line is broken between letters, any other word is not.

    The limit is the width of a line in em; every piece is narrower.
    """
    limit += _TOLERANCE
    line: list[Word] = []
    width = 0.0
    for word in words:
        gap = word.gap.width if line else 0.0
        if width + gap + word.width <= limit:
            line.append(word)
            width += gap + word.width
            continue
        if word.width <= limit:
            yield line
            line, width = [word], word.width
            continue
        width += gap
        start = 0
        for index, piece in enumerate(word.pieces):
            if width + piece.width > limit:
                yield [*line, *([word.part(start, index)] if index > start else [])]
                line, width, start = [], 0.0, index
            width += piece.width
        line.append(word.part(start))
    yield line


def _first(words: Sequence[Word], count: int) -> list[Word]:
    """Return the first pieces of a text; the space between two words counts as one."""
    kept: list[Word] = []
    for word in words:
        if count <= 0:
            break
        kept.append(word if len(word.pieces) <= count else word.part(0, count))
        count -= len(word.pieces) + 1
    return kept


def _marker() -> list[Word]:
    return shape(_MARKER, bold=True)
