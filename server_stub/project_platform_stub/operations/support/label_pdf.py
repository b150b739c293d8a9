"""The PDF of meal labels: landscape Letter, four labels per sheet, each 5 inches wide and 3.5 inches high.

The output is deterministic: the same labels at the same time give the same bytes.
"""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

from pypdf import PdfReader, PdfWriter
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from project_platform_stub.world.domain import Json

REVIEW_NAME = "label-review.json"
LABELS_PER_SHEET = 4
_INCH = 72  # PDF points
_SHEET = (11 * _INCH, 8.5 * _INCH)
_LABEL = (5 * _INCH, 3.5 * _INCH)
_MARGIN = ((_SHEET[0] - 2 * _LABEL[0]) / 2, (_SHEET[1] - 2 * _LABEL[1]) / 2)
_PADDING = 18
_TITLE, _TEXT = ("Helvetica-Bold", 20), ("Helvetica", 12)


def sheet_count(labels: int) -> int:
    """Return the number of sheets for a number of labels, at least 1: without labels, one sheet says so."""
    return max(1, -(-labels // LABELS_PER_SHEET))


def label_pdf(labels: list[Json], review: bytes, created_at: datetime) -> bytes:
    """Return the sheets as a PDF that is dated `created_at`, with the review attached as `label-review.json`."""
    sheets = BytesIO()
    canvas = Canvas(sheets, pagesize=_SHEET, invariant=True)
    canvas.setTitle("Meal labels")
    if not labels:
        canvas.setFont(*_TITLE)
        canvas.drawCentredString(_SHEET[0] / 2, _SHEET[1] / 2, "No labels to print")
    for index, item in enumerate(labels):
        if index and index % LABELS_PER_SHEET == 0:
            canvas.showPage()
        row, column = divmod(index % LABELS_PER_SHEET, 2)
        left = _MARGIN[0] + column * _LABEL[0]
        # Labels run from the top left; PDF coordinates start at the bottom.
        _draw(canvas, item, left, _SHEET[1] - _MARGIN[1] - (row + 1) * _LABEL[1])
    canvas.save()
    writer = PdfWriter(clone_from=PdfReader(sheets))
    writer.add_attachment(REVIEW_NAME, review)
    date = f"D:{created_at.astimezone(UTC):%Y%m%d%H%M%S}Z"  # ISO 32000-1 section 7.9.4
    writer.add_metadata({"/CreationDate": date, "/ModDate": date})
    finished = BytesIO()
    writer.write(finished)
    return finished.getvalue()


def _draw(canvas: Canvas, item: Json, left: float, bottom: float) -> None:
    canvas.rect(left, bottom, *_LABEL)
    x, y = left + _PADDING, bottom + _LABEL[1] - _PADDING
    for font, text in _lines(item):
        for line in simpleSplit(_printable(text), *font, _LABEL[0] - 2 * _PADDING):
            y -= font[1] * 1.3  # leading
            if y < bottom + _PADDING:  # the label is full; the review has the complete text
                return
            canvas.setFont(*font)
            canvas.drawString(x, y, line)


def _lines(item: Json) -> list[tuple[tuple[str, int], str]]:
    lines = [(_TITLE, item["name"])]
    if not item["approved"]:
        lines.append((_TITLE, "NOT APPROVED"))
    lines += [
        (_TEXT, item["description"]),
        (_TEXT, f"Ingredients: {', '.join(item['ingredients'])}"),
        (_TEXT, f"Allergens: {', '.join(item['allergens']) or 'none'}"),
        (_TEXT, f"Energy: {item['calories']} kcal"),
        (_TEXT, item["heating"]),
        (_TEXT, f"Menu {item['menuMonth']}"),
    ]
    return lines


def _printable(text: str) -> str:
    """Return a text with question marks for characters that the built-in fonts lack; the review has the complete text."""
    return text.encode("cp1252", "replace").decode("cp1252")
