"""The texts of meal labels, and of their review, which the specification does not define.

So they are only compared with each other: labels of different items differ, and the label of an item has the words that it
has if the item is exported alone. Words with digits do not count, because dates and page numbers change, nor do words that any
label has at the same place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from io import BytesIO
from itertools import zip_longest
from typing import Any, TypeVar

import httpx
import pikepdf
import pypdfium2

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.date_times import is_date_time

from .pdf import attachments_of, edges, rotation
from .preconditions import require_success

_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"\d{1,3}\W?").fullmatch
_PUNCTUATION = ".,;:!?()"

Words = frozenset[str]
T = TypeVar("T")


class LabelSheets:
    """The words of an export.

    Args:
        response: The response to an export.

    Raises:
        MissingError: There are no labels, or they have no text.
    """

    def __init__(self, response: httpx.Response) -> None:
        self._content = require_success(response).content
        if not self.words:
            raise MissingError("the labels have no text that can be read")

    @cached_property
    def quarters(self) -> Sequence[Sequence[Words]]:
        """The words in the quarters of each sheet: on the top from left to right, then below."""
        return self._of_pages(lambda page: list(_quarters(page)))

    @property
    def words(self) -> Words:
        """All words."""
        return frozenset[str]().union(*(words for sheet in self.quarters for words in sheet))

    @cached_property
    def numbers(self) -> Words:
        """All short numbers, which are no dates and times."""
        pages = self._of_pages(lambda page: page.get_textpage().get_text_bounded().split())
        return frozenset(word for words in pages for word in words if _NUMBER(word))

    def _of_pages(self, read: Callable[[Any], T]) -> list[T]:
        pdf = pypdfium2.PdfDocument(_upright(self._content))
        try:
            return [read(page) for page in pdf]
        finally:
            pdf.close()

    @cached_property
    def review(self) -> Words:
        """The words in the strings of the review, and of its names, at any depth, without times."""
        content = attachments_of(self._content).get("label-review.json")
        try:
            strings = _strings(json.loads(content or b""))
            words = (word.strip(_PUNCTUATION) for text in strings for word in text.split())
            return frozenset(word for word in words if not is_date_time(word))
        except ValueError:
            raise MissingError("the PDF has no attachment label-review.json that is JSON") from None


def distinctive(texts: Sequence[Words]) -> list[Words]:
    """Return what only that text has, for each of some texts."""
    return [
        words - frozenset[str]().union(*(other for index, other in enumerate(texts) if index != number))
        for number, words in enumerate(texts)
    ]


def without_places(labels: Sequence[Words], others: Sequence[Words]) -> list[Words]:
    """Return the words of labels without those that labels of other items have at the same places, such as "first".

    Args:
        labels: Words of labels.
        others: Words of labels at the same places, of other items; if the service sorts labels, some are those of the same item,
            whose words are all left.
    """
    pairs = zip_longest(labels, others[: len(labels)], fillvalue=frozenset[str]())
    return [words - other or words for words, other in pairs]


def _upright(content: bytes) -> bytes:
    """Return a PDF whose pages look as before and are not rotated: words that a viewer turns upright are not found as words."""
    with pikepdf.open(BytesIO(content)) as pdf:
        turned = [page for page in pdf.pages if rotation(page) in {90, 180, 270}]
        for page in turned:
            turn = rotation(page)
            left, bottom, right, top = edges(page.mediabox)
            matrix = {
                90: (0, -1, 1, 0, -bottom, right),
                180: (-1, 0, 0, -1, right, top),
                270: (0, 1, -1, 0, top, -left),
            }[turn]
            page.contents_add(f"q {' '.join(map(str, matrix))} cm\n".encode(), prepend=True)
            page.contents_add(b"\nQ")
            across, up = right - left, top - bottom
            page.obj.Rotate = 0
            page.obj.MediaBox = [0, 0, *((across, up) if turn == 180 else (up, across))]
            page.obj.CropBox = page.obj.MediaBox
        if not turned:
            return content
        upright = BytesIO()
        pdf.save(upright)
    return upright.getvalue()


def _quarters(page: Any) -> Iterator[Words]:
    left, bottom, right, top = edges(page.get_mediabox())
    across, up = (left + right) / 2, (bottom + top) / 2
    text = page.get_textpage()
    for low, high in ((up, top), (bottom, up)):
        for start, end in ((left, across), (across, right)):
            found = text.get_text_bounded(left=start, bottom=low, right=end, top=high)
            yield frozenset(_WORD.findall(found.casefold()))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for member in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _strings(member)
