"""Bodies: decompressed in bounded pieces, and read whole under a limit.

A compressed body of a kilobyte may stand for gigabytes, and a body without a length may never end. `BodyDecoder` never
holds more than a piece of a body, which is for bodies that are streamed. `Body` reads one whole; its limit counts the
bytes as received and as decompressed.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from typing import Any, Final

PIECE: Final = 64 * 1024  # maximum number of bytes of a decoded piece
MAX_CODINGS: Final = 2  # a service compresses once, and a proxy perhaps again
EXCERPT: Final = 64 * 1024  # bytes that are kept of a body that is too large, since an error refers to them
# zlib copies the part of its input that it does not use yet, so it is given slices: a gzip member may have 20 bytes.
_SLICE: Final = 4 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"  # RFC 1952, section 2.3.1
_GZIP: Final = frozenset({"gzip", "x-gzip"})  # RFC 9110, section 8.4.1.3
_GZIP_BITS, _ZLIB_BITS, _RAW_BITS = 31, 15, -15  # the formats, as `zlib.decompressobj` names them


class BodyTooLargeError(Exception):
    """A body is larger than its limit, or than the memory that is left."""


class BodyDecodingError(Exception):
    """A body is not in the content coding that its header names, or is cut off."""


class BodyDecoder:
    """Decompresses a body in pieces of at most 64 KiB.

    Codings other than gzip and deflate are ignored, as httpx does: the SDK accepts no others, and services name things
    like `utf-8` there.

    Args:
        content_encoding: The value of `Content-Encoding`, which may be empty.
        limit: Maximum number of bytes that each coding decompresses to; None for no limit.

    Raises:
        BodyDecodingError: The body has more than two codings.
    """

    __slots__ = ("_inflaters",)

    def __init__(self, content_encoding: str, limit: int | None = None) -> None:
        codings = [coding.strip().lower() for coding in content_encoding.split(",")] if content_encoding else []
        codings = [coding for coding in codings if coding in _GZIP or coding == "deflate"]
        if len(codings) > MAX_CODINGS:
            raise BodyDecodingError(f"the body has {len(codings)} content codings")
        # The codings are listed in the order in which they were applied (RFC 9110, section 8.4).
        self._inflaters = [_Inflater(gzip=coding in _GZIP, limit=limit) for coding in reversed(codings)]

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of these bytes; read the iterator to its end before the next call.

        Raises:
            BodyDecodingError: The bytes are not in the content coding.
            BodyTooLargeError: The limit is exceeded.
        """
        return self._decoded(data, 0)

    def _decoded(self, data: bytes, layer: int) -> Iterator[bytes]:
        if layer < len(self._inflaters):
            for piece in self._inflaters[layer].decode(data):
                yield from self._decoded(piece, layer + 1)
        elif len(data) <= PIECE:
            if data:
                yield data
        else:
            yield from (data[at : at + PIECE] for at in range(0, len(data), PIECE))

    def finish(self) -> None:
        """Check that the body has ended. An empty body is whole in every coding, such as that of a 204.

        Raises:
            BodyDecodingError: The compressed body is cut off.
        """
        for inflater in self._inflaters:
            inflater.finish()


class Body:
    """Collects a body that is read whole.

    Args:
        content_encoding: The value of `Content-Encoding`, which may be empty.
        limit: Maximum number of bytes, both as received and as decompressed; None for no limit.

    Raises:
        BodyDecodingError: The body has more than two codings.
    """

    __slots__ = ("_decoder", "_limit", "_received", "_sink")

    def __init__(self, content_encoding: str, limit: int | None) -> None:
        self._decoder = BodyDecoder(content_encoding, limit) if content_encoding else None
        self._limit = limit
        self._received = 0
        self._sink = io.BytesIO()  # its value is its buffer, so that the body is never there twice

    def add(self, data: bytes) -> None:
        """Add received bytes.

        Raises:
            BodyDecodingError: The bytes are not in the content coding.
            BodyTooLargeError: The limit is exceeded, or the memory is not enough; all but an excerpt is dropped.
        """
        self._received += len(data)
        if self._limit is not None and self._received > self._limit:
            self._drop()
            raise BodyTooLargeError(f"more than {self._limit} bytes were received")
        try:
            if self._decoder is None:
                self._sink.write(data)
            else:
                for piece in self._decoder.decode(data):
                    self._sink.write(piece)
        except BodyTooLargeError:
            self._drop()
            raise
        except MemoryError:
            self._drop()
            raise BodyTooLargeError("the memory is not enough for the body") from None

    def finish(self) -> bytes:
        """Return the body, decompressed.

        Raises:
            BodyDecodingError: The compressed body is cut off.
        """
        if self._decoder is not None:
            self._decoder.finish()
        return self._sink.getvalue()

    def partial(self) -> bytes:
        """Return what was decompressed so far, for a response that is cut off; an excerpt of a body that is too large."""
        return self._sink.getvalue()

    def _drop(self) -> None:
        """Release the memory of the body but for an excerpt."""
        excerpt = b""
        if not self._sink.closed:  # as it is after a MemoryError
            self._sink.seek(0)
            excerpt = self._sink.read(EXCERPT)
        self._sink = io.BytesIO(excerpt)
        self._decoder = None


class _Inflater:
    """Decompresses one content coding: gzip of one or more members, zlib, or deflate without a header.

    Bytes after the end are ignored, as gzip and browsers do: what comes before them is whole, by its checksum.
    """

    __slots__ = ("_ended", "_gzip", "_limit", "_members", "_size", "_start", "_stream")

    def __init__(self, *, gzip: bool, limit: int | None) -> None:
        self._gzip = gzip
        self._limit = limit
        self._size = 0
        self._members = 0
        self._start: bytes = b""  # a first byte, which is too little to recognise a format by
        self._stream: Any = None  # the type of zlib's objects has no public name
        self._ended = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _SLICE):
            rest = data[at : at + _SLICE]
            while rest and not self._ended:
                if self._stream is None:
                    rest = self._begin(rest)
                else:
                    yield from self._inflated(rest)
                    rest = self._stream.unused_data
                    if self._stream.eof:
                        self._stream = None
                        self._members += 1
                        self._ended = not self._gzip

    def finish(self) -> None:
        if self._stream is not None or self._start:
            raise BodyDecodingError("the compressed body is cut off")

    def _begin(self, data: bytes) -> bytes:
        """Choose the format by the first two bytes, and return what is to be decompressed."""
        data, self._start = self._start + data, b""
        if self._members and not data.startswith(_GZIP_MAGIC[: len(data)]):
            self._ended = True
        elif len(data) < len(_GZIP_MAGIC):
            self._start = data
            return b""
        elif self._gzip:
            self._stream = zlib.decompressobj(_GZIP_BITS)
        else:
            # RFC 1950, section 2.2. Some servers send deflate without this header, and clients have to bear with it.
            has_header = data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0  # noqa: PLR2004
            self._stream = zlib.decompressobj(_ZLIB_BITS if has_header else _RAW_BITS)
        return data

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        while True:
            try:
                piece: bytes = self._stream.decompress(data, PIECE)
            except zlib.error:
                raise BodyDecodingError("the body is not in the coding that Content-Encoding names") from None
            if piece:
                self._size += len(piece)
                if self._limit is not None and self._size > self._limit:
                    raise BodyTooLargeError(f"the body decompresses to more than {self._limit} bytes")
                yield piece
            data = self._stream.unconsumed_tail
            if self._stream.eof or (not data and len(piece) < PIECE):
                return
