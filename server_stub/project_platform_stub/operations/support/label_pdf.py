"""The PDF of meal labels: landscape Letter, four labels per sheet, each 5 inches wide and 3.5 inches high.

The output is deterministic: the same labels at the same time give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from math import ceil

from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from .label_fonts import BOX_PADDING, BOX_SCALE, Piece, font_name, space_width
from .label_layout import LabelLayout, Line

REVIEW_NAME = "label-review.json"
LABELS_PER_SHEET = 4
_INCH = 72  # PDF points
_SHEET = (11 * _INCH, 8.5 * _INCH)
_LABEL = (5 * _INCH, 3.5 * _INCH)
_MARGIN = ((_SHEET[0] - 2 * _LABEL[0]) / 2, (_SHEET[1] - 2 * _LABEL[1]) / 2)
_PADDING = 18
_BOX_BORDER = (0.05, -0.12, 0.67)  # Distance from the sides, bottom and height of the border of a box, in em.


def sheet_count(labels: int) -> int:
    """Return the number of sheets for a number of labels, at least 1: without labels, one sheet says so."""
    return max(1, -(-labels // LABELS_PER_SHEET))


def label_pdf(labels: Sequence[LabelLayout], review: bytes, created_at: datetime) -> bytes:
    """Return the sheets as a PDF that is dated `created_at`, with the review attached as `label-review.json`."""
    sheets = BytesIO()
    canvas = Canvas(sheets, pagesize=_SHEET, invariant=True)
    canvas.setTitle("Meal labels")
    if not labels:
        canvas.setFont(font_name(bold=True), 20)
        canvas.drawCentredString(_SHEET[0] / 2, _SHEET[1] / 2, "No labels to print")
    for index, label in enumerate(labels):
        if index and index % LABELS_PER_SHEET == 0:
            canvas.showPage()
        row, column = divmod(index % LABELS_PER_SHEET, 2)
        left = _MARGIN[0] + column * _LABEL[0]
        # Labels run from the top left; PDF coordinates start at the bottom.
        top = _SHEET[1] - _MARGIN[1] - row * _LABEL[1]
        canvas.setLineWidth(1)
        canvas.rect(left, top - _LABEL[1], *_LABEL)
        canvas.setLineWidth(0.5)
        pen = _Pen(canvas)
        for line in label.lines:
            pen.draw(line, left + _PADDING, top - _PADDING - line.baseline)
        pen.finish()
    canvas.save()
    writer = PdfWriter(clone_from=PdfReader(sheets))
    writer.add_attachment(REVIEW_NAME, review)
    date = f"D:{created_at.astimezone(UTC):%Y%m%d%H%M%S}Z"  # ISO 32000-1 section 7.9.4
    writer.add_metadata({"/CreationDate": date, "/ModDate": date})
    finished = BytesIO()
    writer.write(finished)
    return finished.getvalue()


class _Pen:
    """Draws the lines of a label; neighbouring texts of one font are drawn in one go."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._texts = canvas.beginText()
        self._font: tuple[bool, float] | None = None
        self._pending = ""
        self._bold = False
        self._size = self._start = self._end = self._y = 0.0

    def draw(self, line: Line, x: float, y: float) -> None:
        """Draw a line; (x, y) is the start of its baseline."""
        self._size, self._start, self._end, self._y = line.size, x, x, y
        for index, word in enumerate(line.words):
            if index:
                self._add(" ", space_width(bold=word.bold), bold=word.bold)
            if word.plain is not None:
                self._add(word.plain, word.width, bold=word.bold)
                continue
            for piece in word.pieces:
                if piece.box:
                    self._add_box(piece, bold=word.bold)
                else:
                    self._add(piece.text, piece.width, bold=word.bold)
                    self._add_marks(piece)
        self._flush()

    def finish(self) -> None:
        """Draw the texts; the borders of the boxes are drawn already."""
        self._canvas.drawText(self._texts)

    def _add(self, text: str, width: float, *, bold: bool) -> None:
        if bold is not self._bold:
            self._flush()
            self._bold = bold
        self._pending += text
        self._end += width * self._size

    def _add_marks(self, piece: Piece) -> None:
        if not piece.marks:
            return
        self._flush()
        origin = self._end - piece.width * self._size
        space = space_width(bold=self._bold)
        for mark in piece.marks:
            # Readers of a PDF sort texts by their origin: spaces keep that of a wide mark before the next letter.
            spaces = max(0, ceil((mark.x - piece.width) / space))
            x = origin + (mark.x - spaces * space) * self._size
            self._write(" " * spaces + mark.text, self._size, x, self._y + mark.y * self._size)

    def _add_box(self, piece: Piece, *, bold: bool) -> None:
        self._flush()
        self._bold = bold
        side, bottom, height = (share * self._size for share in _BOX_BORDER)
        width = piece.width * self._size
        self._canvas.rect(self._end + side, self._y + bottom, width - 2 * side, height)
        self._write(piece.text, BOX_SCALE * self._size, self._end + BOX_PADDING * self._size, self._y)
        self._end += width
        self._start = self._end

    def _flush(self) -> None:
        if self._pending:
            self._write(self._pending, self._size, self._start, self._y)
        self._pending = ""
        self._start = self._end

    def _write(self, text: str, size: float, x: float, y: float) -> None:
        if self._font != (self._bold, size):
            self._font = self._bold, size
            self._texts.setFont(font_name(bold=self._bold), size)
        self._texts.setTextOrigin(x, y)
        self._texts.textLine(text)
