"""A certificate authority, and the TLS contexts of the servers and of the clients under test.

The certificates pass the strict checks of RFC 5280, as Python 3.13 makes them.
"""

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

HOST: Final = "platform.test"  # only the proxies know where it is

# RFC 5280 section 4.2.1.3: an authority says that its key signs certificates.
_KEY_USAGE: Final = x509.KeyUsage(
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


@dataclass
class Certificates:
    """A certificate authority that only the tests trust, with a folder for its files."""

    folder: Path

    def __post_init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Authority of the tests")])
        self._ca = self._sign(
            self._name,
            self._key,
            (x509.BasicConstraints(ca=True, path_length=None), True),
            (_KEY_USAGE, True),
        )

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *extensions: tuple[x509.ExtensionType, bool]
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(self._key, hashes.SHA256())

    def client(self) -> ssl.SSLContext:
        pem = self._ca.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def server(self, *hosts: str, address: str = "127.0.0.9") -> ssl.SSLContext:
        """Return the context of a server whose certificate is for these hosts and this address."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [*map(x509.DNSName, hosts), x509.IPAddress(ipaddress.ip_address(address))]
        # RFC 5280 section 4.1.2.6: where the subject is empty, the alternative name is critical.
        certificate = self._sign(x509.Name([]), key, (x509.SubjectAlternativeName(names), True))
        path = self.folder / f"{hosts[0]}.pem"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context


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


@functools.cache
def contexts() -> Contexts:
    """Return the contexts of this process; the keys are new in each process."""
    with tempfile.TemporaryDirectory() as name:
        trusted, other = Certificates(Path(name)), Certificates(Path(name))
        server, http2, impostor = (
            authority.server(HOST, "localhost", address="127.0.0.1") for authority in (trusted, trusted, other)
        )
        http2.set_alpn_protocols(["h2"])
        return Contexts(server, http2, impostor, trusted.client())
