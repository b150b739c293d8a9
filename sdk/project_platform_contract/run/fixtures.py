"""Fixtures for the tests of rules."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.fuse import Fuse, Limits
from project_platform_contract.fuse.ledger import Ledger

from .api import Api, Exchange, SignIn
from .contract_run import Run
from .session import SESSION
from .settings import recipients
from .stash import EXCHANGES, NONCONFORMITIES, REDACT
from .target import Target, stub_target

_WRITABLE_PROJECTS = ("project", "other_project")
# Members of the data file whose values a write may address, by path parameter.
_WRITABLE_RESOURCES = {
    "postId": ("published_page_post", "unpublished_page_post"),
    "slug": ("memory_slug", "memory_slug_with_slash"),
    "templateId": ("template", "failing_template"),
}


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
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        data = target.data
        limits = Limits(
            base_url=target.base_url,
            effects=settings.effects,
            projects=[data.values[name] for name in _WRITABLE_PROJECTS if data.values.get(name)],
            recipients=recipients(data),
            resources={
                parameter: [data.values[name] for name in names if data.values.get(name)]
                for parameter, names in _WRITABLE_RESOURCES.items()
            },
            tag=session.tag,
            # The workers of pytest-xdist share the budget that the preflight request left.
            requests=(settings.requests - session.preflight_requests) // workers,
            pace=settings.pace * workers,
        )
        ledger = Ledger(session.ledger_path, session.tag)
        fuse = Fuse(limits, on_pass=ledger.before, on_answer=ledger.after)
        session.fuse = fuse
        session.base_url = target.base_url
        yield Run(target, fuse, ledger, session.tag)


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
        token = None if identity is None else contract_run.data.token(identity)
        opened.append(contract_run.api(token, exchanges, nonconformities))
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
        request.node.user_properties.append(("contract-fact", redact(json.dumps([key, seen]))))

    return fact
