"""Runs of the suite against mutants, each in a process that is forked from one with all modules loaded.

A run ends with the first violated rule of the specification; a violated inferred rule does not end it.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import TimeoutError, get_context
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

import httpx
import pytest

import project_platform_contract
from project_platform_contract import suite
from project_platform_contract.operations import operations
from project_platform_contract.rules import RULES
from project_platform_contract.rules.kinds import dashed
from project_platform_contract.run import session
from project_platform_contract.run.exit_code import Outcome
from project_platform_contract.run.target import Target
from project_platform_contract.run.verdicts import Verdicts
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations.support import label_pdf  # noqa: F401  # loaded once, before the fork

from ..conftest import write_data
from . import generated, mutants, variations  # noqa: F401  # registers them
from .mutant import DOWN, HEALTHY, MUTANTS, VARIATIONS, Mutant, patch
from .service import Service, app, data_members, new_world, social
from .service.rims import InProcess
from .service.world import tokens_of
from .stub import stop_self_check

# A rule without a sentence in the specification, by which the other choices differ from the stub server.
DIFFERENT_IN_OTHER_CHOICES = frozenset({"permissions.check.other-values"})
PROVEN = 440  # The number of rules that are proven at least; the others need values that only a stub server shows.
RUN_TIMEOUT = 900.0  # Seconds; a run takes less than two on an idle machine.

_PACKAGE = Path(project_platform_contract.__file__).parent
_ARGUMENTS = (
    f"--config-file={_PACKAGE / 'pytest.ini'}",
    *(f"--rootdir={_PACKAGE}", "--disable-plugin-autoload"),
    *("-p", "project_platform_contract.run.plugin", "-p", "no:cacheprovider"),
    *("-q", "--tb=no", "--assert=plain", "--contract-fuzz=2"),
)


@dataclass
class Result:
    """The result of a run.

    Attributes:
        verdicts: Verdicts by rule.
        error: Reason why there are no verdicts; None if there are.
        down: Operations that are down.
        code: Exit code of the command.
        first_line: First line of the report, which is written if an operation may be down.
        reasons: Reasons why rules were not run.
        idle: Whether a generated mutant changed no request and no response.
    """

    verdicts: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    down: list[str] = field(default_factory=list)
    code: int | None = None
    first_line: str = ""
    reasons: list[str] = field(default_factory=list)
    idle: bool = False

    @property
    def violated(self) -> list[str]:
        return [id for id, verdict in self.verdicts.items() if verdict == "violated"]

    @property
    def stated(self) -> list[str]:
        """The violated rules that count: those that the specification states, and those that every reader expects."""
        return [id for id in self.violated if not RULES[id].inferred]

    @property
    def noticed_by(self) -> Literal["specification", "inferred"] | None:
        """Whether an operation is down or a rule of the specification violated, or only inferred ones; None if none is."""
        if self.down:
            return "specification"
        if not self.violated:
            return None
        return "specification" if self.stated else "inferred"


class Selection:
    """A plugin that deselects tests of other rules, derives verdicts from the rest, and ends the run if they suffice.

    The rules of all tests are run if there is no selection; else the run ends with the first rule of the specification that
    is violated.
    """

    def __init__(self, rules: frozenset[str] | None) -> None:
        self._rules = rules
        self.verdicts = Verdicts()
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests of the rules; those of the specification come first."""
        if self._rules is not None:
            items[:] = [item for item in items if not self._rules.isdisjoint(session.rules_of(item))]
            items.sort(key=lambda item: all(RULES[id].inferred for id in session.rules_of(item)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.verdicts.add(report)
        if self._rules is None or self._session is None or report.when != "teardown":
            return
        findings = self.verdicts.findings
        if any(findings[id].verdict == "violated" and not RULES[id].inferred for id in self._rules):
            self._session.shouldfail = "a rule of the specification is violated"


class Files:
    """A plugin that records which files have tests of a rule."""

    def __init__(self) -> None:
        self.by_rule: dict[str, set[str]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Record the files."""
        for item in items:
            for rule in session.rules_of(item):
                self.by_rule.setdefault(rule, set()).add(str(item.path))


def near(mutant: Mutant) -> frozenset[str]:
    """Return the rules whose tests are run: those of the mutant's resource, and those of all operations.

    The generated requests of `schema.*` take as long as all others together, and are left out.
    """
    if mutant.id in DOWN:
        return frozenset(
            f"{area}.{dashed(mutant.operation)}" for area in ("answers", "errors.body", "auth.bearer-required")
        )
    resource = mutant.operation.partition("_")[0]
    of_resource = {id for id, rule in RULES.items() if (rule.operation or resource).startswith(resource)}
    tokens = {
        id for id in of_resource if id.startswith("auth.") and RULES[id].operation not in {None, mutant.operation}
    }
    return frozenset(id for id in of_resource - tokens if not id.startswith("schema."))


def load() -> dict[str, set[str]]:
    """Import the tests and parse the contract, once for all runs, and return the files that have tests of a rule."""
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(tempfile.gettempdir(), "project-platform-contract")))
    for module in iter_modules(suite.__path__):
        import_module(f"{suite.__name__}.{module.name}")
    operations()
    files = Files()
    with quiet():
        pytest.main([str(_PACKAGE / "suite"), *_ARGUMENTS, "--collect-only"], plugins=[files])
    gc.disable()
    gc.freeze()  # pytest collects garbage at the end of each run
    return files.by_rule


def run(name: str, files: Mapping[str, set[str]]) -> Result:
    """Run the suite in this process, which is unusable afterwards.

    Args:
        name: Name of a mutant, whose rules are tried until one is violated, or of a healthy service, for all rules.
        files: Files that have tests of a rule.
    """
    patch(os, "fsync", lambda _: None)  # the ledgers of these runs need not survive a crash
    mutant = (MUTANTS | VARIATIONS | DOWN | HEALTHY)[name]
    rules = None if name in HEALTHY else near(mutant)
    paths = {str(_PACKAGE / "suite")} if rules is None else {path for id in rules for path in files.get(id, ())}
    selection = Selection(rules)
    crashes: list[Exception] = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        options = (
            _stub(crashes)
            if mutant.target == "stub"
            else _second(Path(folder), crashes, names_parameter=mutant.kind == "down")
        )
        # A rule that is violated because of an unknown member must not count as one that noticed the mutant.
        patch(app, "noise", lambda name: {})
        # A second like is a conflict, which would hide that another caller's like is not refused.
        patch(social, "require_first", lambda call, post: None)
        mutant.apply()
        outcome = Outcome()
        if name in DOWN:
            options.append("--contract-report=report")
        else:
            patch(session, "write_reports", lambda *_: [])
        code = pytest.main([*sorted(paths), *_ARGUMENTS, *options], plugins=[selection, outcome])
        os.chdir("/")
        report = Path(folder, "report", "report.md")
        first_line = report.read_text("utf-8").partition("\n")[0] if report.is_file() else ""
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}:
        return Result(error=f"the run ended with {code!r}")
    # A crash is another defect than that of the mutant, and easier to notice.
    if crashes:
        return Result(error=f"the service crashed: {crashes[0]!r}")
    findings = {id: each for id, each in selection.verdicts.findings.items() if rules is None or id in rules}
    return Result(
        {id: finding.verdict for id, finding in findings.items()},
        down=list(selection.verdicts.down),
        code=outcome.code,
        first_line=first_line,
        reasons=sorted({reason for finding in findings.values() for reason in finding.skipped.values()}),
        idle=mutant.kind.startswith("generated") and not generated.changes,
    )


def _stub(crashes: list[Exception]) -> list[str]:
    """Let the stub server send responses that violate the contract, and return the options of a run."""
    stop_self_check()
    dispatch = OperationDispatcher.dispatch

    def observed(*arguments: Any, **options: Any) -> Any:
        try:
            return dispatch(*arguments, **options)
        except Exception as crash:
            if not isinstance(crash, ApiError):
                crashes.append(crash)
            raise

    patch(OperationDispatcher, "dispatch", observed)
    return []


def _second(folder: Path, crashes: list[Exception], *, names_parameter: bool) -> list[str]:
    """Let requests reach the second implementation in this process, and return the options of a run.

    Args:
        folder: Folder for the data file.
        crashes: Receives the exceptions that the service raises.
        names_parameter: Whether the data file has the name of the parameter of a permission check.
    """
    world = new_world()
    parameter = {"permission_parameter": "scope"} if names_parameter else {}
    os.environ |= write_data(folder, {**data_members(), **parameter}, tokens_of(world))
    transport = InProcess(Service(world), crashes)

    def in_process(self: Target) -> httpx.BaseTransport:
        return transport

    patch(Target, "transport", in_process)
    # Runs on one host at the same time would be runs on the same deployment, which wait for each other.
    host = f"second-{os.getpid()}.localhost"
    return [
        f"--contract-url=http://{host}",
        "--contract-token-env=TRIAL_OWNER",
        f"--contract-data={folder / 'data.yaml'}",
        "--contract-allow=irreversible",
        f"--contract-i-own={host}",
    ]


def run_all(names: Sequence[str], *, workers: int) -> Iterator[tuple[str, Result]]:
    """Run mutants in parallel, and yield their results in their order."""
    files = load()
    with get_context("fork").Pool(workers, maxtasksperchild=1) as pool:
        for name, running in [(name, pool.apply_async(_run_quietly, (name, files))) for name in names]:
            try:
                yield name, running.get(RUN_TIMEOUT)
            except TimeoutError:
                yield name, Result(error=f"the run took more than {RUN_TIMEOUT:g} seconds, or its process crashed")


def _run_quietly(name: str, files: Mapping[str, set[str]]) -> Result:
    with quiet():
        return run(name, files)


@contextmanager
def quiet() -> Iterator[None]:
    """Discard what this process and its children write."""
    saved = os.dup(1), os.dup(2)
    with Path(os.devnull).open("wb") as nowhere:
        for number in (1, 2):
            os.dup2(nowhere.fileno(), number)
    try:
        yield
    finally:
        for number, copy in enumerate(saved, 1):
            os.dup2(copy, number)
            os.close(copy)
