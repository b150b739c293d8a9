"""What all processes of a run together find, and how the run ends."""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from project_platform_contract.facts import fact_file
from project_platform_contract.fuse import Fuse
from project_platform_contract.fuse.ledger import remains
from project_platform_contract.reports import write_reports
from project_platform_contract.reports.terminal import told

from .contract_run import new_tag
from .exit_code import ExitCode, Outcome
from .floor import write_floor
from .report import Ending, document
from .settings import Settings
from .verdicts import Verdicts

_NO_RUN = frozenset({pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR})


def rules_of(item: pytest.Item) -> list[str]:
    """Return the identifiers of the rules that a test proves."""
    return [id for mark in item.iter_markers("rule") for id in mark.args]


class Session:
    """Hooks that gather; under pytest-xdist, each worker tells the controller, and the controller ends the run.

    Attributes:
        settings: What the run is told to do.
        tag: What everything is named with that the run creates; the same in all processes.
        folder: Where ledgers are.
        fuse: The fuse of this process, when there is one.
        base_url: The target's address, when it has one.
        asked: Requests that were sent to see whether the target can be reached.
    """

    def __init__(self, config: pytest.Config, settings: Settings, outcome: Outcome) -> None:
        self._config = config
        self._outcome = outcome
        self._worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._verdicts = Verdicts()
        self._told: dict[str, Any] = {"expected": {}, "deselected": {}, "requests": 0, "base_url": settings.url}
        self._others: list[dict[str, Any]] = []
        self._started = datetime.now(UTC)
        self._lines: list[str] = []
        self.settings = settings
        self.asked = int(settings.url is not None)
        self.fuse: Fuse | None = None
        self.base_url = settings.url
        if self._worker is None:
            self.tag = new_tag()
            self._is_temporary = settings.folder is None
            self.folder = settings.folder or Path(tempfile.mkdtemp(prefix="contract-"))
            self.folder.mkdir(parents=True, exist_ok=True)
        else:
            self.tag, self.folder = self._worker["contract-tag"], Path(self._worker["contract-folder"])
            self._is_temporary = False

    @property
    def ledger_path(self) -> Path:
        """The ledger of this process."""
        return self.folder / f"ledger-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.jsonl"

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker how everything is named, and where its ledger is."""
        node.workerinput["contract-tag"] = self.tag
        node.workerinput["contract-folder"] = str(self.folder.resolve())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take in what a worker tells at its end; one that crashed tells nothing."""
        if told := getattr(node, "workeroutput", {}).get("contract"):
            self._others.append(told)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Note tests that are not wanted."""
        self._told["deselected"] |= {item.nodeid: rules_of(item) for item in items}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note tests that are to be run."""
        self._told["expected"] = {item.nodeid: rules_of(item) for item in session.items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what a test says."""
        if self._worker is None:
            self._verdicts.take(report)

    def pytest_keyboard_interrupt(self) -> None:
        """Note that the run ends before its end."""
        self._outcome.interrupted = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Say what was found: a worker to the controller, everybody else to the user."""
        if self.fuse is not None:
            self._told["requests"] = self.fuse.passed
            self._told["base_url"] = self.base_url
        if self._worker is not None:
            self._config.workeroutput["contract"] = self._told  # type: ignore[attr-defined]  # pytest-xdist's
            return
        if self._config.option.collectonly or session.exitstatus in _NO_RUN:
            return
        self._finish()
        if session.exitstatus != pytest.ExitCode.INTERRUPTED:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if self._outcome.code else pytest.ExitCode.OK

    def pytest_unconfigure(self) -> None:
        """Leave no temporary folder behind."""
        if self._is_temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell the user."""
        if self._lines:
            terminalreporter.section("contract")
            for line in self._lines:
                terminalreporter.line(line)

    def _finish(self) -> None:
        verdicts, settings = self._verdicts, self.settings
        for each in [self._told, *self._others]:
            for test, rules in each["expected"].items():
                verdicts.expect(test, rules)
            for test, rules in each["deselected"].items():
                verdicts.deselect(test, rules)
        proven = verdicts.of("proven")
        missing = [] if settings.floor is None else settings.floor.missing(proven)
        self._outcome.code = self._code(proven, missing)
        ending = Ending(
            target=next((each["base_url"] for each in [*self._others, self._told] if each["base_url"]), None),
            tag=self.tag,
            started=self._started,
            ended=datetime.now(UTC),
            requests=self.asked + sum(each["requests"] for each in [self._told, *self._others]),
            remains=remains(self.folder, self.tag),
            missing=missing,
            code=self._outcome.code,
        )
        report = document(verdicts, settings, ending)
        written: list[Path] = []
        if settings.folder is not None:
            written = write_reports(settings.folder, report)
            if verdicts.facts:
                written.append(settings.folder / "facts.json")
                fact_file.write(written[-1], ending.target or settings.kind, verdicts.facts)
        if settings.write_floor is not None:
            write_floor(settings.write_floor, settings.kind, proven)
            written.append(settings.write_floor)
        self._lines = list(told(report, written))

    def _code(self, proven: list[str], missing: list[str]) -> ExitCode:
        if self._outcome.interrupted:
            return ExitCode.INTERRUPTED
        if self._verdicts.of("violated") or self._verdicts.broken:
            return ExitCode.VIOLATED
        if missing:
            return ExitCode.FEWER_PROVEN
        return ExitCode.PROVEN if proven else ExitCode.NOTHING_PROVEN


SESSION = pytest.StashKey[Session]()
