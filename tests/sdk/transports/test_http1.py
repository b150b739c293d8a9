"""The parser of responses: what h11 and httptools read differently, and what may not depend on the boundaries of reads."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import h11
import pytest

from project_platform.transports.http1 import Http1
from project_platform.transports.steps import StreamBrokenError

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
EMPTY = b"Content-Length: 0\r\n\r\n"
REQUEST = memoryview(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")


class Read(NamedTuple):
    """The result of reading the bytes of a connection: nothing (status 0), or a response and whether it was whole."""

    status: int
    body: bytes = b""
    complete: bool = False
    reusable: bool = False
    fields: tuple[tuple[bytes, bytes], ...] = ()


REFUSED = Read(0)


def perform(steps: Any, reads: list[bytes]) -> Any:
    """Carry steps out: each read returns the next item, and then the end of the stream."""
    try:
        step = next(steps)
        while True:
            step = steps.send((reads.pop(0) if reads else b"") if isinstance(step, int) else b"")
    except StopIteration as done:
        return done.value


def read(reads: list[bytes], http: Http1 | None = None, request: memoryview = REQUEST) -> Read:
    """Return what an exchange reads of these reads and the end of the stream behind them."""
    http = http or Http1()
    body, complete = b"", False
    try:
        head = perform(http.exchange(request, b""), reads)
    except StreamBrokenError:
        return REFUSED
    try:
        while (chunk := perform(http.next_chunk(), reads)) is not None:
            body += chunk
        complete = True
    except StreamBrokenError:
        pass
    return Read(
        head.status,
        body,
        complete,
        http.start_next(),
        tuple((name.lower(), value.lower()) for name, value in head.fields),
    )


def read_by_h11(data: bytes) -> Read:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    result, ended = REFUSED, False
    connection.receive_data(data)
    try:
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                if ended or connection.their_state is h11.SEND_RESPONSE:
                    return result
                ended = True
                connection.receive_data(b"")
            elif isinstance(event, h11.Response):
                fields = tuple((name, value.lower()) for name, value in event.headers)
                result = result._replace(status=event.status_code, fields=fields)
            elif isinstance(event, h11.Data):
                result = result._replace(body=result.body + bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                reusable = connection.their_state is h11.DONE and not connection.trailing_data[0]
                return result._replace(complete=True, reusable=reusable)
    except h11.RemoteProtocolError:
        return result


def length(value: bytes) -> bytes:
    """Return a response of two bytes with this value of Content-Length."""
    return OK + b"Content-Length: " + value + b"\r\n\r\nok"


def coded(value: bytes) -> bytes:
    """Return a chunked response with this value of Transfer-Encoding."""
    return OK + b"Transfer-Encoding: " + value + b"\r\n\r\n2\r\nok\r\n0\r\n\r\n"


def line(line: bytes) -> bytes:
    return OK + line + b"\r\n" + EMPTY


def status(line: bytes) -> bytes:
    return line + b"\r\n" + EMPTY


# fmt: off
SAME = [
    length(b"2"), length(b"002"), length(b"2 "), length(b"2,3"), length(b"+2"), length(b"-2"), length(b"0x2"), length(b"2.0"),
    length(b"2 2"), length(b""), length(b"9" * 23), length(b"3"), length(b"1"), length(b"2") + b"H", length(b"2") + b"X",
    length(b"2") + status(b"HTTP/1.1 500 No"), length(b"2") + length(b"2"), length(b"2\r\nContent-Length: 3"),
    coded(b"chunked"), coded(b"Chunked"), coded(b"identity"), coded(b"gzip"), coded(b"gzip, chunked"), coded(b"chunked, gzip"),
    coded(b"xchunked"), coded(b'"chunked"'), coded(b"chunked;q=1"), coded(b"\x0bchunked"), coded(b""),
    coded(b"chunked\r\nTransfer-Encoding: chunked"),
    line(b"A:  b \t "), line(b"A:"), line(b"A: \xff"), line(b"A: \0"), line(b"A : b"), line(b" A: b"), line(b"A b"), line(b": b"),
    line(b"A\xff: b"), line(b"A(: b"), line(b"A: b\rc"), line(b"A: b\r\rB: c"),
    line(b"Connection: close"), line(b"Connection: Keep-Alive, CLOSE"), line(b"Connection: closed"),
    line(b"Upgrade: x\r\nConnection: upgrade"), line(b"Connection: close") + status(b"HTTP/1.1 500 No"),
    status(b"HTTP/1.1 200"), status(b"HTTP/1.1 200 "), status(b"HTTP/1.1 200OK"), status(b"HTTP/1.1  200 OK"),
    status(b"HTTP/1.1\t200 OK"), status(b"HTTP/1.1 099 OK"), status(b"HTTP/1.1 000 OK"), status(b"HTTP/1.1 20 OK"),
    status(b"HTTP/1.1 2000 OK"), status(b"HTTP/1.1 999 OK"), status(b"HTTP/1.1 2x0 OK"), status(b"HTTP/1.1 -20 OK"),
    status(b"HTTP/0.9 200 OK"), status(b"HTTP/1.0 200 OK"), status(b"http/1.1 200 OK"), status(b"HTTP/11 200 OK"),
    status(b"RTSP/1.0 200 OK"), status(b"ICE/1.0 200 OK"), status(b"SIP/2.0 200 OK"), status(b"ICY 200 OK"),
    status(b" HTTP/1.1 200 OK"), status(b"\r\nHTTP/1.1 200 OK"), status(b"HTTP/1.1 200 O\rK"), status(b"HTTP/1.1 200 O\t\xffK"), status(b"HTTP/1.1 200 O\0K"),
    b"<html>", b"\x16\x03\x01\0\2", b"SSH-2.0-x\r\n", b"\xef\xbb\xbf" + OK + EMPTY, b"", b"HTTP/1.1 200 OK\r\nA: ",
    b"HTTP/1.0 200 OK\r\n\r\nok", b"HTTP/1.1 204 No\r\n\r\n", b"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n",
    b"HTTP/1.1 205 No\r\nContent-Length: 2\r\n\r\nok", b"HTTP/1.1 100 Go\r\n\r\n" + length(b"2"),
    b"HTTP/1.1 103 Hints\r\nContent-Length: 5\r\nLink: a\r\n\r\n" + length(b"2"),
    b"HTTP/1.1 103 Hints\r\nTransfer-Encoding: chunked\r\n\r\n" + length(b"2"), b"HTTP/1.1 100 Go\r\n\r\n",
    b"HTTP/1.1 101 Switch\r\n\r\nabc", b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + length(b"2"),
    CHUNKED + b"02;a=b\r\nok\r\n0\r\n\r\n", CHUNKED + b"2\r\nok\r\n0\r\nX: y\r\n\r\n", CHUNKED + b"2\r\nok\r\n0\r\nbad\r\n\r\n",
    CHUNKED + b"2\r\nok\r\n0\r\n", CHUNKED + b"2\r\nok\r\n", CHUNKED + b"2\r\no", CHUNKED + b"2\t;a\r\nok\r\n0\r\n\r\n",
    CHUNKED + b" 2\r\nok\r\n0\r\n\r\n", CHUNKED + b"0x2\r\nok\r\n0\r\n\r\n", CHUNKED + b"+2\r\nok\r\n0\r\n\r\n",
    CHUNKED + b"-2\r\nok\r\n0\r\n\r\n", CHUNKED + b"g\r\nok\r\n0\r\n\r\n", CHUNKED + b"\r\nok\r\n0\r\n\r\n",
    CHUNKED + b"2\nok\n0\n\n", CHUNKED + b"2\r\nok\n0\r\n\r\n", CHUNKED + b"2\r\nokay\r\n0\r\n\r\n", CHUNKED + b"2\r\nok0\r\n\r\n",
    CHUNKED + b"2\rok\r\n0\r\n\r\n", CHUNKED + b"2\r\nok\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
]
CUT_OFF = Read(200, complete=False)
DECIDED = [
    ("a folded line is obsolete (RFC 9112, section 5.2)", line(b"A: b\r\n c"), REFUSED),
    ("a line ends with CR LF: parsers that take LF alone read another number of heads", OK.replace(b"\r", b"") + b"\n", REFUSED),
    ("the same in a field", line(b"A: b\nB: c"), REFUSED),
    ("the same at the end of a head", OK + b"Content-Length: 0\r\n\n", REFUSED),
    ("the same at the end of trailers", CHUNKED + b"2\r\nok\r\n0\r\n\n", Read(200, b"ok")),
    ("a value has no control character (RFC 9110, section 5.5)", line(b"A: \1"), REFUSED),
    ("the same for DEL", line(b"A: \x7f"), REFUSED),
    ("the same in a reason (RFC 9112, section 4)", status(b"HTTP/1.1 200 O\1K"), REFUSED),
    ("HTTP/1.2 does not exist", status(b"HTTP/1.2 200 OK"), REFUSED),
    ("nor does HTTP/2 in this form; it is read, and the connection not used again", status(b"HTTP/2.0 200 OK"),
     Read(200, b"", True, False)),
    ("a length is stated once (RFC 9112, section 6.3, allows the recipient to refuse)", length(b"2, 2"), REFUSED),
    ("the same in two fields", length(b"2\r\nContent-Length: 2"), REFUSED),
    ("a length and chunks are two framings", coded(b"chunked\r\nContent-Length: 2"), REFUSED),
    ("the same in the other order", OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", REFUSED),
    ("a length in trailers would be a second framing", CHUNKED + b"2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n", Read(200, b"ok")),
    ("no space follows the size of a chunk", CHUNKED + b"2 \r\nok\r\n0\r\n\r\n", CUT_OFF),
    ("an extension consists of tokens", CHUNKED + b"2;\0\r\nok\r\n0\r\n\r\n", CUT_OFF),
    ("the same for bytes that are not ASCII", CHUNKED + b"2;\xff\r\nok\r\n0\r\n\r\n", CUT_OFF),
    ("a quoted extension does not contain a line end", CHUNKED + b'2; a="b\r\n"\r\nok\r\n0\r\n\r\n', CUT_OFF),
    ("a chunk has a size of 64 bits", CHUNKED + b"10000000000000002\r\nok\r\n0\r\n\r\n", CUT_OFF),
    ("the same for the largest", CHUNKED + b"f" * 17 + b"\r\nok", CUT_OFF),
    ("nothing follows a response that closes the connection", b"HTTP/1.1 100 Go\r\nConnection: close\r\n\r\n" + length(b"2"), REFUSED),
    ("the end of the stream ends the connection, too", OK + b"\r\nok", Read(200, b"ok", True, False)),
    # What httptools reads and h11 refuses, or keeps and h11 does not.
    ("HTTP/1.0 may keep a connection alive (RFC 9112, section 9.3)", status(b"HTTP/1.0 200 OK\r\nConnection: keep-alive"),
     Read(200, b"", True, True)),
    ("an empty line behind a body cannot become a response", length(b"2") + b"\r\n", Read(200, b"ok", True, True)),
]
# fmt: on


@pytest.mark.parametrize("data", SAME, ids=repr)
def test_it_is_read_as_by_h11(data):
    assert read([data]) == read_by_h11(data)


@pytest.mark.parametrize(("data", "expected"), [case[1:] for case in DECIDED], ids=[case[0] for case in DECIDED])
def test_it_is_read_in_another_way_than_by_h11_for_a_reason(data, expected):
    """Where httptools and h11 differ, the name of the case says why."""
    assert read([data])._replace(fields=()) == expected
    assert read_by_h11(data)._replace(fields=()) != expected


@pytest.mark.parametrize("data", [*SAME, *(case[1] for case in DECIDED)], ids=repr)
def test_the_boundaries_of_reads_do_not_matter(data):
    """A response is the same however its bytes arrive: a 2xx whose body is malformed is a 2xx that is cut off.

    Whether the connection is used again does depend on it: bytes that are not read yet are found before the next request.
    """
    whole = read([data])._replace(reusable=False)

    assert read([data[at : at + 1] for at in range(len(data))])._replace(reusable=False) == whole
    for at in range(1, len(data)):
        assert read([data[:at], data[at:]])._replace(reusable=False) == whole


def test_a_status_line_that_is_cut_off_and_followed_by_other_bytes_is_no_response():
    """The parser reads a reason up to the end of the line. A 401 that was not sent whole permits no second request."""
    assert read([b"HTTP/1.1 401 Unauth", b"\x16\x03\x00 SSH-2.0-appliance\r\n\r\n"]) == REFUSED
    assert read([b"HTTP/1.1 401 Unauth\x16\x03\x00 SSH-2.0-appliance\r\n\r\n"]) == REFUSED


def test_a_response_to_head_has_no_body():
    """The length is that of the response to a GET; the parser does not know the request, so the connection ends."""
    assert read([OK + b"Content-Length: 5\r\n\r\n"], request=memoryview(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"))[:4] == (
        200,
        b"",
        True,
        False,
    )


@pytest.mark.parametrize(
    ("start", "more", "status"),
    [
        (OK + b"A: ", b"a", 0),
        (CHUNKED + b"2;", b"a", 200),
        (CHUNKED + b"2\r\nok\r\n0\r\nA: ", b"a", 200),
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0),
    ],
    ids=["head", "chunk header", "trailers", "informational responses"],
)
def test_a_head_a_chunk_header_and_trailers_have_a_limit(start, more, status):
    """None of them may grow without end; the limit is 100 KiB and what one read returns."""
    reads = [start or more, *[more * (8192 // len(more))] * 100]
    size = sum(map(len, reads))

    got = read(reads)

    assert (got.status, got.complete, got.reusable) == (status, False, False)
    assert 100 * 1024 < size - sum(map(len, reads)) < 180 * 1024


def test_a_connection_serves_exchange_after_exchange():
    """Nothing of a response is left for the next one."""
    http = Http1()

    assert read([b"HTTP/1.1 404 No\r\nA: b\r\nContent-Length: 1\r\n\r\nx"], http) == Read(
        404, b"x", True, True, ((b"a", b"b"), (b"content-length", b"1"))
    )
    assert read([CHUNKED + b"2\r\nok\r\n0\r\n\r\n"], http)[:4] == (200, b"ok", True, True)
    assert read([b"HTTP/1.1 204 No\r\n\r\n"], http) == Read(204, b"", True, True)
    assert not http.start_next(), "there was no exchange in between"


def test_an_interruption_while_bytes_are_parsed_is_raised():
    """The parser turns each exception of its callbacks into an error of the peer; Ctrl+C is none, at whatever line."""
    data = b"HTTP/1.1 103 Hints\r\nA: b\r\n\r\n" + CHUNKED + b"2\r\nok\r\n0\r\n\r\n" + status(b"HTTP/1.1 500 No")
    number, interrupted = 0, 0
    while True:
        number += 1
        left = number

        def trace(frame, event, _):
            nonlocal left
            if not frame.f_code.co_filename.endswith("http1.py") or frame.f_code.co_name == "__init__":
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    raise KeyboardInterrupt
            return trace

        http = Http1()
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            got = read([data], http)
        except KeyboardInterrupt:
            interrupted += 1
            assert not http.start_next(), f"the connection is used again after an interruption at line {number}"
            continue
        finally:
            sys.settrace(before)
        assert left > 0, f"the interruption at line {number} was swallowed"
        break

    assert got[:4] == (200, b"ok", True, False)
    assert interrupted > 40
