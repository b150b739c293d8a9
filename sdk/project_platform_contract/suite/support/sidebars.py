"""Sections of a sidebar, as requests send them and responses return them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from project_platform_contract.schema import fields_of

from .json_equality import differences

Section = dict[str, Any]

SIDEBAR_ITEM = fields_of("SidebarItem")
_SECTION = fields_of("SidebarSection")


def section_differences(sent: Sequence[Section], received: Sequence[Section]) -> list[str]:
    """Return the places where sections are not those that were sent; [] if they are the same.

    Undocumented fields are ignored. A field that was not sent may be missing, null or empty, as may be a list of no items.
    """
    return differences(list(sent), _aligned(sent, received, _SECTION))


def _aligned(sent: Sequence[Section], received: Sequence[Section], fields: Collection[str]) -> list[Section]:
    """Return the received sections or items with the fields that were sent, and those that have a value."""
    known = [*sent, *({} for _ in received[len(sent) :])]
    return [_shown(one, other, fields) for one, other in zip(known, received, strict=False)]


def _shown(sent: Section, received: Section, fields: Collection[str]) -> Section:
    shown = {name: received[name] for name in fields if received.get(name) is not None}
    shown = {name: value for name, value in shown.items() if name in sent or value not in ("", [])}
    if sent.get("items") == []:
        shown.setdefault("items", [])
    if "items" in shown:
        shown["items"] = _aligned(sent.get("items", []), shown["items"], SIDEBAR_ITEM)
    return shown
