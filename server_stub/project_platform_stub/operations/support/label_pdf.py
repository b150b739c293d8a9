"""The PDF of meal labels: landscape Letter, four labels per sheet, each 5 inches wide and 3.5 inches high.

The output is deterministic: the same labels at the same time give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject

from .label_glyphs import GlyphTable, stream
from .label_layout import WIDTH, LabelLayout, Line
from .label_pieces import Piece
from .label_words import shape, visual_order

REVIEW_NAME = "label-review.json"
LABELS_PER_SHEET = 4
_INCH = 72  # PDF points
_SHEET = (11 * _INCH, 8.5 * _INCH)
_LABEL = (5 * _INCH, 3.5 * _INCH)
_MARGIN = ((_SHEET[0] - 2 * _LABEL[0]) / 2, (_SHEET[1] - 2 * _LABEL[1]) / 2)
_PADDING = 18


def sheet_count(labels: int) -> int:
    """Return the number of sheets for a number of labels, at least 1: without labels, one sheet says so."""
    return max(1, -(-labels // LABELS_PER_SHEET))


def label_pdf(labels: Sequence[LabelLayout], review: bytes, created_at: datetime) -> bytes:
    """Return the sheets as a PDF that is dated `created_at`, with the review attached as `label-review.json`."""
    writer = PdfWriter()
    glyphs = GlyphTable()
    fonts = DictionaryObject()
    resources = DictionaryObject({NameObject("/Font"): writer._add_object(fonts)})
    for start in range(0, max(1, len(labels)), LABELS_PER_SHEET):
        sheet = labels[start : start + LABELS_PER_SHEET]
        operators = [operator for place, label in enumerate(sheet) for operator in _label(label, place, glyphs)]
        page = writer.add_blank_page(*_SHEET)
        page[NameObject("/Resources")] = resources
        content = "\n".join(operators or _no_labels(glyphs))
        page[NameObject("/Contents")] = writer._add_object(stream(content.encode()))
    glyphs.write(writer, fonts)
    writer.add_attachment(REVIEW_NAME, review)
    date = f"D:{created_at.astimezone(UTC):%Y%m%d%H%M%S}Z"  # ISO 32000-1 section 7.9.4
    writer.add_metadata({"/Title": "Meal labels", "/CreationDate": date, "/ModDate": date})
    finished = BytesIO()
    writer.write(finished)
    return finished.getvalue()


def _label(label: LabelLayout, place: int, glyphs: GlyphTable) -> Iterator[str]:
    """Yield the operators that draw a label at one of the four places of a sheet."""
    row, column = divmod(place, 2)
    left = _MARGIN[0] + column * _LABEL[0]
    # Labels run from the top left; PDF coordinates start at the bottom.
    top = _SHEET[1] - _MARGIN[1] - row * _LABEL[1]
    yield f"{left:g} {top - _LABEL[1]:g} {_LABEL[0]:g} {_LABEL[1]:g} re S"
    yield "BT"
    for line in label.lines:
        pieces = visual_order(line.words)
        indent = WIDTH - _width(pieces) * line.size if line.words[0].is_right_to_left else 0
        yield from _text(pieces, line.size, left + _PADDING + indent, top - _PADDING - line.baseline, glyphs)
    yield "ET"


def _no_labels(glyphs: GlyphTable) -> Iterator[str]:
    line = Line(shape("No labels to print", bold=True), 20, 0)
    pieces = visual_order(line.words)
    left = (_SHEET[0] - _width(pieces) * line.size) / 2
    return iter(["BT", *_text(pieces, line.size, left, _SHEET[1] / 2, glyphs), "ET"])


def _width(pieces: Sequence[Piece]) -> float:
    return sum(piece.width for piece in pieces)


def _text(pieces: Sequence[Piece], size: float, x: float, y: float, glyphs: GlyphTable) -> Iterator[str]:
    """Yield the operators that draw pieces from left to right; neighbours of one font are drawn in one go."""
    font, codes, start = "", "", x
    for piece in pieces:
        if piece.glyphs:
            name, code = glyphs.code(piece)
            if name != font and codes:
                yield f"{font} {size:g} Tf 1 0 0 1 {start:.3f} {y:.3f} Tm <{codes}> Tj"
                codes, start = "", x
            font = name
            codes += f"{code:02X}"
        x += piece.width * size
    if codes:
        yield f"{font} {size:g} Tf 1 0 0 1 {start:.3f} {y:.3f} Tm <{codes}> Tj"
