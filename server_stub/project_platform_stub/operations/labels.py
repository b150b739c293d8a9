"""Endpoints 16: export meal labels as a PDF."""

from __future__ import annotations

from urllib.parse import quote

from project_platform_stub.http.errors import bad_request
from project_platform_stub.http.messages import write_json
from project_platform_stub.world.domain import Json

from . import Call, Result, operation

STOCK = "5x3.5"


@operation("labels_export", "menuMonth", "itemIds", "includeUnapproved", "stock")
def export(call: Call) -> Result:
    """Print a label for each selected and approved menu item; the review lists the skipped items with their reasons.

    Its problems are the fields that are not printed as they are. Without any label, the PDF has one sheet that says so.
    """
    from .support.label_layout import lay_out
    from .support.label_pdf import LABELS_PER_SHEET, label_pdf

    body = call.body
    month, unapproved = body.get("menuMonth"), body.get("includeUnapproved", False)
    reasons = [(item, _reason_to_skip(item, month, unapproved=unapproved)) for item in _items(call)]
    labels = [item for item, reason in reasons if reason is None]
    skipped = [{"itemId": item["id"], "name": item["name"], "reason": reason} for item, reason in reasons if reason]
    layouts = [lay_out(item) for item in labels]
    places = [
        {"itemId": item["id"], "sheet": index // LABELS_PER_SHEET + 1, "position": index % LABELS_PER_SHEET + 1}
        for index, item in enumerate(labels)
    ]
    problems = [
        {**place, "field": problem.field, "problem": problem.text}
        for place, layout in zip(places, layouts, strict=True)
        for problem in layout.problems
    ]
    summary = {
        "menuMonth": month,
        "labelCount": len(labels),
        "sheetCount": places[-1]["sheet"] if places else 1,
        "skippedCount": len(skipped),
        "problemCount": len(problems),
    }
    review = {
        "menuMonth": month,
        "stock": body.get("stock", STOCK),
        "labels": [
            {"itemId": item["id"], **{key: value for key, value in item.items() if key != "id"}, **place}
            for item, place in zip(labels, places, strict=True)
        ],
        "skipped": skipped,
        "problems": problems,
    }
    return Result(
        label_pdf(layouts, write_json(review), call.now),
        {"X-Label-Summary": quote(write_json(summary), safe="")},
    )


def _items(call: Call) -> list[Json]:
    ids = call.body.get("itemIds")
    items = call.project.menu_items
    if ids is None:
        return list(items.values())
    for index, item_id in enumerate(ids):
        # 400, because the specification lists no 404 here.
        if item_id.lower() not in items:
            raise bad_request(f"body.itemIds[{index}]", "is not a menu item of the project")
    return [items[item_id.lower()] for item_id in ids]


def _reason_to_skip(item: Json, month: str | None, *, unapproved: bool) -> str | None:
    if month is not None and item["menuMonth"] != month:
        return f"not on the menu of {month}"
    if not item["approved"] and not unapproved:
        return "not approved"
    return None
