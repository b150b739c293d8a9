"""Fixtures for the tests of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.fuse import Fuse
from project_platform_contract.fuse.ledger import Ledger

from .api import NAMED, Api, SignIn
from .contract_run import Run
from .exchange import EXCHANGES, NONCONFORMITIES, REDACT, Exchange
from .locks import FolderLock
from .restoration import CHANGES_LOCK, CHANGES_TIMEOUT
from .session import SESSION, operations_of
from .settings import limits_of
from .target import Target, stub_target


@pytest.fixture(scope="session")
def contract_run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The run of this process: target, fuse and ledger."""
    session = request.config.stash[SESSION]
    settings = session.settings
    with ExitStack() as stack:
        if settings.url is not None and settings.data is not None:
            target = Target(settings.url, settings.data)
        else:
            target = stack.enter_context(stub_target(settings.kind))
        limits = limits_of(settings, target, tag=session.tag, spent=session.preflight_requests, workers=session.workers)
        ledger = Ledger(session.ledger_path, session.tag, settings.url)
        fuse = Fuse(limits, on_pass=ledger.before, on_answer=ledger.after)
        session.fuse = fuse
        session.base_url = target.base_url
        lock = FolderLock(session.folder / CHANGES_LOCK, CHANGES_TIMEOUT)
        run = Run(target, fuse, ledger, session.tag, settings.timeout, lock, session.locks, session.taken)
        with closing(run):
            yield run


@pytest.fixture(autouse=True)
def _exclusive(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no other test of a deployment change the same thing of the data file, in no worker and no other run."""
    session = request.config.stash[SESSION]
    changed = [number for number, operation in enumerate(NAMED) if operation in operations_of(request.node)]
    if session.locks is None or not changed:
        yield
        return
    for operation in session.taken & operations_of(request.node):
        raise MissingError(f"another run on this machine is changing {NAMED[operation]}")
    for number in changed:
        session.locks.wait(len(NAMED) + number)
    yield
    for number in changed:
        session.locks.release(len(NAMED) + number)


@pytest.fixture
def data(contract_run: Run) -> Data:
    """The data of the run; a rule that needs a missing member is not run."""
    return contract_run.data


@pytest.fixture
def tag(contract_run: Run) -> str:
    """Tag of the run: name prefix of everything that it creates."""
    return contract_run.tag


@pytest.fixture
def sign_in(request: pytest.FixtureRequest, contract_run: Run) -> Iterator[SignIn]:
    """Returns an `Api` for an identity of the data file, or without a token (None)."""
    exchanges = request.node.stash.setdefault(EXCHANGES, [])
    nonconformities = request.node.stash.setdefault(NONCONFORMITIES, [])
    opened: list[Api] = []

    def sign_in(identity: str | None) -> Api:
        opened.append(contract_run.api(identity, exchanges, nonconformities))
        return opened[-1]

    yield sign_in
    for api in opened:
        api.client.close()


@pytest.fixture
def api(sign_in: SignIn) -> Api:
    """The `Api` of the owner."""
    return sign_in("owner")


@pytest.fixture
def fact(request: pytest.FixtureRequest) -> Callable[[str, Any, httpx.Response], None]:
    """Records a fact: behaviour that the specification leaves open, and that is never asserted."""
    redact = request.config.stash[REDACT]

    def fact(key: str, value: Any, response: httpx.Response) -> None:
        seen = {
            "value": value,
            "at": Exchange(response).at.isoformat(timespec="seconds"),
            "request_id": response.headers.get("X-Request-Id"),
        }
        request.node.user_properties.append(("contract-fact", redact.json([key, seen])))

    return fact
