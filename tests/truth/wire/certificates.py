"""A certificate authority, and the TLS contexts of the servers and of the clients under test."""

from __future__ import annotations

import datetime
import functools
import ipaddress
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOST: Final = "platform.test"  # only the proxies know where it is

_SIGNS_CERTIFICATES: Final = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


@dataclass(frozen=True)
class Contexts:
    """The TLS contexts of a process.

    Attributes:
        server: The service and the proxies.
        http2: The service, with HTTP/2 offered by ALPN.
        impostor: A server whose certificate is not signed by the authority that clients trust.
        client: A client that trusts the authority.
    """

    server: ssl.SSLContext
    http2: ssl.SSLContext
    impostor: ssl.SSLContext
    client: ssl.SSLContext


class _Authority:
    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = _signed(name, self._key.public_key(), name, self._key, authority=True)

    def context(self) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _signed(HOST, key.public_key(), self._name, self._key, authority=False)
        file = self._folder / f"{self._name}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _signed(name, public_key, issuer, issuer_key, *, authority: bool) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        # Python 3.13 verifies strictly (RFC 5280).
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    )
    if authority:
        builder = builder.add_extension(_SIGNS_CERTIFICATES, critical=True)
    if not authority:
        names = [x509.DNSName(HOST), x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


@functools.cache
def contexts() -> Contexts:
    """Return the contexts of this process; the keys are new in each process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trusted, other = _Authority(folder, "trusted"), _Authority(folder, "other")
        http2 = trusted.context()
        http2.set_alpn_protocols(["h2"])
        client = ssl.create_default_context(
            cadata=trusted.certificate.public_bytes(serialization.Encoding.PEM).decode()
        )
        return Contexts(trusted.context(), http2, other.context(), client)
