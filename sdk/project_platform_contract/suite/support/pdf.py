"""Measures the pages of a PDF, with another library than the one with which the stub writes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from types import TracebackType
from typing import Any, Self

import pikepdf

_INCH = 72  # PDF points

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in inches from the bottom left of the page."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as a viewer shows it.

    Attributes:
        width: Width in inches.
        height: Height in inches.
        frames: Rectangles that are drawn on the page.
    """

    width: float
    height: float
    frames: tuple[Box, ...]


class Document:
    """An open PDF.

    Args:
        content: Content of the file.

    Raises:
        pikepdf.PdfError: The content is not a PDF.
    """

    def __init__(self, content: bytes) -> None:
        self._pdf = pikepdf.open(BytesIO(content))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._pdf.close()

    @property
    def sheets(self) -> list[Sheet]:
        """The pages."""
        return [_sheet(page) for page in self._pdf.pages]

    @property
    def attachments(self) -> dict[str, bytes]:
        """Contents of the attached files, by name."""
        return {name: spec.get_file().read_bytes() for name, spec in self._pdf.attachments.items()}


def _sheet(page: pikepdf.Page) -> Sheet:
    unit = float(page.obj.get("/UserUnit", 1))  # in points (ISO 32000-1 section 14.11.2)
    left, bottom, right, top = (float(edge) * unit for edge in page.cropbox)
    width, height = (right - left) / _INCH, (top - bottom) / _INCH
    # A viewer rotates the page by this many degrees.
    turned = int(page.obj.get("/Rotate", 0)) % 180 == 90
    frames = tuple(_drawn(page, pikepdf.Matrix().translated(-left, -bottom).scaled(unit, unit)))
    if turned:
        width, height = height, width
        frames = tuple((down, across, up, over) for across, down, over, up in frames)
    return Sheet(width, height, frames)


def _drawn(content: Any, matrix: pikepdf.Matrix) -> Iterator[Box]:
    """Yield the rectangles of a page or form; `matrix` transforms its coordinates to those of the page."""
    saved = []
    for instruction in pikepdf.parse_content_stream(content):
        operands = list(instruction.operands)
        match str(instruction.operator):
            case "q":
                saved.append(matrix)
            case "Q":
                matrix = saved.pop()
            case "cm":
                matrix = pikepdf.Matrix(*map(float, operands)) @ matrix
            case "re":
                yield _box(matrix, *map(float, operands))
            case "Do":
                form = content.Resources.XObject[operands[0]]
                if form.Subtype == "/Form":
                    form_matrix = pikepdf.Matrix(*map(float, form.get("/Matrix", (1, 0, 0, 1, 0, 0))))
                    yield from _drawn(form, form_matrix @ matrix)


def _box(matrix: pikepdf.Matrix, x: float, y: float, width: float, height: float) -> Box:
    corners = [matrix.transform((x + dx, y + dy)) for dx in (0, width) for dy in (0, height)]
    across, up = ([corner[axis] / _INCH for corner in corners] for axis in (0, 1))
    return min(across), min(up), max(across), max(up)


def size(box: Box) -> tuple[float, float]:
    """Return width and height in inches, rounded to hundredths, which is finer than printers are."""
    left, bottom, right, top = box
    return round(right - left, 2), round(top - bottom, 2)


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes overlap; a common edge does not count."""
    return all(
        min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis]) > 0.01  # inch
        for axis in (0, 1)
    )


def within(box: Box, sheet: Sheet) -> bool:
    """Return whether a box lies on the sheet."""
    left, bottom, right, top = box
    return min(left, bottom) > -0.01 and right < sheet.width + 0.01 and top < sheet.height + 0.01  # inch
