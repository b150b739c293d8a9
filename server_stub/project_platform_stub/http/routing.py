"""Routing of method and path to an operation.

The path is matched before it is decoded: each parameter is one percent-encoded segment, so that `%2F` in a slug is part
of the slug and not a separator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar
from urllib.parse import parse_qsl, unquote_to_bytes

from .errors import ApiError, bad_request, not_found


class Routed(Protocol):
    """A destination of a router, such as an operation: it has a method, and the segments of a path with `{name}` as parameters."""

    @property
    def method(self) -> str:
        """Method, in capitals."""

    @property
    def segments(self) -> tuple[str, ...]:
        """Segments of the path."""


T = TypeVar("T", bound=Routed)


class Router(Generic[T]):
    """Finds operations by method and path.

    Args:
        also: Methods that each path supports besides, without an operation.
    """

    def __init__(self, operations: Iterable[T], *, also: Iterable[str] = ()) -> None:
        self._also = also
        self._by_length: dict[int, list[T]] = {}
        for operation in operations:
            self._by_length.setdefault(len(operation.segments), []).append(operation)

    def find(self, method: str, raw_path: bytes) -> tuple[T, dict[str, str]]:
        """Return the operation and its decoded path parameters, or raise a 400, 404 or 405."""
        sought = handled_as(method)
        for operation, parameters in self._matches(raw_path):
            if operation.method == sought:
                return operation, parameters
        raise method_not_allowed(method, self.methods(raw_path))

    def methods(self, raw_path: bytes) -> list[str]:
        """Return the methods that a path supports, or raise a 400 or 404."""
        methods = [operation.method for operation, _ in self._matches(raw_path)]
        if not methods:
            raise not_found("There is no such path.", "no_such_path")
        return [*with_head(methods), *self._also]

    def _matches(self, raw_path: bytes) -> Iterator[tuple[T, dict[str, str]]]:
        segments = decoded_segments(raw_path)
        for operation in self._by_length.get(len(segments), ()):
            pairs = list(zip(operation.segments, segments, strict=True))
            if all(segment if part.startswith("{") else part == segment for part, segment in pairs):
                yield operation, {part[1:-1]: segment for part, segment in pairs if part.startswith("{")}


def handled_as(method: str) -> str:
    """Return the method that a request is handled as: GET for HEAD (RFC 9110 section 9.3.2), of which no body is sent."""
    return "GET" if method == "HEAD" else method


def with_head(methods: Iterable[str]) -> list[str]:
    """Return methods with HEAD after GET."""
    return [supported for method in methods for supported in ((method, "HEAD") if method == "GET" else (method,))]


def method_not_allowed(method: str, allowed: Iterable[str]) -> ApiError:
    """Return a 405 for a path that does not support a method."""
    methods = ", ".join(allowed)
    message = f"This path does not support {method}; it supports {methods}."
    return ApiError(405, message, "method_not_allowed", {"Allow": methods})


def decoded_segments(raw_path: bytes) -> list[str]:
    """Return the decoded segments of a path."""
    try:
        return [unquote_to_bytes(segment).decode("utf-8") for segment in raw_path.removeprefix(b"/").split(b"/")]
    except UnicodeDecodeError:
        raise bad_request("path", "is not UTF-8") from None


def decoded_query(query: bytes) -> dict[str, str]:
    """Return the parameters of a query by name, or raise a 400 for a repeated name, which is ambiguous."""
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict")
    except (UnicodeDecodeError, ValueError):
        raise bad_request("query", "is not percent-encoded UTF-8") from None
    parameters: dict[str, str] = {}
    for name, text in pairs:
        if name in parameters:
            raise bad_request(f"query.{name}", "must be given only once")
        parameters[name] = text
    return parameters
