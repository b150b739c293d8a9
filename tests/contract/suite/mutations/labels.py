"""Broken exports of meal labels (Endpoints 16)."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.context import RequestContext
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.http.messages import Request, Response
from project_platform_stub.operations.support import label_pdf
from project_platform_stub.world.domain import Json

from .mutation import alter_responses, alter_status, mutation, patch, schema, with_body, without, wrap


@mutation("labels.export.four-a-sheet", also=("labels.export.unapproved",))
def five_labels_are_on_a_sheet() -> None:
    patch(label_pdf, "LABELS_PER_SHEET", 5)


@mutation("labels.export.four-a-sheet", also=("labels.export.unapproved",))
def two_labels_are_on_a_sheet() -> None:
    patch(label_pdf, "LABELS_PER_SHEET", 2)


@mutation("labels.export.landscape-letter", also=("labels.export.*",))
def sheets_are_portrait() -> None:
    patch(label_pdf, "_SHEET", (label_pdf._SHEET[1], label_pdf._SHEET[0]))


@mutation("labels.export.landscape-letter")
def sheets_are_a4() -> None:
    patch(label_pdf, "_SHEET", (842.0, 595.0))


@mutation("labels.export.label-size", also=("labels.export.each-item",))
def labels_are_four_inches_wide() -> None:
    patch(label_pdf, "_LABEL", (4 * 72, 3.5 * 72))


@mutation("labels.export.label-size", also=("labels.export.each-item",))
def labels_are_three_inches_tall() -> None:
    patch(label_pdf, "_LABEL", (5 * 72, 3 * 72))


@mutation("labels.export.summary")
def the_summary_is_not_encoded() -> None:
    def decoded(operation: str | None, response: Response) -> Response:
        summary = response.headers.get("X-Label-Summary")
        if summary is None:
            return response
        return replace(response, headers={**response.headers, "X-Label-Summary": unquote(summary)})

    alter_responses(decoded)


@mutation("labels.export.summary")
def there_is_no_summary() -> None:
    def left_out(operation: str | None, response: Response) -> Response:
        return replace(
            response, headers={name: text for name, text in response.headers.items() if name != "X-Label-Summary"}
        )

    alter_responses(left_out)


@mutation("labels.export.summary")
def the_summary_is_not_json() -> None:
    def text(operation: str | None, response: Response) -> Response:
        if "X-Label-Summary" not in response.headers:
            return response
        return replace(response, headers={**response.headers, "X-Label-Summary": "4%20labels"})

    alter_responses(text)


@mutation("labels.export.review")
def the_review_has_another_name() -> None:
    patch(label_pdf, "REVIEW_NAME", "review.json")


@mutation("labels.export.review")
def the_review_is_not_json() -> None:
    draw = label_pdf.label_pdf

    def with_text(labels: list[Json], review: bytes, made: object) -> bytes:
        return draw(labels, b"4 labels", made)  # type: ignore[arg-type]

    patch(label_pdf, "label_pdf", with_text)


@mutation("labels.export.pdf")
def labels_have_another_content_type() -> None:
    def octets(operation: str | None, response: Response) -> Response:
        if response.headers.get("Content-Type") != "application/pdf":
            return response
        return replace(response, headers={**response.headers, "Content-Type": "application/octet-stream"})

    alter_responses(octets)


@mutation("labels.export.pdf", also=("labels.export.stock",))
def labels_are_answered_with_201() -> None:
    alter_status("labels_export", 200, 201)


@mutation("labels.export.pdf", also=("labels.export.*",))
def labels_are_not_a_pdf() -> None:
    patch(label_pdf, "label_pdf", lambda labels, review, made: b"<html>labels</html>")


@mutation("labels.export.body-types", also=("labels.export.*",))
def an_invalid_body_is_answered_with_422() -> None:
    alter_status("labels_export", 400, 422)


@mutation("labels.export.forbidden")
def labels_for_an_outsider_are_answered_with_404() -> None:
    alter_status("labels_export", 403, 404)


@mutation("labels.export.stock", also=("labels.export.body-types",))
def any_label_stock_is_accepted() -> None:
    del schema("LabelStock")["enum"]


@mutation("labels.export.unapproved", also=("labels.export.whole-month",))
def unapproved_labels_are_always_printed() -> None:
    wrap("labels_export", lambda rule, call: rule(with_body(call, includeUnapproved=True)))


@mutation("labels.export.unapproved", also=("labels.export.whole-month",))
def unapproved_labels_are_never_printed() -> None:
    wrap("labels_export", lambda rule, call: rule(without(call, "includeUnapproved")))


@mutation("labels.export.four-a-sheet", also=("labels.export.*",))
def all_items_are_printed_whatever_the_request() -> None:
    wrap("labels_export", lambda rule, call: rule(without(call, "itemIds")))


@mutation("labels.export.body-required")
def labels_are_exported_without_a_body() -> None:
    body = OperationDispatcher._body

    def optional(self: OperationDispatcher, operation: Operation, request: Request, context: RequestContext) -> Json:
        if operation.id == "labels_export" and not request.body:
            return {}
        return body(self, operation, request, context)

    patch(OperationDispatcher, "_body", optional)


@mutation("labels.export.unauthenticated")
def labels_without_a_token_are_answered_with_400() -> None:
    alter_status("labels_export", 401, 400)


@mutation("labels.export.error-body", also=("labels.export.body-types",))
def errors_of_the_label_export_are_strings() -> None:
    def text(operation: str | None, response: Response) -> Response:
        if operation != "labels_export" or response.status < 400:
            return response
        return replace(response, headers={"Content-Type": "text/plain"}, body=b"It failed.")

    alter_responses(text)
