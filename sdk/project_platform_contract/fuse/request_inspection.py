"""What a request says on the wire, read with suspicion: nothing that a server might read differently passes for harmless."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

import httpx

# Servers and proxies exist that take the method, the path or the host from these instead.
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
_ENCODED_TWICE: Final = 5  # Rounds of percent-decoding; more are a trick.


class Pairs(list[tuple[str, Any]]):
    """A JSON object as it is written: with every member, those of the same name too."""


def rerouting(request: httpx.Request) -> str | None:
    """Return what in a request could lead it elsewhere than its URL and method say; None if nothing does."""
    for name in request.headers:
        if name.lower() in _REROUTING:
            return f"the header {name}"
    hosts = request.headers.get_list("Host")
    if [host.lower() for host in hosts] not in ([], [request.url.netloc.decode("ascii").lower()]):
        return f"the header Host: {', '.join(hosts)}"
    if "Content-Length" in request.headers and "Transfer-Encoding" in request.headers:
        return "two headers that say how long the body is"
    # What httpcore sends instead of the URL's path, and asks the certificate for instead of its host.
    for name in ("target", "sni_hostname"):
        if name in request.extensions:
            return f"the extension {name!r}"
    for name, _ in parse_qsl(request.url.query.decode("ascii", "replace"), keep_blank_values=True):
        if name.lower() in _METHOD_MEMBERS:
            return f"the query parameter {name}"
    if request.headers.get("Content-Type", "").strip().lower().startswith(_FORMS):
        return "a form as its body"
    return None


def decoded(segment: str) -> str | None:
    """Return what a path segment stands for; None if servers may disagree about it."""
    for _ in range(_ENCODED_TWICE):
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
    """Return the JSON of a body, its objects as `Pairs`; None if there is no body.

    Raises:
        ValueError: It is no JSON, or cannot be read as the server would read it.
    """
    if not request.content:
        return None
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise ValueError("its body is compressed")
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", request.headers.get("Content-Type", ""), re.IGNORECASE)
    if charset is not None and charset[1].lower() not in {"utf-8", "utf8"}:
        raise ValueError(f"its body is said to be {charset[1]}")
    try:
        return json.loads(request.content.decode("utf-8"), object_pairs_hook=Pairs)
    except RecursionError:
        raise ValueError("its body is nested too deeply") from None


def addresses(body: Any) -> Iterator[str]:
    """Give every text that may be read as an address, names of members too, wherever in a body it stands."""
    level: list[Any] = [body]
    while level:
        item = level.pop()
        if isinstance(item, Pairs):
            level.extend(key for key, _ in item)
            # A calendar's identifier often looks like an address; nobody is written to there.
            level.extend(value for key, value in item if not (key == "calendarId" and isinstance(value, str)))
        elif isinstance(item, list):
            level.extend(item)
        elif isinstance(item, str) and "@" in unicodedata.normalize("NFKC", item):
            yield item


def members(body: Any, name: str) -> list[Any]:
    """Return the values of all members of that name at the top of a body."""
    return [value for key, value in body if key == name] if isinstance(body, Pairs) else []


def pairs(value: Any) -> Any:
    """Return a value with its objects as `Pairs`, as `json_body` returns it."""
    if isinstance(value, dict):
        return Pairs((key, pairs(member)) for key, member in value.items())
    return [pairs(item) for item in value] if isinstance(value, list) else value
