"""Healthy services that print labels in another way."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO

import pikepdf

from ..mutant import instead
from ..service import checks, labels, pdf
from .common import rows, varies

PAGES = "Landscape Letter pages; silent: which boxes, units and rotations a PDF has"
DRAWN = "silent: how labels are drawn, and what else they show"
REVIEW = "The full review is attached inside the PDF as `label-review.json`; silent: to what, and what JSON it is"
SUMMARY = "`X-Label-Summary` carries URI-encoded JSON; silent: which JSON, and which characters are encoded"
FILE = "silent: the version of the PDF, and how it is written"


def rewrite(change, **options):
    """Change the documents, and how they are written."""

    @instead(labels, "document")
    def changed(document, *arguments):
        written = BytesIO()
        with pikepdf.open(BytesIO(document(*arguments))) as file:
            change(file)
            file.save(written, **options)
        return written.getvalue()


def draw(members):
    """Draw pages with other members, in the coordinates of a matrix."""
    matrix = members.get("matrix", b"1 0 0 1 0 0")

    @rewrite
    def change(file):
        for page in file.pages:
            page.contents_add(b"q " + matrix + b" cm", prepend=True)
            page.contents_add(b"Q")
            for name in members.keys() - {"matrix"}:
                page[f"/{name}"] = members[name]


def rewrite_labels(change):
    instead(pdf, "form")(lambda form, lines: change(form(lines)))


def letters(content):
    return re.sub(
        rb"<(\w+)> Tj",
        lambda match: b"[" + b" -20 ".join(b"<%b>" % each for each in re.findall(rb"..", match[1])) + b"] TJ",
        content,
    )


def without_edge(content):
    """Return the content of a label without its first line, which draws the edge."""
    return content.partition(b"\n")[2]


def review(write):
    instead(labels, "document")(lambda document, items, review: document(items, write(review)))


MARKS = b"0 0 m 9 0 l 0 0 m 0 9 l 360 252 m 351 252 l 360 252 m 360 243 l S\n"
PICTURE = b"q 10 10 200 160 re W n Q 10 10 170 220 re S 180 10 170 220 re S\n"
MAY_BE_PRINTED = pikepdf.Permissions(extract=False, modify_other=False)

for sentence, at, changes in (
    (
        PAGES,
        draw,
        {
            "pages are not rotated": {"matrix": b"0 -1 1 0 0 612", "Rotate": 0, "MediaBox": [0, 0, 792, 612]},
            "pages have their origin in the middle": {
                "matrix": b"1 0 0 1 -306 -396",
                "MediaBox": [-306, -396, 306, 396],
            },
            "pages are measured in halves of inches": {
                "matrix": b"0 -.5 .5 0 0 306",
                "Rotate": 0,
                "MediaBox": [0, 0, 396, 306],
                "UserUnit": 2,
            },
            "pages have a larger medium than the crop box": {
                "matrix": b"-1 0 0 -1 612 792",
                "Rotate": 270,
                "MediaBox": [-20, -20, 632, 812],
                "CropBox": [0, 0, 612, 792],
            },
            # A crop box beyond the medium is cut to it (ISO 32000-1, 14.11.2).
            "crop boxes are larger than the medium": {"CropBox": [-10, -10, 622, 802]},
            # Any two opposite corners (ISO 32000-1, 7.9.5).
            "boxes name other corners": {"MediaBox": [612, 792, 0, 0]},
        },
    ),
    (
        FILE,
        lambda options: rewrite(lambda file: None, **options),
        {
            "documents are written in the newest way": {
                "object_stream_mode": pikepdf.ObjectStreamMode.generate,
                "linearize": True,
                "force_version": "2.0",
            },
            "documents are written in the oldest way": {
                "compress_streams": False,
                "stream_decode_level": pikepdf.StreamDecodeLevel.generalized,
                "force_version": "1.4",
            },
            "documents may only be printed": {
                "encryption": pikepdf.Encryption(owner="secret", user="", R=6, allow=MAY_BE_PRINTED)
            },
        },
    ),
    (
        DRAWN,
        rewrite_labels,
        {
            "labels have no edge": without_edge,
            "labels have a frame inside": lambda content: (
                b"9 9 342 234 re S 30 30 40 10 re f\n" + without_edge(content)
            ),
            "labels have crop marks": lambda content: MARKS + without_edge(content),
            "labels have a clipped picture and a table": lambda content: PICTURE + content,
            "labels are pictures": lambda content: re.sub(rb"BT .* ET", b"12 200 90 9 re f", content),
            "each letter is shown alone": letters,
        },
    ),
    (
        DRAWN,
        instead(pdf, "lines_of"),
        {
            "labels shout": lambda lines_of, item: [item["name"].upper()],
            "labels show only numbers": lambda lines_of, item: [str(int(item["id"][:8], 16))],
        },
    ),
    (
        DRAWN,
        instead(pdf, "position"),
        {
            "labels have gaps": lambda position, place: (24 + 384 * (place % 2), 36 + 288 * (1 - place // 2)),
            "labels begin at the bottom right": lambda position, place: position(3 - place),
        },
    ),
    (
        REVIEW,
        review,
        {
            "the review is an array": lambda content: (
                b'\n[ %b , null, "%b" ]\n' % (content, str(datetime.now(UTC)).encode())
            ),
            "the review has its items by identifier, and a time": lambda content: json.dumps(
                {
                    "items": {item["itemId"]: "ok" for item in json.loads(content)["items"]},
                    "at": datetime.now(UTC).isoformat(),
                }
            ).encode(),
            "the review has only problems": lambda content: b'{"complete": true, "problems": []}',
        },
    ),
    (
        SUMMARY,
        instead(labels, "quote"),
        {
            "the summary is encoded as little as possible": lambda quote, text: re.sub(
                r'[ "%{}<>\\^`|]', lambda match: f"%{ord(match[0]):02x}", text
            ),
            "the summary is encoded as much as possible": lambda quote, text: "".join(
                f"%{byte:02x}" for byte in text.encode()
            ),
        },
    ),
):
    rows(sentence, "labels_export", at, changes)


@varies.change(SUMMARY, "labels_export", at=instead(labels, "summary"))
def the_summary_is_an_array_with_all_kinds_of_characters(summary, body, items):
    return json.dumps(["é%20+&\u2028😀", None, len(items), 1.5], ensure_ascii=False)


@varies.change(DRAWN, "labels_export", at=instead(pdf, "sheets"))
def unused_labels_are_empty_frames(sheets, texts, files):
    return sheets([*texts, *[[] for _ in range(-len(texts) % 4)]], files)


@varies.change(DRAWN, "labels_export", at=instead(pdf, "form"))
def each_word_is_a_text_object_and_the_last_is_first(form, lines):
    parts = []
    for number, line in enumerate(lines):
        for place, word in enumerate(line.split()):
            at = f"{12 + 60 * place} {232 - 15 * number}"
            parts.append(f"BT /F 8 Tf 1 0 0 1 {at} Tm <{word.encode('cp1252').hex()}> Tj ET".encode())
    return b"\n".join([*parts[::-1], b"0 0 360 252 re S"])


@varies.change(PAGES, "labels_export", at=rewrite)
def pages_inherit_their_boxes_and_resources(file):
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


@varies.change(REVIEW, "labels_export", at=rewrite)
def the_review_is_attached_to_a_page(file):
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


@varies.change(REVIEW, "labels_export", at=rewrite)
def there_are_other_attachments(file):
    review = bytes(file.attachments["label-review.json"].get_file().read_bytes())
    del file.attachments["label-review.json"]
    for key, name, content in (("a", "a.json", b"[]"), ("key-ü", "label-review.json", review), ("z", "ö.txt", b"")):
        file.attachments[key] = pikepdf.AttachedFileSpec(file, content, filename=name, mime_type="text/plain")


@varies.change(DRAWN, "labels_export", at=instead(labels, "document"))
def labels_are_numbered(document, items, review):
    names = [{**item, "name": f"{number} {item['name']}"} for number, item in enumerate(items, 1)]
    return document(names, review)


@varies.change(
    "silent: in which order labels with the same allergens are; all exports are sorted by name",
    "labels_export",
    at=instead(labels, "printed"),
)
def labels_are_sorted(printed, call, body):
    return sorted(printed(call, body), key=lambda item: item["name"])


@varies.change("silent: what is done with an item of another month, or that does not exist", "labels_export")
def unknown_items_are_left_out(perform, call):
    known, ids = {id for _, id in call.world.menu}, call.body.get("itemIds")
    if not isinstance(ids, list):
        return perform(call)
    kept = [id for id in ids if not checks.uuid(id) or id.lower() in known]
    return perform(replace(call, body={**call.body, "itemIds": kept}))
