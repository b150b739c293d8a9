"""Routing of method and path to an operation.

The path is matched before it is decoded: each parameter is one percent-encoded segment, so that `%2F` in a slug is part
of the slug and not a separator.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote_to_bytes

from project_platform_stub.contract import Operation

from .errors import ApiError, bad_request, not_found


class Router:
    """Finds operations by method and path."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by_length: dict[int, list[Operation]] = {}
        for operation in operations:
            self._by_length.setdefault(len(operation.segments), []).append(operation)

    def find(self, method: str, raw_path: bytes) -> tuple[Operation, dict[str, str]]:
        """Return the operation and its decoded path parameters, or raise a 400, 404 or 405."""
        segments = decoded_segments(raw_path)
        allowed: list[str] = []
        for operation in self._by_length.get(len(segments), ()):
            parameters = _match(operation.segments, segments)
            if parameters is None:
                continue
            if operation.method == method:
                return operation, parameters
            allowed.append(operation.method)
        if not allowed:
            raise not_found("There is no such path.", "no_such_path")
        raise method_not_allowed(method, allowed)


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


def _match(template: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    parameters: dict[str, str] = {}
    for part, segment in zip(template, segments, strict=True):
        if part.startswith("{"):
            if not segment:
                return None
            parameters[part[1:-1]] = segment
        elif part != segment:
            return None
    return parameters
