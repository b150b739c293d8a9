"""Label sheets, their summaries and reviews."""

import json
from dataclasses import replace
from urllib.parse import quote_plus, unquote

from ..mutant import Kind, instead, patch, replies
from ..service import labels, pdf
from .sentences import EXPORT, REVIEW, STOCK, SUMMARY

mutant = Kind("labels")


@mutant.change(EXPORT, "labels_export", at=instead(labels, "wanted"), memory=[])
def unapproved_items_remain_included(included, wanted, item, body):
    if body.get("includeUnapproved"):
        included[:] = [True]
    elif included and not item["approved"]:
        return wanted(item, {**body, "includeUnapproved": True})
    return wanted(item, body)


@mutant.change(REVIEW, "labels_export", at=instead(labels, "document"), memory={})
def reviews_of_exports_with_the_same_number_of_items_are_equal(reviews, document, items, review):
    return document(items, reviews.setdefault(len(items), review) if len(items) > 1 else review)


@mutant.change(EXPORT, "labels_export", at=instead(labels, "document"))
def the_labels_of_a_sheet_are_those_of_the_first_sheet(document, items, review):
    return document([items[place % 4] for place in range(len(items))], review)


@mutant.change(SUMMARY, "labels_export", at=replies)
def the_summary_is_encoded_as_a_form(operation, request, reply):
    if "x-label-summary" in reply.headers:
        reply.headers["x-label-summary"] = quote_plus(unquote(reply.headers["x-label-summary"]))
    return reply


@mutant.change(STOCK, "labels_export", at=instead(pdf, "position"))
def labels_overlap_by_half_an_inch(position, place):
    return (36 + 324 * (place % 2), position(place)[1])


@mutant(STOCK, "labels_export")
def labels_are_narrower():
    """Each in the place of a whole one."""
    places = [pdf.position(place) for place in range(pdf.PER_SHEET)]
    patch(pdf, "LABEL", (346, 252))
    patch(pdf, "position", places.__getitem__)


@mutant(STOCK, "labels_export")
def sheets_are_legal_paper():
    patch(pdf, "PAPER", (612, 1008))


@mutant.change(EXPORT, "labels_export", at=instead(labels, "document"))
def labels_have_the_ingredients_of_their_neighbours(document, items, review):
    following = items[1:] + items[:1]
    texts = ("allergens", "ingredients")
    return document(
        [{**item, **{name: other[name] for name in texts}} for item, other in zip(items, following, strict=True)],
        review,
    )


@mutant.change(EXPORT, "labels_export", at=instead(labels, "document"), memory=[])
def labels_of_an_unfilled_sheet_are_printed_again_with_the_next_export(left, document, items, review):
    every = [*left, *items]
    left[:] = items[len(items) // 4 * 4 :]
    return document(every, review)


def from_the_second_sheet_on(place):
    """Put labels at other places from the second sheet of an export on."""
    begun = [0]

    @instead(pdf, "sheets")
    def of_an_export(sheets, lines, attachments):
        begun[0] = 0
        return sheets(lines, attachments)

    @instead(pdf, "position")
    def placed(position, number):
        begun[0] += number == 0
        return position(number) if begun[0] == 1 else place(*position(number), number)


@mutant.change(STOCK, "labels_export", at=from_the_second_sheet_on)
def labels_shrink_from_the_second_sheet_on(x, y, number):
    return x, f"{y} cm 0.9 0 0 0.9 0 0"


@mutant.change(STOCK, "labels_export", at=from_the_second_sheet_on)
def labels_overlap_from_the_second_sheet_on(x, y, number):
    return x - 36 * (number % 2), y


@mutant.change(EXPORT, "labels_export")
def items_that_were_printed_count_as_approved(perform, call):
    reply = perform(call)
    if call.body.get("includeUnapproved"):
        for item in labels.printed(call, call.body):
            item["approved"] = True
    return reply


@mutant.change(REVIEW, "labels_export", at=instead(labels, "document"))
def the_review_has_the_labels_of_the_first_sheet(document, items, review):
    shown = json.loads(review)
    return bytes(document(items, json.dumps({**shown, "items": shown["items"][:4]}).encode()))


@mutant.change(EXPORT, "labels_export", at=instead(labels, "printed"))
def the_last_label_of_full_sheets_is_lost_if_unapproved_ones_are_included(printed, call, body):
    items = printed(call, body)
    return items if len(items) % 4 or not body.get("includeUnapproved") else items[:-1]


@mutant.change(SUMMARY, "labels_export")
def the_summary_of_a_whole_month_is_not_encoded(perform, call):
    reply = perform(call)
    if "itemIds" in call.body:
        return reply
    summary = unquote(reply.headers["x-label-summary"])
    return replace(reply, headers={**reply.headers, "x-label-summary": summary})
