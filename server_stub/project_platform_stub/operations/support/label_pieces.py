"""The pieces of a text that label sheets draw, and the fonts that return them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

EM: Final = 1000  # Units of all fonts in an em.
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
_INVISIBLE: Final = frozenset(
    map(
        chr,
        [
            *(0xAD, 0x34F, 0x61C, 0xFEFF, ord(FIRST_STRONG_ISOLATE), ord(POP_ISOLATE)),
            *(*range(0x200B, 0x2010), *range(0x2060, 0x2065), *range(0x206A, 0x2070)),
            *(*range(0xFE00, 0xFE10), *range(0xE0020, 0xE0080)),
            # Letters and marks of Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties).
            *(0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xE0100, 0xE01F0)),
        ],
    )
)


@dataclass(frozen=True, slots=True)
class Piece:
    """The smallest part of a text that is drawn: a letter with its marks, a ligature or a syllable.

    Attributes:
        text: The visible characters.
        width: The width in em.
        length: Number of characters of the text that it stands for.
        glyphs: Number of each glyph in the font, and its place relative to the origin, in units; none if nothing is visible.
        missing: Whether the font cannot draw it.
        level: The level of the bidirectional algorithm; it is odd for a text from right to left.
    """

    text: str
    width: float
    length: int
    font: Font
    glyphs: tuple[tuple[int, int, int], ...] = ()
    missing: bool = False
    level: int = field(default=0, compare=False)


class Font(Protocol):
    """A font, regular or bold."""

    def pieces(self, run: str, level: int) -> list[Piece]:
        """Return the pieces of a text of one direction, in the order of the text."""


def clusters(text: str) -> Iterator[str]:
    """Yield each letter with its marks and the invisible characters after it."""
    start = 0
    for index, character in enumerate(text):
        if index > start and not joins(character):
            yield text[start:index]
            start = index
    if text:
        yield text[start:]


def joins(character: str) -> bool:
    """Return whether a character belongs to the letter before it."""
    return character in _INVISIBLE or unicodedata.category(character).startswith("M")


def visible(text: str) -> str:
    """Return a text without the characters that are never drawn."""
    return "".join(character for character in text if character not in _INVISIBLE)


def printed_length(text: str) -> int:
    """Return the number of characters of a text without the isolates that a label adds."""
    return len(text) - text.count(FIRST_STRONG_ISOLATE) - text.count(POP_ISOLATE)
