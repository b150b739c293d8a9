"""Glyphs of the label sheets: which characters the font has, how wide they are, and where their marks stand.

The font is Noto Sans with Latin, Greek and Cyrillic. A character that it does not have becomes a box with its code point.
`server_stub/tools/label_fonts.py` writes the files in `fonts/`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import Any, Final

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

BOX_SCALE: Final = 0.6  # Font size in a box, relative to that of the text.
BOX_PADDING: Final = 0.15  # Space at both sides of the text in a box, in em.
_MAX_MARKS = 4  # on one letter; more would extend beyond the edge of the label
_DOUBLE = {233, 234}  # Combining classes of marks between two letters.
_CACHED_LENGTH = 40  # Characters; longer words are not cached.
_EM = 1000  # Units of the font in an em.
_SPACES = dict.fromkeys(map(ord, "\t\n\v\f\r\x85\u1680\u2028\u2029\u3000"), " ")
_INVISIBLE = frozenset(
    map(
        chr,
        [
            *(0xAD, 0x34F, 0x61C, 0xFEFF),
            *(*range(0x200B, 0x2010), *range(0x2060, 0x2065), *range(0xFE00, 0xFE10), *range(0xE0020, 0xE0080)),
        ],
    )
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A combining mark, and its place relative to the origin of its letter, in em."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Piece:
    """The smallest part of a text that is drawn: a letter with its marks, or a box.

    Attributes:
        text: The letter, or the text in the box; empty for invisible characters.
        width: The width in em.
        length: Number of characters of the printed text that it stands for.
        box: Whether it is a box.
        marks: The marks on the letter.
    """

    text: str
    width: float
    length: int
    box: bool = False
    marks: tuple[Mark, ...] = ()


class Word:
    """A text without a space.

    Attributes:
        pieces: Its pieces.
        bold: Whether it is bold.
        width: The width in em.
        plain: Its text if it has neither boxes nor marks, otherwise None.
    """

    __slots__ = ("bold", "pieces", "plain", "width")

    def __init__(self, pieces: tuple[Piece, ...], *, bold: bool) -> None:
        self.pieces = pieces
        self.bold = bold
        self.width = sum(piece.width for piece in pieces)
        is_plain = not any(piece.box or piece.marks for piece in pieces)
        self.plain = "".join(piece.text for piece in pieces) if is_plain else None


def shape(text: str, *, bold: bool) -> list[Word]:
    """Return the words of a text, which single spaces separate; tabs and line breaks are spaces."""
    words = text.translate(_SPACES).split(" ")
    return [(_cached_word if len(word) <= _CACHED_LENGTH else _word)(word, bold) for word in words]


def missing(words: Iterable[Word]) -> list[str]:
    """Return the code points that are drawn as boxes, each once, in the order of the text."""
    return list(dict.fromkeys(piece.text for word in words for piece in word.pieces if piece.box))


def is_blank(text: str) -> bool:
    """Return whether a text prints nothing: it is empty, or has only spaces and invisible characters."""
    pieces = (piece for word in shape(text, bold=False) for piece in word.pieces)
    return not any(piece.text.strip() or piece.marks for piece in pieces)


@cache
def font_name(*, bold: bool) -> str:
    """Return the name under which the font is registered in reportlab."""
    return str(_font(bold).fontName)


@cache
def space_width(*, bold: bool) -> float:
    """Return the width of a space in em."""
    return _width(" ", bold)


def _word(text: str, bold: bool) -> Word:
    return Word(tuple(piece for cluster in _clusters(text) for piece in _pieces(cluster, bold)), bold=bold)


_cached_word = lru_cache(maxsize=1 << 12)(_word)


def _clusters(text: str) -> Iterator[str]:
    """Yield each letter with its marks."""
    start = 0
    for index, character in enumerate(text):
        if index > start and not unicodedata.category(character).startswith("M"):
            yield text[start:index]
            start = index
    if text:
        yield text[start:]


@lru_cache(maxsize=1 << 12)
def _pieces(cluster: str, bold: bool) -> tuple[Piece, ...]:
    """Return the longest part from the start of a cluster that can be drawn, and a box for each further character."""
    for end in range(min(len(cluster), 2 * _MAX_MARKS), 0, -1):
        piece = _drawn(cluster[:end], bold)
        if piece is not None:
            return piece, *(_box(character, bold) for character in cluster[end:])
    return tuple(_box(character, bold) for character in cluster)


def _drawn(cluster: str, bold: bool) -> Piece | None:
    visible = "".join(character for character in cluster if character not in _INVISIBLE)
    if not visible:
        return Piece("", 0, len(cluster))
    marks = [mark for mark in unicodedata.normalize("NFD", visible)[1:] if unicodedata.combining(mark)]
    if len(marks) > _MAX_MARKS:
        return None
    for text in (visible, unicodedata.normalize("NFC", visible))[:: 1 if len(visible) == 1 else -1]:
        if all(_font(bold).face.charToGlyph.get(ord(character)) for character in text):  # glyph 0 is the empty box
            return Piece(text[0], _width(text[0], bold), len(cluster), marks=_placed(text, bold))
    return None


def _box(character: str, bold: bool) -> Piece:
    if character in _INVISIBLE:
        return Piece("", 0, 1)
    text = f"U+{ord(character):04X}"
    return Piece(text, sum(_width(letter, bold) for letter in text) * BOX_SCALE + 2 * BOX_PADDING, 1, box=True)


def _placed(cluster: str, bold: bool) -> tuple[Mark, ...]:
    """Return the marks of a cluster: each stands on a mark before it if their anchors match, otherwise on the letter."""
    carriers = [Mark(cluster[0], 0, 0)]
    for mark in cluster[1:]:
        own = _anchors(bold)["marks"].get(mark, {})
        places = (
            (carrier.x + there[0] - own[kind][0] / _EM, carrier.y + there[1] - own[kind][1] / _EM)
            for carrier in reversed(carriers)
            for kind, there in _carried(carrier.text, bold)
            if kind in own
        )
        centre = _width(cluster[0], bold) * (0.99 if unicodedata.combining(mark) in _DOUBLE else 0.5)
        carriers.append(Mark(mark, *next(places, (centre, 0.0))))
    return tuple(carriers[1:])


def _carried(character: str, bold: bool) -> Iterator[tuple[str, tuple[float, float]]]:
    for kind, (x, y) in _anchors(bold)["bases"].get(character, {}).items():
        yield kind, (x / _EM, y / _EM)


def _width(character: str, bold: bool) -> float:
    return float(_font(bold).face.getCharWidth(ord(character))) / _EM


@cache
def _font(bold: bool) -> Any:
    name = f"NotoSans-{'Bold' if bold else 'Regular'}"
    font = TTFont(name, BytesIO(files(__package__).joinpath(f"fonts/{name}.ttf").read_bytes()))
    pdfmetrics.registerFont(font)
    return font


@cache
def _anchors(bold: bool) -> Mapping[str, Mapping[str, Mapping[str, tuple[int, int]]]]:
    """Return the anchors by kind and character, as `server_stub/tools/label_fonts.py` describes them."""
    anchors = json.loads(files(__package__).joinpath("fonts/marks.json").read_text("utf-8"))
    return {
        part: {chr(int(code)): places for code, places in codes.items()}
        for part, codes in anchors["Bold" if bold else "Regular"].items()
    }
