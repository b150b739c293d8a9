"""Glyphs of the label sheets: which characters the font has, how wide they are, and where their marks stand.

With the extra `fonts` the font is Noto Sans with Latin, Greek and Cyrillic, and HarfBuzz places marks. Without it the font is
the Helvetica of every PDF reader, with the characters of western Europe. A character that the font does not have becomes a
box with its code point.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from typing import Final, Protocol

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

BOX_SCALE: Final = 0.6  # Font size in a box, relative to that of the text.
BOX_PADDING: Final = 0.15  # Space at both sides of the text in a box, in em.
_MAX_MARKS = 4  # on one letter; more would extend beyond the edge of the label
_CACHED_LENGTH = 40  # Characters; longer words are not cached.
_EM = 1000  # Units of the font in an em.
_LEFT_OUT = (  # Characters of the font that are not drawn: other scripts would need their text to be shaped.
    *(range(0x20), range(0x7F, 0xA0), range(0x900, 0x980), range(0x1000, 0x1100), range(0x1CD0, 0x1D00)),
    *(range(0x200B, 0x2010), range(0x2028, 0x202F), range(0x2060, 0x2070), range(0x25CC, 0x25CD)),
    *(range(0xA830, 0xA840), range(0xA8E0, 0xA900), range(0xA92E, 0xA92F), range(0xFB1D, 0xFF00)),
    *(range(0xFFF0, 0xFFFD), range(0x10000, 0x110000)),
)
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
    return _font(bold).name


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
        if all(map(_font(bold).has, text)):
            return Piece(text[0], _width(text[0], bold), len(cluster), marks=_font(bold).marks(text))
    return None


def _box(character: str, bold: bool) -> Piece:
    if character in _INVISIBLE:
        return Piece("", 0, 1)
    text = f"U+{ord(character):04X}"
    return Piece(text, sum(_width(letter, bold) for letter in text) * BOX_SCALE + 2 * BOX_PADDING, 1, box=True)


def _width(character: str, bold: bool) -> float:
    return float(pdfmetrics.stringWidth(character, _font(bold).name, _EM)) / _EM


class _Font(Protocol):
    """A font; `name` is that under which it is registered in reportlab."""

    name: str

    def has(self, character: str) -> bool: ...

    def marks(self, cluster: str) -> tuple[Mark, ...]: ...


class _Helvetica:
    """One of the fonts that every reader of PDFs has."""

    def __init__(self, *, bold: bool) -> None:
        self.name = "Helvetica-Bold" if bold else "Helvetica"

    def has(self, character: str) -> bool:
        """Return whether the font has a character."""
        return character.isprintable() and bool(character.encode("cp1252", "ignore"))

    def marks(self, cluster: str) -> tuple[Mark, ...]:
        """Return no marks: the font has only composed letters."""
        return ()


class _NotoSans:
    """Noto Sans, of which only the letters that labels draw are loaded."""

    def __init__(self, *, bold: bool) -> None:
        import uharfbuzz

        self._shaper = uharfbuzz
        data = files("fontpkg_noto_sans").joinpath("files/NotoSans[wdth,wght].ttf").read_bytes()
        face = uharfbuzz.Face(data)
        subset = uharfbuzz.SubsetInput()
        subset.flags = uharfbuzz.SubsetFlags.NO_HINTING | uharfbuzz.SubsetFlags.NOTDEF_OUTLINE
        subset.pin_axis_location(face, "wght", 700 if bold else 400)
        subset.pin_axis_location(face, "wdth", 100)
        left_out = {code for codes in _LEFT_OUT for code in codes}
        subset.unicode_set.update(set(face.unicodes) - left_out)
        static = uharfbuzz.subset(face, subset)
        self._font = uharfbuzz.Font(static)
        self.name = f"NotoSans-{'Bold' if bold else 'Regular'}"
        registered = TTFont(self.name, BytesIO(static.blob.data))
        registered.face.name = self.name.encode()  # else both weights have one name, and one is embedded for both
        pdfmetrics.registerFont(registered)
        self._glyphs = registered.face.charToGlyph

    def has(self, character: str) -> bool:
        """Return whether the font has a character; glyph 0 is the empty box."""
        return bool(self._glyphs.get(ord(character)))

    def marks(self, cluster: str) -> tuple[Mark, ...]:
        """Return the marks of a letter, each placed on the letter or on a mark before it."""
        if len(cluster) == 1:
            return ()
        buffer = self._shaper.Buffer()
        buffer.add_str(cluster)
        buffer.guess_segment_properties()
        buffer.cluster_level = self._shaper.BufferClusterLevel.CHARACTERS
        self._shaper.shape(self._font, buffer, {"ccmp": False, "liga": False})
        marks, end = [], 0
        for glyph, place in zip(buffer.glyph_infos, buffer.glyph_positions or (), strict=True):
            if glyph.cluster:
                marks.append(Mark(cluster[glyph.cluster], (end + place.x_offset) / _EM, place.y_offset / _EM))
            end += place.x_advance
        return tuple(marks)


@cache
def _font(bold: bool) -> _Font:
    return _NotoSans(bold=bold) if has_fonts() else _Helvetica(bold=bold)


def has_fonts() -> bool:
    """Return whether the extra `fonts` is installed."""
    return find_spec("fontpkg_noto_sans") is not None and find_spec("uharfbuzz") is not None
