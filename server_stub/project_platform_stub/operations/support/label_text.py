"""The text of a meal label: its fields, the most important first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from project_platform_stub.world.domain import Json

NOT_STATED = "not stated"
_NAME_SIZE, _TEXT_SIZE = 20, 12  # points


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a label.

    Attributes:
        name: Name of the member of the menu item.
        text: The text to print.
        size: Font size in points, before the label is scaled.
        bold: Whether the text is bold.
    """

    name: str
    text: str
    size: int = _TEXT_SIZE
    bold: bool = False


def label_fields(item: Json) -> list[Field]:
    """Return the fields of a menu item in the order of the label.

    Allergens stand before every field of unlimited length except for the name. A value that the item does not state is
    printed as "not stated"; only an empty list is printed as "none".
    """
    fields = [Field("name", item["name"], _NAME_SIZE, bold=True)]
    if not item["approved"]:
        fields.append(Field("approved", "NOT APPROVED", _NAME_SIZE, bold=True))
    fields.append(Field("allergens", f"Allergens: {_listed(item.get('allergens'))}", bold=True))
    fields.append(Field("ingredients", f"Ingredients: {_listed(item.get('ingredients'))}"))
    fields += [Field(name, item[name]) for name in ("description", "heating") if item.get(name)]
    calories = item.get("calories")
    fields.append(Field("calories", f"Energy: {NOT_STATED if calories is None else f'{calories} kcal'}"))
    return [*fields, Field("menuMonth", f"Menu {item['menuMonth']}")]


def _listed(values: list[Any] | None) -> str:
    return NOT_STATED if values is None else ", ".join(values) or "none"
