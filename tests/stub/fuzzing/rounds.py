"""Rounds of Schemathesis against a stub, and the results of all cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import schemathesis
import yaml
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure
from schemathesis.engine import events, from_schema
from schemathesis.openapi.checks import RejectedPositiveData

from project_platform_stub import Profile

from .contract import Contract, as_served
from .explained import explanation
from .known import PLACES
from .target import Inspection, Target

OPENAPI = Path(__file__).parents[3] / "openapi.yaml"
MAX_GROWTH = 16 * 1024 * 1024
MAX_SECONDS = 10.0  # For one response, on a busy machine.
PROBABILITY = 0.8  # of a value from a dictionary, where there is one


@dataclass
class Tally:
    """The counts of cases, responses and checks, and the findings.

    Attributes:
        statuses: Responses by operation and status; 0 is no response.
        phases: Cases by phase of Schemathesis.
        checks: Checks by name.
        explained: Failed checks with a known reason, by that reason.
        findings: The first report of each kind of other failure, by kind.
        memory: Resident memory of the stub in bytes, one value for each inspection.
        added: Number of rows that were written.
    """

    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    findings: dict[str, str] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)
    added: int = 0

    @property
    def cases(self) -> int:
        """The number of cases."""
        return self.phases.total()

    @property
    def growth(self) -> int:
        """The growth of the stub in bytes since the first quarter of the run, when everything had been loaded."""
        return self.memory[-1] - self.memory[len(self.memory) // 4]

    def add_finding(self, kind: str, report: str) -> None:
        """Add a finding, unless there is one of its kind."""
        self.findings.setdefault(kind, report)

    def add_inspection(self, inspection: Inspection) -> None:
        """Add the result of an inspection of the stub."""
        for problem in inspection.problems:
            self.add_finding(problem.partition(":")[0], problem)
        self.memory.append(inspection.memory)
        self.added += inspection.added


def run_round(target: Target, profile: dict[str, Any], seed: int, examples: int, tally: Tally, *, first: bool) -> None:
    """Run one round: cases of every operation, and of chains of operations.

    Args:
        target: The stub.
        profile: Its profile.
        seed: The seed of the random generator.
        examples: Approximate number of cases for each operation, and of chains.
        tally: Receives the results.
        first: Whether to run the cases that do not depend on the seed as well.
    """
    contract: Contract = yaml.safe_load(OPENAPI.read_text(encoding="utf-8"))
    served = as_served(contract, Profile.from_mapping(profile), target.description.examples)
    schema = schemathesis.openapi.from_dict(served, config=_config(target, seed, examples, first=first))
    statuses: dict[str, int] = {}

    @schema.hook
    def after_call(context: Any, case: Any, response: Any) -> None:
        statuses[response.headers["x-request-id"][0]] = response.status_code

    @schema.hook
    def filter_failure(context: Any, failure: Failure, case: Any, response: Any) -> bool:
        # Schemathesis stops testing an operation after a failure, so explained failures are dropped here.
        reason = None
        if isinstance(failure, RejectedPositiveData):
            reason = explanation(response.json()["message"], chained=case.meta.phase.name == "stateful")
        if reason is not None:
            tally.explained[reason] += 1
        return reason is None

    for event in from_schema(schema).execute():
        match event:
            case events.ScenarioFinished():
                _count(event, tally, seed)
                tally.add_inspection(target.inspect(statuses))
                statuses.clear()
            case events.NonFatalError():
                tally.add_finding(f"{event.label}: {event.value!r:.80}", f"{event.label}: {event.value!r}, seed {seed}")
            case events.FatalError():
                raise event.exception
    # No request is in progress any more, so the last inspection is complete.
    tally.add_inspection(target.inspect(statuses))
    if tally.growth > MAX_GROWTH:
        tally.add_finding("memory", f"the memory of the stub grew by {tally.growth} bytes")
    with urlopen(f"{target.description.base_url}/_stub/health") as health:  # our own server
        if json.load(health) != {"status": "ok"}:
            tally.add_finding("health", "the health check of the stub failed")


def _count(event: events.ScenarioFinished, tally: Tally, seed: int) -> None:
    recorder = event.recorder
    for id, node in recorder.cases.items():
        tally.phases[event.phase.value] += 1
        interaction = recorder.interactions.get(id)
        response = interaction.response if interaction else None
        tally.statuses[node.value.operation.label, response.status_code if response else 0] += 1
        for check in recorder.checks.get(id, ()):
            tally.checks[check.name] += 1
            if check.failure_info is not None:
                failure, body = check.failure_info.failure, response.text if response else ""
                report = [f"seed {seed}: {failure.title}", failure.message, check.failure_info.code_sample, body]
                tally.add_finding(f"{check.name} of {node.value.operation.label}", "\n".join(report))


def _config(target: Target, seed: int, examples: int, *, first: bool) -> SchemathesisConfig:
    return SchemathesisConfig.from_dict(
        {
            "seed": seed,
            "base-url": target.description.base_url,
            "headers": {"Authorization": f"Bearer {target.description.token}"},
            "continue-on-failure": True,
            "checks": {"max_response_time": MAX_SECONDS},
            "suppress-health-check": ["all"],
            "generation": {"max-examples": examples, "database": "none", "no-shrink": not first},
            "phases": {
                "examples": {"enabled": first},
                "coverage": {"enabled": first, "generate-duplicate-query-parameters": True},
            },
            "dictionaries": {name: {"values": values} for name, values in target.description.dictionaries.items()},
            "parameters": {place: {"dictionary": name, "probability": PROBABILITY} for place, name in PLACES.items()},
        }
    )


def by_operation(tally: Tally) -> Iterator[tuple[str, int, dict[int, int]]]:
    """Yield each operation with its number of cases and its responses by status."""
    for operation in sorted({operation for operation, _ in tally.statuses}):
        statuses = {status: count for (name, status), count in sorted(tally.statuses.items()) if name == operation}
        yield operation, sum(statuses.values()), statuses
