"""Label sheets that lack labels, repeat them, or put them in the wrong place."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

from ..mutant import Json, Kind, alter_body, alter_replies, patch
from ..service import labels, pdf
from ..service.app import Reply, Request

sheets = Kind("label sheets")

LABELS = "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock."
SIZE = "Each label is 5 inches wide and 3.5 inches tall."
REVIEW = "The full review is attached inside the PDF as `label-review.json`."
HEADER = "Response header `X-Label-Summary` carries URI-encoded JSON."
ITEMS = "`itemIds` (array of uuid)"
STATUSES = "Error responses: 400, 401, 403 (JSON error body)."
STOCK = "`stock` (enum: `5x3.5`)"
UNAPPROVED = "`includeUnapproved` (boolean)"

Items = list[Json]
document = labels.document


def printed(name: str, change: Callable[[Items], Items], sentence: str = ITEMS) -> None:
    """Register a mutant that prints other labels than the review names."""
    sheets.add(
        name,
        "labels_export",
        sentence,
        lambda: patch(labels, "document", lambda items, review: document(change(items), review)),
    )


printed("the first label is printed on all places", lambda items: [items[0] for _ in items])
printed(
    "the labels of a sheet are those of the first sheet",
    lambda items: [items[place % 4] for place in range(len(items))],
)
printed(
    "the last label is a copy of the one before it",
    lambda items: [*items[:-1], *items[-2:-1]] if len(items) > 1 else items,
)
printed(
    "the second label is left out and the last printed twice",
    lambda items: [items[0], *items[2:], items[-1]] if len(items) > 2 else items,
)
printed(
    "names of labels are cut after six characters", lambda items: [{**item, "name": item["name"][:6]} for item in items]
)
printed("labels have no names", lambda items: [{**item, "name": ""} for item in items])
printed(
    "labels have the names of their neighbours",
    lambda items: [{**item, "name": items[place - 1]["name"]} for place, item in enumerate(items)],
)


def reviewed(name: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that attaches another review."""
    sheets.add(
        name,
        "labels_export",
        REVIEW,
        lambda: patch(
            labels, "document", lambda items, review: document(items, json.dumps(change(json.loads(review))).encode())
        ),
    )


reviewed("the review names the first item only", lambda review: {**review, "items": review["items"][:1]})
reviewed("the review names the items of the first sheet only", lambda review: {**review, "items": review["items"][:4]})
reviewed("the review lacks the last item", lambda review: {**review, "items": review["items"][:-1]})
reviewed("the review is empty", lambda review: {})


@sheets("labels_export", REVIEW)
def the_review_is_that_of_the_first_export() -> None:
    first: list[bytes] = []

    def stale(items: Items, review: bytes) -> bytes:
        first.append(review)
        return document(items, first[0])

    patch(labels, "document", stale)


@sheets("labels_export", REVIEW)
def the_review_is_attached_in_capital_letters() -> None:
    patch(
        labels,
        "document",
        lambda items, review: pdf.sheets([pdf.lines_of(item) for item in items], {"Label-Review.json": review}),
    )


def header(name: str, encode: Callable[[str], str]) -> None:
    """Register a mutant that encodes the summary in another way."""
    from urllib.parse import unquote

    def encoded(operation: str | None, request: Request, reply: Reply) -> Reply:
        if "x-label-summary" in reply.headers:
            reply.headers["x-label-summary"] = encode(unquote(reply.headers["x-label-summary"]))
        return reply

    sheets.add(name, "labels_export", HEADER, lambda: alter_replies(encoded))


header("the summary is encoded twice", lambda text: quote(quote(text)))
header("the summary is encoded as a form", quote_plus)
header("the summary is encoded in Base64", lambda text: b64encode(text.encode()).decode())
header("the summary is cut after 30 characters", lambda text: quote(text)[:30])


def placed(name: str, position: Callable[[int], tuple[int, int]], sentence: str = LABELS) -> None:
    """Register a mutant that puts labels in other places."""
    sheets.add(name, "labels_export", sentence, lambda: patch(pdf, "position", position))


