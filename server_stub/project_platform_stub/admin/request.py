"""A request to an admin route, as its function gets it, and the answers such functions give."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from project_platform_stub.documents.document import Document, DocumentError, did_you_mean
from project_platform_stub.documents.schema import Schema, packaged_schema
from project_platform_stub.http.errors import RefusalError, bad_request, not_found
from project_platform_stub.http.json import read_json, write_json
from project_platform_stub.http.messages import MAX_BODY_BYTES, Request, Response
from project_platform_stub.http.routing import decoded_query
from project_platform_stub.world.domain import Json
from project_platform_stub.world.world import World

from .gate import IN_PROCESS, media_type

if TYPE_CHECKING:
    from project_platform_stub.dispatch.service import Service

_KEPT_PRIVATE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for.

    Attributes:
        request: The request.
        service: The service that it is about.
        path: Parameters of the path, decoded.
    """

    request: Request
    service: Service
    path: Mapping[str, str] = field(default_factory=dict)

    @property
    def world(self) -> World:
        """The world that the path names, or a 404."""
        world = self.service.worlds.get(self.path["world"])
        if world is None:
            raise not_found(f"There is no world {self.path['world']!r} on this server.", "no_such_world")
        return world

    @property
    def base_url(self) -> str:
        """The address under which the caller knows this server."""
        return f"http://{self.request.headers.get('host', IN_PROCESS)}"

    def json(self, shape: str) -> Json:
        """Return the body, which must fit a definition of `bodies.schema.json`; nothing at all stands for `{}`."""
        value = self.any_json()
        try:
            _shape(shape).check(Document("body", value))
        except DocumentError as error:
            raise bad_document(error) from None
        body: Json = value
        return body

    def any_json(self) -> Any:
        """Return the body, whatever JSON it is; nothing at all stands for `{}`."""
        if not self.request.body:
            return {}
        if media_type(self.request) != "application/json":
            raise RefusalError(415, "Content-Type: must be application/json", "unsupported_media_type")
        if len(self.request.body) > MAX_BODY_BYTES:
            raise RefusalError(413, f"body: more than {MAX_BODY_BYTES} bytes", "body_too_large")
        return read_json(self.request.body)

    def query(self, known: Collection[str]) -> Mapping[str, str]:
        """Return the query's parameters by name; only these are known."""
        texts = decoded_query(self.request.query)
        for name in texts:
            if name not in known:
                raise bad_request(f"query.{name}", f"is not known here{did_you_mean(name, known)}")
        return texts


def answer(value: Json, status: int = 200) -> Response:
    """Return a JSON answer, which no browser keeps or gives to another page."""
    return Response(status, {"Content-Type": "application/json", **_KEPT_PRIVATE}, write_json(value))


def page_headers(content_type: str) -> dict[str, str]:
    """Return the headers of what a browser shows: it runs no script and asks nobody but this server for anything."""
    policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    # With `no-referrer` a browser would send its own forms with `Origin: null`.
    return {
        "Content-Type": content_type,
        "Content-Security-Policy": policy,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "same-origin",
        **_KEPT_PRIVATE,
    }


def bad_document(error: DocumentError) -> RefusalError:
    """Return the 400 that tells what is wrong with a document; each problem names its place."""
    return RefusalError(400, str(error), "invalid_request")


@cache
def _shape(name: str) -> Schema:
    schema = packaged_schema("admin/bodies.schema.json")
    return Schema({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}, {})
