"""Endpoints 16: export meal labels."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from . import pdf
from .app import Call, Refusal, Reply, operation
from .checks import array, checked, flag, uuid
from .world import Json

STOCK = "5x3.5"


@operation(
    "labels_export", "POST /projects/{projectId}/menu-items/label-export", needs="cms_items:read", bad_request=400
)
def export(call: Call) -> Reply:
    """Export labels, in the order of the request."""
    body = checked(call, (), menuMonth=month, itemIds=array(uuid), includeUnapproved=flag, stock=stock)
    items = printed(call, body)
    review = {"items": [{"itemId": item["id"], "title": item["name"]} for item in items], "stock": STOCK}
    content = document(items, json.dumps(review).encode())
    return Reply(200, content, {"content-type": "application/pdf", "x-label-summary": quote(summary(body, items))})


def document(items: list[Json], review: bytes) -> bytes:
    return pdf.sheets([pdf.lines_of(item) for item in items], {"label-review.json": review})


def summary(body: Json, items: list[Json]) -> str:
    return json.dumps({"month": body.get("menuMonth"), "printed": len(items), "sheets": max(1, -(-len(items) // 4))})


def month(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", value) is not None


def stock(value: Any) -> bool:
    return value == STOCK


def printed(call: Call, body: Json) -> list[Json]:
    """Return the items to print, each once."""
    known = {id: item for (project, id), item in call.world.menu.items() if project == call.project}
    chosen = list(dict.fromkeys(id.lower() for id in body.get("itemIds", known)))
    for id in chosen:
        if id not in known:
            raise Refusal(400, "There is no such menu item.", "unknown_item")
    items = [known[id] for id in chosen]
    return [item for item in items if wanted(item, body)]


def wanted(item: Json, body: Json) -> bool:
    """Return whether an item is one of the month, and may be printed."""
    in_month = body.get("menuMonth", item["menuMonth"]) == item["menuMonth"]
    return bool(in_month and (item["approved"] or body.get("includeUnapproved", False)))
