"""CORS: the header fields by which web pages of other origins may call the operations (Fetch standard, section 3.3).

Nothing is allowed unless the user of the stub server names the origins. The routes under `/_stub/` are never allowed:
they need no token, so every page of such an origin could use them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from project_platform_stub.http.messages import Request

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s@,*]+|\*", re.IGNORECASE)
_FIELD_NAMES = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~, -]*")  # RFC 9110 section 5.1
# Header fields of responses that a page may read; without this, browsers show it only a few general ones.
_EXPOSED = "Allow, Retry-After, WWW-Authenticate, X-Label-Summary, X-Request-Id"
_MAX_AGE = "600"  # Seconds for which a browser may remember the response to a preflight; Starlette's default.


class CrossOrigin:
    """Adds header fields to responses to requests of allowed origins.

    Args:
        origins: The allowed origins, such as `http://localhost:5173`; `*` for every origin.

    Raises:
        ValueError: An origin is malformed.
    """

    def __init__(self, origins: Collection[str]) -> None:
        self._origins = frozenset(checked_origin(origin).lower() for origin in origins)

    def headers(self, request: Request) -> Mapping[str, str]:
        """Return the header fields of a response."""
        if not self._origins or request.raw_path.startswith(b"/_stub/"):
            return {}
        if "*" in self._origins:
            return {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": _EXPOSED}
        # A cache must not give the response for one origin to another one.
        varying = {"Vary": "Origin"}
        origin = request.headers.get("origin", "")
        if origin.lower() not in self._origins:
            return varying
        return {**varying, "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": _EXPOSED}

    def preflight(self, request: Request, methods: Iterable[str]) -> Mapping[str, str]:
        """Return the further header fields of the response to a preflight; none for a page that is not allowed."""
        is_preflight = "access-control-request-method" in request.headers
        if not is_preflight or "Access-Control-Allow-Origin" not in self.headers(request):
            return {}
        # Those that the page wants to send: `*` would not include Authorization.
        wanted = request.headers.get("access-control-request-headers", "")
        return {
            "Access-Control-Allow-Methods": ", ".join(methods),
            "Access-Control-Allow-Headers": wanted if _FIELD_NAMES.fullmatch(wanted) else "",
            "Access-Control-Max-Age": _MAX_AGE,
        }


def checked_origin(text: str) -> str:
    """Return an origin unchanged, or raise a ValueError if it is malformed."""
    if not _ORIGIN.fullmatch(text):
        raise ValueError(
            f"{text!r} is not an origin; write the scheme, the host and the port of the page without a path, such as "
            "http://localhost:5173, or * for every origin"
        )
    return text
