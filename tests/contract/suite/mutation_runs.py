"""Runs of the suite against broken stubs, each in a process that is forked from one with all modules loaded.

A process breaks its stub, proves the rules on it, sends the verdicts to the parent process, and ends.
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
from mutations import MUTATIONS, stop_self_check

from project_platform_contract import suite
from project_platform_contract.operations import operations
from project_platform_contract.run.verdicts import Verdicts
from project_platform_stub.operations.support import label_pdf  # noqa: F401  # loaded once, before the fork

RUN_TIMEOUT = 120.0  # Seconds; a run takes a few.

# There are many runs, so each one is fast: no cache, no tracebacks, few generated requests.
_ARGUMENTS = (
    *("--pyargs", "project_platform_contract"),
    *("-p", "project_platform_contract.run.plugin", "-p", "no:cacheprovider"),
    *("-q", "--tb=no", "--assert=plain", "--contract-fuzz=2"),
)


@dataclass(frozen=True)
class Job:
    """A run of the suite against one stub.

    Attributes:
        mutation: Name of the mutation; None for an intact stub.
        full: Whether all rules are proven, or only those of the mutation's areas.
    """

    mutation: str | None
    full: bool = True


@dataclass(frozen=True)
class MutationResult:
    """The result of a run.

    Attributes:
        verdicts: Verdicts by rule.
        error: Reason why there are no verdicts; None if there are.
    """

    verdicts: dict[str, str]
    error: str | None = None

    @property
    def violated(self) -> set[str]:
        """The violated rules."""
        return {id for id, verdict in self.verdicts.items() if verdict == "violated"}


class AreaFilter:
    """A plugin that deselects the tests of other areas, and derives verdicts from the others.

    Args:
        areas: Patterns of the rules whose tests run; None for all.
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
        """Add the report of a test to the verdicts."""
        self.verdicts.add(report)


def belongs(item: pytest.Item, areas: Iterable[str]) -> bool:
    """Return whether a test proves a rule that matches one of the patterns."""
    rules = [id for mark in item.iter_markers("rule") for id in mark.args]
    return any(fnmatchcase(id, area) for id in rules for area in areas)


def load() -> None:
    """Import the tests and parse the contract, once for all runs."""
    for module in iter_modules(suite.__path__):
        import_module(f"{suite.__name__}.{module.name}")
    operations()
    gc.freeze()


def run_job(job: Job) -> MutationResult:
    """Run the suite in this process, and return the result; afterwards the stub of the process is unusable."""
    stop_self_check()
    areas = None
    if job.mutation is not None:
        MUTATIONS[job.mutation].apply()
        areas = None if job.full else MUTATIONS[job.mutation].areas
    area_filter = AreaFilter(areas)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        code = pytest.main(list(_ARGUMENTS), plugins=[area_filter])
        os.chdir("/")
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        return MutationResult({}, f"the run ended with {code!r}")
    return MutationResult({id: finding.verdict for id, finding in area_filter.verdicts.findings.items()})


def run_jobs(jobs: Sequence[Job], *, workers: int) -> Iterator[tuple[Job, MutationResult]]:
    """Run jobs in parallel, and yield their results as they become available.

    Args:
        jobs: The jobs.
        workers: Maximum number of parallel processes.
    """
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    load()
    context: Any = get_context("fork" if "fork" in get_all_start_methods() else "spawn")
    waiting = list(jobs)
    running: dict[Any, tuple[Job, BaseProcess]] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            job = waiting.pop(0)
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_run_and_send, args=(job, there), daemon=True)
            process.start()
            there.close()
            running[here] = job, process
        ready = wait(list(running), timeout=RUN_TIMEOUT) or list(running)
        for connection in list(running):
            if connection not in ready:
                continue
            job, process = running.pop(connection)
            yield job, _received(connection)
            process.kill()
            process.join()


def _run_and_send(job: Job, to: Connection) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    to.send(run_job(job))


def _received(connection: Connection) -> MutationResult:
    if not connection.poll():
        return MutationResult({}, f"the run took more than {RUN_TIMEOUT:g} seconds")
    try:
        result: MutationResult = connection.recv()
    except EOFError:
        return MutationResult({}, "the process of the run crashed")
    return result
