"""Label sheets that repeat labels, or have the wrong size."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_plus, unquote

from ..mutant import Json, Kind, instead, patch, replies
from ..service import labels, pdf
from ..service.app import Reply, Request

sheets = Kind("label sheets")

LABELS = "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock."


@sheets("labels_export", "`itemIds` (array of uuid)")
@instead(labels, "document")
def the_labels_of_a_sheet_are_those_of_the_first_sheet(document: Any, items: list[Json], review: bytes) -> bytes:
    return document([items[place % 4] for place in range(len(items))], review)


@sheets("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
@replies()
def the_summary_is_encoded_as_a_form(operation: str | None, request: Request, reply: Reply) -> Reply:
    if "x-label-summary" in reply.headers:
        reply.headers["x-label-summary"] = quote_plus(unquote(reply.headers["x-label-summary"]))
    return reply


@sheets("labels_export", LABELS)
@instead(pdf, "position")
def labels_overlap_by_half_an_inch(position: Any, place: Any) -> Any:
    return (36 + 324 * (place % 2), position(place)[1])


@sheets("labels_export", LABELS)
def labels_are_narrower() -> None:
    """Each in the place of a whole one."""
    places = [pdf.position(place) for place in range(pdf.PER_SHEET)]
    patch(pdf, "LABEL", (346, 252))
    patch(pdf, "position", places.__getitem__)


@sheets("labels_export", LABELS)
def sheets_are_legal_paper() -> None:
    patch(pdf, "PAPER", (612, 1008))


@sheets("labels_export", "`itemIds` (array of uuid)")
@instead(labels, "document")
def labels_have_the_ingredients_of_their_neighbours(document: Any, items: list[Json], review: bytes) -> bytes:
    following = items[1:] + items[:1]
    texts = ("allergens", "ingredients")
    return document(
        [{**item, **{name: other[name] for name in texts}} for item, other in zip(items, following, strict=True)],
        review,
    )