place_of = pdf.position
placed("all labels are in the same place", lambda place: place_of(0))
placed("labels run over the edge of the sheet", lambda place: (place_of(place)[0] + 60, place_of(place)[1]))
placed("labels overlap by half an inch", lambda place: (36 + 324 * (place % 2), place_of(place)[1]))
placed("the third label lies on the second", lambda place: place_of(min(place, 2) if place != 2 else 1))

sheets.add("a label is five inches tall", "labels_export", SIZE, lambda: patch(pdf, "LABEL", (252, 360)))
sheets.add("a label is a fiftieth of an inch too wide", "labels_export", SIZE, lambda: patch(pdf, "LABEL", (362, 252)))
sheets.add("three labels are on a sheet", "labels_export", LABELS, lambda: patch(pdf, "PER_SHEET", 3))
sheets.add("sheets are legal paper", "labels_export", LABELS, lambda: patch(pdf, "PAPER", (612, 1008)))


@sheets("labels_export", LABELS)
def there_is_an_empty_sheet_at_the_end() -> None:
    write = pdf.sheets

    def longer(pages: list[list[str]], attachments: dict[str, bytes]) -> bytes:
        return write([*pages, *[[]] * (5 - (len(pages) - 1) % 4 - 1)], attachments)

    patch(pdf, "sheets", longer)


@sheets("labels_export", ITEMS)
def labels_beyond_the_first_sheet_are_dropped() -> None:
    original = labels.printed
    patch(labels, "printed", lambda call, body: original(call, body)[:4])


@sheets("labels_export", ITEMS)
def labels_of_the_whole_month_are_added() -> None:
    alter_body("labels_export", lambda body: body.pop("itemIds", None) if len(body.get("itemIds", [])) == 5 else None)


@sheets("labels_export", ITEMS)
def only_every_second_item_is_printed() -> None:
    alter_body(
        "labels_export",
        lambda body: body.update(itemIds=body["itemIds"][::2]) if isinstance(body.get("itemIds"), list) else None,
    )


@sheets("labels_export", UNAPPROVED)
def only_unapproved_labels_are_printed_if_they_are_included() -> None:
    original = labels.wanted
    patch(
        labels,
        "wanted",
        lambda item, body: original(item, body) and not (body.get("includeUnapproved") and item["approved"]),
    )


@sheets("labels_export", STOCK)
def the_stock_is_read_without_case_and_blanks() -> None:
    patch(labels, "stock", lambda value: isinstance(value, str) and value.strip().lower() == "5x3.5")


@sheets("labels_export", STOCK)
def any_size_is_a_stock() -> None:
    patch(labels, "stock", lambda value: isinstance(value, str) and "x" in value)


def status(name: str, old: int, new: int, when: Callable[[Request, Reply], bool]) -> None:
    """Register a mutant that answers some errors of the label export with a status that it does not have."""

    def altered(operation: str | None, request: Request, reply: Reply) -> Reply:
        if operation == "labels_export" and reply.status == old and when(request, reply):
            return Reply(new, reply.body, reply.headers)
        return reply

    sheets.add(name, "labels_export", STATUSES, lambda: alter_replies(altered))


status("an unknown item is answered with 404", 400, 404, lambda request, reply: b"unknown_item" in reply.body)
status("an invalid export is answered with 422", 400, 422, lambda request, reply: b"invalid" in reply.body)
status("a body that is not JSON is answered with 415", 400, 415, lambda request, reply: b"not_json" in reply.body)
status(
    "a project that is no UUID is answered with 404 for labels",
    400,
    404,
    lambda request, reply: b"bad_project" in reply.body,
)


def errors(name: str, status: int, change: Callable[[Reply], Reply]) -> None:
    """Register a mutant with other error bodies."""

    def altered(operation: str | None, request: Request, reply: Reply) -> Reply:
        return change(reply) if operation == "labels_export" and reply.status == status else reply

    sheets.add(name, "labels_export", STATUSES, lambda: alter_replies(altered))


errors("a forbidden export has no body", 403, lambda reply: Reply(403, b"", {}))
errors(
    "an unauthenticated export has an HTML body",
    401,
    lambda reply: Reply(401, b"<h1>Sign in</h1>", {"content-type": "text/html"}),
)
errors(
    "a refused export has a problem document",
    400,
    lambda reply: Reply(
        400, b'{"title":"Bad Request","detail":"invalid"}', {"content-type": "application/problem+json"}
    ),
)
