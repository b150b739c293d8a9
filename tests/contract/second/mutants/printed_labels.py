"""Labels on other paper, in other places, without their review, or with the labels of an earlier export."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus, unquote

from ..mutant import Kind, patch, wrap
from ..service import app, labels, pdf
from ..service.app import Call, Reply, Request

sheets = Kind("sheet of labels")
reviews = Kind("review of labels")
exports = Kind("export of labels")

PAGES = "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock."
SIZE = "Each label is 5 inches wide and 3.5 inches tall."
SUMMARY = "Response header `X-Label-Summary` carries URI-encoded JSON."
REVIEW = "The full review is attached inside the PDF as `label-review.json`."
BODY = "Body (required as a whole, JSON): `menuMonth` (string), `itemIds` (array of uuid), `includeUnapproved` (boolean), `stock` (enum: `5x3.5`)."
SUCCESS = "Success response 200, content type `application/pdf`, binary body"


@sheets("labels_export", PAGES)
def a_sheet_with_one_label_has_the_size_of_the_label() -> None:
    write = pdf.sheets

    def small(lines: list[list[str]], attachments: dict[str, bytes]) -> bytes:
        content = write(lines, attachments)
        # Of the same length, because the cross-reference table has offsets.
        return content.replace(b"[0 0 612 792]", b"[0 0 252 360]") if len(lines) == 1 else content

    patch(pdf, "sheets", small)


@sheets("labels_export", PAGES)
def labels_of_the_last_sheet_are_left_out_unless_it_is_full() -> None:
    write = pdf.sheets

    def full(lines: list[list[str]], attachments: dict[str, bytes]) -> bytes:
        return write(lines[: len(lines) - len(lines) % 4] if len(lines) > 4 else lines, attachments)

    patch(pdf, "sheets", full)


@sheets("labels_export", SIZE)
def labels_have_a_margin_of_an_eighth_of_an_inch() -> None:
    patch(pdf, "LABEL", (342, 234))


@sheets("labels_export", PAGES)
def labels_at_the_right_are_cut_off() -> None:
    patch(pdf, "MARGIN", (90, 54))


@sheets("labels_export", PAGES)
def the_lower_row_is_printed_over_the_upper_one() -> None:
    place_of = pdf.position
    patch(pdf, "position", lambda place: place_of(place % 2))


@reviews("labels_export", REVIEW)
def several_sheets_have_no_review() -> None:
    write = labels.document
    patch(
        labels,
        "document",
        lambda items, review: (
            write(items, review) if len(items) <= 4 else pdf.sheets([pdf.lines_of(item) for item in items], {})
        ),
    )


def answered(change: Callable[[Call, Reply], Reply]) -> None:
    """Answer exports in another way, given the call and the response."""
    wrap("labels_export", lambda perform, call: change(call, perform(call)))


@reviews("labels_export", SUMMARY)
def spaces_of_the_summary_are_plus_signs() -> None:
    def encoded(call: Call, reply: Reply) -> Reply:
        summary = quote_plus(unquote(reply.headers["x-label-summary"]))
        return Reply(reply.status, reply.body, {**reply.headers, "x-label-summary": summary})

    answered(encoded)


@reviews("labels_export", SUMMARY)
def an_export_that_is_known_has_no_summary() -> None:
    known: set[str] = set()

    def remembered(call: Call, reply: Reply) -> Reply:
        key = json.dumps([call.project, call.body], sort_keys=True)
        if key in known:
            return Reply(reply.status, reply.body, {"content-type": "application/pdf"})
        known.add(key)
        return reply

    answered(remembered)


@exports("labels_export", SUCCESS)
def an_export_is_created() -> None:
    answered(lambda call, reply: Reply(201, reply.body, reply.headers))


@exports("labels_export", SUCCESS)
def several_sheets_are_a_download() -> None:
    def download(call: Call, reply: Reply) -> Reply:
        many = json.loads(unquote(reply.headers["x-label-summary"]))["sheets"] > 1
        return Reply(200, reply.body, {**reply.headers, "content-type": "application/octet-stream"}) if many else reply

    answered(download)


@exports("labels_export", "Export meal labels as a PDF.")
def labels_of_earlier_exports_are_printed_again() -> None:
    write = pdf.sheets
    printed: list[list[str]] = []

    def sheets_of(lines: list[list[str]], attachments: dict[str, bytes]) -> bytes:
        printed.extend(lines)
        return write(printed, attachments)

    patch(pdf, "sheets", sheets_of)


@exports("labels_export", BODY)
def unapproved_items_are_never_printed_by_their_identifiers() -> None:
    wanted = labels.wanted
    patch(labels, "wanted", lambda item, body: wanted(item, body) and (item["approved"] or "itemIds" not in body))


@exports("labels_export", BODY)
def every_stock_is_printed_on_the_only_one() -> None:
    patch(labels, "stock", lambda value: isinstance(value, str))


@exports("labels_export", BODY)
def an_export_without_a_body_is_one_of_everything() -> None:
    read = app.read_body

    def read_body(call: Call, request: Request) -> Any:
        return {} if call.operation == "labels_export" and not request.body else read(call, request)

    patch(app, "read_body", read_body)
