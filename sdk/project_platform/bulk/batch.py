"""A batch: the rows that an executor gets as one task, and the function that sends them on a worker.

What travels to the worker is the calls, the base URL and the facts about the deployment, and never a token: a scheduler keeps
and logs its tasks. The worker makes its client from its environment, or calls a function that the caller names.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

from ..calls.capabilities import Capabilities
from ..calls.flow import Settings
from ..errors import BulkWorkerError, JournalError, PlatformError
from .attempt import ONE_ATTEMPT, AttemptEnd, Sending, attempt
from .claims import Claim, Claims
from .journal import OpenBatch

_LANES: Final = 16  # requests that a batch has in flight
_STOPPING: Final = frozenset(
    {"refused", "not sent", "stop"}
)  # ends after which the rest of the batch would end the same way

ClientFactory = Callable[[], Any]
"""Returns a `Client`, on a worker."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to send, and how.

    Attributes:
        run: The name of the run; `name` begins with it.
        base_url: URL of the service.
        project_id: The project of the run.
        capabilities: The facts known about the deployment.
        settle: Whether rows are settled that may have been applied.
        client: Returns the client of a worker.
        claims: The place of the claims.
        name: The name of the batch among the claims.
        rows: The rows.
    """

    run: str
    base_url: str
    project_id: str
    capabilities: Capabilities
    settle: bool
    client: ClientFactory
    claims: str
    name: str = ""
    rows: tuple[Sending, ...] = ()

    def open(self, rows: Iterable[Sending]) -> OpenBatch:
        """Return the entries of the journal for some of the rows."""
        return OpenBatch(self.name, self.claims, tuple((sending.row, sending.doubt) for sending in rows))


def new_client(base_url: str) -> Any:
    """Return a client that is configured by the environment of a worker."""
    return import_module("project_platform").Client(base_url)  # by its name, because clients import this package


def send_batch(batch: Batch) -> dict[int, AttemptEnd]:
    """Claim a batch, send its rows and return how they ended; or what its owner has written. It runs on a worker.

    Raises:
        BulkWorkerError: The worker has no client for the service, or does not see the claims. Nothing was sent.
        JournalError: The storage of the claims cannot be used. Nothing was sent.
    """
    # Before the claim, since it takes long: a worker that is killed meanwhile leaves the batch free.
    with _CLIENTS.of(batch) as client:
        claims = Claims(batch.claims)
        if not claims.sees(batch.run):
            raise BulkWorkerError(
                f"a worker does not see the claims in {batch.claims}; give a folder or an object store that all workers share"
            )
        claim = claims.claim(batch.name)
        if claim is None:
            return claims.ends(batch.name)
        return _Sender(batch, client, claim, claims.interval).send()


class _Sender:
    """Sends the rows of a batch in threads, and writes their outcomes from time to time."""

    def __init__(self, batch: Batch, client: Any, claim: Claim, interval: float) -> None:
        self._batch, self._client, self._claim, self._interval = batch, client, claim, interval
        self._ends: dict[int, AttemptEnd] = {}
        self._unwritten: list[tuple[int, AttemptEnd]] = []
        self._stopped = False

    def send(self) -> dict[int, AttemptEnd]:
        """Send the rows, and return how they ended."""
        with ThreadPoolExecutor(_LANES) as lanes:
            sent = [lanes.submit(self._send, sending) for sending in self._batch.rows]
            while wait(sent, self._interval).not_done:
                self._write()
        self._write()
        return self._ends

    def _send(self, sending: Sending) -> None:
        """Send a row, unless another one ended so that the rest of the batch would end the same way."""
        end = AttemptEnd("unsent")
        if not self._stopped:
            try:
                end = _portable(self._client._run(functools.partial(self._attempt, sending), None))
            except BaseException as error:  # noqa: BLE001  # nothing may be lost, whatever a defect raises
                end = _portable(AttemptEnd("lost" if sending.sent else "stop", error=error))
            if end.kind in _STOPPING:  # assigned only, since other threads may assign it at the same time
                self._stopped = True
        self._ends[sending.row] = end
        self._unwritten.append((sending.row, end))

    def _attempt(self, sending: Sending, settings: Settings) -> Any:
        batch = self._batch
        settings = replace(settings, retry=ONE_ATTEMPT, capabilities=batch.capabilities)
        return attempt(sending, batch.project_id, settings, settle=batch.settle)

    def _write(self) -> None:
        """Write the outcomes that are not written yet. If that fails, they are in the result of the task."""
        number = len(self._unwritten)
        if not number:
            return
        try:
            self._claim.write(self._unwritten[:number])
        except JournalError:
            return
        del self._unwritten[:number]


def _portable(end: AttemptEnd) -> AttemptEnd:
    """Return an end whose error every process can read: an exception of the user may not be picklable, and may have a secret."""
    if end.error is None or isinstance(end.error, PlatformError):
        return end
    return replace(
        end, error=BulkWorkerError(f"{type(end.error).__name__} on a worker, before or while a row was sent")
    )


class _Clients:
    """The clients of this process, one for each run. A run's client is closed when another run begins and none uses it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the clients, as in a forked child."""
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self._users: Counter[str] = Counter()  # batches that use the client of a run

    @contextlib.contextmanager
    def of(self, batch: Batch) -> Generator[Any]:
        """Use the client for a batch."""
        with self._lock:
            if batch.run not in self._clients:
                for run in [run for run in self._clients if not self._users[run]]:
                    self._clients.pop(run).close()
                self._clients[batch.run] = _client_for(batch)
            self._users[batch.run] += 1
        try:
            yield self._clients[batch.run]
        finally:
            with self._lock:
                self._users[batch.run] -= 1


def _client_for(batch: Batch) -> Any:
    """Return a new client of the service of a batch.

    Raises:
        BulkWorkerError: There is none.
    """
    try:
        client = batch.client()
    except Exception as error:  # noqa: BLE001  # of the user's function
        reason = str(error) if isinstance(error, PlatformError) else type(error).__name__
        raise BulkWorkerError(
            f"a worker has no client: {reason}; set its environment, or give client=, a function that returns one"
        ) from None
    if (found := getattr(client, "base_url", None)) != batch.base_url:
        raise BulkWorkerError(
            f"the client of a worker is of {found or type(client).__name__}, and the run is on {batch.base_url}"
        )
    return client


_CLIENTS: Final = _Clients()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_CLIENTS.reset)
