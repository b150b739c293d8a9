"""Endpoints 12 to 16: the response to a read is for its caller, its project and its parameters, whatever was requested before or beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import httpx

from ..support.reading import refused
from .stream import Stream

_BETWEEN: Final = 9  # Number of reads between two updates of a record.
_IN_A_ROW: Final = 4  # Number of reads of which every two are sent in a row.
_ATTEMPTS: Final = 3  # Number of times that a difference must recur, because others may change what is read.

Json = dict[str, Any]
Content = Callable[[httpx.Response], Any]


class Read(NamedTuple):
    """A request that reads.

    Attributes:
        identity: The identity that sends it; None without a token.
        arguments: Arguments of `Api.__call__`.
    """

    identity: str | None
    arguments: Json


class Reads:
    """Reads of an operation.

    Args:
        stream: The stream that sends them.
        operation: The operationId.
        reads: The reads by name; those of identities and projects that the data file lacks are left out.
        content: Returns what is compared of a success response.

    Attributes:
        first: The values of the first response to each read.
    """

    def __init__(self, stream: Stream, operation: str, reads: Mapping[str, Read], content: Content) -> None:
        self._stream = stream
        self._operation = operation
        self._content = content
        known = {None, *stream.identities("owner", *stream.run.data.tokens)}
        self._reads = {name: read for name, read in reads.items() if read.identity in known and _is_known(read)}
        self.first: dict[str, Any] = {}

    def problems(self, wrong: Callable[[Mapping[str, Any]], list[str]]) -> list[str]:
        """Send every two of the first reads in a row, then different ones at the same time, and return what recurs.

        Args:
            wrong: Returns what is wrong with the first responses.
        """
        found: list[str] = []
        for _ in range(_ATTEMPTS):
            found = [*self._differing(), *wrong(self.first)]
            if not found:
                break
        return found

    def send(self, name: str) -> Any:
        """Send a read, and return what the response shows."""
        read = self._reads[name]
        self._stream.run.forget_reads()
        response = self._stream.api(read.identity)(self._operation, **read.arguments)
        if response.is_success:
            return self._content(response)
        return "refused" if refused(response) else response.status_code

    def _differing(self) -> Iterator[str]:
        """Yield the reads with another response than their first one, each with the read before it."""
        before = ""
        self.first = {}
        names = list(self._reads)
        for number, name in enumerate([*_every_two(names[:_IN_A_ROW]), *names[_IN_A_ROW:]]):
            if number % _BETWEEN == _BETWEEN - 1:
                self._stream.update_a_record()
            seen = self.send(name)
            if seen != self.first.setdefault(name, seen):
                yield f"{name} after {before}"
            before = name
        # Of those whose responses are the same, two that are exchanged would not show it.
        different = list({repr(self.first[name]): name for name in names}.values())
        together = self._stream.together(self.send, different)
        for name, seen in zip(different, together, strict=True):
            if seen != self.first[name]:
                yield f"{name} beside others"


def _is_known(read: Read) -> bool:
    """Return whether the data file has the project that a read names."""
    return "projectId" not in read.arguments or read.arguments["projectId"] is not None


def _every_two(names: Sequence[str]) -> Iterator[str]:
    """Yield names in a sequence that has every two of them in a row, in both orders, also each one twice."""
    for number, name in enumerate(names):
        yield name
        for other in names[number + 1 :]:
            yield name
            yield other
    yield names[0]
