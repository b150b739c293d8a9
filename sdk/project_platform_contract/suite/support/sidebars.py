"""Sections of a sidebar, as requests send them and responses return them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .resources import SIDEBAR_ITEM

Section = dict[str, Any]


def documented(sections: list[Section]) -> list[Section]:
    """Return sections without undocumented fields, and without those that are null."""
    return [
        {
            name: [_without(item, SIDEBAR_ITEM) for item in value] if name == "items" else value
            for name, value in _without(section, ("id", "label", "items")).items()
        }
        for section in sections
    ]


def _without(value: dict[str, Any], fields: Collection[str]) -> dict[str, Any]:
    return {name: value[name] for name in fields if value.get(name) is not None}
