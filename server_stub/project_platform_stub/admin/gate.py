"""Who may use the admin routes: programs and the page itself, but no other web page in the same browser.

The routes change things without a token. Any web page can make a browser send requests to this machine, so a request
that a browser sends for another page is refused, and so is one that gives this server a name of somebody else's
(DNS rebinding). Programs send none of these headers and are let through.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection

from project_platform_stub.http.errors import RefusalError, forbidden
from project_platform_stub.http.messages import Request

FORM = "application/x-www-form-urlencoded"
IN_PROCESS = "stub"  # The host of a request that names none, which only a program without a socket sends.

# RFC 6761: nobody can register a name under these, nor one without a dot.
_NOBODYS = ("localhost", "test", "example")


def check_gate(request: Request, allowed_hosts: Collection[str]) -> None:
    """Refuse a request with a 403 or 421 that may come from somebody else's web page.

    Args:
        request: The request.
        allowed_hosts: Names under which this server is known, besides those that nobody can register.
    """
    host = request.headers.get("host", IN_PROCESS)
    if not _is_allowed(host, allowed_hosts):
        # RFC 9110 section 15.5.20: the request was meant for another server.
        raise RefusalError(421, f"Host: {_name(host)!r} is no name of this server", "unknown_host")
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        raise forbidden("Origin: the request comes from another site", "cross_site")
    site = request.headers.get("sec-fetch-site", "none")
    if site not in {"same-origin", "none"} and not _is_visit(request):
        raise forbidden("Sec-Fetch-Site: the request comes from another site", "cross_site")


def check_form(request: Request) -> None:
    """Refuse a form that does not show that it comes from a page of this server, as every browser can show."""
    if media_type(request) != FORM:
        raise RefusalError(415, f"body: must be {FORM}", "unsupported_media_type")
    if "origin" not in request.headers and request.headers.get("sec-fetch-site") != "same-origin":
        raise forbidden("Origin: is missing; programs use the JSON routes", "cross_site")


def media_type(request: Request) -> str:
    """Return the media type of a request's body, without parameters."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def _is_visit(request: Request) -> bool:
    """Return whether somebody follows a link to here from elsewhere, which changes nothing."""
    return request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate"


def _is_allowed(host: str, allowed_hosts: Collection[str]) -> bool:
    name = _name(host)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        last = name.rpartition(".")[2]
        return bool(name) and (name in allowed_hosts or "." not in name or last in _NOBODYS)
    return True  # An address is nobody's name: a browser that shows it talks to just that address.


def _name(host: str) -> str:
    """Return a host without its port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower().rstrip(".")
