"""Collects the findings of all processes of a run, writes the reports and decides the exit code."""

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
from project_platform_contract.reports.terminal import summary_lines

from .contract_run import new_tag
from .exit_code import ExitCode, Outcome
from .floor import write_floor
from .report import RunSummary, build_report
from .settings import Settings
from .verdicts import Verdicts

_NO_RUN = frozenset({pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR})


def rules_of(item: pytest.Item) -> list[str]:
    """Return the identifiers of the rules in the marks of a test."""
    return [id for mark in item.iter_markers("rule") for id in mark.args]


class Session:
    """The hooks that collect findings. Under pytest-xdist every worker sends its own to the controller, which reports them.

    Attributes:
        settings: The settings of the run.
        tag: Name prefix of everything that the run creates; the same in all processes.
        folder: Folder of the ledgers.
        fuse: The fuse of this process; None until a test needs it.
        base_url: Base URL of the target; None until it is known.
        preflight_requests: Number of requests that were sent before the tests.
    """

    def __init__(self, config: pytest.Config, settings: Settings, outcome: Outcome) -> None:
        self._config = config
        self._outcome = outcome
        self._worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._verdicts = Verdicts()
        self._data: dict[str, Any] = {"expected": {}, "deselected": {}, "requests": 0, "base_url": settings.url}
        self._worker_data: list[dict[str, Any]] = []
        self._started = datetime.now(UTC)
        self._lines: list[str] = []
        self.settings = settings
        self.preflight_requests = int(settings.url is not None)
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
        """Path of the ledger of this process."""
        return self.folder / f"ledger-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.jsonl"

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send the tag and the folder of the ledgers to a worker."""
        node.workerinput["contract-tag"] = self.tag
        node.workerinput["contract-folder"] = str(self.folder.resolve())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Collect the data of a worker that finished; a worker that crashed has none."""
        if data := getattr(node, "workeroutput", {}).get("contract"):
            self._worker_data.append(data)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Record tests that were deselected."""
        self._data["deselected"] |= {item.nodeid: rules_of(item) for item in items}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record tests that are going to run."""
        self._data["expected"] = {item.nodeid: rules_of(item) for item in session.items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the report of a test to the verdicts."""
        if self._worker is None:
            self._verdicts.add(report)

    def pytest_keyboard_interrupt(self) -> None:
        """Record that the run was interrupted."""
        self._outcome.interrupted = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the data to the controller, or write the reports and set the exit status."""
        if self.fuse is not None:
            self._data["requests"] = self.fuse.passed
            self._data["base_url"] = self.base_url
        if self._worker is not None:
            self._config.workeroutput["contract"] = self._data  # type: ignore[attr-defined]  # pytest-xdist's
            return
        if self._config.option.collectonly or session.exitstatus in _NO_RUN:
            return
        self._finish()
        if session.exitstatus != pytest.ExitCode.INTERRUPTED:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if self._outcome.code else pytest.ExitCode.OK

    def pytest_unconfigure(self) -> None:
        """Remove the folder of the ledgers if it is temporary."""
        if self._is_temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the summary."""
        if self._lines:
            terminalreporter.section("contract")
            for line in self._lines:
                terminalreporter.line(line)

    def _finish(self) -> None:
        verdicts, settings = self._verdicts, self.settings
        processes = [*self._worker_data, self._data]
        for process in processes:
            for test, rules in process["expected"].items():
                verdicts.expect(test, rules)
            for test, rules in process["deselected"].items():
                verdicts.deselect(test, rules)
        proven = verdicts.of("proven")
        missing = [] if settings.floor is None else settings.floor.missing(proven)
        self._outcome.code = self._code(proven, missing)
        summary = RunSummary(
            target=next((process["base_url"] for process in processes if process["base_url"]), None),
            tag=self.tag,
            started=self._started,
            ended=datetime.now(UTC),
            requests=self.preflight_requests + sum(process["requests"] for process in processes),
            remains=remains(self.folder, self.tag),
            missing=missing,
            code=self._outcome.code,
        )
        report = build_report(verdicts, settings, summary)
        written: list[Path] = []
        if settings.folder is not None:
            written = write_reports(settings.folder, report)
            if verdicts.facts:
                written.append(settings.folder / "facts.json")
                fact_file.write(written[-1], summary.target or settings.kind, verdicts.facts)
        if settings.write_floor is not None:
            write_floor(settings.write_floor, settings.kind, proven)
            written.append(settings.write_floor)
        self._lines = list(summary_lines(report, written))

    def _code(self, proven: list[str], missing: list[str]) -> ExitCode:
        if self._outcome.interrupted:
            return ExitCode.INTERRUPTED
        if self._verdicts.of("violated") or self._verdicts.broken:
            return ExitCode.VIOLATED
        if missing:
            return ExitCode.FEWER_PROVEN
        return ExitCode.PROVEN if proven else ExitCode.NOTHING_PROVEN


SESSION = pytest.StashKey[Session]()
