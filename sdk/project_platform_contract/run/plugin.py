"""The suite as a pytest plugin: its options, what may be run, and what the reports of its tests carry.

What a test says of its rules travels as `user_properties` of its reports, so that it reaches the controller of
pytest-xdist as well. `session.py` takes it in there; `fixtures.py` has what tests ask for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.fuse import BlockedError
from project_platform_contract.operations import worst
from project_platform_contract.reports.redaction import Redactor
from project_platform_contract.rules import RULES
from project_platform_contract.rules.rule import Rule

from .exit_code import Outcome
from .preflight import UnreachableError, reach
from .session import SESSION, Session, rules_of
from .settings import settings_of
from .stash import EXCHANGES, NONCONFORMITIES, REDACT

pytest_plugins = ("project_platform_contract.run.fixtures",)

_TOLD = 5  # Exchanges of a test that failed; the last is the one that it failed on.


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; `project-platform contract` sets them."""
    group = parser.getgroup("contract", "rules of the Project Platform API")
    add = group.addoption
    add("--contract-url", metavar="URL", help="deployment to prove the rules on")
    add("--contract-stub", choices=("in-process", "socket"), default="in-process", help="the stub, without an URL")
    add(
        "--contract-token-env", metavar="NAME", default="PROJECT_PLATFORM_TOKEN", help="variable with the owner's token"
    )
    add("--contract-project", metavar="ID", help="project to prove the rules in")
    add("--contract-data", metavar="FILE", type=Path, help="what is in the project to prove rules with")
    add("--contract-allow", metavar="EFFECT", help="worst that may be done: read, write, notify or irreversible")
    add("--contract-i-own", metavar="HOST", help="the host's name again, for anything worse than read")
    add("--contract-requests", metavar="N", type=int, default=5000, help="requests in all (default: %(default)s)")
    add("--contract-pace", metavar="SECONDS", type=float, default=0.0, help="from one request to the next, at least")
    add(
        "--contract-fuzz",
        metavar="N",
        type=int,
        default=10,
        help="made-up requests per operation (default: %(default)s)",
    )
    add("--contract-report", metavar="FOLDER", type=Path, help="where reports and the ledger are written")
    add("--contract-floor", metavar="FILE", type=Path, help="rules that must be proven; proving fewer is a failure")
    add("--contract-write-floor", metavar="FILE", type=Path, help="write the rules that were proven into a floor file")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and whether the target can be reached, before anything else is sent."""
    config.addinivalue_line("markers", "rule(id, ...): rules of the contract that the test proves")
    outcome = next((plugin for plugin in config.pluginmanager.get_plugins() if isinstance(plugin, Outcome)), Outcome())
    try:
        settings = settings_of(config.option)
        if settings.data is not None and not (hasattr(config, "workerinput") or config.option.collectonly):
            reach(settings)
    except UnreachableError as error:
        outcome.unreachable = True
        raise pytest.UsageError(str(error)) from None
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[REDACT] = Redactor(settings.data.tokens.values() if settings.data else ())
    config.stash[SESSION] = session = Session(config, settings, outcome)
    config.pluginmanager.register(session, "contract-session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what may not be run; a test without a rule counts as the worst."""
    effects = config.stash[SESSION].settings.effects
    for item in items:
        if unknown := [id for id in rules_of(item) if id not in RULES]:
            raise pytest.UsageError(f"{item.nodeid}: {unknown[0]!r} is no rule")
        rules: list[Rule] = [RULES[id] for id in rules_of(item)]
        effect = worst(*(rule.effect for rule in rules)) if rules else "irreversible"
        if effect not in effects:
            item.add_marker(pytest.mark.skip(reason=f"its effect is {effect!r}, which is not allowed"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, Any, Any]:
    """Say why a rule is not run, if that turns out while it is prepared."""
    return (yield from _not_run())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    """Say why a rule is not run, if that turns out while it is proven."""
    return (yield from _not_run())


def _not_run() -> Generator[None, Any, Any]:
    """Tell a rule that is violated from one that lacks something, may not be proven, or got no answer."""
    try:
        return (yield)
    except MissingError as error:
        pytest.skip(str(error))
    except BlockedError as error:
        pytest.skip(f"the fuse held a request back: {error}")
    except httpx.TransportError as error:
        pytest.skip(f"no answer came: {type(error).__name__}: {error}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach rules, exchanges and answers that break the contract to the report, and take credentials out of it."""
    report = yield
    redact = item.config.stash[REDACT]
    _hide(report, redact)

    def tell(name: str, value: Any) -> None:
        report.user_properties.append((f"contract-{name}", redact(json.dumps(value, ensure_ascii=False))))

    tell("rules", rules_of(item))
    if report.when == "call" and report.failed:
        tell("exchanges", [exchange.as_json() for exchange in item.stash.get(EXCHANGES, [])[-_TOLD:]])
    if report.when == "teardown":
        for operation, problem, exchange in item.stash.get(NONCONFORMITIES, []):
            tell("answer", [operation, problem, exchange.as_json()])
    return report


def _hide(report: pytest.TestReport, redact: Callable[[str], str]) -> None:
    """Take credentials out of what pytest tells of a test."""
    if report.failed and redact(text := report.longreprtext) != text:
        report.longrepr = redact(text)
    report.sections = [(name, redact(text)) for name, text in report.sections]
