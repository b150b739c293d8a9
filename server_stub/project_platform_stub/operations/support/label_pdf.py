"""The PDF of meal labels: landscape Letter, four labels per sheet, each 5 inches wide and 3.5 inches high.

Each piece that is drawn is one character of a font, so that readers find its text. Helvetica is named. All other pieces are
outlines in fonts of type 3 (ISO 32000-1 section 9.6.5), which have at most 256 characters: syllables and letters with marks are
drawn, found and copied as a whole. The output is deterministic: the same labels at the same time give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO
from itertools import groupby
from operator import itemgetter

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, PdfObject, StreamObject, read_object

from .label_fonts import EM, Helvetica, OutlineFont, Piece
from .label_layout import WIDTH, LabelLayout, width_of
from .label_text import shape, visual_order

REVIEW_NAME = "label-review.json"
LABELS_PER_SHEET = 4
_INCH = 72  # PDF points
_SHEET = (11 * _INCH, 8.5 * _INCH)
_LABEL = (5 * _INCH, 3.5 * _INCH)
_MARGIN = ((_SHEET[0] - 2 * _LABEL[0]) / 2, (_SHEET[1] - 2 * _LABEL[1]) / 2)
_PADDING = 18
_CODES = 255  # Characters of a font of type 3; 0 is not used.


def label_pdf(labels: Sequence[LabelLayout], review: bytes, created_at: datetime) -> bytes:
    """Return the sheets as a PDF that is dated `created_at`, with the review attached as `label-review.json`.

    Without labels, one sheet says so.
    """
    writer = PdfWriter()
    glyphs = _GlyphTable()
    fonts = DictionaryObject()
    resources = DictionaryObject({NameObject("/Font"): writer._add_object(fonts)})
    for start in range(0, max(1, len(labels)), LABELS_PER_SHEET):
        sheet = labels[start : start + LABELS_PER_SHEET]
        operators = [operator for place, label in enumerate(sheet) for operator in _label(label, place, glyphs)]
        page = writer.add_blank_page(*_SHEET)
        page[NameObject("/Resources")] = resources
        content = "\n".join(operators or _no_labels(glyphs))
        page[NameObject("/Contents")] = writer._add_object(_stream(content.encode()))
    glyphs.write(writer, fonts)
    writer.add_attachment(REVIEW_NAME, review)
    date = f"D:{created_at.astimezone(UTC):%Y%m%d%H%M%S}Z"  # ISO 32000-1 section 7.9.4
    writer.add_metadata({"/Title": "Meal labels", "/CreationDate": date, "/ModDate": date})
    finished = BytesIO()
    writer.write(finished)
    return finished.getvalue()


def _label(label: LabelLayout, place: int, glyphs: _GlyphTable) -> Iterator[str]:
    """Yield the operators that draw a label at one of the four places of a sheet."""
    row, column = divmod(place, 2)
    left = _MARGIN[0] + column * _LABEL[0]
    # Labels run from the top left; PDF coordinates start at the bottom.
    top = _SHEET[1] - _MARGIN[1] - row * _LABEL[1]
    yield f"{left:g} {top - _LABEL[1]:g} {_LABEL[0]:g} {_LABEL[1]:g} re S"
    yield "BT"
    for line in label.lines:
        pieces = visual_order(line.pieces)
        indent = WIDTH - width_of(pieces) * line.size if line.is_right_to_left else 0
        yield from _text(pieces, line.size, left + _PADDING + indent, top - _PADDING - line.baseline, glyphs)
    yield "ET"


def _no_labels(glyphs: _GlyphTable) -> Iterator[str]:
    pieces, size = shape("No labels to print", bold=True).pieces, 20
    left = (_SHEET[0] - width_of(pieces) * size) / 2
    return iter(["BT", *_text(pieces, size, left, _SHEET[1] / 2, glyphs), "ET"])


def _text(pieces: Sequence[Piece], size: float, x: float, y: float, glyphs: _GlyphTable) -> Iterator[str]:
    """Yield the operators that draw pieces from left to right; neighbours of one font are drawn in one go."""
    placed: list[tuple[str, int, float]] = []
    for piece in pieces:
        if piece.glyphs:
            placed.append((*glyphs.code(piece), x))
        x += piece.width * size
    for font, run in groupby(placed, itemgetter(0)):
        drawn = list(run)
        codes = "".join(f"{code:02X}" for _, code, _ in drawn)
        yield f"{font} {size:g} Tf 1 0 0 1 {drawn[0][2]:.3f} {y:.3f} Tm <{codes}> Tj"


class _GlyphTable:
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
            font = f"<</Type/Font /Subtype/Type1 /BaseFont/{base} /Encoding/WinAnsiEncoding>>"
            fonts[NameObject(name)] = read_object(BytesIO(font.encode()), None)
        pieces = list(self._outlines)
        for number, start in enumerate(range(0, len(pieces), _CODES)):
            fonts[NameObject(f"/F{number}")] = writer._add_object(_font(writer, pieces[start : start + _CODES]))


def _stream(data: bytes) -> StreamObject:
    """Return a compressed stream."""
    plain = StreamObject()
    plain.set_data(data)
    return plain.flate_encode()


def _font(writer: PdfWriter, pieces: Sequence[Piece]) -> PdfObject:
    """Return a font of type 3 whose characters are these pieces, from code 1."""

    def added(data: bytes) -> str:
        return f"{writer._add_object(_stream(data)).idnum} 0 R"

    outlines = " ".join(f"/g{code} {added(_outline(piece))}" for code, piece in enumerate(pieces, 1))
    names = " ".join(f"/g{code}" for code in range(1, len(pieces) + 1))
    widths = " ".join(str(round(piece.width * EM)) for piece in pieces)
    font = (
        f"<</Type/Font /Subtype/Type3 /FontBBox[0 0 0 0] /FontMatrix[{1 / EM} 0 0 {1 / EM} 0 0] /CharProcs<<{outlines}>> "
        f"/Encoding<</Type/Encoding /Differences[1 {names}]>> /FirstChar 1 /LastChar {len(pieces)} /Widths[{widths}] "
        f"/Resources<<>> /ToUnicode {added(_to_unicode(pieces))}>>"
    )
    return read_object(BytesIO(font.encode()), writer)  # type: ignore[arg-type]  # a writer resolves references, too


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
    operators = piece.font.outline(piece.glyphs)
    paint = f"{piece.font.stroke} w B" if piece.font.stroke else "f"
    return "\n".join([f"{piece.width * EM:g} 0 d0", *operators, *([paint] if operators else [])]).encode()
