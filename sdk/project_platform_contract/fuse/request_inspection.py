"""Strict parsing of requests for the fuse: anything that a server might read in another way is reported."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

import httpx

# Headers from which some servers and proxies take the method, the path or the host.
_REROUTING: Final = frozenset(
    {
        "forwarded",
        "upgrade",
        "x-forwarded-host",
        "x-forwarded-path",
        "x-forwarded-prefix",
        "x-forwarded-uri",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "x-original-method",
        "x-original-uri",
        "x-original-url",
        "x-rewrite-url",
    }
)
_METHOD_MEMBERS: Final = frozenset({"_method", "x-http-method-override", "_httpmethod"})
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/")
_DECODING_ROUNDS: Final = 5  # A segment that is still encoded after these is refused.

RELATIONS: Final = "relations"
"""An object of records whose shape is not shown, so that every string in it counts as an identifier."""

REFERENCES: Final = ("accountId", "calendarId", "externalId", "typeSlug", RELATIONS)
"""Members of request bodies that address something that exists, or may exist."""

_BY_SPELLING: Final = {name.lower(): name for name in REFERENCES}


class Pairs(list[tuple[str, Any]]):
    """A JSON object as a list of its members, which preserves duplicate names."""


def rerouting_part(request: httpx.Request) -> str | None:
    """Return the part of a request that could override its URL or method, such as a header; None if there is none."""
    for name in request.headers:
        if name.lower() in _REROUTING:
            return f"the header {name}"
    hosts = request.headers.get_list("Host")
    if [host.lower() for host in hosts] not in ([], [request.url.netloc.decode("ascii").lower()]):
        return f"the header Host: {', '.join(hosts)}"
    if "Content-Length" in request.headers and "Transfer-Encoding" in request.headers:
        return "the combination of Content-Length and Transfer-Encoding"
    # httpcore sends `target` instead of the path, and checks the certificate for `sni_hostname` instead of the host.
    for name in ("target", "sni_hostname"):
        if name in request.extensions:
            return f"the extension {name!r}"
    for name, _ in parse_qsl(request.url.query.decode("ascii", "replace"), keep_blank_values=True):
        if name.lower() in _METHOD_MEMBERS:
            return f"the query parameter {name}"
    if request.headers.get("Content-Type", "").strip().lower().startswith(_FORMS):
        return "a form body"
    return None


def decode_segment(segment: str) -> str | None:
    """Return a percent-decoded path segment; None if servers may read it in different ways."""
    for _ in range(_DECODING_ROUNDS):
        plain = unquote(segment, errors="replace")
        if plain == segment:
            break
        segment = plain
    else:
        return None
    if any(part in {"", ".", ".."} for part in re.split(r"[/\\]", segment)):
        return None
    return None if any(unicodedata.category(character) == "Cc" for character in segment) else segment


def json_body(request: httpx.Request) -> Any:
    """Return the JSON body, with objects as `Pairs`; None if there is no body.

    Raises:
        ValueError: The body is not JSON, or a server might read it in another way.
    """
    if not request.content:
        return None
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise ValueError("the body is compressed")
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", request.headers.get("Content-Type", ""), re.IGNORECASE)
    if charset is not None and charset[1].lower() not in {"utf-8", "utf8"}:
        raise ValueError(f"the charset of the body is {charset[1]}, not UTF-8")
    try:
        return json.loads(request.content.decode("utf-8"), object_pairs_hook=Pairs)
    except RecursionError:
        raise ValueError("the body is nested too deeply") from None


def addresses(body: Any) -> Iterator[str]:
    """Yield every string in a body that may be an email address, including names of members."""
    level: list[Any] = [body]
    while level:
        item = level.pop()
        if isinstance(item, Pairs):
            level.extend(key for key, _ in item)
            # The identifier of a calendar often looks like an address, but no message is sent to it.
            level.extend(value for key, value in item if not (key == "calendarId" and isinstance(value, str)))
        elif isinstance(item, list):
            level.extend(item)
        elif isinstance(item, str) and "@" in unicodedata.normalize("NFKC", item):
            yield item


def pairs(value: Any) -> Any:
    """Return a value with its objects as `Pairs`, in the form that `json_body` returns."""
    if isinstance(value, dict):
        return Pairs((key, pairs(member)) for key, member in value.items())
    return [pairs(item) for item in value] if isinstance(value, list) else value


def references(body: Any) -> Iterator[tuple[str, str]]:
    """Yield the identifiers in a body, each with the name of its member.

    Args:
        body: A JSON body, with objects as `Pairs`. Members of another type than string are no identifiers, since all
            identifiers are strings.
    """
    for name, value in body if isinstance(body, Pairs) else ():
        # Lenient servers accept other spellings of a name.
        member = _BY_SPELLING.get(unicodedata.normalize("NFKC", name).replace("_", "").replace("-", "").lower())
        if member == RELATIONS:
            yield from ((member, text) for text in _strings(value) if not isinstance(value, str))
        elif member is not None and isinstance(value, str) and value:
            yield member, value


def _strings(value: Any) -> Iterator[str]:
    level: list[Any] = [value]
    while level:
        item = level.pop()
        if isinstance(item, Pairs):
            level.extend(member for _, member in item)
        elif isinstance(item, list):
            level.extend(item)
        elif isinstance(item, str) and item:
            yield item
