"""Label sheets that repeat labels, or have the wrong size."""

from __future__ import annotations

from urllib.parse import quote_plus, unquote

from ..mutant import Json, Kind, alter_replies, patch
from ..service import labels, pdf
from ..service.app import Reply, Request

sheets = Kind("label sheets")

LABELS = "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock."


@sheets("labels_export", "`itemIds` (array of uuid)")
def the_labels_of_a_sheet_are_those_of_the_first_sheet() -> None:
    document = labels.document

    def repeated(items: list[Json], review: bytes) -> bytes:
        return document([items[place % 4] for place in range(len(items))], review)

    patch(labels, "document", repeated)


@sheets("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_is_encoded_as_a_form() -> None:
    def encoded(operation: str | None, request: Request, reply: Reply) -> Reply:
        if "x-label-summary" in reply.headers:
            reply.headers["x-label-summary"] = quote_plus(unquote(reply.headers["x-label-summary"]))
        return reply

    alter_replies(encoded)


@sheets("labels_export", LABELS)
def labels_overlap_by_half_an_inch() -> None:
    position = pdf.position
    patch(pdf, "position", lambda place: (36 + 324 * (place % 2), position(place)[1]))


@sheets("labels_export", LABELS)
def sheets_are_legal_paper() -> None:
    patch(pdf, "PAPER", (612, 1008))


@sheets("labels_export", "`itemIds` (array of uuid)")
def labels_have_the_ingredients_of_their_neighbours() -> None:
    document = labels.document

    def shifted(items: list[Json], review: bytes) -> bytes:
        following = items[1:] + items[:1]
        texts = ("allergens", "ingredients")
        return document(
            [{**item, **{name: other[name] for name in texts}} for item, other in zip(items, following, strict=True)],
            review,
        )

    patch(labels, "document", shifted)
