"""Measures the pages of a PDF, with another library than the one with which the stub writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import combinations
from typing import Any

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


def sheets_of(content: bytes) -> list[Sheet]:
    """Return the pages of a PDF.

    Raises:
        pikepdf.PdfError: The content is not a PDF.
    """
    with pikepdf.open(BytesIO(content)) as pdf:
        return [_sheet(page) for page in pdf.pages]


def attachments_of(content: bytes) -> dict[str, bytes]:
    """Return the contents of the files that are attached to a PDF and to its pages, by the names of the files.

    Raises:
        pikepdf.PdfError: The content is not a PDF.
    """
    with pikepdf.open(BytesIO(content)) as pdf:
        specifications: list[tuple[str, Any]] = [(name, spec.obj) for name, spec in pdf.attachments.items()]
        for holder in (pdf.Root, *(page.obj for page in pdf.pages)):
            specifications += [("", spec) for spec in holder.get("/AF", ())]
            notes = [note for note in holder.get("/Annots", ()) if note.get("/Subtype") == "/FileAttachment"]
            specifications += [("", note.FS) for note in notes]
        return dict(_file(*specification) for specification in specifications)


def _file(key: str, specification: Any) -> tuple[str, bytes]:
    """Return name and content of an embedded file (ISO 32000-1 section 7.11.3).

    Args:
        key: Name if the specification has none.
        specification: The file specification dictionary.
    """
    name = next((str(specification[key]) for key in ("/UF", "/F") if key in specification), key)
    content = next(specification.EF[key] for key in ("/UF", "/F") if key in specification.EF)
    return name, content.read_bytes()


def _inherited(page: pikepdf.Page, name: str, default: Any) -> Any:
    """Return an attribute of a page, or of the nodes of the page tree above it (ISO 32000-1 section 7.7.3.4)."""
    node: Any = page.obj
    while node is not None:
        if name in node:
            return node[name]
        node = node.get("/Parent")
    return default


def edges(box: Any) -> Box:
    """Return left, bottom, right and top of a box, which names any two opposite corners (ISO 32000-1 section 7.9.5)."""
    one, two, three, four = (float(edge) for edge in box)
    return min(one, three), min(two, four), max(one, three), max(two, four)


def rotation(page: pikepdf.Page) -> int:
    """Return by how many degrees a viewer turns a page clockwise."""
    return int(_inherited(page, "/Rotate", 0)) % 360


def _visible(page: pikepdf.Page) -> Box:
    """Return the crop box, without what is beyond the medium (ISO 32000-1 section 14.11.2)."""
    crop, medium = edges(page.cropbox), edges(page.mediabox)
    return max(crop[0], medium[0]), max(crop[1], medium[1]), min(crop[2], medium[2]), min(crop[3], medium[3])


def _sheet(page: pikepdf.Page) -> Sheet:
    unit = float(page.obj.get("/UserUnit", 1))  # in points (ISO 32000-1 section 14.11.2)
    left, bottom, right, top = (edge * unit for edge in _visible(page))
    width, height = (right - left) / _INCH, (top - bottom) / _INCH
    turned = rotation(page) % 180 == 90
    resources = _inherited(page, "/Resources", pikepdf.Dictionary())
    frames = tuple(_drawn(page, resources, pikepdf.Matrix().translated(-left, -bottom).scaled(unit, unit)))
    if turned:
        width, height = height, width
        frames = tuple((down, across, up, over) for across, down, over, up in frames)
    return Sheet(width, height, frames)


def _drawn(content: Any, resources: Any, matrix: pikepdf.Matrix) -> Iterator[Box]:
    """Yield the rectangles that are painted on a page or form; `matrix` transforms its coordinates to those of the page."""
    saved = []
    path: list[Box] = []
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
                path.append(_box(matrix, *map(float, operands)))
            case "n":  # such a path is no more than a clipping path
                path.clear()
            case "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b" | "b*":
                yield from path
                path.clear()
            case "Do":
                form = resources.XObject[operands[0]]
                if form.Subtype == "/Form":
                    form_matrix = pikepdf.Matrix(*map(float, form.get("/Matrix", (1, 0, 0, 1, 0, 0))))
                    yield from _drawn(form, form.get("/Resources", resources), form_matrix @ matrix)


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
    return inside(box, (0, 0, sheet.width, sheet.height))


def inside(box: Box, other: Box) -> bool:
    """Return whether a box lies within another one."""
    left, bottom, right, top = (edge - of_other for edge, of_other in zip(box, other, strict=True))
    return min(left, bottom) > -0.01 and max(right, top) < 0.01  # inch


def may_be_inside(frames: Sequence[Box], width: float, height: float, sheet: Sheet) -> bool:
    """Return whether frames may each be drawn at the same place inside of labels of a size, which the sheet has without an overlap.

    A frame that is as wide or as high as a label is its outline.
    """
    sizes = {size(frame) for frame in frames}
    if len(sizes) != 1 or any(wide == width or high == height for wide, high in sizes):
        return False
    for axis, (label, edge) in enumerate(((width, sheet.width), (height, sheet.height))):
        low, high = (end(frame[axis] for frame in frames) for end in (min, max))
        length = frames[0][axis + 2] - frames[0][axis]
        # The frame begins so far from the edge of its label.
        least, most = max(0.0, high + label - edge), min(label - length, low)
        if least > most + 0.01:
            return False
    return not any(
        overlap((*one[:2], one[0] + width, one[1] + height), (*other[:2], other[0] + width, other[1] + height))
        for one, other in combinations(frames, 2)
    )
