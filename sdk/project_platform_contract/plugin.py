"""The suite as a pytest plugin: what may be run, what it is run on, and what it proves.

Verdicts travel as `user_properties` of the tests' reports, so they reach the controller of pytest-xdist as well.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from .api import Api, Exchange, SignIn
from .data import Data, DataError, MissingError, data_of, load_data
from .fuse import Fuse, Limits
from .ledger import Ledger
from .rule import Rule, worst
from .rules import RULES
from .run import Run, effects_of, new_tag
from .target import Target, stub_target
from .verdicts import Verdicts

_RUN = pytest.StashKey[Run]()
_EXCHANGES = pytest.StashKey[list[Exchange]]()
_NONCONFORMITIES = pytest.StashKey[list[tuple[str, str]]]()
_VERDICTS = pytest.StashKey[Verdicts]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; `project-platform contract` sets them."""
    group = parser.getgroup("contract", "rules of the Project Platform API")
    add = group.addoption
    add("--contract-url", metavar="URL", help="deployment to prove the rules on")
    add("--contract-stub", choices=("in-process", "socket"), default="in-process", help="the stub, without an URL")
    add("--contract-token-env", metavar="NAME", default="PROJECT_PLATFORM_TOKEN", help="variable with the owner's token")
    add("--contract-project", metavar="ID", help="project to prove the rules in")
    add("--contract-data", metavar="FILE", type=Path, help="what is in the project to prove rules with")
    add("--contract-allow", metavar="EFFECT", help="worst that may be done: read, write, notify or irreversible")
    add("--contract-i-own", metavar="HOST", help="the host's name again, for anything worse than read")
    add("--contract-requests", metavar="N", type=int, default=5000, help="requests in all (default: %(default)s)")
    add("--contract-pace", metavar="SECONDS", type=float, default=0.0, help="from one request to the next, at least")
    add("--contract-report", metavar="FOLDER", type=Path, help="where reports and the ledger are written")
    add("--contract-floor", metavar="FILE", type=Path, help="rules that must be proven; proving fewer is a failure")
    add("--contract-write-floor", metavar="FILE", type=Path, help="write the rules that were proven into a floor file")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before anything is sent."""
    config.addinivalue_line("markers", "rule(id, ...): rules of the contract that the test proves")
    url, allow = config.option.contract_url, config.option.contract_allow
    try:
        effects = effects_of([allow] if allow else (["read"] if url else ["irreversible"]))
    except ValueError as error:
        raise pytest.UsageError(f"--allow: {error}") from None
    if url and effects != {"read"} and config.option.contract_i_own != httpx.URL(url).host:
        raise pytest.UsageError(f"--allow {allow} against {url} needs --i-own {httpx.URL(url).host}")
    config.stash[_VERDICTS] = verdicts = Verdicts(config)
    config.pluginmanager.register(verdicts, "contract-verdicts")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what may not be run; a test without a rule counts as the worst."""
    url, allow = config.option.contract_url, config.option.contract_allow
    effects = effects_of([allow] if allow else (["read"] if url else ["irreversible"]))
    for item in items:
        rules = _rules(item)
        effect = worst(*(rule.effect for rule in rules)) if rules else "irreversible"
        if effect not in effects:
            item.add_marker(pytest.mark.skip(reason=f"its effect is {effect!r}, which is not allowed"))


def _rules(item: pytest.Item) -> list[Rule]:
    return [RULES[id] for mark in item.iter_markers("rule") for id in mark.args]


@pytest.fixture(scope="session")
def contract_run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The run: target, fuse and ledger."""
    option = request.config.option
    with ExitStack() as stack:
        if option.contract_url:
            values = load_data(option.contract_data) if option.contract_data else {}
            try:
                data = data_of(values, project=option.contract_project, token_variable=option.contract_token_env)
            except DataError as error:
                raise pytest.UsageError(str(error)) from None
            target = Target(option.contract_url.rstrip("/"), data)
        else:
            target = stack.enter_context(stub_target(option.contract_stub))
        url, allow = option.contract_url, option.contract_allow
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        limits = Limits(
            origin=target.origin,
            effects=effects_of([allow] if allow else (["read"] if url else ["irreversible"])),
            projects=[target.data.values[name] for name in ("project", "other_project") if target.data.values.get(name)],
            recipients=[target.data.values["recipient"]] if target.data.values.get("recipient") else [],
            # Each worker of pytest-xdist has its share.
            requests=option.contract_requests // workers,
            pace=option.contract_pace * workers,
        )
        tag = new_tag()
        ledger = Ledger(_ledger_path(option.contract_report), tag)
        yield Run(target, Fuse(limits, on_pass=ledger.before), ledger, tag)


def _ledger_path(folder: Path | None) -> Path | None:
    if folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"ledger-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.jsonl"


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
    exchanges = request.node.stash.setdefault(_EXCHANGES, [])
    nonconformities = request.node.stash.setdefault(_NONCONFORMITIES, [])
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

    def fact(key: str, value: Any, response: httpx.Response) -> None:
        seen = {
            "value": value,
            "at": Exchange(response).at.isoformat(timespec="seconds"),
            "request_id": response.headers.get("X-Request-Id"),
        }
        request.node.user_properties.append(("contract-fact", json.dumps([key, seen])))

    return fact


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A rule that lacks something to be proven with is not run, and says what."""
    try:
        return (yield)
    except MissingError as error:
        pytest.skip(str(error))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    """Attach rules, exchanges and answers that break the contract to the report."""
    report = yield
    ids = [rule.id for rule in _rules(item)]
    report.user_properties.append(("contract-rules", json.dumps(ids)))
    if report.when == "call":
        for operation, problem in item.stash.get(_NONCONFORMITIES, []):
            report.user_properties.append(("contract-answer", json.dumps([operation, problem])))
        if report.failed:
            told = [exchange.as_json() for exchange in item.stash.get(_EXCHANGES, [])[-5:]]
            report.user_properties.append(("contract-exchanges", json.dumps(told)))
    return report
