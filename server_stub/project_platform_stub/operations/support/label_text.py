"""The text of a meal label: its fields, the most important first, and their words in the direction in which these are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Final, NamedTuple

from project_platform_stub.world.domain import Json

from .label_fonts import (
    FIRST_STRONG_ISOLATE,
    POP_ISOLATE,
    Helvetica,
    OutlineFont,
    Piece,
    clusters,
    font_for,
    has_fonts,
    visible,
)

NOT_STATED = "not stated"
_BLANK = "(blank)"  # instead of an entry of a list that prints nothing
_NAME_SIZE, _TEXT_SIZE = 20, 12  # points


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a label.

    Attributes:
        name: Name of the member of the menu item.
        size: Font size in points, before the label is scaled.
        problems: How the text differs from the menu item.
    """

    name: str
    text: str
    size: int = _TEXT_SIZE
    bold: bool = False
    problems: tuple[str, ...] = ()


def label_fields(item: Json) -> list[Field]:
    """Return the fields of a menu item in the order of the label.

    Allergens stand before every field of unlimited length except for the name. A value that the item does not state is
    printed as "not stated"; only an empty list is printed as "none". An entry of a list that prints nothing is printed as
    "(blank)", and what no font has as "(not drawable)".
    """
    fields = [_text_field("name", item["name"], _NAME_SIZE, bold=True)]
    if not item["approved"]:
        fields.append(Field("approved", "NOT APPROVED", _NAME_SIZE, bold=True))
    fields.append(_list_field("allergens", item.get("allergens"), bold=True))
    fields.append(_list_field("ingredients", item.get("ingredients")))
    fields += [_text_field(name, item[name]) for name in ("description", "heating") if item.get(name)]
    calories = item.get("calories")
    fields.append(Field("calories", f"Energy: {NOT_STATED if calories is None else f'{calories} kcal'}"))
    return [*fields, Field("menuMonth", f"Menu {item['menuMonth']}")]


def _text_field(name: str, value: str, size: int = _TEXT_SIZE, *, bold: bool = False) -> Field:
    text, missing = drawable(value, bold=bold)
    if text.strip() == NOT_DRAWABLE:
        text = f"{name.title()}: not drawable, see label-review.json"
    return Field(name, text, size, bold, _not_drawable(missing))


def _list_field(name: str, values: list[str] | None, *, bold: bool = False) -> Field:
    if not values:
        return Field(name, f"{name.title()}: {NOT_STATED if values is None else 'none'}", bold=bold)
    blank = {number for number, value in enumerate(values, 1) if is_blank(value)}
    entries: list[str] = []
    missing: list[str] = []
    for number, value in enumerate(values, 1):
        text, characters = (_BLANK, []) if number in blank else drawable(value, bold=bold)
        entries.append(isolated(text))
        missing += characters
    problems = (f"blank entries: {', '.join(map(str, sorted(blank)))} of {len(values)}",) if blank else ()
    return Field(
        name, f"{name.title()}: {', '.join(entries)}", bold=bold, problems=(*problems, *_not_drawable(missing))
    )


def _not_drawable(missing: list[str]) -> tuple[str, ...]:
    if not missing:
        return ()
    advice = "" if has_fonts() else "; for more letters: pip install 'project-platform[fonts]'"
    return (f"cannot be drawn: {', '.join(f'U+{ord(character):04X}' for character in dict.fromkeys(missing))}{advice}",)


NOT_DRAWABLE: Final = "(not drawable)"
_SPACES = dict.fromkeys(map(ord, "\t\n\v\f\r\x85\u1680\u2028\u2029\u3000"), " ")
_MISSING = "\uffff"  # a character that no font has
_NO_TEXT: Final = frozenset({"Cc", "Cn", "Co", "Cs"})  # categories of Unicode
# Embeddings, overrides and isolates could make a label read differently from its menu item.
_DIRECTIONS: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_CACHED_LENGTH = 40  # Characters; the pieces of longer words are not cached.


