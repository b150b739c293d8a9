"""Labels that are still on the connection: streams of the PDF that the label export returns."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import cast

import anyio.to_thread

from ..calls.operation import AsyncBodyStream, BodyStream, Response
from ..errors import DecodingError, TransportError, UsageError
from .atomic_file import replacing
from .sheet import HEAD, OPERATION_ID, PDF, LabelSummary, read_summary


class _PdfCheck:
    """Holds back the first bytes of a body until they show that it is a PDF."""

    def __init__(self) -> None:
        self._head = b""
        self._seen = False

    def passed(self, chunk: bytes) -> bytes:
        """Return the bytes that may be passed on after this chunk."""
        if self._seen:
            return chunk
        self._head += chunk
        self._seen = PDF in self._head[:HEAD]
        if not self._seen and len(self._head) >= HEAD:
            self.finish()
        return self._head if self._seen else b""

    def finish(self) -> None:
        """Raise `DecodingError` if the body is not a PDF."""
        if not self._seen:
            raise DecodingError(
                "the response does not fit the contract: its body is not a PDF",
                status=200,
                body=b"",  # which may repeat the token
                operation_id=OPERATION_ID,
                applied="yes",
            )


class _Once:
    """Allows a body to be read once, and only before its connection is given back."""

    _readable = True

    def begin(self) -> None:
        """Begin to read; raise `UsageError` if the body cannot be read any more."""
        if not self._readable:
            raise UsageError("the labels were read already, or their `with` statement has ended; export them again")
        self._readable = False

    def end(self) -> None:
        """Refuse to read from now on: the connection is given back."""
        self._readable = False


class LabelStream:
    """Meal labels that are still on the connection: iterate over their bytes or save them, once.

    Attributes:
        summary: The summary of the export in the header `X-Label-Summary`.
    """

    def __init__(self, summary: LabelSummary, stream: BodyStream) -> None:
        self.summary = summary
        self._stream = stream
        self._once = _Once()

    @classmethod
    def read(cls, response: Response) -> LabelStream:
        """Return the stream of a response whose body is still on the connection."""
        return cls(read_summary(response.headers), cast("BodyStream", response.stream))

    def __iter__(self) -> Iterator[bytes]:
        self._once.begin()
        check = _PdfCheck()
        try:
            for chunk in self._stream:
                if ready := check.passed(chunk):
                    yield ready
        except TransportError as error:
            error.operation_id = OPERATION_ID
            raise
        check.finish()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the PDF to a file chunk by chunk, completely or not at all, and return its path.

        Raises:
            OSError: The folder does not exist or cannot be written to, or the disk is full.
            TransportError: The connection broke; no file was written. It may be an `OSError` as well, so handle it first.
            DecodingError: The body is not a PDF; no file was written.
        """
        with replacing(path) as file:
            for chunk in self:
                file.write(chunk)
        return Path(path)

    def close(self) -> None:
        """Give the connection back."""
        self._once.end()
        self._stream.close()


class AsyncLabelStream:
    """Same as `LabelStream`, but to be iterated with `async for`; `save` is awaited."""

    def __init__(self, summary: LabelSummary, stream: AsyncBodyStream) -> None:
        self.summary = summary
        self._stream = stream
        self._once = _Once()

    @classmethod
    def read(cls, response: Response) -> AsyncLabelStream:
        """Return the stream of a response whose body is still on the connection."""
        return cls(read_summary(response.headers), cast("AsyncBodyStream", response.stream))

    def __aiter__(self) -> AsyncIterator[bytes]:
        self._once.begin()
        return _AsyncChunks(aiter(self._stream))

    async def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the PDF to a file chunk by chunk, completely or not at all, and return its path.

        Raises:
            OSError: The folder does not exist or cannot be written to, or the disk is full.
            TransportError: The connection broke; no file was written. It may be an `OSError` as well, so handle it first.
            DecodingError: The body is not a PDF; no file was written.
        """
        with replacing(path) as file:
            async for chunk in self:
                await anyio.to_thread.run_sync(file.write, chunk)
        return Path(path)

    async def aclose(self) -> None:
        """Give the connection back."""
        self._once.end()
        await self._stream.aclose()


class _AsyncChunks(AsyncIterator[bytes]):
    """The bytes of an `AsyncLabelStream`. Not a generator: after a loop that was left early, it would have to be closed (PEP 525)."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._check = _PdfCheck()

    async def __anext__(self) -> bytes:
        try:
            async for chunk in self._chunks:
                if ready := self._check.passed(chunk):
                    return ready
        except TransportError as error:
            error.operation_id = OPERATION_ID
            raise
        self._check.finish()
        raise StopAsyncIteration
