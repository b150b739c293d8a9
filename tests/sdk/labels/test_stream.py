"""A streamed PDF is passed on in chunks or saved whole, and its connection is released in every case."""

from __future__ import annotations

import httpx
import pytest

from project_platform import BadRequestError, ConnectionLostError, DecodingError, UsageError


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that may raise an error after its chunks, and that counts the releases of its connection."""

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
        self.closed += 1

    async def aclose(self):
        self.closed += 1


def test_a_stream_is_saved_to_a_file(project, service, answering, tmp_path):
    body = Broken(b"%PDF-1.7\n", b"first", b"second")
    answering(body)

    with project.labels.stream(menu_month="2026-11") as stream:
        assert stream.summary.label_count == 6
        path = stream.save(tmp_path / "labels.pdf")

    assert path.read_bytes() == b"%PDF-1.7\nfirstsecond"
    assert body.closed >= 1
    assert service.body == {"menuMonth": "2026-11"}


def test_a_stream_that_breaks_off_leaves_no_file(project, answering, tmp_path):
    body = Broken(b"%PDF-1.7\n", error=httpx.ReadError("gone"))
    answering(body)

    with project.labels.stream() as stream:
        with pytest.raises(ConnectionLostError, match="the connection broke"):
            stream.save(tmp_path / "labels.pdf")

    assert list(tmp_path.iterdir()) == []
    assert body.closed >= 1


def test_a_refused_stream_raises_on_entering_the_with_statement(project, service):
    service.will(httpx.Response(503), httpx.Response(400, json={"message": "no such month"}))
    entered = []

    with pytest.raises(BadRequestError, match="no such month"), project.labels.stream(menu_month="x") as stream:
        entered.append(stream)

    assert entered == []


def test_a_stream_that_is_not_a_pdf_is_not_saved(project, service, tmp_path):
    """A proxy's page with status 200 must not end up as labels.pdf; its connection is released."""
    body = Broken(b"<html>", b"</html>")
    service.will(httpx.Response(200, headers={"Content-Type": "text/html"}, stream=body))

    with pytest.raises(DecodingError, match="its body is not a PDF") as raised, project.labels.stream() as stream:
        stream.save(tmp_path / "labels.pdf")

    assert (raised.value.body, raised.value.applied) == (b"", "yes")
    assert list(tmp_path.iterdir()) == []
    assert body.closed >= 1


@pytest.mark.parametrize("chunks", [[b"%", b"P", b"DF-1.7"], [b"\xef\xbb\xbf%PDF-1.7"], [b"x" * 1000, b"%PDF-1.7"]])
def test_a_stream_may_begin_with_bytes_before_the_pdf_header(project, answering, chunks):
    """It does not matter how the bytes are chunked, or that there are bytes before the header that readers skip."""
    answering(Broken(*chunks, b"rest"))

    with project.labels.stream() as stream:
        assert b"".join(stream) == b"".join(chunks) + b"rest"


# httpx's own generators are left to the garbage collector when a body is not read to its end; trio remarks on it.
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
def test_an_endless_stream_that_is_not_a_pdf_is_not_read_further(project, answering):
    """A body is refused after its first kilobyte."""
    body = Broken(b"x" * 600, b"x" * 600, error=AssertionError("read on"))
    answering(body)

    with pytest.raises(DecodingError), project.labels.stream() as stream:
        list(stream)

    assert body.closed >= 1


def test_a_stream_is_read_once_and_inside_its_with_statement(project, answering):
    """Later reads raise an error with the way out, instead of returning nothing."""
    answering(Broken(b"%PDF-1.7"))
    answering(Broken(b"%PDF-1.7"))

    with project.labels.stream() as twice:
        list(twice)
        with pytest.raises(UsageError, match="export them again"):
            list(twice)
    with project.labels.stream() as late:
        pass
    with pytest.raises(UsageError, match="export them again"):
        list(late)
