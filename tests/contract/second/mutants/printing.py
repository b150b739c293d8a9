"""Exports of labels that are drawn, described or sent in another way than specified."""

from __future__ import annotations

import gzip
import json
from typing import Any

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import labels, pdf
from ..service.app import Call, Reply

printing = Kind("printing")

CSS_PIXELS = (270, 189)  # points of 5 by 3.5 inches, converted as if they were pixels


@printing("labels_export", "Success response 200, content type `application/pdf`, binary body")
def sheets_are_compressed_without_a_content_encoding() -> None:
    def compressed(perform: Any, call: Call) -> Any:
        reply: Reply = perform(call)
        reply.body = gzip.compress(reply.body)
        return reply

    wrap("labels_export", compressed)


@printing("labels_export", "Body (required as a whole, JSON): `menuMonth` (string), `itemIds` (array of uuid)")
def the_month_of_an_export_is_the_one_before() -> None:
    def before(body: Json) -> None:
        if labels.month(body["menuMonth"]):
            year, month = map(int, body["menuMonth"].split("-"))
            body["menuMonth"] = f"{year - (month == 1):04}-{(month - 2) % 12 + 1:02}"

    alter_body("labels_export", before)


@printing("labels_export", "Each label is 5 inches wide and 3.5 inches tall.")
def labels_have_three_quarters_of_their_size() -> None:
    patch(pdf, "LABEL", CSS_PIXELS)


@printing("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def a_label_between_two_sheets_is_lost() -> None:
    sheets = pdf.sheets
    step = pdf.PER_SHEET + 1

    def stepped(lines: list[list[str]], attachments: dict[str, bytes]) -> bytes:
        return sheets([label for number, label in enumerate(lines, 1) if number % step], attachments)

    patch(pdf, "sheets", stepped)


@printing("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_review_has_a_line_for_each_item() -> None:
    document = labels.document

    def in_lines(items: list[Json], review: bytes) -> bytes:
        return document(items, "\n".join(json.dumps(item) for item in json.loads(review)["items"]).encode())

    patch(labels, "document", in_lines)
