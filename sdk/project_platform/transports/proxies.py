"""The proxy of the environment, and how to connect through it: CONNECT (RFC 9110) or SOCKS5 (RFC 1928, RFC 1929)."""

from __future__ import annotations

import base64
import importlib.util
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ..calls.configuration import is_loopback
from ..calls.headers import lines_of
from ..errors import UsageError
from .http1 import Http1
from .steps import NoConnectionError, Steps, StreamBrokenError, StreamError

_MAX_SOCKS_CREDENTIAL: Final = 255  # bytes (RFC 1929, section 2)
_PORTS: Final = {"http": 80, "https": 443, "socks5": 1080}


def environment_proxy(base_url: str) -> Proxy | None:
    """Return the proxy that the environment, or the settings of the system, name for a base URL.

    There is none for a host on this machine: `http` is allowed there, and a proxy may be on another machine.

    Raises:
        UsageError: The proxy cannot be used.
    """
    scheme, netloc, *_ = urlsplit(base_url)
    if is_loopback(urlsplit(base_url).hostname or ""):
        return None
    proxies = getproxies()
    url = proxies.get(scheme) or proxies.get("all")
    if not url or proxy_bypass(netloc):
        return None
    variable = f"{scheme}_proxy" if proxies.get(scheme) else "all_proxy"
    return Proxy.of(url, variable.upper())


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy.

    Attributes:
        scheme: `http`, `https` or `socks5`.
        host: Name or address, without the brackets of an IPv6 address.
        port: The port.
        user: User name, None without one.
        password: Password; "" without one.
    """

    scheme: str
    host: str
    port: int
    user: str | None = field(default=None, repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, url: str, variable: str) -> Proxy:
        """Return the proxy of a URL; a URL without a scheme is an http proxy, as for curl.

        Args:
            url: The URL.
            variable: Name of the environment variable, for the error.

        Raises:
            UsageError: The URL cannot be read, its scheme is not known, or the package that it needs is missing.
        """
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            scheme = "socks5" if parts.scheme == "socks5h" else parts.scheme
            host, port = parts.hostname, parts.port
        except ValueError as error:
            # Its text may quote a password.
            raise UsageError(f"{variable} is not a URL of a proxy ({type(error).__name__}); {_WAY_OUT}") from None
        if scheme not in _PORTS:
            raise UsageError(f"{variable} has the scheme {scheme!r}; {_WAY_OUT}")
        if not host or any(character.isspace() for character in host):
            raise UsageError(f"{variable} does not name the host of a proxy; {_WAY_OUT}")
        if scheme == "socks5" and importlib.util.find_spec("socksio") is None:
            raise UsageError(
                f"{variable} is a SOCKS proxy, which needs a package: pip install 'project-platform[socks]'"
            )
        user = None if parts.username is None else unquote(parts.username)
        password = unquote(parts.password or "")
        if scheme == "socks5" and max(len((user or "").encode()), len(password.encode())) > _MAX_SOCKS_CREDENTIAL:
            raise UsageError(
                f"{variable} has a user name or a password of more than 255 bytes, which SOCKS5 cannot carry"
            )
        return cls(scheme, host, port or _PORTS[scheme], user, password)

    @property
    def credentials(self) -> list[tuple[bytes, bytes]]:
        """The header field with the credentials, which goes to the proxy and never to the service."""
        if self.user is None:
            return []
        encoded = base64.b64encode(f"{self.user}:{self.password}".encode())
        return [(b"Proxy-Authorization", b"Basic " + encoded)]

    def name_in(self, error: StreamError) -> None:
        """Name the proxy in the error of a connection to it, which otherwise seems to be that of the service."""
        error.args = (f"{error} (the proxy {self.host}:{self.port})",)

    def forwards(self, scheme: str) -> bool:
        """Return whether the proxy is sent the requests of a scheme, and does not only open a tunnel for them."""
        return self.scheme != "socks5" and scheme == "http"

    def tunnel(self, host: str, port: int) -> Steps[None]:
        """Open a tunnel to a host. If that fails, nothing of a request was sent."""
        return self._socks_tunnel(host, port) if self.scheme == "socks5" else self._http_tunnel(host, port)

    def _http_tunnel(self, host: str, port: int) -> Steps[None]:
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        authority = target.encode("ascii")
        # A memoryview, as in `WireRequest.head`.
        head = memoryview(
            b"CONNECT %b HTTP/1.1\r\n%b\r\n" % (authority, lines_of([(b"Host", authority), *self.credentials]))
        )
        response = yield from Http1().exchange(head, b"")
        # A 2xx has no body (RFC 9110, section 9.3.6), and the host sends nothing before TLS begins.
        if not 200 <= response.status < 300:  # noqa: PLR2004
            raise NoConnectionError(f"the proxy responded to CONNECT with {response.status}")

    def _socks_tunnel(self, host: str, port: int) -> Steps[None]:
        from socksio import socks5

        connection: Any = socks5.SOCKS5Connection()
        method = socks5.SOCKS5AuthMethod.NO_AUTH_REQUIRED
        if self.user is not None:
            method = socks5.SOCKS5AuthMethod.USERNAME_PASSWORD
        connection.send(socks5.SOCKS5AuthMethodsRequest([method]))
        yield memoryview(connection.data_to_send())
        if (yield from _reply(connection, 2)).method != method:
            raise NoConnectionError("the SOCKS proxy requires another way to log in")
        if self.user is not None:
            connection.send(socks5.SOCKS5UsernamePasswordRequest(self.user.encode(), self.password.encode()))
            yield memoryview(connection.data_to_send())
            if not (yield from _reply(connection, 2)).success:
                raise NoConnectionError("the SOCKS proxy refuses the user name and password")
        connection.send(socks5.SOCKS5CommandRequest.from_address(socks5.SOCKS5Command.CONNECT, (host, port)))
        yield memoryview(connection.data_to_send())
        # Four bytes, an address whose length depends on its type, and a port (RFC 1928, section 6).
        head = yield from _read_exactly(5)
        address = {1: 4, 4: 16}.get(head[3], 1 + head[4])
        response = _parsed(connection, head + (yield from _read_exactly(address + 2 - 1)))
        if response.reply_code != socks5.SOCKS5ReplyCode.SUCCEEDED:
            reason = response.reply_code.name.lower().replace("_", " ")
            raise NoConnectionError(f"the SOCKS proxy does not connect: {reason}")


_WAY_OUT: Final = "give a URL such as http://proxy.example:3128, https://... or socks5://..., or remove the variable"


def _reply(connection: Any, length: int) -> Steps[Any]:
    return _parsed(connection, (yield from _read_exactly(length)))


def _parsed(connection: Any, data: bytes) -> Any:
    from socksio.exceptions import SOCKSError

    try:
        return connection.receive_data(data)
    except (SOCKSError, ValueError) as error:
        raise StreamBrokenError(f"the SOCKS proxy sent an invalid reply ({type(error).__name__})") from None


def _read_exactly(length: int) -> Steps[bytes]:
    """Read so that not one byte more is taken: what follows a SOCKS reply is sent by the host."""
    data = b""
    while len(data) < length:
        more = yield length - len(data)
        if not more:
            raise StreamBrokenError("the SOCKS proxy closed the connection")
        data += more
    return data
