"""Protection of the admin routes against other web sites in the same browser.

The routes change state without a token, and any web page can make a browser send requests to this machine. So requests
that a browser sends for another site are refused, and requests with an unknown host name as well (DNS rebinding).
Programs send none of these headers and are accepted.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection

from project_platform_stub.http.errors import ApiError, forbidden, unsupported
from project_platform_stub.http.messages import Request, media_type

FORM = "application/x-www-form-urlencoded"
IN_PROCESS = "stub"  # The host of a request without a `Host` header, which only in-process transports send.

# RFC 6761: names under these domains cannot be registered, nor can names without a dot.
_RESERVED = ("localhost", "test", "example")


def check_gate(request: Request, allowed_hosts: Collection[str]) -> None:
    """Raise a 403 or 421 for a request that may come from another web site.

    Host names that cannot be registered are allowed besides those of this server.
    """
    host = request.headers.get("host", IN_PROCESS)
    if not _is_allowed(host, allowed_hosts):
        # RFC 9110 section 15.5.20: the request was directed at another server.
        name = _name(host)
        message = f"Host: {name!r} is not a name of this server; use its address, a name without a dot or under .test, or Stub(hosts=)"
        raise ApiError(421, message, "unknown_host")
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        raise forbidden("Origin: the request comes from another site", "cross_site")
    site = request.headers.get("sec-fetch-site", "none")
    # Following a link from another site changes nothing.
    is_visit = request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate"
    if site not in {"same-origin", "none"} and not is_visit:
        raise forbidden("Sec-Fetch-Site: the request comes from another site", "cross_site")


def check_form(request: Request) -> None:
    """Raise a 403 or 415 for a form without the headers by which browsers show that it comes from this server."""
    if (found := media_type(request)) != FORM:
        raise unsupported("Content-Type", found, f"it must be {FORM}")
    if "origin" not in request.headers and request.headers.get("sec-fetch-site") != "same-origin":
        raise forbidden("Origin: is required for a form; programs use the JSON routes", "cross_site")


def _is_allowed(host: str, allowed_hosts: Collection[str]) -> bool:
    name = _name(host)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        last = name.rpartition(".")[2]
        return bool(name) and (name in allowed_hosts or "." not in name or last in _RESERVED)
    return True  # DNS rebinding needs a name; a browser that shows an address is connected to that address.


def _name(host: str) -> str:
    """Return a host without its port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower().rstrip(".")