class Shaped(NamedTuple):
    """The pieces of a text, of which each space is one, and whether it is read from right to left as a whole."""

    pieces: Sequence[Piece]
    is_right_to_left: bool


def shape(text: str, *, bold: bool) -> Shaped:
    """Return the pieces of a text; tabs and line breaks are spaces."""
    text = text.translate(_SPACES)
    base, levels = _levels(text)
    pieces: list[Piece] = []
    start = 0
    for word in re.split("( )", text):
        end = start + len(word)
        pieces += (_cached_pieces if len(word) <= _CACHED_LENGTH else _pieces)(word, levels[start:end], bold)
        start = end
    return Shaped(pieces, base == 1)


def drawable(text: str, *, bold: bool) -> tuple[str, list[str]]:
    """Return a text that says where something cannot be drawn, and the characters that cannot, each once."""
    marked: list[str] = []
    missing: list[str] = []
    start = 0
    for piece in shape(_text_only(text), bold=bold).pieces:
        source = text[start : start + piece.length]
        start += piece.length
        marked.append(_MISSING if piece.missing else source)
        missing += source if piece.missing else ""
    printed = re.sub(f"{_MISSING}(?:[{_MISSING}\\s]*{_MISSING})?", NOT_DRAWABLE, "".join(marked))
    return printed, list(dict.fromkeys(missing))


def _text_only(text: str) -> str:
    """Return a text with a character that no font has in the place of each that is not text."""
    return "".join(
        _MISSING
        if unicodedata.category(character) in _NO_TEXT or unicodedata.bidirectional(character) in _DIRECTIONS
        else character
        for character in text.translate(_SPACES)
    )


def isolated(text: str) -> str:
    """Return a text whose direction does not change that of what is around it."""
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}" if is_right_to_left(text) else text


def is_blank(text: str) -> bool:
    """Return whether a text prints nothing: it is empty, or has only spaces and invisible characters."""
    return all(unicodedata.category(character) == "Zs" for character in visible(text.translate(_SPACES)))


def visual_order(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Return the pieces of a line from left to right (rule L2 of Unicode's bidirectional algorithm, UAX 9)."""
    for level in range(max((piece.level for piece in pieces), default=0), 0, -1):
        runs = [(key, list(run)) for key, run in groupby(pieces, lambda piece: piece.level >= level)]  # noqa: B023  # used at once
        pieces = [piece for is_reversed, run in runs for piece in (reversed(run) if is_reversed else run)]
    return pieces


def _pieces(word: str, levels: tuple[int, ...], bold: bool) -> tuple[Piece, ...]:
    """Return the pieces of a word; what has one font and one level is shaped as a whole."""
    start = 0
    placed: list[tuple[Helvetica | OutlineFont, int, str]] = []
    for cluster in clusters(word):
        placed.append((font_for(cluster[0], bold=bold), levels[start], cluster))
        start += len(cluster)
    return tuple(
        piece
        for (font, level), run in groupby(placed, lambda place: place[:2])
        for piece in font.pieces("".join(cluster for _, _, cluster in run), level)
    )


_cached_pieces = lru_cache(maxsize=1 << 12)(_pieces)


def _levels(text: str) -> tuple[int, tuple[int, ...]]:
    """Return the level of a text, and that of each character; what is read from right to left has an odd level."""
    if not has_fonts() or not is_right_to_left(text):
        return 0, (0,) * len(text)
    import bidi

    # The levels of the bytes of the text as UTF-8, which python-bidi returns only as text of its debugging output.
    described = (
        str(bidi.get_display(text, debug=True)).rpartition("\n    levels: [")[2].partition("\n    paragraphs: [")[0]
    )
    of_bytes = [int(level) for level in re.findall(r"[0-9]+", described)]
    starts = accumulate((len(character.encode()) for character in text[:-1]), initial=0)
    return bidi.get_base_level(text), tuple(of_bytes[start] for start in starts)


def is_right_to_left(text: str) -> bool:
    """Return whether a text has letters that are read from right to left."""
    return any(unicodedata.bidirectional(character) in {"R", "AL"} for character in text)
