"""One run of the suite in one process: its target, its fuse, its ledger, and what it may do."""

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
    """What all tests of a process share.

    Attributes:
        target: What the rules are proven on.
        fuse: What lets requests pass.
        ledger: Where is noted what is written.
        tag: What everything is named with that the run creates.
    """

    target: Target
    fuse: Fuse
    ledger: Ledger
    tag: str

    @property
    def data(self) -> Data:
        """What there is to prove rules with."""
        return self.target.data

    def allows(self, effect: Effect) -> bool:
        """Return whether the run may do this to the world."""
        return effect in self.fuse.limits.effects

    def client(self, token: str | None) -> httpx.Client:
        """Return a client behind the fuse, with a token or without one; it follows no redirect."""
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
        """Return calls with a token, or without one."""
        return Api(self.client(token), self.data["project"], exchanges, nonconformities)


def new_tag() -> str:
    """Return a name for all that a run creates, such as `contract-20261121-090000-1f3a`."""
    return f"contract-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
