"""Pages of PDFs as pictures, drawn by pypdfium2."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from ..optional import load

_SCALE = 0.9  # of 72 dots per inch: a Letter page is as wide as the output of a notebook


class PagePicture:
    """A page of a PDF as a picture, which notebooks show.

    Attributes:
        png: The picture as PNG.
        page: Number of the page, from 1.
        pages: Number of pages in the PDF.
    """

    __slots__ = ("page", "pages", "png")

    def __init__(self, png: bytes, page: int, pages: int) -> None:
        self.png: bytes = png
        self.page: int = page
        self.pages: int = pages

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<PagePicture of page {self.page} of {self.pages}, {len(self.png):,} bytes>"


def draw(pdf: bytes, page: int, *, scale: float = _SCALE) -> PagePicture:
    """Return a page of a PDF as a picture.

    Args:
        pdf: The PDF.
        page: Number of the page, from 1.
        scale: Dots of the picture for each of the 72 points of an inch.

    Raises:
        UsageError: pypdfium2 is not installed.
        ValueError: The PDF cannot be read, or has no such page.
    """
    pdfium = load("a picture of a page", "pypdfium2", extra="notebook")
    try:
        document = pdfium.PdfDocument(pdf)
    except pdfium.PdfiumError as error:
        raise ValueError(f"the PDF cannot be read: {error}") from None
    try:
        if type(page) is not int or not 1 <= page <= len(document):
            raise ValueError(f"page is {page!r}; the PDF has the pages 1 to {len(document)}")
        bitmap = document[page - 1].render(scale=scale, rev_byteorder=True)
        return PagePicture(_png(bitmap), page, len(document))
    finally:
        document.close()


def picture_html(picture: PagePicture) -> str:
    """Return a picture as an HTML image."""
    data = base64.b64encode(picture.png).decode()
    return f'<img alt="Page {picture.page}" src="data:image/png;base64,{data}">'


def _png(bitmap: Any) -> bytes:
    """Return a bitmap of red, green and blue as PNG: https://www.w3.org/TR/png-3/. Pillow is not needed for that."""
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    pixels = bytes(bitmap.buffer)
    lines = b"".join(b"\0" + pixels[at : at + 3 * width] for at in range(0, stride * height, stride))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, true colour
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
