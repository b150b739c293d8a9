"""Helvetica, which every reader of PDFs has, with the characters of western Europe."""

from __future__ import annotations

import unicodedata
from typing import Final

from .label_pieces import EM, Piece, clusters, printed_length, visible

# Widths of the characters of Windows code page 1252 in their order, in thousandths of an em, as Adobe's font metrics state them.
_REGULAR: Final = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 "
    "278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 "
    "556 333 500 278 556 500 722 500 500 500 334 260 334 584 556 222 556 333 1000 556 556 333 1000 667 333 1000 "
    "611 222 222 333 333 350 556 1000 333 1000 500 333 944 500 667 278 333 556 556 556 556 260 556 333 737 370 "
    "556 584 737 333 400 584 333 333 333 556 537 278 333 333 365 556 834 834 834 611 667 667 667 667 667 667 1000 "
    "722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611 556 556 "
    "556 556 556 556 889 500 556 556 556 556 278 278 278 278 556 556 556 556 556 556 556 584 611 556 556 556 556 "
    "500 556 500 "
)
_BOLD: Final = (
    "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 "
    "333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 "
    "611 389 556 333 611 556 778 556 556 500 389 280 389 584 556 278 556 500 1000 556 556 333 1000 667 333 1000 "
    "611 278 278 500 500 350 556 1000 333 1000 556 333 944 500 667 278 333 556 556 556 556 280 556 333 737 370 "
    "556 584 737 333 400 584 333 333 333 611 556 278 333 333 365 556 834 834 834 611 722 722 722 722 722 722 1000 "
    "722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611 556 556 "
    "556 556 556 556 889 556 556 556 556 556 278 278 278 278 611 611 611 611 611 611 611 584 611 611 611 611 611 "
    "556 611 556 "
)
_CODES: Final = {
    bytes([code]).decode("cp1252"): code
    for code in range(0x20, 0x100)
    if code not in {0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xAD}
}


class Helvetica:
    """Helvetica, regular or bold."""

    def __init__(self, *, bold: bool) -> None:
        self.name = "Helvetica-Bold" if bold else "Helvetica"
        self._widths = dict(zip(_CODES, map(int, (_BOLD if bold else _REGULAR).split()), strict=True))

    def pieces(self, run: str, level: int) -> list[Piece]:
        """Return a piece for each letter; the font has only composed letters."""
        return [self._piece(cluster, level) for cluster in clusters(run)]

    def _piece(self, cluster: str, level: int) -> Piece:
        text = unicodedata.normalize("NFC", visible(cluster))
        if len(text) > 1 or not all(character in _CODES for character in text):
            return Piece(text, 0, printed_length(cluster), self, missing=True)
        width = sum(self._widths[character] for character in text)
        return Piece(
            text,
            width / EM,
            printed_length(cluster),
            self,
            tuple((_CODES[character], 0, 0) for character in text),
            level=level,
        )
