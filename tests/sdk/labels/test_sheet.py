"""The label export: a PDF that is saved whole or not at all, a summary that may fail, and a review inside the PDF."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import pickle
import sys
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from project_platform import (
    BadRequestError,
    ConnectionLostError,
    DecodingError,
    LabelSheet,
    LabelSummary,
    UsageError,
)
from project_platform.calls.headers import Headers
from project_platform.labels.atomic_file import replacing
from project_platform.labels.sheet import read_summary

SUMMARY = {"menuMonth": "2026-11", "labelCount": 6, "sheetCount": 2, "skippedCount": 1}
ENCODED = quote(json.dumps(SUMMARY))
REVIEW = {"labels": [{"name": "Käsespätzle <b>"}], "skipped": []}


@pytest.fixture(scope="session")
def make_pdf():
    """Return a function that makes a PDF with these attachments."""

    def make_pdf(**attachments):
        page = io.BytesIO()
        canvas = Canvas(page)
        canvas.drawString(72, 72, "Meal label")
        canvas.save()
        writer = PdfWriter(clone_from=PdfReader(page))
        for name, content in attachments.items():
            writer.add_attachment(f"{name.replace('_', '-')}.json", content)
        made = io.BytesIO()
        writer.write(made)
        return made.getvalue()

    return make_pdf


@pytest.fixture(scope="session")
def pdf(make_pdf):
    """A PDF with a review."""
    return make_pdf(label_review=json.dumps(REVIEW).encode())


@pytest.fixture
def sheet(pdf):
    """A sheet as an export returns it."""
    return LabelSheet(pdf, LabelSummary(SUMMARY))


@pytest.fixture
def answering(service, pdf):
    """Return a function that plans an export's answer."""

    def answering(body=pdf, *, summary=ENCODED):
        headers = {"Content-Type": "application/pdf"} | ({} if summary is None else {"X-Label-Summary": summary})
        content = {"stream": body} if isinstance(body, httpx.SyncByteStream) else {"content": body}
        service.will(httpx.Response(200, headers=headers, **content))

    return answering


