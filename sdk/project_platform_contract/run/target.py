"""What the rules are proven on: a deployment, or the stub in process or over a socket."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import httpx

from project_platform_contract.data.data_file import Data, MissingError

if TYPE_CHECKING:
    from project_platform_stub import Invitation, Project, Stub

Kind: TypeAlias = Literal["in-process", "socket", "deployment"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go.

    Attributes:
        base_url: Its address.
        data: What it has to prove rules with.
        stub: The stub behind it, if it is one in this process.
        in_process: Whether it is reached without a socket.
    """

    base_url: str
    data: Data
    stub: Stub | None = None
    in_process: bool = False

    def transport(self) -> httpx.BaseTransport:
        """Return a transport that reaches it directly: certificates are checked, and no proxy is used."""
        if self.in_process and self.stub is not None:
            return self.stub.transport()
        return httpx.HTTPTransport(retries=0, verify=_certificates(), trust_env=False)

    def outbox(self) -> Sequence[Invitation]:
        """Return the invitations that the stub has sent to attendees.

        Raises:
            MissingError: The target is a deployment.
        """
        if self.stub is None:
            raise MissingError("an invitation cannot be seen from here")
        return self.stub.outbox

    def stub_project(self, fact: str) -> Project:
        """Return the stub's project, to see what no operation shows.

        Args:
            fact: What is to be seen, for the reason that a rule was not run.

        Raises:
            MissingError: The target is a deployment.
        """
        if self.stub is None:
            raise MissingError(f"{fact} cannot be seen from here")
        return self.stub.project


@cache
def _certificates() -> ssl.SSLContext:
    """Return how certificates are checked, made once: it takes longer than a request."""
    # From the environment come certificates of one's own (SSL_CERT_FILE), and nothing else.
    return httpx.create_ssl_context(verify=True, trust_env=True)


@contextmanager
def stub_target(how: Kind) -> Iterator[Target]:
    """Give a stub of its own as a target, in process or on a socket."""
    from project_platform_contract.data.stub_data import stub_data
    from project_platform_stub import Stub

    stub = Stub()
    if how == "in-process":
        yield Target("http://stub.localhost", stub_data(stub), stub, in_process=True)
        return
    with stub.serve() as server:
        yield Target(server.base_url, stub_data(stub), stub)
