"""The layout of a label: the order of its fields, the scale of its text, and what is cut."""

from __future__ import annotations

import re

import pytest

from project_platform_stub.operations.support.label_fonts import font_for
from project_platform_stub.operations.support.label_layout import lay_out

from .printed import menu_item, print_one, printed, squeezed, whole

MARKER = squeezed("… more in label-review.json")
MANY = [f"ingredient number {n}" for n in range(240)]


def counts(problem):
    """Return the printed characters and all characters of a problem."""
    match = re.search("does not fit: ([0-9]+) of ([0-9]+) characters printed", problem)
    assert match, problem
    return int(match[1]), int(match[2])


def sizes(item):
    return [line.size for line in lay_out(item).lines]


def test_the_fields_have_a_fixed_order():
    """Name, NOT APPROVED and allergens come first; nothing but the name can push the allergens down."""
    item = menu_item("Soup", description="Hot.", heating="3 minutes", approved=False)

    text, problems = print_one("Soup", description="Hot.", heating="3 minutes", approved=False)

    assert (
        text
        == whole(item)
        == ("SoupNOTAPPROVEDAllergens:milk,eggsIngredients:rice,waterHot.3minutesEnergy:450kcalMenu2026-11")
    )
    assert not problems


def test_allergens_are_bold_and_ingredients_are_not():
    _, allergens, ingredients, *_ = lay_out(menu_item("Soup")).lines

    assert {piece.font for piece in allergens.pieces} == {font_for("a", bold=True)}
    assert {piece.font for piece in ingredients.pieces} == {font_for("a", bold=False)}


NEXT = {"Allergens": "Ingredients", "Ingredients": "Energy"}  # the field after a list


@pytest.mark.parametrize(
    ("values", "stated", "problem"),
    [
        (None, "notstated", None),
        ([], "none", None),
        (["milk", "eggs"], "milk,eggs", None),
        ([""], "(blank)", "blank entries: 1 of 1"),
        ([" \t"], "(blank)", "blank entries: 1 of 1"),
        (["\xa0\u2003\u200b"], "(blank)", "blank entries: 1 of 1"),
        (["", ""], "(blank),(blank)", "blank entries: 1, 2 of 2"),
        (["milk", "\ufeff", "eggs"], "milk,(blank),eggs", "blank entries: 2 of 3"),
        (["", "\x1c"], "(blank),(notdrawable)", "blank entries: 1 of 2; cannot be drawn: U+001C"),
    ],
)
@pytest.mark.parametrize("title", NEXT)
def test_a_list_that_is_not_stated_is_not_none_and_neither_is_a_blank_entry(title, values, stated, problem):
    """Null states nothing, an empty list that there are none; an entry that prints nothing is marked, and is a problem."""
    text, problems = print_one(**{title.lower(): values})

    assert f"{title}:{stated}{NEXT[title]}" in text
    assert problems == ({title.lower(): problem} if problem else {})


@pytest.mark.parametrize(("calories", "stated"), [(None, "not stated"), (0, "0 kcal"), (450, "450 kcal")])
def test_energy_that_is_not_stated_is_not_zero(calories, stated):
    """Null means that nothing is stated."""
    assert squeezed(f"Energy: {stated}Menu") in print_one(calories=calories)[0]


def test_a_missing_member_is_not_stated():
    """A world that was stored without the member reads like one with null."""
    item = menu_item("Soup")
    for member in ("allergens", "ingredients", "calories", "description", "heating"):
        del item[member]

    (text,) = printed([item]).labels

    assert text == squeezed("Soup Allergens: not stated Ingredients: not stated Energy: not stated Menu 2026-11")


def test_a_long_text_shrinks_until_everything_fits():
    """From 20 and 12 points in steps, down to half of them."""
    assert set(sizes(menu_item("Soup"))) == {20, 12}
    shrunk = menu_item("Soup", ingredients=MANY[:45], heating="3 minutes")

    text, problems = print_one("Soup", ingredients=MANY[:45], heating="3 minutes")

    assert {round(size, 2) for size in sizes(shrunk)} == {12, 7.2}
    assert text == whole(shrunk)
    assert not problems


def test_ingredients_never_push_the_allergens_off():
    """However many there are, the allergens are printed completely, and what is missing is marked and counted."""
    text, problems = print_one(ingredients=MANY, allergens=["milk", "eggs", "soya"], heating="3 minutes")

    assert "Allergens:milk,eggs,soyaIngredients:ingredientnumber0," in text
    assert text.endswith(MARKER * 2)
    assert set(problems) == {"ingredients", "heating", "calories", "menuMonth"}
    assert problems["heating"] == "does not fit: 0 of 9 characters printed"
    assert min(sizes(menu_item("Soup", ingredients=MANY))) == 6


def test_a_name_leaves_room_for_the_allergens():
    """A name takes at most a third of the label."""
    text, problems = print_one("A name without an end " * 60)

    printed_characters, of = counts(problems.pop("name"))
    assert of == len("A name without an end " * 60)
    assert text == squeezed(("A name without an end " * 60)[:printed_characters]) + MARKER + whole(menu_item(""))
    assert not problems


def test_too_many_allergens_are_cut_with_a_marker():
    """Allergens that no label has room for are counted, and nothing is printed after them."""
    text, problems = print_one(allergens=MANY)

    printed_characters, of = counts(problems["allergens"])
    allergens = f"Allergens: {', '.join(MANY)}"
    assert of == len(allergens)
    assert text == f"Soup{squeezed(allergens[:printed_characters])}{MARKER}{MARKER}"
    assert set(problems) == {"allergens", "ingredients", "calories", "menuMonth"}


@pytest.mark.parametrize("count", [70, 100, 600])
@pytest.mark.parametrize("word", ["ingredient", "żurek", "卵", "W" * 70, "u\u0329\u0304r"])
def test_a_cut_is_exact_to_the_character(word, count):
    """The number of printed characters is that of the text: marks count as the characters they stand for."""
    ingredients = [f"{word} {n}" for n in range(count)]
    text, problems = print_one(ingredients=ingredients, heating="3 minutes")

    cut = {field: problem for field, problem in problems.items() if "does not fit" in problem}
    expected = f"Ingredients: {', '.join(ingredients)}"
    if not cut:
        assert text == whole(menu_item("Soup", ingredients=ingredients, heating="3 minutes"))
        return
    printed_characters, of = counts(cut["ingredients"]) if "ingredients" in cut else (len(expected), len(expected))
    assert of == len(expected)
    assert squeezed(expected[:printed_characters]) + (MARKER if printed_characters < of else "") in text
    assert ("3minutes" in text) is ("heating" not in cut)
    assert ("Menu2026-11" in text) is ("menuMonth" not in cut)
