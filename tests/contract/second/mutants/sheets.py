"""Sheets of labels that are drawn or attached in another way than specified."""

from __future__ import annotations

from datetime import UTC, datetime

from ..mutant import Kind, patch
from ..service import labels, pdf

sheet = Kind("sheet")


@sheet("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def later_sheets_repeat_the_first() -> None:
    document = labels.document
    patch(
        labels,
        "document",
        lambda items, review: document([items[place % pdf.PER_SHEET] for place, _ in enumerate(items)], review),
    )


@sheet("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_name_of_the_review_has_the_date() -> None:
    name = f"label-review-{datetime.now(UTC):%Y-%m-%d}.json"
    patch(
        labels,
        "document",
        lambda items, review: pdf.sheets([pdf.lines_of(item) for item in items], {name: review}),
    )


@sheet("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def sheets_are_a4() -> None:
    patch(pdf, "PAPER", (595, 842))
