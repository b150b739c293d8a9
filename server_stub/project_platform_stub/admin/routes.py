"""Routing of method and path to a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from project_platform_stub.http.errors import not_found
from project_platform_stub.http.messages import Response
from project_platform_stub.http.routing import decoded_segments, handled_as, method_not_allowed, with_head

from .request import AdminRequest

Answer: TypeAlias = Callable[[AdminRequest], Response]


@dataclass(frozen=True, slots=True)
class Route:
    """A route.

    Attributes:
        method: Method.
        path: Path, with parameters in braces.
        answer: Function that returns the response.
        is_page: Whether it is for browsers, so that errors are shown as a page.
    """

    method: str
    path: str
    answer: Answer
    is_page: bool = False


def find_route(routes: Iterable[Route], method: str, raw_path: bytes) -> tuple[Route, dict[str, str]]:
    """Return the route of a request and its path parameters, or raise a 400, 404 or 405."""
    segments = decoded_segments(raw_path)
    allowed = []
    for route in routes:
        parameters = _match(route.path.removeprefix("/").split("/"), segments)
        if parameters is None:
            continue
        if route.method == handled_as(method):
            return route, parameters
        allowed.append(route.method)
    if allowed:
        raise method_not_allowed(method, with_head(allowed))
    raise not_found("There is no such path under /_stub/.", "no_such_path")


def _match(parts: list[str], segments: list[str]) -> dict[str, str] | None:
    if len(parts) != len(segments):
        return None
    pairs = list(zip(parts, segments, strict=True))
    if any(part != segment and not part.startswith("{") for part, segment in pairs):
        return None
    return {part[1:-1]: segment for part, segment in pairs if part.startswith("{")}
