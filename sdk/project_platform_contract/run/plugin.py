"""The pytest plugin of the suite: options, selection of tests by effect, and the data attached to test reports.

Rules, exchanges and facts of a test are attached to its reports as `contract`, JSON which pytest-xdist sends to the
controller. `session.py` evaluates them there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, nullcontext
from importlib import import_module
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.data.switches import is_off
from project_platform_contract.fuse import BlockedError, Fuse
from project_platform_contract.fuse.backup import RESTORED_OPERATIONS
from project_platform_contract.fuse.ledger import Ledger
from project_platform_contract.operations import worst
from project_platform_contract.reports.explanation import explain
from project_platform_contract.reports.redaction import Redactor
from project_platform_contract.rules import RULES
from project_platform_contract.rules.rule import Rule

from .api import Api, SignIn
from .contract_run import Run
from .exchange import (
    ATTACHED,
    CHECKED,
    EXCHANGES,
    NONCONFORMITIES,
    REDACT,
    DownError,
    Exchange,
    checked_responses,
    shown,
)
from .exit_code import ExitCode, Outcome
from .locks import LockedError, Locks
from .preflight import UnreachableError, check_reachable, reading_run
from .restoration import NotRestoredError, repair
from .session import SESSION, Session, operations_of, rules_of
from .settings import OPTIONS, Settings, limits_of, settings_of
from .target import stub_target


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; `project-platform contract` sets them."""
    group = parser.getgroup("contract", "rules of the Project Platform API")
    add = group.addoption
    add("--contract-url", metavar="URL", help="base URL of a deployment")
    add(
        "--contract-stub",
        choices=("in-process", "socket"),
        default="in-process",
        help="transport to the stub if no URL is given (default: %(default)s)",
    )
    for option in OPTIONS:
        default = "" if option.default is None else " (default: %(default)s)"
        add(
            f"--contract-{option.name}",
            metavar=option.metavar,
            type=option.type,
            default=option.default,
            help=option.help + default,
        )


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and the target, and register the session."""
    config.addinivalue_line("markers", "rule(id, ...): rules of the contract that the test proves")
    outcome = next((plugin for plugin in config.pluginmanager.get_plugins() if isinstance(plugin, Outcome)), Outcome())
    restored: list[str] = []
    requests = 0
    try:
        settings = settings_of(config.option)
        deployment = settings.deployment
        if deployment is None and not config.option.collectonly:
            import_module("project_platform_stub")
        if deployment is not None and not (hasattr(config, "workerinput") or config.option.collectonly):
            reading = reading_run(deployment, requests=settings.requests, pace=settings.pace, timeout=settings.timeout)
            with closing(reading):
                check_reachable(reading)
            requests = reading.fuse.passed
            restored = _prepare_folder(config, settings)
    except ModuleNotFoundError as error:
        raise pytest.UsageError(f"{error}, or give the URL of a deployment") from None
    except (UnreachableError, NotRestoredError, LockedError, ValueError) as error:
        codes = {UnreachableError: ExitCode.NOTHING_PROVEN, NotRestoredError: ExitCode.NOT_RESTORED}
        outcome.refused = codes.get(type(error))
        raise pytest.UsageError(str(error)) from None
    config.stash[REDACT] = Redactor(deployment.data.tokens.values() if deployment else ())
    config.stash[SESSION] = session = Session(config, settings, outcome, restored, requests)
    config.pluginmanager.register(session, "contract-session")


def _prepare_folder(config: pytest.Config, settings: Settings) -> list[str]:
    """Lock the folder until the run ends, and restore what an earlier run left changed: a line for each resource."""
    folder = settings.folder
    if folder is None:
        return []
    lock = Locks(folder / "run.lock")
    if not lock.hold(0):
        raise LockedError(f"another run writes to {folder}: wait for its end, or use another --report folder")
    config.add_cleanup(lambda: lock.release(0))
    return repair(settings, folder)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests whose effect is not allowed, or whose rules are switched off; a test without a rule counts as irreversible."""
    settings = config.stash[SESSION].settings
    effects = settings.effects
    owned = settings.deployment and f" --i-own {httpx.URL(settings.deployment.base_url).host}"
    for item in items:
        if unknown := [id for id in rules_of(item) if id not in RULES]:
            raise pytest.UsageError(f"{item.nodeid}: there is no rule {unknown[0]!r}")
        rules: list[Rule] = [RULES[id] for id in rules_of(item)]
        effect = worst(*(rule.effect for rule in rules)) if rules else "irreversible"
        if effect not in effects:
            item.add_marker(pytest.mark.skip(reason=f"the effect {effect!r} is not allowed"))
            item.stash[ATTACHED] = {"remedy": f"--allow {effect}{owned or ''}"}
        if rules and all(is_off(rule.id, settings.inferred) for rule in rules):
            item.add_marker(pytest.mark.skip(reason="switched off in the data file, member 'inferred'"))


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explain a failed comparison by the members that differ."""
    return explain(op, left, right)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Skip a test, instead of failing it, if data is missing, the fuse held a request back, or no response was received."""
    try:
        return (yield)
    except MissingError as error:
        attached = item.stash.setdefault(ATTACHED, {})
        attached["remedy"] = error.remedy
        if isinstance(error, DownError):
            members = " and ".join(error.exchange.members)
            forbidden = error.exchange.response.status_code == httpx.codes.FORBIDDEN
            check = "the permissions of the owner" if forbidden else members and f"{members} in the data file"
            why = f"{error.problem} (check {check})" if check else error.problem
            attached["down"] = [error.operation, why, error.exchange.as_json()]
        pytest.skip(str(error))
    except BlockedError as error:
        item.stash.setdefault(ATTACHED, {})["remedy"] = error.remedy
        pytest.skip(f"the fuse held a request back: {error}")
    except httpx.TransportError as error:
        pytest.skip(f"no response: {type(error).__name__}: {error}")


