"""Writes sheets of labels as a PDF: portrait pages that are rotated, and a form for each label."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pikepdf
from pikepdf import Name

PER_SHEET = 4
LABEL = (360, 252)  # 5 by 3.5 inches, in points
PAPER = (612, 792)  # Letter; a viewer rotates it by 90 degrees
MARGIN = (36, 54)


def lines_of(item: dict[str, Any]) -> list[str]:
    return [item["name"], "Contains: " + (", ".join(item["allergens"]) or "no allergens"), *item["ingredients"]]


def sheets(labels: list[list[str]], attachments: dict[str, bytes]) -> bytes:
    """Return a PDF with sheets of labels; at least one."""
    file = pikepdf.new()
    font = pikepdf.Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )
    for first in range(0, max(1, len(labels)), PER_SHEET):
        page = file.add_blank_page(page_size=PAPER)
        page.Rotate = 90
        page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary())
        # In the coordinates of the reader: x to the right, y up, on a landscape sheet.
        drawn = [f"q 0 1 -1 0 {PAPER[0]} 0 cm"]
        for place, lines in enumerate(labels[first : first + PER_SHEET]):
            label = file.make_stream(form(lines), Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, *LABEL])
            label.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
            page.Resources.XObject[f"/L{place}"] = label
            x, y = position(place)
            drawn.append(f"q 1 0 0 1 {x} {y} cm /L{place} Do Q")
        page.Contents = file.make_stream(" ".join([*drawn, "Q"]).encode())
    for name, content in attachments.items():
        file.attachments[name] = pikepdf.AttachedFileSpec(file, content, filename=name, mime_type="application/json")
    written = BytesIO()
    file.save(written, deterministic_id=True)  # so that two equal requests have equal responses
    return written.getvalue()


def position(place: int) -> tuple[int, int]:
    """Return left and bottom of a label on the landscape sheet, in points."""
    return MARGIN[0] + LABEL[0] * (place % 2), MARGIN[1] + LABEL[1] * (1 - place // 2)


def form(lines: list[str]) -> bytes:
    """Return the content of a label: its outline and its lines."""
    parts = [f"0 0 {LABEL[0]} {LABEL[1]} re S".encode()]
    for number, line in enumerate(lines):
        text = line.encode("cp1252", "replace").hex()
        parts.append(f"BT /F 11 Tf 12 {LABEL[1] - 20 - 15 * number} Td <{text}> Tj ET".encode())
    return b"\n".join(parts)
