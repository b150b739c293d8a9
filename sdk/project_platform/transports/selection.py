"""Choose the transport of a client: the user's, the SDK's own connections, or httpx if there is a proxy."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..calls.configuration import is_loopback
from . import transport

if TYPE_CHECKING:
    import ssl

    import httpx

    from .transport import AsyncTransport, Transport


def resolve_transport(
    given: Transport | httpx.BaseTransport | httpx.Client | None, verify: bool | ssl.SSLContext, base_url: str
) -> Transport:
    """Return the given transport; without one, httpx if there is a proxy, else the SDK's own connections.

    Raises:
        UsageError: The given object is not a transport, or is one of the other kind of client.
    """
    if given is not None:
        return transport.adapt(given)
    if _behind_proxy(base_url):
        return transport.proxied_transport(verify)
    from .connections import ConnectionTransport

    return ConnectionTransport(functools.partial(transport.tls_context, verify))


def resolve_async_transport(
    given: AsyncTransport | httpx.AsyncBaseTransport | httpx.AsyncClient | None,
    verify: bool | ssl.SSLContext,
    base_url: str,
) -> AsyncTransport:
    """Same as `resolve_transport`, but for an `AsyncClient`."""
    if given is not None:
        return transport.adapt_async(given)
    if _behind_proxy(base_url):
        return transport.proxied_async_transport(verify)
    from .async_connections import AsyncConnectionTransport

    return AsyncConnectionTransport(functools.partial(transport.tls_context, verify))


def _behind_proxy(base_url: str) -> bool:
    """Return whether the environment or the system's settings name a proxy, and the host is another machine."""
    if is_loopback(urlsplit(base_url).hostname or ""):
        return False  # plain http is allowed for this machine only, and a proxy may be on another
    if sys.platform in {"darwin", "win32"}:
        from urllib.request import getproxies

        return any(scheme != "no" for scheme in getproxies())
    return any(
        name.lower() in {"http_proxy", "https_proxy", "all_proxy"} and value for name, value in os.environ.items()
    )