pytest_runtest_setup = pytest_runtest_call


@pytest.hookimpl(tryfirst=True)
def pytest_keyboard_interrupt(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Keep only the outermost entry of the traceback: pytest cannot show one whose instruction has no line number."""
    excinfo.traceback = excinfo.traceback[:1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach rules, exchanges and nonconforming responses to the report, and remove credentials from it."""
    report = yield
    redact = item.config.stash[REDACT]
    _redact_output(report, redact)

    exchanges, nonconformities = item.stash.get(EXCHANGES, []), item.stash.get(NONCONFORMITIES, [])
    found: dict[str, Any] = item.stash.setdefault(ATTACHED, {})
    attached = {"rules": rules_of(item), **found}
    if report.when == "call" and report.failed:
        run: Run | None = getattr(item, "funcargs", {}).get("contract_run")
        entries = shown(exchanges, () if run is None else run.created)
        attached |= {"exchanges": entries, "omitted": max(0, len(exchanges) - len(entries))}
    if report.when == "teardown":
        attached["checked"] = checked_responses(exchanges) + item.stash.get(CHECKED, Counter())
        attached["responses"] = [(operation, problem, each.as_json()) for operation, problem, each in nonconformities]
        # pytest keeps the test until the end of the run, and a response may have 16 MiB.
        exchanges.clear()
        nonconformities.clear()
    report.contract = redact.json(attached)  # type: ignore[attr-defined]  # pytest-xdist sends it with the report
    return report


def _redact_output(report: pytest.TestReport, redact: Callable[[str], str]) -> None:
    """Remove credentials from the traceback and the captured output of a test."""
    if report.failed and redact(text := report.longreprtext) != text:
        report.longrepr = redact(text)
    report.sections = [(name, redact(text)) for name, text in report.sections]


@pytest.fixture(scope="session")
def contract_run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The run of this process: target, fuse and ledger."""
    session = request.config.stash[SESSION]
    settings = session.settings
    with ExitStack() as stack:
        target = settings.deployment or stack.enter_context(stub_target(settings.kind))
        limits = limits_of(settings, target, tag=session.tag, spent=session.preflight_requests, workers=session.workers)
        ledger = Ledger(session.ledger_path, session.tag, None if settings.deployment is None else target.base_url)
        fuse = Fuse(limits, on_pass=ledger.before, on_response=ledger.after)
        run = Run(target, fuse, ledger, session.tag, settings.timeout, session.locks, session.taken)
        session.run = stack.enter_context(closing(run))
        yield run


@pytest.fixture(autouse=True)
def _exclusive(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no other test of a deployment change the same thing of the data file, in no worker and no other run."""
    session = request.config.stash[SESSION]
    changed = RESTORED_OPERATIONS.keys() & operations_of(request.node)
    for operation in session.taken & changed:
        raise MissingError(f"another run on this machine is changing {RESTORED_OPERATIONS[operation]}")
    with session.locks if session.locks is not None and changed else nullcontext():
        yield


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
    facts = request.node.stash.setdefault(ATTACHED, {}).setdefault("facts", [])

    def fact(key: str, value: Any, response: httpx.Response) -> None:
        seen = {
            "value": value,
            "at": Exchange(response).at.isoformat(timespec="seconds"),
            "request_id": response.headers.get("X-Request-Id"),
        }
        facts.append((key, seen))

    return fact
