"""One run of the suite in one process: its target, fuse and ledger, and the clients of its tests."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx

from project_platform_contract.data.data_file import Data
from project_platform_contract.fuse import BlockedError, Fuse, FusedTransport
from project_platform_contract.fuse.backup import Backup
from project_platform_contract.fuse.ledger import Ledger
from project_platform_contract.operations import Effect, operation_by_id, operation_of

from .api import Api
from .conclusive import CalendarLag, Conclusive, Repeat, UnknownFates
from .credentials import Credentials
from .exchange import DownError, Exchange, Nonconformity, Plain
from .locks import Locks
from .shared_reads import FRESH, SharingTransport
from .target import TIMEOUT, Target


@dataclass(slots=True)
class Run:
    """The state that all tests of a process share.

    Attributes:
        tag: Name prefix of everything that the run creates.
        timeout: Maximum number of seconds for a whole request.
        locks: Locks on what other processes must not change at the same time; None for a stub, which only this process uses.
        taken: Operations of `RESTORED_OPERATIONS` whose thing another run on this machine is changing.
        unknown_fates: Requests that must not be sent again.
        accepted: Operations and identities of which a request succeeded in this process.
        unrestored: By path, the previous values of what this process could not restore.
        learned: Facts that the tests of this process learned of the service, by subject.
        plain: By operation, its accepted plain request, or why no other request of it is sent; None if that is not known.
        unknown_id: A UUID that nothing has, drawn at random: a write may address it.
        unknown_digits: A number of 15 digits, which doubles hold, that nothing has as its identifier, drawn at random: a write may name it.
        created: The requests that created something, which the tests of this process share.
        gate: Called with the operation of each request before it is sent; raises if the operation is down.
    """

    target: Target
    fuse: Fuse
    ledger: Ledger
    tag: str
    timeout: float = TIMEOUT
    locks: Locks | None = None
    taken: frozenset[str] = frozenset()
    conclusive: Conclusive = field(init=False)
    credentials: Credentials = field(init=False)
    unknown_fates: UnknownFates = field(default_factory=UnknownFates)
    accepted: set[str | None] = field(default_factory=set)
    unrestored: dict[str, Backup] = field(default_factory=dict)
    learned: dict[str, Any] = field(default_factory=dict)
    plain: dict[str, Plain | DownError | None] = field(default_factory=dict)
    calendar_lag: CalendarLag = field(default_factory=CalendarLag)
    created: list[Exchange] = field(default_factory=list)
    gate: Callable[[str], None] = lambda operation: None
    unknown_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    unknown_digits: str = field(default_factory=lambda: f"{secrets.randbelow(9 * 10**14) + 10**14}")
    _sending: FusedTransport = field(init=False)
    _transport: SharingTransport = field(init=False)

    def __post_init__(self) -> None:
        self.conclusive = Conclusive(self.control)
        self.credentials = Credentials(self.target.data, self._get)
        self._sending = FusedTransport(self.target.transport(), self.fuse)
        self._transport = SharingTransport(self._sending, self.target.base_url)
        self.fuse.unused |= {self.unknown_id, self.unknown_digits}

    @property
    def data(self) -> Data:
        """The data of the run."""
        return self.target.data

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while this process changes what the run did not create."""
        return self.locks or nullcontext()

    def allows(self, effect: Effect) -> bool:
        """Return whether an effect is allowed."""
        return effect in self.fuse.limits.effects

    def reserve(self, begin: datetime) -> bool:
        """Return whether a stretch of the calendar is reserved for one test; no other test of any run gets it."""
        return self.locks is None or self.locks.claim(int(begin.timestamp()))

    def forget_reads(self) -> None:
        """Send every read again that tests share."""
        self._transport.clear()

    def close(self) -> None:
        """Close all connections."""
        self._sending.close()

    def client(self, token: str | None) -> httpx.Client:
        """Return a client behind the fuse, with or without a token; it does not follow redirects.

        All clients have the same connections, so that requests of different callers follow each other on one: a service must
        not keep the caller of a connection.
        """
        headers = {"Accept": "*/*", "User-Agent": "project-platform-contract"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return httpx.Client(
            base_url=self.target.base_url,
            transport=self._transport,
            headers=headers,
            timeout=self.timeout,
            trust_env=False,  # A proxy is another host, and a password of ~/.netrc another credential.
            follow_redirects=False,
        )

    def api(self, identity: str | None, exchanges: list[Exchange], nonconformities: list[Nonconformity]) -> Api:
        """Return an `Api` of an identity that adds to the exchanges and nonconformities of a test.

        Raises:
            MissingError: There is no token of the identity, or the service no longer accepts it.
        """
        client = self.client(None if identity is None else self.credentials.token(identity))
        return Api(self, client, identity, exchanges, nonconformities)

    def _get(self, token: str, path: str, query: dict[str, str]) -> httpx.Response:
        operation = operation_of("GET", path)
        with self.client(token) as client:
            return self.conclusive.response(
                lambda: client.get(path, params=query), None if operation is None else operation.id, Repeat.ALWAYS
            )

    def control(self, operation: str | None) -> bool:
        """Return whether the owner can read something that has nothing to do with an operation."""
        control = operation_by_id("posts_list" if operation == "agents_list" else "agents_list")
        with self.client(self.data.token("owner")) as client:
            try:
                path = control.path.format(projectId=self.data["project"])
                return client.get(path, extensions={FRESH: True}).is_success
            except BlockedError:
                raise
            except httpx.TransportError:
                return False


def new_tag() -> str:
    """Return a new tag, such as `contract-20261121-090000-1f3a`."""
    return f"contract-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
