"""What tests of rules ask for."""

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

_WRITTEN_TO = ("project", "other_project")
# Members of the data file that name what a run may write to, by the path parameter that they are the value of.
_RESOURCES = {
    "postId": ("published_page_post", "unpublished_page_post"),
    "slug": ("memory_slug", "memory_slug_with_slash"),
    "templateId": ("template", "failing_template"),
}


@pytest.fixture(scope="session")
def contract_run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The run: target, fuse and ledger."""
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
            projects=[data.values[name] for name in _WRITTEN_TO if data.values.get(name)],
            recipients=recipients(data),
            resources={
                parameter: [data.values[name] for name in names if data.values.get(name)]
                for parameter, names in _RESOURCES.items()
            },
            tag=session.tag,
            # Each worker of pytest-xdist has its share, and one request was to see whether the target can be reached.
            requests=(settings.requests - session.asked) // workers,
            pace=settings.pace * workers,
        )
        ledger = Ledger(session.ledger_path, session.tag)
        fuse = Fuse(limits, on_pass=ledger.before, on_answer=ledger.after)
        session.fuse = fuse
        session.base_url = target.base_url
        yield Run(target, fuse, ledger, session.tag)


@pytest.fixture
def data(contract_run: Run) -> Data:
    """What there is to prove rules with; a rule whose member is missing is not run."""
    return contract_run.data


@pytest.fixture
def tag(contract_run: Run) -> str:
    """What everything is named with that the run creates."""
    return contract_run.tag


@pytest.fixture
def sign_in(request: pytest.FixtureRequest, contract_run: Run) -> Iterator[SignIn]:
    """Return calls as another identity of the data file, or as nobody (None)."""
    exchanges = request.node.stash.setdefault(EXCHANGES, [])
    nonconformities = request.node.stash.setdefault(NONCONFORMITIES, [])
    opened: list[Api] = []

    def sign_in(identity: str | None) -> Api:
        token = None if identity is None else contract_run.data.token(identity)
        opened.append(contract_run.api(token, exchanges, nonconformities))
        return opened[-1]

    yield sign_in
    for each in opened:
        each.client.close()


@pytest.fixture
def api(sign_in: SignIn) -> Api:
    """Calls as the owner."""
    return sign_in("owner")


@pytest.fixture
def fact(request: pytest.FixtureRequest) -> Callable[[str, Any, httpx.Response], None]:
    """Return how something is recorded that the specification leaves open; it is never asserted."""
    redact = request.config.stash[REDACT]

    def fact(key: str, value: Any, response: httpx.Response) -> None:
        seen = {
            "value": value,
            "at": Exchange(response).at.isoformat(timespec="seconds"),
            "request_id": response.headers.get("X-Request-Id"),
        }
        request.node.user_properties.append(("contract-fact", redact(json.dumps([key, seen]))))

    return fact