def in_folder(folder):
    """Return the names of what is in a folder."""
    return [path.name for path in folder.iterdir()]


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that breaks off after its first bytes, and that notes when its connection is given back."""

    def __init__(self, *chunks, error=None):
        self.chunks, self.error, self.closed = chunks, error, 0

    def __iter__(self):
        yield from self.chunks
        if self.error:
            raise self.error

    def __aiter__(self):
        self.left = iter(self)
        return self

    async def __anext__(self):
        for chunk in self.left:
            return chunk
        raise StopAsyncIteration

    def close(self):
        """Give the connection back."""
        self.closed += 1

    async def aclose(self):
        """Give the connection back."""
        self.closed += 1


def test_an_export_gives_pdf_summary_and_review(project, service, answering, pdf):
    """The PDF as bytes, the header as a summary, the attachment as JSON."""
    answering()

    sheet = project.labels.export(menu_month="2026-11", include_unapproved=False, stock="5x3.5")

    assert service.requests[0].headers["accept"] == "application/pdf, application/json"
    assert sheet.content == pdf
    assert (sheet.summary.menu_month, sheet.summary.label_count) == ("2026-11", 6)
    assert (sheet.summary.sheet_count, sheet.summary.skipped_count, sheet.summary.problem) == (2, 1, None)
    assert sheet.review == REVIEW


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


@pytest.mark.parametrize("summary", [None, "%7B%22", "%FF"])
def test_a_summary_that_cannot_be_read_does_not_cost_the_pdf(project, answering, pdf, summary):
    """The sheet has its PDF, and the summary says what the problem is."""
    answering(summary=summary)

    sheet = project.labels.export()

    assert sheet.content == pdf
    assert (sheet.summary.label_count, sheet.summary.problem is None) == (None, False)


@pytest.mark.parametrize("value", ["6", 6.0, True, None, [6]])
def test_a_member_of_another_type_counts_as_missing(value):
    """The members are not documented: they are read as assumed, and `values` has all of them."""
    summary = LabelSummary({"labelCount": value, "menuMonth": 11})

    assert summary.label_count is summary.menu_month is None
    assert summary.values["labelCount"] == value


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"message": "no"}', b"x" * 2000 + b"%PDF-1.7"])
def test_an_answer_without_a_pdf_is_an_error(project, answering, body):
    """The error has the body."""
    answering(body)

    with pytest.raises(DecodingError, match="labels_export: the answer 200 does not fit") as raised:
        project.labels.export()

    assert (raised.value.body, raised.value.applied) == (body, "yes")


def test_some_bytes_before_the_pdf_are_let_through(project, answering, pdf):
    """Readers skip them (ISO 32000-1, annex H.3.4.1)."""
    answering(b"\xef\xbb\xbf\n" + pdf)

    assert project.labels.export().review == REVIEW


def test_a_refused_export_is_an_error_with_what_the_service_said(project, service):
    """The body of an error is JSON, also where a PDF was requested."""
    service.will(httpx.Response(400, json={"message": "menuMonth: must be YYYY-MM"}))

    with pytest.raises(BadRequestError, match="menuMonth: must be YYYY-MM"):
        project.labels.export(menu_month="november")


def test_a_pdf_without_a_review_says_so(make_pdf):
    """A missing attachment is a LookupError: the PDF itself is fine."""
    with pytest.raises(LookupError, match=r"no attachment label-review\.json"):
        _ = LabelSheet(make_pdf(other=b"{}"), LabelSummary()).review


@pytest.mark.parametrize("content", [b"%PDF-1.7\nnot really", b"%PDF-", b""])
def test_a_pdf_that_cannot_be_read_is_a_value_error(content):
    """An error of the PDF library is a `ValueError`."""
    with pytest.raises(ValueError, match="the PDF cannot be read"):
        _ = LabelSheet(content, LabelSummary()).review


def test_a_review_that_is_no_json_is_a_value_error(make_pdf):
    """The attachment is there and cannot be read."""
    with pytest.raises(ValueError):
        _ = LabelSheet(make_pdf(label_review=b"{"), LabelSummary()).review


def test_the_review_needs_an_extra(sheet, monkeypatch):
    """Without the library, the message says what to install."""
    monkeypatch.setitem(sys.modules, "pypdf", None)

    with pytest.raises(UsageError, match=r"pip install 'project-platform\[pdf\]'"):
        _ = sheet.review


def test_a_sheet_is_saved(sheet, tmp_path, pdf):
    """The file holds the PDF, and nothing else is left in the folder."""
    path = sheet.save(tmp_path / "labels.pdf")

    assert path == tmp_path / "labels.pdf"
    assert path.read_bytes() == pdf
    assert in_folder(tmp_path) == ["labels.pdf"]


def test_a_file_that_is_there_is_replaced(sheet, tmp_path, pdf):
    """The path may be text."""
    target = tmp_path / "labels.pdf"
    target.write_bytes(b"old")

    sheet.save(str(target))

    assert target.read_bytes() == pdf


def test_a_save_that_fails_leaves_the_old_file(sheet, tmp_path, monkeypatch):
    """The old file is replaced only when the new one is complete."""
    target = tmp_path / "labels.pdf"
    target.write_bytes(b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        sheet.save(target)

    assert target.read_bytes() == b"old"
    assert in_folder(tmp_path) == ["labels.pdf"]


def test_what_is_interrupted_leaves_nothing(tmp_path):
    """Ctrl-C while a file is written leaves no temporary file."""
    writing = replacing(tmp_path / "labels.pdf")
    writing.__enter__().write(b"half")

    writing.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)

    assert in_folder(tmp_path) == []


def test_a_folder_that_is_not_there_is_an_error(sheet, tmp_path):
    """A missing folder is not created."""
    with pytest.raises(FileNotFoundError):
        sheet.save(tmp_path / "missing" / "labels.pdf")


def test_a_sheet_can_be_kept(sheet):
    """It is a value: it pickles, and its representation does not print the PDF."""
    assert pickle.loads(pickle.dumps(sheet)) == sheet
    assert len(repr(sheet)) < 300


def test_a_notebook_shows_what_was_exported(sheet):
    """A notebook shows one line, not the bytes."""
    shown = sheet._repr_html_()

    assert shown.startswith("<b>Meal labels</b> (PDF, ")
    assert shown.endswith(" bytes, 6 labels, 2 sheets)")


def test_nothing_of_the_service_gets_into_a_notebook_as_markup(pdf):
    """Values of the service are untrusted and are escaped."""
    evil = "<script>alert(1)</script>"
    sheet = LabelSheet(pdf, LabelSummary({"menuMonth": evil, "labelCount": evil, "sheetCount": evil}, evil))

    assert "<script" not in sheet._repr_html_()


def test_a_stream_is_saved_as_it_comes(project, service, answering, tmp_path):
    """The summary is there before the PDF, and the connection is given back at the end."""
    body = Broken(b"%PDF-1.7\n", b"first", b"second")
    answering(body)

    with project.labels.stream(menu_month="2026-11") as stream:
        assert stream.summary.label_count == 6
        path = stream.save(tmp_path / "labels.pdf")

    assert path.read_bytes() == b"%PDF-1.7\nfirstsecond"
    assert body.closed >= 1
    assert service.body == {"menuMonth": "2026-11"}


def test_a_stream_can_be_read_in_chunks(project, answering):
    """The chunks can be passed on, for example to a web response."""
    answering(Broken(b"%PDF-1.7\n", b"rest"))

    with project.labels.stream() as stream:
        chunks = list(stream)

    assert b"".join(chunks) == b"%PDF-1.7\nrest"


def test_a_stream_that_breaks_off_leaves_no_file(project, answering, tmp_path):
    """The error says that the connection broke; half a PDF is not left as if it were one."""
    body = Broken(b"%PDF-1.7\n", error=httpx.ReadError("gone"))
    answering(body)

    with project.labels.stream() as stream:
        with pytest.raises(ConnectionLostError, match="the connection broke"):
            stream.save(tmp_path / "labels.pdf")

    assert in_folder(tmp_path) == []
    assert body.closed >= 1


def test_a_stream_that_is_not_read_gives_its_connection_back(project, answering):
    """Leaving the `with` statement is enough, also by an exception."""
    body = Broken(b"%PDF-1.7\n", b"rest")
    answering(body)

    with pytest.raises(RuntimeError, match="changed my mind"), project.labels.stream():
        raise RuntimeError("changed my mind")

    assert body.closed >= 1


def test_a_stream_is_refused_as_an_export_is(project, service):
    """Errors are raised when the `with` statement is entered."""
    service.will(httpx.Response(503), httpx.Response(400, json={"message": "no such month"}))
    entered = []

    with pytest.raises(BadRequestError, match="no such month"), project.labels.stream(menu_month="x") as stream:
        entered.append(stream)

    assert entered == []


def test_a_stream_that_is_no_pdf_is_not_saved_as_one(project, service, tmp_path):
    """A proxy's page with status 200 must not end up as labels.pdf; the connection is given back all the same."""
    body = Broken(b"<html>", b"</html>")
    service.will(httpx.Response(200, headers={"Content-Type": "text/html"}, stream=body))

    with pytest.raises(DecodingError, match="its body is not a PDF") as raised, project.labels.stream() as stream:
        stream.save(tmp_path / "labels.pdf")

    assert (raised.value.body, raised.value.applied) == (b"<html></html>", "yes")
    assert in_folder(tmp_path) == []
    assert body.closed >= 1


