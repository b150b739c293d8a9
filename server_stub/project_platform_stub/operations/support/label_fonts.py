"""Fonts of the label sheets: the pieces of a text that they draw, how wide these are, and their outlines.

With the extra `fonts` each script has a font, and HarfBuzz shapes the text. Without it the font is the Helvetica of every PDF
reader, with the characters of western Europe.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Final

EM: Final = 1000  # Units of all fonts in an em.
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
_INVISIBLE: Final = frozenset(
    map(
        chr,
        [
            *(0xAD, 0x34F, 0x61C, 0xFEFF, ord(FIRST_STRONG_ISOLATE), ord(POP_ISOLATE)),
            *(*range(0x200B, 0x2010), *range(0x2060, 0x2065), *range(0x206A, 0x2070)),
            *(*range(0xFE00, 0xFE10), *range(0xE0020, 0xE0080)),
            # Letters and marks of Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties).
            *(0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xE0100, 0xE01F0)),
        ],
    )
)


@dataclass(frozen=True, slots=True)
class Piece:
    """The smallest part of a text that is drawn: a letter with its marks, a ligature or a syllable.

    Attributes:
        text: The visible characters.
        width: The width in em.
        length: Number of characters of the text that it stands for.
        glyphs: Number of each glyph in the font, and its place relative to the origin, in units; none if nothing is visible.
        missing: Whether the font cannot draw it.
        level: The level of the bidirectional algorithm; it is odd for a text from right to left.
    """

    text: str
    width: float
    length: int
    font: Helvetica | OutlineFont
    glyphs: tuple[tuple[int, int, int], ...] = ()
    missing: bool = False
    level: int = field(default=0, compare=False)


def clusters(text: str) -> Iterator[str]:
    """Yield each letter with its marks and the invisible characters after it."""
    start = 0
    for index, character in enumerate(text):
        if index > start and not joins(character):
            yield text[start:index]
            start = index
    if text:
        yield text[start:]


def joins(character: str) -> bool:
    """Return whether a character belongs to the letter before it."""
    return character in _INVISIBLE or unicodedata.category(character).startswith("M")


def visible(text: str) -> str:
    """Return a text without the characters that are never drawn."""
    return "".join(character for character in text if character not in _INVISIBLE)


def printed_length(text: str) -> int:
    """Return the number of characters of a text without the isolates that a label adds."""
    return len(text) - text.count(FIRST_STRONG_ISOLATE) - text.count(POP_ISOLATE)


# Widths of the characters of Windows code page 1252 in their order, in thousandths of an em, as Adobe's font metrics state them.
_REGULAR: Final = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 "
    "278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 "
    "556 333 500 278 556 500 722 500 500 500 334 260 334 584 556 222 556 333 1000 556 556 333 1000 667 333 1000 "
    "611 222 222 333 333 350 556 1000 333 1000 500 333 944 500 667 278 333 556 556 556 556 260 556 333 737 370 "
    "556 584 737 333 400 584 333 333 333 556 537 278 333 333 365 556 834 834 834 611 667 667 667 667 667 667 1000 "
    "722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611 556 556 "
    "556 556 556 556 889 500 556 556 556 556 278 278 278 278 556 556 556 556 556 556 556 584 611 556 556 556 556 "
    "500 556 500 "
)
_BOLD: Final = (
    "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 "
    "333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 "
    "611 389 556 333 611 556 778 556 556 500 389 280 389 584 556 278 556 500 1000 556 556 333 1000 667 333 1000 "
    "611 278 278 500 500 350 556 1000 333 1000 556 333 944 500 667 278 333 556 556 556 556 280 556 333 737 370 "
    "556 584 737 333 400 584 333 333 333 611 556 278 333 333 365 556 834 834 834 611 722 722 722 722 722 722 1000 "
    "722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611 556 556 "
    "556 556 556 556 889 556 556 556 556 556 278 278 278 278 611 611 611 611 611 611 611 584 611 611 611 611 611 "
    "556 611 556 "
)
_CODES: Final = {
    bytes([code]).decode("cp1252"): code
    for code in range(0x20, 0x100)
    if code not in {0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xAD}
}


class Helvetica:
    """Helvetica, regular or bold."""

    def __init__(self, *, bold: bool) -> None:
        self.name = "Helvetica-Bold" if bold else "Helvetica"
        self._widths = dict(zip(_CODES, map(int, (_BOLD if bold else _REGULAR).split()), strict=True))

    def pieces(self, run: str, level: int) -> list[Piece]:
        """Return a piece for each letter; the font has only composed letters."""
        pieces = []
        for cluster in clusters(run):
            text = unicodedata.normalize("NFC", visible(cluster))
            missing = bool(text) and text not in _CODES
            width, glyphs = (0, ()) if missing or not text else (self._widths[text], ((_CODES[text], 0, 0),))
            pieces.append(Piece(text, width / EM, printed_length(cluster), self, glyphs, missing, level))
        return pieces


_HAN = "noto_cjk_sans_jp_regular/NotoSansCJKjp-Regular.otf"
_LATIN = "fontpkg_noto_sans/files/NotoSans[wdth,wght].ttf"  # with Greek, Cyrillic and Devanagari
_SCRIPTS = {  # Package and file of the font for these blocks of Unicode.
    "fontpkg_arimo/files/Arimo[wght].ttf": ((0x590, 0x600), (0xFB1D, 0xFB50)),  # Hebrew
    "fontpkg_noto_sans_arabic/files/NotoSansArabic[wdth,wght].ttf": (
        *((0x600, 0x700), (0x750, 0x780), (0x870, 0x900)),
        *((0xFB50, 0xFE00), (0xFE70, 0xFEFF)),
    ),
    "fontpkg_noto_sans_thai/files/NotoSansThai[wdth,wght].ttf": ((0xE00, 0xE80),),
    _HAN: (
        *((0x1100, 0x1200), (0x2E80, 0xA000), (0xA960, 0xA980), (0xAC00, 0xD800)),
        *((0xF900, 0xFB00), (0xFE30, 0xFE50), (0xFF00, 0xFFF0), (0x20000, 0x32000)),
    ),
}
_WIDEST = 10 * EM  # A piece of a line; a line of a label has 16 em or more.
# More would extend beyond the edge of the label: how far the ink of a piece may reach below and above its baseline, and beyond
# its sides.
_LOWEST, _HIGHEST, _BESIDE = -EM, 1.7 * EM, EM / 2
_FEATURES = {"kern": False, "liga": False}  # A text between letters is as wide as its letters.


class OutlineFont:
    """A font whose outlines are drawn.

    Attributes:
        stroke: Width of the stroke that makes the letters of a font bold that has no bold ones, in units.
    """

    def __init__(self, path: str, *, bold: bool) -> None:
        import uharfbuzz

        package, _, file = path.partition("/")
        self._shaper = uharfbuzz
        face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(files(package).joinpath(file))))
        self._characters = frozenset(map(chr, face.unicodes))
        self._font = uharfbuzz.Font(face)
        self._font.scale = (EM, EM)
        self._font.set_variations({"wght": 700 if bold else 400, "wdth": 100})
        self.stroke = 30 if bold and not face.has_var_data else 0
        self._path = uharfbuzz.DrawFuncs()  # without a function for quadratic curves, which become cubic ones
        self._path.set_move_to_func(partial(_add_operator, "m"))
        self._path.set_line_to_func(partial(_add_operator, "l"))
        self._path.set_cubic_to_func(partial(_add_operator, "c"))
        self._path.set_close_path_func(partial(_add_operator, "h"))

    def has(self, character: str) -> bool:
        """Return whether the font has a character."""
        return character in self._characters

    def pieces(self, run: str, level: int) -> list[Piece]:
        """Return the pieces of a text of one direction, in the order of the text."""
        buffer = self._shaper.Buffer()
        buffer.add_str(run)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if level % 2 else "ltr"
        buffer.cluster_level = self._shaper.BufferClusterLevel.MONOTONE_CHARACTERS
        buffer.flags = self._shaper.BufferFlags.DO_NOT_INSERT_DOTTED_CIRCLE
        self._shaper.shape(self._font, buffer, _FEATURES)
        glyphs = list(zip(buffer.glyph_infos, buffer.glyph_positions or (), strict=True))
        starts = sorted({0} | {glyph.cluster for glyph, _ in glyphs if not joins(run[glyph.cluster])})
        shaped: list[list[tuple[Any, Any]]] = [[] for _ in starts]
        for glyph, place in glyphs:
            shaped[bisect_right(starts, glyph.cluster) - 1].append((glyph, place))
        texts = (run[start:end] for start, end in zip(starts, [*starts[1:], len(run)], strict=True))
        return [self._piece(text, its, level) for text, its in zip(texts, shaped, strict=True)]

    def _piece(self, text: str, shaped: list[tuple[Any, Any]], level: int) -> Piece:
        """Return the piece of a cluster, of which `shaped` are the glyphs from left to right."""
        drawn = visible(text)
        if not drawn:
            return Piece("", 0, printed_length(text), self, level=level)
        glyphs: list[tuple[int, int, int]] = []
        width, left, low, right, high = 0, 0.0, 0.0, 0.0, 0.0
        for glyph, place in shaped:
            x, y = width + place.x_offset, place.y_offset
            glyphs.append((glyph.codepoint, x, y))
            width += place.x_advance
            if box := self._font.get_glyph_extents(glyph.codepoint):
                left, right = min(left, x + box.x_bearing), max(right, x + box.x_bearing + box.width)
                low, high = min(low, y + box.y_bearing + box.height), max(high, y + box.y_bearing)
        inside = left >= -_BESIDE and right <= width + _BESIDE and low >= _LOWEST and high <= _HIGHEST
        missing = width > _WIDEST or not inside or any(number == 0 for number, *_ in glyphs)
        return Piece(drawn, width / EM, printed_length(text), self, tuple(glyphs), missing, level)

    def outline(self, glyphs: Iterable[tuple[int, int, int]]) -> list[str]:
        """Return the operators of a PDF that draw glyphs, each at its place."""
        operators: list[str] = []
        for glyph, x, y in glyphs:
            self._font.draw_glyph(glyph, self._path, (operators, x, y))
        return operators


def _add_operator(operator: str, *arguments: Any) -> None:
    """Add an operator to a path; the arguments are the coordinates, and the path with its origin."""
    *coordinates, (operators, x, y) = arguments
    placed = [f"{round(value + (y if index % 2 else x), 1):g}" for index, value in enumerate(coordinates)]
    operators.append(" ".join([*placed, operator]))


_helvetica = cache(Helvetica)
_outlines = cache(OutlineFont)


@cache
def font_for(letter: str, *, bold: bool) -> Helvetica | OutlineFont:
    """Return the font of the script of a letter."""
    if not has_fonts():
        return _helvetica(bold=bold)
    for path, blocks in _SCRIPTS.items():
        if any(start <= ord(letter) < end for start, end in blocks):
            return _outlines(path, bold=bold)
    latin, han = (_outlines(path, bold=bold) for path in (_LATIN, _HAN))
    return han if han.has(letter) and not latin.has(letter) else latin


@cache
def has_fonts() -> bool:
    """Return whether the extra `fonts` is installed."""
    packages = (path.partition("/")[0] for path in (_LATIN, *_SCRIPTS))
    return all(find_spec(package) is not None for package in ("uharfbuzz", "bidi", *packages))
