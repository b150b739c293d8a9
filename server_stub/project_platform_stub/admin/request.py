"""The request and the responses of the admin routes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from project_platform_stub.admin.gate import IN_PROCESS
from project_platform_stub.dispatch.service import Service
from project_platform_stub.documents.document import Document, did_you_mean
from project_platform_stub.documents.schema import compiled_schema
from project_platform_stub.http.errors import bad_request, not_found
from project_platform_stub.http.messages import Request, Response, read_body
from project_platform_stub.http.routing import decoded_query
from project_platform_stub.world.domain import Json
from project_platform_stub.world.journal import Journal
from project_platform_stub.world.world import World

# Headers that keep a response out of caches and other sites.
PRIVATE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class AdminRequest:
    """A request to an admin route of a service; `path` has the decoded parameters of its path."""

    http_request: Request
    service: Service
    path: Mapping[str, str] = field(default_factory=dict)

    @property
    def world(self) -> World:
        """The world of the path; raises a 404 if it does not exist."""
        world = self.service.worlds.get(self.path["world"])
        if world is None:
            raise not_found(f"There is no world {self.path['world']!r} on this server.", "no_such_world")
        return world

    @property
    def journal(self) -> Journal:
        """The journal of the world of the path, or of the requests that belong to no world if it names none."""
        return self.world.journal if "world" in self.path else self.service.unmatched_requests

    @property
    def base_url(self) -> str:
        """The base URL that the caller used."""
        return f"http://{self.http_request.headers.get('host', IN_PROCESS)}"

    def json(self, shape: str) -> Json:
        """Return the body as JSON, validated against a definition of `bodies.schema.json`; an empty body is `{}`."""
        value = self.any_json()
        compiled_schema("admin/bodies.schema.json", shape).check(Document("body", value))
        body: Json = value
        return body

    def any_json(self) -> Any:
        """Return the body as JSON, without validation; an empty body is `{}`."""
        return read_body(self.http_request) if self.http_request.body else {}

    def query(self, known: Collection[str]) -> Mapping[str, str]:
        """Return the query parameters by name; raises a 400 for names other than these."""
        texts = decoded_query(self.http_request.query)
        for name in texts:
            if name not in known:
                raise bad_request(f"query.{name}", f"is not known here{did_you_mean(name, known)}")
        return texts


def page_headers(content_type: str) -> dict[str, str]:
    """Return the headers of a page or an asset: no scripts, and no content from other servers."""
    policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    # With `no-referrer` browsers would send forms with `Origin: null`.
    return {
        "Content-Type": content_type,
        "Content-Security-Policy": policy,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "same-origin",
        **PRIVATE,
    }


AdminHandler: TypeAlias = Callable[[AdminRequest], "Response | Json"]


@dataclass(frozen=True, slots=True)
class Route:
    """A route.

    Attributes:
        path: Path, with parameters in braces.
        handle: Returns the response, or the JSON of a response with `status`.
    """

    method: str
    path: str
    handle: AdminHandler
    status: int = 200

    @property
    def segments(self) -> tuple[str, ...]:
        """Segments of the path."""
        return tuple(self.path.removeprefix("/").split("/"))

    @property
    def is_page(self) -> bool:
        """Whether it is for browsers, so that errors are shown as a page."""
        return self.segments[1] in {"", "page", "unmatched-requests"}
