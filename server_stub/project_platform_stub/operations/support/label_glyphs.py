"""The glyphs of a PDF: each piece that is drawn is one character of a font, so that readers find its text.

Helvetica is named. All other pieces are outlines in fonts of type 3 (ISO 32000-1 section 9.6.5), which have at most 256
characters: syllables and letters with marks are drawn, found and copied as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, StreamObject

from .label_fonts import OutlineFont
from .label_helvetica import Helvetica
from .label_pieces import EM, Piece

_CODES = 255  # Characters of a font; 0 is not used.


class GlyphTable:
    """The pieces that the pages of a PDF draw, and the name and code with which each is drawn."""

    def __init__(self) -> None:
        self._named: dict[str, str] = {}
        self._outlines: dict[Piece, int] = {}

    def code(self, piece: Piece) -> tuple[str, int]:
        """Return the name of the font of a piece, and its code in it."""
        if isinstance(piece.font, Helvetica):
            name = self._named.setdefault(piece.font.name, f"/H{len(self._named)}")
            return name, piece.glyphs[0][0]
        number = self._outlines.setdefault(piece, len(self._outlines))
        return f"/F{number // _CODES}", number % _CODES + 1

    def write(self, writer: PdfWriter, fonts: DictionaryObject) -> None:
        """Add the fonts to a PDF, and their names to the resources of its pages."""
        for base, name in self._named.items():
            fonts[NameObject(name)] = _dictionary(
                Type="/Font", Subtype="/Type1", BaseFont=f"/{base}", Encoding="/WinAnsiEncoding"
            )
        pieces = list(self._outlines)
        for number, start in enumerate(range(0, len(pieces), _CODES)):
            fonts[NameObject(f"/F{number}")] = writer._add_object(_font(writer, pieces[start : start + _CODES]))


def stream(data: bytes) -> StreamObject:
    """Return a compressed stream."""
    plain = StreamObject()
    plain.set_data(data)
    return plain.flate_encode()


def _dictionary(**members: Any) -> DictionaryObject:
    named = {key: NameObject(value) if isinstance(value, str) else value for key, value in members.items()}
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in named.items()})


def _font(writer: PdfWriter, pieces: Sequence[Piece]) -> DictionaryObject:
    """Return a font of type 3 whose characters are these pieces, from code 1."""
    names = [NameObject(f"/g{code}") for code in range(1, len(pieces) + 1)]
    outlines = {name: writer._add_object(stream(_outline(piece))) for name, piece in zip(names, pieces, strict=True)}
    scale, zero = FloatObject(1 / EM), NumberObject(0)
    return _dictionary(
        Type="/Font",
        Subtype="/Type3",
        FontBBox=ArrayObject([zero] * 4),
        FontMatrix=ArrayObject([scale, zero, zero, scale, zero, zero]),
        CharProcs=DictionaryObject(outlines),
        Encoding=_dictionary(Type="/Encoding", Differences=ArrayObject([NumberObject(1), *names])),
        FirstChar=NumberObject(1),
        LastChar=NumberObject(len(pieces)),
        Widths=ArrayObject(NumberObject(round(piece.width * EM)) for piece in pieces),
        Resources=DictionaryObject(),
        ToUnicode=writer._add_object(stream(_to_unicode(pieces))),
    )


def _to_unicode(pieces: Sequence[Piece]) -> bytes:
    """Return the map from codes to texts (ISO 32000-1 section 9.10.3)."""
    texts = [f"<{code:02X}> <{piece.text.encode('utf-16-be').hex().upper()}>" for code, piece in enumerate(pieces, 1)]
    blocks = [texts[start : start + 100] for start in range(0, len(texts), 100)]
    lines = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Pieces def /CMapType 2 def",
        "1 begincodespacerange <00> <FF> endcodespacerange",
        *(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks),
        "endcmap CMapName currentdict /CMap defineresource pop end end",
    ]
    return "\n".join(lines).encode()


def _outline(piece: Piece) -> bytes:
    """Return the operators that draw a piece."""
    assert isinstance(piece.font, OutlineFont)
    pen = _Pen()
    for number, x, y in piece.glyphs:
        pen.origin = (x, y)
        piece.font.draw(number, pen)
    paint = f"{piece.font.stroke} w B" if piece.font.stroke else "f"
    return "\n".join([f"{piece.width * EM:g} 0 d0", *pen.operators, *([paint] if pen.operators else [])]).encode()


class _Pen:
    """Collects the outline of glyphs as operators of a PDF; its methods are those of a `fontTools` pen.

    Attributes:
        origin: Where the next glyph is drawn.
    """

    def __init__(self) -> None:
        self.origin = (0, 0)
        self.operators: list[str] = []
        self._last = (0.0, 0.0)

    def moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802  # the name of fontTools
        """Begin a contour."""
        self._add("m", point)

    def lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        """Add a line."""
        self._add("l", point)

    def curveTo(self, *points: tuple[float, float]) -> None:  # noqa: N802
        """Add a cubic curve."""
        self._add("c", *points)

    def qCurveTo(self, control: tuple[float, float], end: tuple[float, float]) -> None:  # noqa: N802
        """Add a quadratic curve, which is a cubic one with other control points."""
        start = (self._last[0] - self.origin[0], self._last[1] - self.origin[1])
        first, second = (((x + 2 * control[0]) / 3, (y + 2 * control[1]) / 3) for x, y in (start, end))
        self._add("c", first, second, end)

    def closePath(self) -> None:  # noqa: N802
        """End a contour."""
        self.operators.append("h")

    def _add(self, operator: str, *points: tuple[float, float]) -> None:
        placed = [(x + self.origin[0], y + self.origin[1]) for x, y in points]
        self._last = placed[-1]
        self.operators.append(" ".join(f"{round(x, 1):g} {round(y, 1):g}" for x, y in placed) + f" {operator}")
