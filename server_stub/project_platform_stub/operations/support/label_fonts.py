"""Fonts of the label sheets: which characters they have, how wide the letters are, and their outlines.

With the extra `fonts` each script has a font, and HarfBuzz shapes the text. Without it the font is the Helvetica of every PDF
reader, with the characters of western Europe.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from .label_helvetica import Helvetica
from .label_pieces import EM, Font, Piece, joins, printed_length, visible

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

    def draw(self, glyph: int, pen: Any) -> None:
        """Draw the outline of a glyph with the methods of a `fontTools` pen."""
        self._font.draw_glyph_with_pen(glyph, pen)


_helvetica = cache(Helvetica)
_outlines = cache(OutlineFont)


@cache
def font_for(letter: str, *, bold: bool) -> Font:
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
