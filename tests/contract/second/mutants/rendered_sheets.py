"""Sheets of labels that a renderer measures, turns or attaches in another way than specified."""

from __future__ import annotations

from typing import Any

from ..mutant import Kind, patch, wrap
from ..service import pdf
from ..service.app import Call, Reply

rendering = Kind("rendering of sheets")


@rendering("labels_export", "Each label is 5 inches wide and 3.5 inches tall.")
def sheets_are_measured_in_pixels() -> None:
    patch(pdf, "LABEL", (480, 336))
    patch(pdf, "PAPER", (816, 1056))
    patch(pdf, "MARGIN", (48, 72))


@rendering("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def only_the_first_sheet_is_turned() -> None:
    sheets = pdf.sheets

    def turned(*arguments: Any) -> bytes:
        first, mark, rest = sheets(*arguments).partition(b"/Rotate 90")
        return first + mark + rest.replace(b"/Rotate 90", b"/Rotate  0")

    patch(pdf, "sheets", turned)


@rendering("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_is_in_the_header_of_another_export() -> None:
    def renamed(perform: Any, call: Call) -> Any:
        reply: Reply = perform(call)
        reply.headers["x-menu-summary"] = reply.headers.pop("x-label-summary")
        return reply

    wrap("labels_export", renamed)


@rendering("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_review_is_attached_with_the_path_of_its_file() -> None:
    sheets = pdf.sheets

    def with_path(lines: list[list[str]], files: dict[str, bytes]) -> bytes:
        return sheets(lines, {f"/tmp/label-export/{name}": content for name, content in files.items()})

    patch(pdf, "sheets", with_path)