@pytest.mark.parametrize("chunks", [[b"%", b"P", b"DF-1.7"], [b"\xef\xbb\xbf%PDF-1.7"], [b"x" * 1000, b"%PDF-1.7"]])
def test_a_stream_may_begin_as_a_pdf_may(project, answering, chunks):
    """It does not matter how the bytes are chunked, or that there are bytes before the header that readers skip."""
    answering(Broken(*chunks, b"rest"))

    with project.labels.stream() as stream:
        assert b"".join(stream) == b"".join(chunks) + b"rest"


# httpx's own generators are left to the garbage collector when a body is not read to its end; trio remarks on it.
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
def test_a_stream_without_end_that_is_no_pdf_is_not_read_on(project, answering):
    """A body is refused after its first kilobyte."""
    body = Broken(b"x" * 600, b"x" * 600, error=AssertionError("read on"))
    answering(body)

    with pytest.raises(DecodingError), project.labels.stream() as stream:
        list(stream)

    assert body.closed >= 1


def test_a_sheet_is_frozen(sheet):
    """A sheet is immutable."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        sheet.content = b""


def test_a_path_object_is_returned(sheet, tmp_path, monkeypatch):
    """The same holds for a name in the current folder."""
    monkeypatch.chdir(tmp_path)

    assert sheet.save("labels.pdf") == Path("labels.pdf")
