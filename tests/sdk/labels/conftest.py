"""A PDF of labels, and an export that is answered with it."""

from __future__ import annotations

import io
import json
from urllib.parse import quote

import httpx
import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject

from project_platform import LabelSheet, LabelSummary

SUMMARY = {"menuMonth": "2026-11", "labelCount": 6, "sheetCount": 2, "skippedCount": 1}
ENCODED = quote(json.dumps(SUMMARY))


@pytest.fixture(scope="session")
def make_pdf():
    def make_pdf(**attachments):
        writer = PdfWriter()
        black = DecodedStreamObject()
        black.set_data(b"72 72 72 72 re f")
        writer.add_blank_page(595, 842)[NameObject("/Contents")] = writer._add_object(black)
        for name, content in attachments.items():
            writer.add_attachment(f"{name.replace('_', '-')}.json", content)
        output = io.BytesIO()
        writer.write(output)
        return output.getvalue()

    return make_pdf


@pytest.fixture(scope="session")
def review():
    return {"labels": [{"name": "Käsespätzle <b>"}], "skipped": []}


@pytest.fixture(scope="session")
def pdf(make_pdf, review):
    return make_pdf(label_review=json.dumps(review).encode())


@pytest.fixture
def sheet(pdf):
    return LabelSheet(pdf, LabelSummary(SUMMARY))


@pytest.fixture
def answering(service, pdf):
    """Return a function that plans an export's answer."""

    def answering(body=pdf, *, summary=ENCODED):
        headers = {"Content-Type": "application/pdf"} | ({} if summary is None else {"X-Label-Summary": summary})
        content = {"stream": body} if isinstance(body, httpx.SyncByteStream) else {"content": body}
        service.will(httpx.Response(200, headers=headers, **content))

    return answering
