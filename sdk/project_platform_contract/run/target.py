"""The target of a run: a deployment, or the stub in process or on a socket."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import httpx

from project_platform_contract.data.data_file import Data, MissingError

from .bounded_transport import BoundedTransport

if TYPE_CHECKING:
    from project_platform_stub import Invitation, Project, Stub

Kind: TypeAlias = Literal["in-process", "socket", "deployment"]


@dataclass(frozen=True, slots=True)
class Target:
    """The target of the requests.

    Attributes:
        base_url: Base URL.
        data: Data to prove the rules with.
        stub: The stub, if the target is a stub in this process; else None.
        in_process: Whether requests reach the stub without a socket.
    """

    base_url: str
    data: Data
    stub: Stub | None = None
    in_process: bool = False

    def transport(self) -> httpx.BaseTransport:
        """Return a transport to the target that limits time and size, verifies certificates and uses no proxy."""
        if self.in_process and self.stub is not None:
            return self.stub.transport()
        return BoundedTransport(_certificates)

    def outbox(self) -> Sequence[Invitation]:
        """Return the invitations that the stub has sent to attendees.

        Raises:
            MissingError: The target is a deployment.
        """
        if self.stub is None:
            raise MissingError("no operation shows an invitation; only a stub does")
        return self.stub.outbox

    def stub_project(self, fact: str) -> Project:
        """Return the stub's project, for values that no operation shows.

        Args:
            fact: The value, for the reason of the rule that is not run.

        Raises:
            MissingError: The target is a deployment.
        """
        if self.stub is None:
            raise MissingError(f"no operation shows {fact}; only a stub does")
        return self.stub.project


@cache
def _certificates() -> ssl.SSLContext:
    """Return the TLS context, cached because its creation takes longer than a request."""
    # trust_env adds the certificates of SSL_CERT_FILE, and nothing else.
    return httpx.create_ssl_context(verify=True, trust_env=True)


@contextmanager
def stub_target(how: Kind) -> Iterator[Target]:
    """Create a stub, and yield it as a target, in process or on a socket."""
    from project_platform_contract.data.stub_data import stub_data
    from project_platform_stub import Stub

    stub = Stub()
    if how == "in-process":
        yield Target("http://stub.localhost", stub_data(stub), stub, in_process=True)
        return
    with stub.serve() as server:
        yield Target(server.base_url, stub_data(stub), stub)
