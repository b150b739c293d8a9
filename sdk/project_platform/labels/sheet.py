"""The response of the label export: a PDF, a summary in a header, and a review attached to the PDF."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import unquote

from ..calls.headers import Headers
from ..calls.operation import Response
from ..display.html import box
from ..display.pictures import PagePicture, attachment, draw, picture_html
from ..errors import UsageError
from ..json_values.exact_json import is_object
from .atomic_file import replacing
from .review import LabelReview

SUMMARY_HEADER: Final = "x-label-summary"
REVIEW_NAME: Final = "label-review.json"
OPERATION_ID: Final = "labels_export"
PDF: Final = b"%PDF-"
HEAD: Final = 1024  # bytes within which a PDF begins (ISO 32000-1, annex H.3.4.1)


@dataclass(frozen=True, slots=True)
class LabelSummary:
    """The summary of an export in the header `X-Label-Summary`.

    The specification does not show its members: the properties are assumptions, and None if a member is missing or of
    another type. `values` has all members.
    """

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    problem: str | None = None
    """The reason for which the header could not be read; None if it was read."""

    @property
    def menu_month(self) -> str | None:
        """The month of the menu."""
        value = self.values.get("menuMonth")
        return value if isinstance(value, str) else None

    @property
    def label_count(self) -> int | None:
        """Number of labels."""
        return self._count("labelCount")

    @property
    def sheet_count(self) -> int | None:
        """Number of sheets, of four labels each."""
        return self._count("sheetCount")

    @property
    def skipped_count(self) -> int | None:
        """Number of menu items without a label."""
        return self._count("skippedCount")

    @property
    def problem_count(self) -> int | None:
        """Number of fields that are not printed as they are; the review lists them in `problems`."""
        return self._count("problemCount")

    def _count(self, name: str) -> int | None:
        value = self.values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_summary(headers: Headers) -> LabelSummary:
    """Return the summary of an export. A header that cannot be read is a `problem` of the summary, not an error."""
    text = headers.get(SUMMARY_HEADER)
    if text is None:
        return LabelSummary(problem="the response has no X-Label-Summary")
    try:
        content = json.loads(unquote(text, errors="strict"))
    except (ValueError, RecursionError) as error:
        return LabelSummary(problem=f"X-Label-Summary is not URI-encoded JSON ({type(error).__name__})")
    if not isinstance(content, dict):
        return LabelSummary(problem=f"X-Label-Summary is a {type(content).__name__}, not an object")
    return LabelSummary(cast("dict[str, Any]", content))


@dataclass(frozen=True, slots=True)
class LabelSheet:
    """Meal labels as a PDF: landscape Letter, four labels of 5 by 3.5 inches a sheet.

    Attributes:
        content: The PDF.
        summary: The summary of the export in the header `X-Label-Summary`.
    """

    content: bytes = field(repr=False)
    summary: LabelSummary

    @classmethod
    def read(cls, response: Response) -> LabelSheet:
        """Return the sheet of a response.

        Raises:
            ValueError: The body is not a PDF.
        """
        if PDF not in response.body[:HEAD]:
            raise ValueError("its body is not a PDF")
        return cls(response.body, read_summary(response.headers))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the PDF to a file, completely or not at all, and return its path. An existing file is replaced.

        Raises:
            OSError: The folder does not exist or cannot be written to, or the disk is full.
        """
        with replacing(path) as file:
            file.write(self.content)
        return Path(path)

    @property
    def review(self) -> LabelReview:
        """The review that is attached to the PDF as `label-review.json`: a mapping, and a table. Needs the extra `pdf` or `notebook`.

        Raises:
            UsageError: The extra is not installed.
            LookupError: The PDF has no such attachment.
            ValueError: The PDF or the attachment cannot be read, or the attachment is not a JSON object.
        """
        found = attachment(self.content, REVIEW_NAME)
        if found is None:
            raise LookupError(f"the PDF has no attachment {REVIEW_NAME}")
        try:
            members: object = json.loads(found)
        except RecursionError:
            raise ValueError(f"{REVIEW_NAME} is nested too deeply") from None
        if not is_object(members):
            raise ValueError(f"{REVIEW_NAME} is of type {type(members).__name__}, not an object")
        return LabelReview(members)

    def page(self, number: int) -> PagePicture:
        """Return a page as a picture, which notebooks show. Needs the extra `pdf` or `notebook`.

        Args:
            number: Number of the page, from 1.

        Raises:
            UsageError: The extra is not installed.
            ValueError: The PDF cannot be read, or has no such page.
        """
        return draw(self.content, number)

    def _repr_html_(self) -> str:
        counts = ", ".join(
            f"{count} {what}"
            for count, what in ((self.summary.label_count, "labels"), (self.summary.sheet_count, "sheets"))
            if count is not None
        )
        title = f"<b>Meal labels</b> (PDF, {len(self.content):,} bytes{', ' + counts if counts else ''})"
        try:
            picture = self.page(1)
        except UsageError:
            return box(f"{title} <span class=\"note\">for a picture: pip install 'project-platform[pdf]'</span>")
        except ValueError:
            return box(title)
        return box(f"{title}<br>{picture_html(picture)}")
