"""Collects the findings of all processes of a run, writes the reports and decides the exit code."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from project_platform.version import VERSION
from project_platform_contract.facts import fact_file
from project_platform_contract.fuse.backup import RESTORED_OPERATIONS
from project_platform_contract.fuse.ledger import remains
from project_platform_contract.operations import EFFECTS
from project_platform_contract.reports import write_reports
from project_platform_contract.reports.formatting import share_line
from project_platform_contract.reports.terminal import summary_lines
from project_platform_contract.rules import RULES

from .contract_run import Run, new_tag
from .exit_code import ExitCode, Outcome
from .locks import Locks, locks_of
from .restoration import NotRestoredError, repair
from .settings import Settings, write_floor
from .verdicts import UNFINISHED, Verdicts

_NO_RUN = frozenset({pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR})


def rules_of(item: pytest.Item) -> list[str]:
    """Return the identifiers of the rules in the marks of a test."""
    return [id for mark in item.iter_markers("rule") for id in mark.args]


def operations_of(item: pytest.Item) -> set[str]:
    """Return the operations of the rules of a test."""
    return {RULES[id].operation or "" for id in rules_of(item) if id in RULES}


class Session:
    """The hooks that collect findings. Under pytest-xdist every worker sends its own to the controller, which reports them.

    Attributes:
        tag: Name prefix of everything that the run creates; the same in all processes.
        folder: Folder of the ledgers.
        run: The run of this process; None until a test needs it.
        preflight_requests: Number of requests that were sent before the tests, by the controller.
        locks: Locks of the deployment; None for a stub, which only this process uses.
        taken: Operations that change a thing of the data file which another run on this machine is changing.
    """

    def __init__(
        self, config: pytest.Config, settings: Settings, outcome: Outcome, repaired: list[str], preflight_requests: int
    ) -> None:
        self._config = config
        self._outcome = outcome
        self._worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._verdicts = Verdicts()
        self._data: dict[str, Any] = {"expected": {}, "deselected": {}, "requests": 0, "base_url": None}
        self._worker_data: list[dict[str, Any]] = []
        self._started = datetime.now(UTC)
        self._lines: list[str] = []
        self._repaired = repaired
        self.settings = settings
        self.run: Run | None = None
        self.locks: Locks | None = None
        deployment = settings.deployment
        if deployment is not None and not config.option.collectonly:
            self._data["base_url"] = deployment.base_url
            self.locks = locks_of(deployment.base_url, deployment.data["project"])
        if self._worker is None:
            self.tag, self.preflight_requests = new_tag(), preflight_requests
            self.folder = settings.folder or Path(tempfile.mkdtemp(prefix="contract-"))
            self.folder.mkdir(parents=True, exist_ok=True)
            if settings.folder is None:
                config.add_cleanup(partial(shutil.rmtree, self.folder, ignore_errors=True))
            # One process holds the lock of a run; its workers take turns.
            self.taken = frozenset(() if self.locks is None or self.locks.hold(0) else RESTORED_OPERATIONS)
        else:
            shared = self._worker["contract"]
            self.tag, self.preflight_requests = shared["tag"], shared["preflight_requests"]
            self.folder, self.taken = Path(shared["folder"]), frozenset(shared["taken"])

    @property
    def ledger_path(self) -> Path:
        """Path of the ledger of this process."""
        worker = "main" if self._worker is None else self._worker["workerid"]
        return self.folder / f"ledger-{worker}.jsonl"

    @property
    def workers(self) -> int:
        """Number of processes that share the run."""
        return 1 if self._worker is None else self._worker["workercount"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send the state that all processes share to a worker."""
        node.workerinput["contract"] = {
            "tag": self.tag,
            "preflight_requests": self.preflight_requests,
            "folder": str(self.folder.resolve()),
            "taken": sorted(self.taken),
        }

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Collect the data of a worker that finished; a worker that crashed has none."""
        if data := getattr(node, "workeroutput", {}).get("contract"):
            self._worker_data.append(data)

    def pytest_sessionstart(self) -> None:
        """Show what was restored before the tests."""
        if (reporter := self._config.pluginmanager.get_plugin("terminalreporter")) is not None:
            for line in self._repaired:
                reporter.write_line(line)

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

    @pytest.hookimpl(wrapper=True, trylast=True)  # inside of the hook that prints the summary
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Send the data to the controller, or write the reports and set the exit status.

        First, pytest ends the fixtures of an interrupted test, which restore what it changed and hold the lock for it.
        """
        try:
            return (yield)
        finally:
            self._end(session)

    def _end(self, session: pytest.Session) -> None:
        if self.run is not None:
            self._data |= {"requests": self.run.fuse.passed, "base_url": self.run.target.base_url}
        if self._worker is not None:
            self._config.workeroutput["contract"] = self._data  # type: ignore[attr-defined]  # pytest-xdist's
            return
        if self._config.option.collectonly or session.exitstatus in _NO_RUN:
            return
        self._finish()
        if session.exitstatus != pytest.ExitCode.INTERRUPTED:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if self._outcome.code else pytest.ExitCode.OK

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
        not_restored = self._repair()
        report = self._report(processes)
        proven = verdicts.of("proven")
        self._outcome.code = self._code(report, proven, not_restored)
        self._outcome.report = report = {**report, "exit_code": int(self._outcome.code)}
        written: list[Path] = []
        if settings.folder is not None:
            written = write_reports(settings.folder, report)
            if verdicts.facts:
                written.append(settings.folder / "facts.json")
                fact_file.write(written[-1], report["target"]["url"] or settings.kind, verdicts.facts)
        if settings.write_floor is not None and not self._outcome.interrupted:  # it would be smaller
            write_floor(settings.write_floor, settings.kind, proven)
            written.append(settings.write_floor)
        self._lines = [*self._repaired, *summary_lines(report, written)]
        if not_restored is not None:
            self._lines.insert(-1, f"NOT RESTORED  {not_restored}")

    def _report(self, processes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the report of the run without its exit code; `report.schema.json` describes it."""
        settings, floor = self.settings, self.settings.floor
        missing = [] if floor is None else sorted(floor.proven - {*self._verdicts.of("proven")})
        url = next((process["base_url"] for process in processes if process["base_url"]), None)
        sent = self.preflight_requests + sum(process["requests"] for process in processes)
        return {
            "suite": VERSION,
            "target": {"kind": settings.kind, "url": url},
            "run": self.tag,
            "started_at": self._started.isoformat(timespec="seconds"),
            "seconds": round((datetime.now(UTC) - self._started).total_seconds(), 1),
            "allowed": sorted(settings.effects, key=EFFECTS.index),
            "requests": {"sent": sent, "limit": settings.requests, "pace": settings.pace},
            **self._verdicts.report(settings),
            "floor": floor and {"file": str(floor.path), "rules": len(floor.proven), "missing": missing},
            "remains": remains(self.folder, self.tag),
        }

    def _repair(self) -> str | None:
        """Restore what a worker that crashed left changed, and return why it is not restored."""
        try:
            self._repaired += repair(self.settings, self.folder)
        except NotRestoredError as error:
            return str(error)
        return None

    def _code(self, report: dict[str, Any], proven: list[str], not_restored: str | None) -> ExitCode:
        if self._outcome.interrupted:
            return ExitCode.INTERRUPTED
        if not_restored is not None:
            return ExitCode.NOT_RESTORED
        if report["down"]:
            return ExitCode.DOWN
        if report["counts"]["violated"] or report["broken"]:
            return ExitCode.VIOLATED
        if not proven:
            return ExitCode.NOTHING_PROVEN
        if any(UNFINISHED in str(rule["why"]) for rule in report["rules"]):  # as with -x
            return ExitCode.FEWER_PROVEN
        is_below_floor = report["floor"] is not None and report["floor"]["missing"]
        return ExitCode.FEWER_PROVEN if is_below_floor or share_line(report) else ExitCode.PROVEN


SESSION = pytest.StashKey[Session]()
