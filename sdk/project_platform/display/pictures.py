"""Pages of PDFs as pictures, and their attachments, read by pypdfium2."""

from __future__ import annotations

import base64
import contextlib
import os
import struct
import threading
import zlib
from collections.abc import Generator
from typing import Any, Final

from ..optional import load

_SCALE = 0.9  # of 72 dots per inch: a Letter page is as wide as the output of a notebook
_MAX_DOTS: Final = 4_000_000  # of a picture: it takes four bytes a dot, and as much again as PNG

_LOCK: Final = threading.RLock()
"""PDFium is not thread-safe. A fork waits for it: in the child, the thread that has it does not exist."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


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
        scale: Dots of the picture for each of the 72 points of an inch; fewer for a page that is larger than any sheet.

    Raises:
        UsageError: pypdfium2 is not installed.
        ValueError: The PDF cannot be read, or has no such page.
    """
    with _opened(pdf, "a picture of a page") as document:
        if type(page) is not int or not 1 <= page <= len(document):
            raise ValueError(f"page is {page!r}; the PDF has the pages 1 to {len(document)}")
        found = document[page - 1]
        fitting = (_MAX_DOTS / max(1.0, found.get_width() * found.get_height())) ** 0.5
        bitmap = found.render(scale=min(scale, fitting), rev_byteorder=True)
        return PagePicture(_png(bitmap), page, len(document))


def attachment(pdf: bytes, name: str) -> bytes | None:
    """Return the content of an attachment of a PDF; None if there is none with this name.

    Raises:
        UsageError: pypdfium2 is not installed.
        ValueError: The PDF cannot be read.
    """
    with _opened(pdf, "reading the review") as document:
        for index in range(document.count_attachments()):
            found = document.get_attachment(index)
            if found.get_name() == name:
                return bytes(found.get_data())
    return None


@contextlib.contextmanager
def _opened(pdf: bytes, purpose: str) -> Generator[Any]:
    pdfium = load(purpose, "pypdfium2", extra="pdf")
    with _LOCK:
        try:
            document = pdfium.PdfDocument(pdf)
        except pdfium.PdfiumError as error:
            raise ValueError(f"the PDF cannot be read: {error}") from None
        try:
            yield document
        except pdfium.PdfiumError as error:
            raise ValueError(f"the PDF cannot be read: {error}") from None
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
