"""Endpoints 8 and 10: replace the sidebar, update memory entries."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from .app import Call, operation
from .checks import array, checked, mapping, text
from .world import Json, now

_TEXTS = ("label", "icon", "id", "featureId", "pluginId", "href", "customLabel")


@operation("sidebar_replace", "PUT /projects/{projectId}/sidebar", needs="roles:write")
def replace(call: Call) -> Json:
    body = checked(call, ("sections",), sections=array(section))
    call.world.sidebars[call.project] = [section_of(value) for value in body["sections"]]
    return {"success": True, "data": {"sections": deepcopy(call.world.sidebars[call.project])}}


@operation("memory_update", "PATCH /projects/{projectId}/memory-entries/{slug}", needs="assets:write")
def update(call: Call) -> Json:
    """Update a memory entry; a member with another name is refused."""
    body = checked(call, (), True, title=text(), description=text(), content=text(), metadata=mapping)
    entry = call.find("memory", call.path["slug"], "entry")
    change(entry, body)
    return {"entry": deepcopy(entry)}


def section(value: Any) -> bool:
    return isinstance(value, dict) and _texts(value, ("id", "label")) and array(item)(value.get("items", []))


def item(value: Any) -> bool:
    return isinstance(value, dict) and _texts(value, _TEXTS)


def _texts(value: Json, names: tuple[str, ...]) -> bool:
    return all(isinstance(value[name], str) for name in names if name in value)


def section_of(value: Json) -> Json:
    """Return a section as it is stored, with an extra member."""
    return {**value, "items": [item_of(each) for each in value.get("items", [])], "collapsed": False}


def item_of(value: Json) -> Json:
    return dict(value)


def change(entry: Json, body: Json) -> None:
    entry.update(deepcopy(body), updatedAt=now())
