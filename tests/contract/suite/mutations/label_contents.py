"""Broken contents of label sheets and of their review (Endpoints 16)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from project_platform_stub.http.json import parse_json, write_json
from project_platform_stub.operations import labels
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support import label_pdf
from project_platform_stub.operations.support.label_layout import LabelLayout
from project_platform_stub.world.domain import Json

from .mutation import mutation, patch, with_body, wrap

Layouts = Sequence[LabelLayout]


def _printed(change: Callable[[Layouts], Layouts]) -> None:
    """Change the labels that are printed; the review and the summary do not change."""
    draw = label_pdf.label_pdf

    def drawn(layouts: Layouts, review: bytes, created_at: datetime) -> bytes:
        return draw(change(layouts), review, created_at)

    patch(label_pdf, "label_pdf", drawn)


@mutation("labels.export.each-item", also=("labels.export.*",))
def every_label_is_the_first_one() -> None:
    _printed(lambda layouts: [layouts[0] for _ in layouts])


@mutation("labels.export.each-item", also=("labels.export.*",))
def the_first_sheet_has_one_label_four_times() -> None:
    _printed(lambda layouts: [layouts[0] if index < 4 else layout for index, layout in enumerate(layouts)])


@mutation("labels.export.each-item", also=("labels.export.*",))
def the_last_label_repeats_the_one_before() -> None:
    _printed(lambda layouts: [*layouts[:-1], layouts[-2]] if len(layouts) > 1 else layouts)


@mutation("labels.export.each-item", also=("labels.export.*",))
def a_label_is_left_blank() -> None:
    blank = LabelLayout((), ())
    _printed(lambda layouts: [blank if index == 1 else layout for index, layout in enumerate(layouts)])


@mutation("labels.export.four-a-sheet", also=("labels.export.*",))
def labels_end_with_the_fourth() -> None:
    _printed(lambda layouts: layouts[:4])


@mutation("labels.export.each-item", also=("labels.export.*", "scope.own-things.labels-export"))
def one_item_has_the_labels_of_its_sheet() -> None:
    def sheet(rule: Handler, call: Call) -> Answer:
        ids = call.body.get("itemIds", ())
        if len(ids) != 1:
            return rule(call)
        others = [id for id in call.project.menu_items if id not in ids]
        return rule(with_body(call, itemIds=[*ids, *others[:3]]))

    wrap("labels_export", sheet)


@mutation("labels.export.each-item", also=("labels.export.*",))
def an_item_has_the_label_of_the_next_one() -> None:
    def following(rule: Handler, call: Call) -> Answer:
        ids = list(call.project.menu_items)
        wanted = call.body.get("itemIds")
        if not wanted or not set(wanted) <= set(ids[:5]) or len(wanted) > 1:
            return rule(call)
        return rule(with_body(call, itemIds=[ids[0]]))

    wrap("labels_export", following)


@mutation("labels.export.order", also=("labels.export.*",))
def labels_are_in_the_order_of_the_menu() -> None:
    items = labels._items

    def ordered(call: Call) -> list[Json]:
        wanted = items(call)
        return [item for item in call.project.menu_items.values() if item in wanted]

    patch(labels, "_items", ordered)


@mutation("labels.export.order", also=("labels.export.*",))
def labels_are_printed_backwards() -> None:
    _printed(lambda layouts: [*reversed(layouts)])


@mutation("labels.export.month", also=("labels.export.*",))
def a_month_without_items_has_one_sheet() -> None:
    items = labels._items
    patch(labels, "_items", lambda call: items(call) if "itemIds" in call.body else items(call)[:4])


@mutation("labels.export.whole-month", also=("labels.export.*",))
def a_month_without_items_lacks_its_first_label() -> None:
    items = labels._items
    patch(labels, "_items", lambda call: items(call) if "itemIds" in call.body else items(call)[1:])


def reviewed(change: Callable[[Json], Json]) -> None:
    """Change the review."""
    draw = label_pdf.label_pdf

    def drawn(layouts: Layouts, review: bytes, created_at: datetime) -> bytes:
        return draw(layouts, write_json(change(parse_json(review.decode()))), created_at)

    patch(label_pdf, "label_pdf", drawn)


@mutation("labels.export.review-full")
def the_review_has_one_label() -> None:
    reviewed(lambda review: {**review, "labels": review["labels"][:1]})


@mutation("labels.export.review-full")
def the_review_has_the_labels_of_the_first_sheet() -> None:
    reviewed(lambda review: {**review, "labels": review["labels"][:4]})


@mutation("labels.export.review-full")
def the_review_of_many_labels_is_empty() -> None:
    reviewed(lambda review: review if len(review["labels"]) < 3 else {})


@mutation("labels.export.review-full")
def the_review_has_the_last_sheet_only() -> None:
    reviewed(lambda review: {**review, "labels": review["labels"][(len(review["labels"]) - 1) // 4 * 4 :]})


@mutation("scope.own-things.labels-export", also=("scope.*",))
def items_of_every_project_have_labels() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        owner = next((project for project in call.world.projects.values() if project.menu_items), call.project)
        return rule(replace(call, project=owner))

    wrap("labels_export", found)
