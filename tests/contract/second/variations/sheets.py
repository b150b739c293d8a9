"""Healthy services that print labels in another way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from typing import Any

import pikepdf

from ..mutant import Break, Json, Perform, around, decorating, instead, patch
from ..service import checks, labels, pdf
from ..service.app import Call
from .common import varies, vary

PAGES = "Landscape Letter pages; silent: which boxes, units and rotations a PDF has"
DRAWN = "silent: how labels are drawn, and what else they show"
REVIEW = "The full review is attached inside the PDF as `label-review.json`; silent: to what, and what JSON it is"
SUMMARY = "`X-Label-Summary` carries URI-encoded JSON; silent: which JSON, and which characters are encoded"
FILE = "silent: the version of the PDF, and how it is written"


def rewrite(change: Callable[[pikepdf.Pdf], Any], **options: Any) -> None:
    """Change the documents, and how they are written."""
    document = labels.document

    def changed(*arguments: Any) -> bytes:
        written = BytesIO()
        with pikepdf.open(BytesIO(document(*arguments))) as file:
            change(file)
            file.save(written, **options)
        return written.getvalue()

    patch(labels, "document", changed)


def draw(matrix: bytes, **members: Any) -> None:
    """Draw pages in other coordinates, and with other members."""

    def change(file: pikepdf.Pdf) -> None:
        for page in file.pages:
            page.contents_add(b"q " + matrix + b" cm", prepend=True)
            page.contents_add(b"Q")
            for name, value in members.items():
                page[f"/{name}"] = value

    rewrite(change)


SAME = b"1 0 0 1 0 0"


def rewrite_labels(change: Callable[[bytes], bytes]) -> None:
    form = pdf.form
    patch(pdf, "form", lambda lines: change(form(lines)))


def letters(content: bytes) -> bytes:
    return re.sub(
        rb"<(\w+)> Tj",
        lambda match: b"[" + b" -20 ".join(b"<%b>" % each for each in re.findall(rb"..", match[1])) + b"] TJ",
        content,
    )


def without_edge(content: bytes) -> bytes:
    """Return the content of a label without its first line, which draws the edge."""
    return content.partition(b"\n")[2]


def words(lines: list[str]) -> bytes:
    """Return the content of a label whose words are text objects, the last one first."""
    parts = []
    for number, line in enumerate(lines):
        for place, word in enumerate(line.split()):
            at = f"{12 + 60 * place} {232 - 15 * number}"
            parts.append(f"BT /F 8 Tf 1 0 0 1 {at} Tm <{word.encode('cp1252').hex()}> Tj ET".encode())
    return b"\n".join([*parts[::-1], b"0 0 360 252 re S"])


def review(write: Callable[[bytes], bytes]) -> None:
    document = labels.document
    patch(labels, "document", lambda items, review: document(items, write(review)))


MARKS = b"0 0 m 9 0 l 0 0 m 0 9 l 360 252 m 351 252 l 360 252 m 360 243 l S\n"
PICTURE = b"q 10 10 200 160 re W n Q 10 10 170 220 re S 180 10 170 220 re S\n"
position, sheets = pdf.position, pdf.sheets

ROWS: dict[str, dict[str, Break]] = {
    PAGES: {
        "pages are not rotated": partial(draw, b"0 -1 1 0 0 612", Rotate=0, MediaBox=[0, 0, 792, 612]),
        "pages have their origin in the middle": partial(draw, b"1 0 0 1 -306 -396", MediaBox=[-306, -396, 306, 396]),
        "pages are measured in halves of inches": partial(
            draw, b"0 -.5 .5 0 0 306", Rotate=0, MediaBox=[0, 0, 396, 306], UserUnit=2
        ),
        "pages have a larger medium than the crop box": partial(
            draw, b"-1 0 0 -1 612 792", Rotate=270, MediaBox=[-20, -20, 632, 812], CropBox=[0, 0, 612, 792]
        ),
        # A crop box beyond the medium is cut to it (ISO 32000-1, 14.11.2).
        "crop boxes are larger than the medium": partial(draw, SAME, CropBox=[-10, -10, 622, 802]),
        # Any two opposite corners (ISO 32000-1, 7.9.5).
        "boxes name other corners": partial(draw, SAME, MediaBox=[612, 792, 0, 0]),
    },
    FILE: {
        "documents are written in the newest way": partial(
            rewrite,
            lambda file: None,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            linearize=True,
            force_version="2.0",
        ),
        "documents are written in the oldest way": partial(
            rewrite,
            lambda file: None,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
            force_version="1.4",
        ),
        "documents may only be printed": partial(
            rewrite,
            lambda file: None,
            encryption=pikepdf.Encryption(
                owner="secret", user="", R=6, allow=pikepdf.Permissions(extract=False, modify_other=False)
            ),
        ),
    },
    DRAWN: {
        "labels have no edge": partial(rewrite_labels, without_edge),
        "labels have a frame inside": partial(
            rewrite_labels, lambda content: b"9 9 342 234 re S 30 30 40 10 re f\n" + without_edge(content)
        ),
        "labels have crop marks": partial(rewrite_labels, lambda content: MARKS + without_edge(content)),
        "labels have a clipped picture and a table": partial(rewrite_labels, lambda content: PICTURE + content),
        "labels are pictures": partial(
            rewrite_labels, lambda content: re.sub(rb"BT .* ET", b"12 200 90 9 re f", content)
        ),
        "each letter is shown alone": partial(rewrite_labels, letters),
        "each word is a text object and the last is first": partial(patch, pdf, "form", words),
        "labels shout": partial(patch, pdf, "lines_of", lambda item: [item["name"].upper()]),
        "labels show only numbers": partial(patch, pdf, "lines_of", lambda item: [str(int(item["id"][:8], 16))]),
        "labels have gaps": partial(
            patch, pdf, "position", lambda place: (24 + 384 * (place % 2), 36 + 288 * (1 - place // 2))
        ),
        "labels begin at the bottom right": partial(patch, pdf, "position", lambda place: position(3 - place)),
        "unused labels are empty frames": partial(
            patch, pdf, "sheets", lambda texts, files: sheets([*texts, *[[] for _ in range(-len(texts) % 4)]], files)
        ),
    },
    REVIEW: {
        "the review is an array": partial(
            review, lambda content: b'\n[ %b , null, "%b" ]\n' % (content, str(datetime.now(UTC)).encode())
        ),
        "the review has its items by identifier, and a time": partial(
            review,
            lambda content: json.dumps(
                {
                    "items": {item["itemId"]: "ok" for item in json.loads(content)["items"]},
                    "at": datetime.now(UTC).isoformat(),
                }
            ).encode(),
        ),
        "the review has only problems": partial(
            review, lambda content: json.dumps({"complete": True, "problems": []}).encode()
        ),
    },
    SUMMARY: {
        "the summary is an array with all kinds of characters": partial(
            patch,
            labels,
            "summary",
            lambda body, items: json.dumps(["é%20+&\u2028😀", None, len(items), 1.5], ensure_ascii=False),
        ),
        "the summary is encoded as little as possible": partial(
            patch,
            labels,
            "quote",
            lambda text: re.sub(r'[ "%{}<>\\^`|]', lambda match: f"%{ord(match[0]):02x}", text),
        ),
        "the summary is encoded as much as possible": partial(
            patch, labels, "quote", lambda text: "".join(f"%{byte:02x}" for byte in text.encode())
        ),
    },
}
for sentence, rows in ROWS.items():
    for name, apply in rows.items():
        vary(name, sentence, ("labels_export",), apply)


@varies(PAGES, "labels_export")
@decorating(rewrite)
def pages_inherit_their_boxes_and_resources(file: pikepdf.Pdf) -> None:
    forms = pikepdf.Dictionary()
    file.Root.Pages.Rotate, file.Root.Pages.MediaBox = 90, file.pages[0].MediaBox
    for number, page in enumerate(file.pages):
        drawn = page.Contents.read_bytes()
        for name, form in page.Resources.XObject.items():
            drawn = drawn.replace(name.encode() + b" ", name.encode() + b"x%d " % number)
            forms[f"{name}x{number}"] = form
        page.Contents = file.make_stream(drawn)
        del page.Resources, page.Rotate, page.MediaBox
    file.Root.Pages.Resources = pikepdf.Dictionary(XObject=forms)


@varies(REVIEW, "labels_export")
@decorating(rewrite)
def the_review_is_attached_to_a_page(file: pikepdf.Pdf) -> None:
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.FileAttachment,
        Rect=[0, 0, 9, 9],
        FS=file.attachments["label-review.json"].obj,
        Contents="Review",
        F=2,
    )
    file.pages[0].Annots = pikepdf.Array([file.make_indirect(note)])
    del file.Root.Names


@varies(REVIEW, "labels_export")
@decorating(rewrite)
def there_are_other_attachments(file: pikepdf.Pdf) -> None:
    review = bytes(file.attachments["label-review.json"].get_file().read_bytes())
    del file.attachments["label-review.json"]
    for key, name, content in (("a", "a.json", b"[]"), ("key-ü", "label-review.json", review), ("z", "ö.txt", b"")):
        file.attachments[key] = pikepdf.AttachedFileSpec(file, content, filename=name, mime_type="text/plain")


@varies(DRAWN, "labels_export")
@instead(labels, "document")
def labels_are_numbered(document: Any, items: list[Json], review: bytes) -> bytes:
    names = [{**item, "name": f"{number} {item['name']}"} for number, item in enumerate(items, 1)]
    return document(names, review)


@varies("silent: in which order labels with the same allergens are; all exports are sorted by name", "labels_export")
@instead(labels, "printed")
def labels_are_sorted(printed: Any, call: Call, body: Any) -> Any:
    return sorted(printed(call, body), key=lambda item: item["name"])


@varies("silent: what is done with an item of another month, or that does not exist", "labels_export")
@around("labels_export")
def unknown_items_are_left_out(perform: Perform, call: Call) -> Any:
    known, ids = {id for _, id in call.world.menu}, call.body.get("itemIds")
    if not isinstance(ids, list):
        return perform(call)
    kept = [id for id in ids if not checks.uuid(id) or id.lower() in known]
    return perform(replace(call, body={**call.body, "itemIds": kept}))
