"""One run of the suite in one process: its target, fuse and ledger, and the clients of its tests."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx

from project_platform_contract.data.data_file import Data
from project_platform_contract.fuse import Fuse, FusedTransport
from project_platform_contract.fuse.ledger import Ledger
from project_platform_contract.operations import Effect

from .api import Api, Exchange, Nonconformity
from .target import Target

TIMEOUT = 30.0  # Seconds; a label export may take a while.


@dataclass(slots=True)
class Run:
    """The state that all tests of a process share.

    Attributes:
        target: The target of the requests.
        fuse: Checks every request.
        ledger: Records every write.
        tag: Name prefix of everything that the run creates.
    """

    target: Target
    fuse: Fuse
    ledger: Ledger
    tag: str

    @property
    def data(self) -> Data:
        """The data of the run."""
        return self.target.data

    def allows(self, effect: Effect) -> bool:
        """Return whether an effect is allowed."""
        return effect in self.fuse.limits.effects

    def client(self, token: str | None) -> httpx.Client:
        """Return a client behind the fuse, with or without a token; it does not follow redirects."""
        headers = {"Accept": "*/*", "User-Agent": "project-platform-contract"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return httpx.Client(
            base_url=self.target.base_url,
            transport=FusedTransport(self.target.transport(), self.fuse),
            headers=headers,
            timeout=TIMEOUT,
            trust_env=False,  # A proxy is another host, and a password of ~/.netrc another credential.
            follow_redirects=False,
        )

    def api(self, token: str | None, exchanges: list[Exchange], nonconformities: list[Nonconformity]) -> Api:
        """Return an `Api` that adds to the exchanges and nonconformities of a test."""
        return Api(self.client(token), self.data["project"], exchanges, nonconformities)


def new_tag() -> str:
    """Return a new tag, such as `contract-20261121-090000-1f3a`."""
    return f"contract-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
