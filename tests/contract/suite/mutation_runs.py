"""Runs of the suite against broken stubs, each in a process of its own that is forked from one that has loaded everything.

A process breaks the stub that it has loaded, proves the rules on it, tells which of them were violated, and ends.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pkgutil import iter_modules
from typing import Any

import pytest
from mutations import MUTATIONS, patch, stop_self_check

from project_platform_contract import suite
from project_platform_contract.operations import operations
from project_platform_contract.run.verdicts import Verdicts
from project_platform_stub.operations.support import label_pdf  # noqa: F401  # loaded once, before the fork

PATIENCE = 120.0  # Seconds that a run may take; one takes a few.

# Nothing that a run has no need of, for there are many: no cache, no details of failures, few made-up requests.
_ARGUMENTS = (
    *("--pyargs", "project_platform_contract"),
    *("-p", "project_platform_contract.run.plugin", "-p", "no:cacheprovider"),
    *("-q", "--tb=no", "--assert=plain", "--contract-fuzz=2"),
)


@dataclass(frozen=True)
class Job:
    """A run to make.

    Attributes:
        mutation: Name of what is broken; None for a healthy stub.
        full: Whether all rules are proven, or those of the areas where the mutation belongs.
    """

    mutation: str | None
    full: bool = True


@dataclass(frozen=True)
class Outcome:
    """What a run found.

    Attributes:
        verdicts: Each rule's verdict.
        error: Why there are none, if the run failed itself.
    """

    verdicts: dict[str, str]
    error: str | None = None

    @property
    def violated(self) -> set[str]:
        """Rules that were violated."""
        return {id for id, verdict in self.verdicts.items() if verdict == "violated"}


class Watch:
    """A plugin that leaves out tests of other areas, and gathers what the rest says.

    Args:
        areas: Patterns of the rules whose tests are kept; None for all.
    """

    def __init__(self, areas: frozenset[str] | None) -> None:
        self._areas = areas
        self.verdicts = Verdicts()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the tests of the areas."""
        areas = self._areas
        if areas is not None:
            items[:] = [item for item in items if belongs(item, areas)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what a test says."""
        self.verdicts.add(report)


def belongs(item: pytest.Item, areas: Iterable[str]) -> bool:
    """Return whether a test proves a rule of some areas."""
    rules = [id for mark in item.iter_markers("rule") for id in mark.args]
    return any(fnmatchcase(id, area) for id in rules for area in areas)


def load() -> None:
    """Load what every run needs, once for all of them: its tests, and the contract."""
    for module in iter_modules(suite.__path__):
        import_module(f"{suite.__name__}.{module.name}")
    operations()
    gc.freeze()


def outcome_of(job: Job) -> Outcome:
    """Return what a run in this process finds; nothing else can be done with the stub of this process afterwards."""
    stop_self_check()
    patch(os, "fsync", lambda _: None)  # the ledger of a run against a broken stub need survive nothing
    areas = None
    if job.mutation is not None:
        MUTATIONS[job.mutation].apply()
        areas = None if job.full else MUTATIONS[job.mutation].areas
    watch = Watch(areas)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        code = pytest.main(list(_ARGUMENTS), plugins=[watch])
        os.chdir("/")
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        return Outcome({}, f"the run ended with {code!r}")
    return Outcome({id: finding.verdict for id, finding in watch.verdicts.findings.items()})


def outcomes(jobs: Sequence[Job], *, workers: int) -> Iterator[tuple[Job, Outcome]]:
    """Give the outcomes of runs as they come, so many at once."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    load()
    context: Any = get_context("fork" if "fork" in get_all_start_methods() else "spawn")
    left = list(jobs)
    running: dict[Any, tuple[Job, BaseProcess]] = {}
    while left or running:
        while left and len(running) < workers:
            job = left.pop(0)
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_tell, args=(job, there), daemon=True)
            process.start()
            there.close()
            running[here] = job, process
        ready = wait(list(running), timeout=PATIENCE) or list(running)
        for connection in list(running):
            if connection not in ready:
                continue
            job, process = running.pop(connection)
            yield job, _heard(connection)
            process.kill()
            process.join()


def _tell(job: Job, to: Connection) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    to.send(outcome_of(job))


def _heard(connection: Connection) -> Outcome:
    if not connection.poll():
        return Outcome({}, f"the run took more than {PATIENCE:g} seconds")
    try:
        outcome: Outcome = connection.recv()
    except EOFError:
        return Outcome({}, "the run ended without a word")
    return outcome
