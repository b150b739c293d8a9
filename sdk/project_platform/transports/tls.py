"""TLS as steps, on buffers in memory: every byte that was received is in sight."""

from __future__ import annotations

import codecs
import functools
import ssl
from collections.abc import Callable
from typing import Final

from ..calls.configuration import checked
from ..first_use import IMPORTING
from .steps import READ_SIZE, Steps, StreamBrokenError, T

_UNKNOWN_AUTHORITY: Final = range(18, 22)  # of OpenSSL's X509_V_ERR: self-signed, or an issuer that is not known


class Tls:
    """The client's side of one TLS connection."""

    __slots__ = ("_incoming", "_object", "_outgoing")

    def __init__(self, context: ssl.SSLContext, host: str) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    def handshake(self) -> Steps[None]:
        """Agree on keys, and check the certificate."""
        yield from self._perform(self._object.do_handshake)
        if self._outgoing.pending:
            yield memoryview(self._outgoing.read())

    def read(self, max_bytes: int) -> Steps[bytes]:
        """Return the next bytes; b"" after the peer has said that there are no more."""
        if not self.has_unread():
            # OpenSSL would say so by an exception, which takes as long as decrypting a short response.
            self._receive((yield READ_SIZE))
        try:
            return (yield from self._perform(self._object.read, max_bytes))
        except ssl.SSLZeroReturnError:
            return b""

    def write(self, data: memoryview) -> Steps[None]:
        """Write bytes."""
        rest = data
        while rest:
            written = yield from self._perform(self._object.write, rest[:READ_SIZE])
            rest = rest[written:]
            yield memoryview(self._outgoing.read())

    def has_unread(self) -> bool:
        """Return whether bytes were received that were not read, decrypted or not."""
        # Reading would show whether they are only a session ticket, but would also take in part of a record unnoticed.
        return bool(self._object.pending() or self._incoming.pending)

    def _receive(self, data: bytes) -> None:
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    def _perform(self, function: Callable[..., T], *arguments: int | memoryview) -> Steps[T]:
        while True:
            try:
                return function(*arguments)
            except ssl.SSLWantReadError:
                if self._outgoing.pending:
                    yield memoryview(self._outgoing.read())
                self._receive((yield READ_SIZE))
            except ssl.SSLZeroReturnError:
                raise
            except ssl.SSLError as error:
                # The certificate is refused, or the connection ended without the message that ends TLS.
                reason = getattr(error, "verify_message", None) or error.reason or error
                if getattr(error, "verify_code", None) in _UNKNOWN_AUTHORITY:
                    reason = f"{reason}; trust the authority that signed it by verify, or by SSL_CERT_FILE"
                raise StreamBrokenError(f"TLS failed: {reason}") from error


def checked_verify(verify: bool | ssl.SSLContext) -> bool | ssl.SSLContext:
    """Return how certificates are verified.

    Raises:
        UsageError: It is of another type.
    """
    advice = "give True, False, or an ssl.SSLContext such as ssl.create_default_context(cafile=...)"
    checked("verify", verify, (bool, ssl.SSLContext), advice)
    return verify


def tls_context(verify: bool | ssl.SSLContext) -> ssl.SSLContext:
    """Return the TLS context to use; those for True and False are created on first use and shared by the process."""
    return _tls_context(verify) if isinstance(verify, bool) else verify


@functools.cache  # creating one takes 17 ms
def _tls_context(verify: bool) -> ssl.SSLContext:
    with IMPORTING:
        import httpx

        codecs.lookup("idna")  # `ssl` uses it for the name of a host

    try:
        return httpx.create_ssl_context(verify=verify)
    except OSError as error:
        raise OSError(
            error.errno, f"the certificates that SSL_CERT_FILE or SSL_CERT_DIR names: {error.strerror}"
        ) from error
