"""A body is decompressed in bounded pieces, and read whole only up to its limit."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
import tracemalloc
import zlib

import pytest

from project_platform.transports.bodies import PIECE, Body, BodyDecoder, BodyDecodingError, BodyTooLargeError

MIB = 1024 * 1024
TEXT = b'{"records": [%s]}' % b",".join(b'{"id": %d}' % number for number in range(20_000))
NOISE = random.Random(7).randbytes(150_000)


def raw_deflate(data: bytes) -> bytes:
    """Return deflate data without a zlib header, as some servers send it."""
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


def two_members(data: bytes) -> bytes:
    half = len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:])


CODED = {
    "none": ("", bytes),
    "identity": ("identity", bytes),
    "unknown": ("utf-8", bytes),
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZip", gzip.compress),
    "members": ("gzip", two_members),
    "zlib": ("deflate", zlib.compress),
    "raw": ("deflate", raw_deflate),
    "twofold": ("deflate, gzip", lambda data: gzip.compress(zlib.compress(data))),
}


def read(coding: str, received: bytes, step: int, limit: int | None = None) -> bytes:
    """Read a body that is received in chunks of some size."""
    body = Body(coding, limit)
    for at in range(0, len(received), step):
        body.add(received[at : at + step])
    return body.finish()


def nested_bomb(size: int) -> bytes:
    """Return zeros that are compressed twice, without ever holding them."""
    outer, inner = (zlib.compressobj(9, wbits=31) for _ in range(2))
    parts = [outer.compress(inner.compress(bytes(MIB))) for _ in range(size // MIB)]
    return b"".join(parts) + outer.compress(inner.flush()) + outer.flush()


@pytest.mark.parametrize("step", [1, 7, 4096, 10**9])
@pytest.mark.parametrize("data", [b"", b"x", TEXT[:5000], NOISE[:5000]], ids=["empty", "one", "text", "noise"])
@pytest.mark.parametrize("name", CODED)
def test_a_body_is_the_same_in_every_coding_and_in_chunks_of_every_size(name, data, step):
    coding, encode = CODED[name]

    assert read(coding, encode(data), step) == data


@pytest.mark.parametrize("data", [TEXT, NOISE], ids=["text", "noise"])
@pytest.mark.parametrize("name", CODED)
def test_the_pieces_of_a_stream_are_bounded(name, data):
    """A piece has at most 64 KiB and at least one byte, however much is received at a time."""
    coding, encode = CODED[name]
    decoder = BodyDecoder(coding)

    pieces = list(decoder.decode(encode(data)))
    decoder.finish()

    assert b"".join(pieces) == data
    assert {0 < len(piece) <= PIECE for piece in pieces} == {True}


@pytest.mark.parametrize("name", CODED)
def test_an_empty_body_is_whole_in_every_coding(name):
    """A 204 and the response to a HEAD may have Content-Encoding (RFC 9110, section 8.4)."""
    assert read(CODED[name][0], b"", 1) == b""


@pytest.mark.parametrize("missing", [1, 4, 8, 9, 100])
@pytest.mark.parametrize("name", ["gzip", "members", "zlib", "twofold"])
def test_a_compressed_body_that_is_cut_short_is_noticed(name, missing):
    coding, encode = CODED[name]
    received = encode(TEXT)[:-missing]

    with pytest.raises(BodyDecodingError, match="cut off"):
        read(coding, received, 1000)


@pytest.mark.parametrize("step", [1, 1000])
@pytest.mark.parametrize("garbage", [b"\0", b"\n", bytes(600), b"PK\x03\x04more", b"\x1f\x00"])
@pytest.mark.parametrize("name", ["gzip", "members", "zlib", "raw"])
def test_garbage_after_the_end_is_ignored(name, garbage, step):
    """The body before it is whole by its checksum: gzip and browsers ignore padding and garbage, too."""
    coding, encode = CODED[name]

    assert read(coding, encode(TEXT[:900]) + garbage, step) == TEXT[:900]


CODED_TEXT = gzip.compress(TEXT)
WRONG = {
    "a byte that announces another gzip member": ("gzip", gzip.compress(b"a") + b"\x1f", "cut off"),
    "another checksum": ("gzip", CODED_TEXT[:-6] + bytes([CODED_TEXT[-6] ^ 1]) + CODED_TEXT[-5:], None),
    **{f"JSON for {coding}": (coding, b'{"allowed": true}', None) for coding in ("gzip", "deflate", "deflate, gzip")},
}


@pytest.mark.parametrize(("coding", "received", "message"), WRONG.values(), ids=WRONG)
def test_a_body_that_is_not_in_its_coding_is_refused(coding, received, message):
    with pytest.raises(BodyDecodingError, match=message):
        read(coding, received, 1000)


@pytest.mark.parametrize("kind", [Body, BodyDecoder])
def test_more_than_two_codings_are_refused(kind):
    """Each coding multiplies what a small body may stand for."""
    with pytest.raises(BodyDecodingError, match="3 content codings"):
        kind("gzip, deflate, gzip", None)


@pytest.mark.parametrize("step", [1000, 10**9])
@pytest.mark.parametrize("name", CODED)
def test_a_body_may_be_as_large_as_its_limit_and_not_larger(name, step):
    """The limit counts the bytes that are received and those that they decompress to, whichever are more."""
    coding, encode = CODED[name]
    received = encode(NOISE)
    size = max(len(received), len(NOISE))

    assert read(coding, received, step, limit=size) == NOISE
    with pytest.raises(BodyTooLargeError):
        read(coding, received, step, limit=size - 1)


def test_received_bytes_count_although_they_decompress_to_nothing():
    """Empty gzip members without end would be read for ever."""
    with pytest.raises(BodyTooLargeError, match="received"):
        read("gzip", gzip.compress(b"") * 1000, 100, limit=10_000)


def test_an_excerpt_remains_of_a_body_that_is_too_large():
    """The error of the call refers to the first 64 KiB, and the rest is released."""
    body = Body("", 150_000)
    body.add(NOISE[:100_000])

    with pytest.raises(BodyTooLargeError):
        body.add(NOISE[:100_000])

    assert body.partial() == NOISE[:PIECE]


def test_the_part_that_was_received_is_there_of_a_body_that_is_cut_off():
    received = zlib.compressobj(wbits=31)
    body = Body("gzip", None)
    body.add(received.compress(TEXT) + received.flush(zlib.Z_SYNC_FLUSH))

    assert body.partial() == TEXT


def peak_of_reading(body: Body, received: bytes) -> int:
    """Return the most memory that is in use while a body is read until it is too large, in bytes."""
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLargeError):
            body.add(received)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_kilobyte_that_stands_for_gigabytes_takes_no_more_memory_than_the_limit():
    """Neither the body nor what is between its two codings is there beyond the limit."""
    bomb = nested_bomb(256 * MIB)
    assert len(bomb) < 2048

    assert peak_of_reading(Body("gzip, gzip", 4 * MIB), bomb) < 6 * MIB


def test_a_bomb_between_two_codings_is_refused():
    """Bytes after the end of the inner coding are ignored, but not without a limit."""
    outer = zlib.compressobj(9, wbits=31)
    bomb = outer.compress(gzip.compress(b"small")) + b"".join(outer.compress(bytes(MIB)) for _ in range(64))

    assert peak_of_reading(Body("gzip, gzip", 4 * MIB), bomb + outer.flush()) < 2 * MIB


def test_a_stream_of_any_size_takes_the_memory_of_a_few_pieces():
    """A streamed body has no limit, and is never there as a whole."""
    decoder = BodyDecoder("gzip, gzip")
    bomb = nested_bomb(64 * MIB)
    tracemalloc.start()
    try:
        size = sum(len(piece) for piece in decoder.decode(bomb))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    decoder.finish()

    assert size == 64 * MIB
    assert peak < MIB


IN_LITTLE_MEMORY = """
import resource, sys
from project_platform.transports.bodies import Body, BodyTooLargeError

bomb = sys.stdin.buffer.read()
body = Body("gzip, gzip", None)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 64 * 1024 * 1024,) * 2)
try:
    body.add(bomb)
except BodyTooLargeError:
    print(len(body.partial()) <= 65536)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")
def test_a_body_that_the_memory_does_not_hold_is_too_large():
    """Without a limit, too, a call ends with an error that says whether the write was applied, not with a MemoryError."""
    ended = subprocess.run(
        [sys.executable, "-c", IN_LITTLE_MEMORY], input=nested_bomb(256 * MIB), capture_output=True, check=False
    )

    assert (ended.stdout, ended.stderr) == (b"True\n", b"")
