"""Reads label sheets: with pdfium the text in each label, and glyphs outside of all labels; with pikepdf the outlines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pikepdf
import pypdfium2

from project_platform_stub.operations.support.label_layout import lay_out
from project_platform_stub.operations.support.label_pdf import label_pdf

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
INCH = 72
_HYPHENS = {2, 0xFFFE}  # pdfium's codes for a hyphen at the end of a line
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)


def menu_item(name: str, **members: Any) -> dict[str, Any]:
    return {
        "name": name,
        "ingredients": ["rice", "water"],
        "allergens": ["milk", "eggs"],
        "description": "",
        "heating": "",
        "calories": 450,
        "menuMonth": "2026-11",
        "approved": True,
    } | members


@dataclass(frozen=True)
class Printed:
    """Labels as they were printed.

    Attributes:
        labels: The text of each label in drawing order, without spaces.
        outside: Glyphs that are in no label: page, character, box.
        undefined: Codes of visible characters that draw nothing, whatever is read back: page, font, code.
        problems: The problems of each label as (field, text).
    """

    labels: list[str]
    outside: list[tuple[int, str, tuple[float, float, float, float]]]
    undefined: list[tuple[int, str, int]]
    problems: list[list[tuple[str, str]]]


def printed(items: Sequence[dict[str, Any]]) -> Printed:
    """Print the labels of menu items, and read them back."""
    layouts = [lay_out(item) for item in items]
    problems = [[(problem.field, problem.text) for problem in layout.problems] for layout in layouts]
    pdf = label_pdf(layouts, b"{}", NOW)
    return Printed(*_read(pdf, len(layouts)), undefined_glyphs(pdf), problems)


def print_one(name: str = "Soup", **members: Any) -> tuple[str, dict[str, str]]:
    """Print one label; return its text without spaces, and its problems by field, several of one field joined with `; `."""
    result = printed([menu_item(name, **members)])
    assert not result.outside
    assert not result.undefined
    problems: dict[str, str] = {}
    for field, problem in result.problems[0]:
        problems[field] = f"{problems[field]}; {problem}" if field in problems else problem
    return result.labels[0], problems


def squeezed(text: str) -> str:
    """Return a text without spaces and invisible characters, decomposed: a mark never joins the letter before its space."""
    return unicodedata.normalize("NFKD", re.sub(r"\s", "", _INVISIBLE.sub("", text)))


def whole(item: dict[str, Any]) -> str:
    """Return the text of a label that is printed completely, squeezed; no list has a blank entry."""

    def stated(values: list[str] | None) -> str:
        return "not stated" if values is None else "none" if values == [] else ", ".join(values)

    return squeezed(
        item["name"]
        + ("" if item["approved"] else "NOT APPROVED")
        + f"Allergens: {stated(item['allergens'])}"
        + f"Ingredients: {stated(item['ingredients'])}"
        + item["description"]
        + item["heating"]
        + f"Energy: {'not stated' if item['calories'] is None else str(item['calories']) + ' kcal'}"
        + f"Menu {item['menuMonth']}"
    )


def undefined_glyphs(pdf: bytes) -> list[tuple[int, str, int]]:
    """Return page, font and code of what has a visible text and no outline; what is read back does not depend on the outline."""
    undefined: list[tuple[int, str, int]] = []
    with pikepdf.open(BytesIO(pdf)) as document:
        for number, page in enumerate(document.pages):
            drawn = {name: _drawn(font) for name, font in page.Resources.Font.items() if font.Subtype == "/Type3"}
            font = ""
            for operands, operator in pikepdf.parse_content_stream(page):
                if str(operator) == "Tf":
                    font = str(operands[0])
                elif str(operator) == "Tj" and font in drawn:
                    undefined += [(number, font, code) for code in bytes(operands[0]) if code not in drawn[font]]
                else:
                    assert str(operator) not in {"TJ", "'", '"'}, "another operator draws text"
    return undefined


def _drawn(font: Any) -> set[int]:
    """Return the codes of a font that have an outline, or only spaces as their text."""
    texts = re.findall(rb"<([0-9A-F]{2})> <([0-9A-F]{4,})>", font.ToUnicode.read_bytes())
    blank = {int(code, 16) for code, text in texts if bytes.fromhex(text.decode()).decode("utf-16-be").isspace()}
    outlines = {
        code: font.CharProcs[name].read_bytes() for code, name in enumerate(list(font.Encoding.Differences)[1:], 1)
    }
    return blank | {code for code, outline in outlines.items() if outline.endswith((b"f", b"B"))}


def _read(pdf: bytes, labels: int) -> tuple[list[str], list[Any]]:
    texts = [""] * labels
    outside: list[Any] = []
    document = pypdfium2.PdfDocument(pdf)
    try:
        for number, page in enumerate(document):
            text = page.get_textpage()
            for index in range(text.count_chars()):
                code = pypdfium2.raw.FPDFText_GetUnicode(text, index)
                character = "-" if code in _HYPHENS else chr(code)
                left, _, right, _ = box = text.get_charbox(index)
                if character.isspace() or right <= left:  # pdfium adds spaces, which have no box
                    continue
                label = next((label for label in range(labels) if _contains(label, number, box)), None)
                if label is None:
                    outside.append((number, character, box))
                else:
                    texts[label] += character
    finally:
        document.close()
    return list(map(squeezed, texts)), outside


def _contains(label: int, page: int, box: tuple[float, float, float, float]) -> bool:
    """Return whether a box on a page is inside a label of 5 by 3.5 inches."""
    sheet, position = divmod(label, 4)
    row, column = divmod(position, 2)
    left, top = (0.5 + 5 * column) * INCH, (8.5 - 0.75 - 3.5 * row) * INCH
    return (
        sheet == page and left <= box[0] and top - 3.5 * INCH <= box[1] and box[2] <= left + 5 * INCH and box[3] <= top
    )
