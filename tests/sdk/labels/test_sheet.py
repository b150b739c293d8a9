"""A label sheet has the PDF, a summary that may be unreadable, and the review that is attached to the PDF."""

from __future__ import annotations

import io
import pickle
import re
import struct
import tracemalloc
from urllib.parse import quote

import pytest

from project_platform import LabelSheet, LabelSummary, Response, UsageError
from project_platform.calls.headers import Headers
from project_platform.labels.sheet import read_summary


def test_an_export_gives_pdf_summary_and_review(project, service, answering, pdf, review):
    answering()

    sheet = project.labels.export(menu_month="2026-11", include_unapproved=False, stock="5x3.5")

    assert service.requests[0].headers["accept"] == "application/pdf, application/json"
    assert sheet.content == pdf
    assert (sheet.summary.menu_month, sheet.summary.label_count) == ("2026-11", 6)
    assert (sheet.summary.sheet_count, sheet.summary.skipped_count, sheet.summary.problem) == (2, 1, None)
    assert sheet.review == review


@pytest.mark.parametrize(
    ("header", "values", "problem"),
    [
        (quote('{"labelCount":6}'), {"labelCount": 6}, None),
        ('{"labelCount":6}', {"labelCount": 6}, None),
        ("%7B%22name%22%3A%22K%C3%A4se%22%7D", {"name": "Käse"}, None),
        ("{}", {}, None),
        (None, {}, "has no X-Label-Summary"),
        ("", {}, "is not URI-encoded JSON"),
        ("%7B%22", {}, "is not URI-encoded JSON"),
        ("6 labels", {}, "is not URI-encoded JSON"),
        ("%FF%FE", {}, "is not URI-encoded JSON"),
        ("%7B%22name%22%3A%22%FF%22%7D", {}, "is not URI-encoded JSON"),
        ("%5B" * 100_000, {}, "is not URI-encoded JSON"),
        ("%5B6%5D", {}, "is a list, not an object"),
        ("null", {}, "is a NoneType, not an object"),
    ],
)
def test_a_summary_that_cannot_be_read_says_why(header, values, problem):
    """It is not an error: the PDF is more important than its summary."""
    summary = read_summary(Headers({} if header is None else {"X-Label-Summary": header}))

    assert summary.values == values
    assert problem is None if summary.problem is None else problem in summary.problem


@pytest.mark.parametrize("value", ["6", 6.0, True, None, [6]])
def test_a_member_of_another_type_counts_as_missing(value):
    """The members are undocumented and read as assumed; `values` has all of them."""
    summary = LabelSummary({"labelCount": value, "menuMonth": 11})

    assert summary.label_count is summary.menu_month is None
    assert summary.values["labelCount"] == value


def test_problems_are_counted_where_the_service_counts_them():
    """A summary without `problemCount` is no summary without problems."""
    assert LabelSummary({"problemCount": 2}).problem_count == 2
    assert LabelSummary({"problemCount": "2"}).problem_count is None
    assert LabelSummary({"labelCount": 6}).problem_count is None


@pytest.mark.parametrize(
    ("attached", "error", "message"),
    [
        ({"other": b"{}"}, LookupError, r"no attachment label-review\.json"),
        ({"label_review": b"{"}, ValueError, None),
        ({"label_review": b"[" * 100_000}, ValueError, "nested too deeply"),
    ],
)
def test_a_review_that_is_missing_or_is_not_json_is_an_error(make_pdf, attached, error, message):
    """The PDF itself is fine."""
    with pytest.raises(error, match=message):
        _ = LabelSheet(make_pdf(**attached), LabelSummary()).review


@pytest.mark.parametrize("content", [b"%PDF-1.7\nnot really", b"%PDF-", b""])
def test_a_pdf_that_cannot_be_read_is_a_value_error(content):
    with pytest.raises(ValueError, match="the PDF cannot be read"):
        _ = LabelSheet(content, LabelSummary()).review


def test_a_sheet_can_be_pickled(sheet):
    assert pickle.loads(pickle.dumps(sheet)) == sheet
    assert len(repr(sheet)) < 300


def test_a_notebook_shows_a_summary_and_the_first_page(sheet):
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
    shown = sheet._repr_html_()

    assert "<b>Meal labels</b> (PDF, " in shown
    assert " bytes, 6 labels, 2 sheets)" in shown
    assert 'src="data:image/png;base64,' in shown


def test_without_pypdfium2_a_notebook_shows_the_summary(sheet, monkeypatch):
    monkeypatch.setattr("project_platform.optional.find_spec", lambda name: None)

    assert "<img" not in sheet._repr_html_()
    assert "project-platform[pdf]" in sheet._repr_html_()
    for read in (lambda: sheet.page(1), lambda: sheet.review):
        with pytest.raises(UsageError, match=r"needs pypdfium2: pip install 'project-platform\[pdf\]'"):
            read()


def test_a_page_is_a_picture(sheet):
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

    picture = sheet.page(1)

    assert (picture.page, picture.pages, picture._repr_png_()) == (1, 1, picture.png)
    with image.open(io.BytesIO(picture.png)) as drawn:
        shades = drawn.convert("L").getextrema()
        assert drawn.size[0] > 400
    assert shades[0] < 64, "black text"
    assert shades[1] == 255, "white paper"


def test_a_picture_of_a_page_of_any_size_is_small(make_pdf):
    """A notebook draws the first page by itself."""
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
    content = re.sub(rb"/MediaBox ?\[[^]]*\]", b"/MediaBox [0 0 14400 14400]", make_pdf())

    png = LabelSheet(content, LabelSummary()).page(1).png

    width, height = struct.unpack(">II", png[16:24])
    assert 0 < width * height <= 4_000_000


@pytest.mark.parametrize("number", [0, 2, True, "1"])
def test_a_page_that_the_pdf_does_not_have_is_refused(sheet, number):
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")

    with pytest.raises(ValueError, match="the PDF has the pages 1 to 1"):
        sheet.page(number)


def test_values_of_the_service_are_escaped_in_a_notebook(pdf):
    evil = "<script>alert(1)</script>"
    sheet = LabelSheet(pdf, LabelSummary({"menuMonth": evil, "labelCount": evil, "sheetCount": evil}, evil))

    assert "<script" not in sheet._repr_html_()


def test_a_sheet_holds_the_body_of_its_response_without_copies(tmp_path):
    """A PDF of 8 MiB is neither copied when it is read nor when it is saved."""
    body = b"%PDF-" + bytes(2**23)
    tracemalloc.start()
    try:
        LabelSheet.read(Response(200, body=body)).save(tmp_path / "labels.pdf")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2**20
    assert (tmp_path / "labels.pdf").stat().st_size == len(body)
