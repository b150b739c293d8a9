"""Choose the transport of a client: the user's, httpx by its name, or the SDK's own connections."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Final

from ..errors import UsageError

if TYPE_CHECKING:
    import ssl

    from .proxies import Proxy
    from .transport import AsyncTransport, Transport

TRANSPORT_VARIABLE: Final = "PROJECT_PLATFORM_TRANSPORT"


def resolve_transport(given: object, verify: bool | ssl.SSLContext, base_url: str) -> Transport:
    """Return the given or named transport; without one, the SDK's own connections, through the proxy of the environment.

    Raises:
        UsageError: The given object is not a transport, or is one of the other kind of client; or its name is unknown; or the
            proxy cannot be used.
    """
    if _names_httpx(given):
        from .httpx_client import own_transport

        return own_transport(verify, base_url)
    if given is not None:
        from .httpx_client import adapt

        return adapt(given)
    from .pool import ConnectionTransport
    from .tls import checked_verify, tls_context

    return ConnectionTransport(functools.partial(tls_context, checked_verify(verify)), proxy=_proxy(base_url))


def resolve_async_transport(given: object, verify: bool | ssl.SSLContext, base_url: str) -> AsyncTransport:
    """Same as `resolve_transport`, but for an `AsyncClient`."""
    if _names_httpx(given):
        from .httpx_client import own_async_transport

        return own_async_transport(verify, base_url)
    if given is not None:
        from .httpx_client import adapt_async

        return adapt_async(given)
    from .async_pool import AsyncConnectionTransport
    from .tls import checked_verify, tls_context

    return AsyncConnectionTransport(functools.partial(tls_context, checked_verify(verify)), proxy=_proxy(base_url))


def _proxy(base_url: str) -> Proxy | None:
    """Return the proxy of the environment. Where no variable names one, the modules that read the settings are not imported."""
    if sys.platform not in {"darwin", "win32"} and not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    from .proxies import environment_proxy

    return environment_proxy(base_url)


def _names_httpx(given: object) -> bool:
    """Return whether the argument names httpx, or the environment if there is no argument."""
    name = os.environ.get(TRANSPORT_VARIABLE) or None if given is None else given
    if not isinstance(name, str):
        return False
    if name != "httpx":
        place = TRANSPORT_VARIABLE if given is None else "transport"
        raise UsageError(f"{place} is {name!r}; the only transport that has a name is 'httpx'")
    return True
