"""Menu items of the demo world."""

from __future__ import annotations

from project_platform_stub.world.store import Contents, Project

# name, description, ingredients, allergens, kcal, month, approved
_ITEMS = (
    ("Lentil soup", "With carrots and cumin.", ("lentils", "carrots", "cumin"), ("celery",), 380, "2026-11", True),
    (
        "Crème brûlée",
        "Vanilla custard under caramel.",
        ("cream", "eggs", "sugar"),
        ("milk", "egg"),
        420,
        "2026-11",
        True,
    ),
    ("Smörgås", "Rye bread, salmon, dill.", ("rye bread", "salmon", "dill"), ("gluten", "fish"), 350, "2026-11", True),
    (
        "Phở bò",
        "Noodle soup: rice noodles, beef, herbs.",
        ("rice noodles", "beef", "herbs"),
        ("fish",),
        640,
        "2026-11",
        True,
    ),
    ("Green curry", "Coconut, basil, aubergine.", ("coconut", "basil", "aubergine"), (), 510, "2026-11", True),
    ("Test kitchen pie", "Not tasted yet.", ("flour", "apples"), ("gluten",), 480, "2026-11", False),
    ("Goulash", "Beef, paprika, onions.", ("beef", "paprika", "onions"), (), 560, "2026-12", True),
)


def add_menu(world: Contents, project: Project) -> None:
    """Add menu items of two months, one of them not approved."""
    for name, description, ingredients, allergens, calories, month, approved in _ITEMS:
        item_id = world.ids.uuid()
        project.menu_items[item_id] = {
            "id": item_id,
            "name": name,
            "description": description,
            "ingredients": list(ingredients),
            "allergens": list(allergens),
            "calories": calories,
            "heating": "Heat for 4 minutes at 700 W.",
            "menuMonth": month,
            "approved": approved,
        }
