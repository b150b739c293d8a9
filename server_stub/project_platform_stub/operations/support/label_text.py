"""The text of a meal label: its fields, the most important first."""

from __future__ import annotations

from dataclasses import dataclass

from project_platform_stub.world.domain import Json

from .label_fonts import has_fonts
from .label_words import NOT_DRAWABLE, drawable, is_blank, isolated

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
