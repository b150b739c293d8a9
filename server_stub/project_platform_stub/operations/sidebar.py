"""Endpoints 8: replace the sidebar. The sidebar has no effect on permissions."""

from __future__ import annotations

from project_platform_stub.contract import load_contract
from project_platform_stub.world.domain import Json

from . import Call, Result, operation

_SECTION, _ITEM = map(load_contract().schema_fields, ("SidebarSection", "SidebarItem"))


@operation("sidebar_replace", "sections")
def replace(call: Call) -> Result:
    """Replace the list of sections; fields that the specification does not name are dropped."""
    call.project.sidebar = [_section(section) for section in call.body["sections"]]
    return Result({"success": True, "data": {"sections": call.project.sidebar}})


def _section(section: Json) -> Json:
    known: Json = {key: section[key] for key in _SECTION if key in section}
    if known.get("items"):
        known["items"] = [{key: item[key] for key in _ITEM if key in item} for item in known["items"]]
    return known
