"""Rounds of Schemathesis against a stub, and what became of every case."""

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
from .target import Look, Target

OPENAPI = Path(__file__).parents[3] / "openapi.yaml"
MOST_GROWTH = 16 * 1024 * 1024
MOST_SECONDS = 10.0  # For one answer, on a machine that has other things to do.
OFTEN = 0.8  # How often a value that exists is taken where there is one.


@dataclass
class Tally:
    """What was sent, what came back, and what of it is to be explained.

    Attributes:
        statuses: Answers by operation and status.
        phases: Cases by the phase of Schemathesis.
        checks: Checks that were made, by name.
        explained: Failed checks that are known to be no fault, by the reason.
        findings: All others, in words, each once.
        memory: Resident memory of the stub in bytes, look by look.
        added: Rows that were written.
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
        """How many cases there were."""
        return self.phases.total()

    @property
    def growth(self) -> int:
        """Bytes by which the stub grew after a quarter of all looks, when all it needs had long been loaded."""
        return self.memory[-1] - self.memory[len(self.memory) // 4]

    def find(self, kind: str, story: str) -> None:
        """Note a finding; of each kind the first story is kept."""
        self.findings.setdefault(kind, story)

    def looked(self, look: Look) -> None:
        """Note what was found in the stub."""
        for problem in look.problems:
            self.find(problem.partition(":")[0], problem)
        self.memory.append(look.memory)
        self.added += look.added


def play(target: Target, profile: dict[str, Any], seed: int, examples: int, tally: Tally, *, first: bool) -> None:
    """Play one round: some cases of every operation, and some in which one operation leads to another.

    Args:
        target: The stub.
        profile: Its profile.
        seed: What the cases are drawn from.
        examples: Cases of each operation, about, and of chains of operations.
        tally: Where to note what becomes of them.
        first: Whether those cases are played that do not depend on the seed.
    """
    contract: Contract = yaml.safe_load(OPENAPI.read_text(encoding="utf-8"))
    served = as_served(contract, Profile.from_mapping(profile), target.told.examples)
    schema = schemathesis.openapi.from_dict(served, config=_config(target, seed, examples, first=first))
    answered: dict[str, int] = {}

    @schema.hook
    def after_call(context: Any, case: Any, response: Any) -> None:
        answered[response.headers["x-request-id"][0]] = response.status_code

    @schema.hook
    def filter_failure(context: Any, failure: Failure, case: Any, response: Any) -> bool:
        # Dropped before Schemathesis takes it for a find, after which it would leave the operation alone.
        why = None
        if isinstance(failure, RejectedPositiveData):
            why = explanation(response.json()["message"], chained=case.meta.phase.name == "stateful")
        if why is not None:
            tally.explained[why] += 1
        return why is None

    for event in from_schema(schema).execute():
        match event:
            case events.ScenarioFinished():
                _note(event, tally, seed)
                tally.looked(target.look(answered))
                answered.clear()
            case events.NonFatalError():
                tally.find(f"{event.label}: {event.value!r:.80}", f"{event.label}: {event.value!r}, seed {seed}")
            case events.FatalError():
                raise event.exception
    # Nothing is under way any more, so the last look sees all there is.
    tally.looked(target.look(answered))
    if tally.growth > MOST_GROWTH:
        tally.find("memory", f"it grew by {tally.growth} bytes")
    with urlopen(f"{target.told.base_url}/_stub/health") as health:  # our own server
        if json.load(health) != {"status": "ok"}:
            tally.find("health", "the stub does not answer any more")


def _note(event: events.ScenarioFinished, tally: Tally, seed: int) -> None:
    recorder = event.recorder
    for id, node in recorder.cases.items():
        tally.phases[event.phase.value] += 1
        interaction = recorder.interactions.get(id)
        answer = interaction.response if interaction else None
        tally.statuses[node.value.operation.label, answer.status_code if answer else 0] += 1
        for check in recorder.checks.get(id, ()):
            tally.checks[check.name] += 1
            if check.failure_info is not None:
                failure, body = check.failure_info.failure, answer.text if answer else ""
                story = [f"seed {seed}: {failure.title}", failure.message, check.failure_info.code_sample, body]
                tally.find(f"{check.name} of {node.value.operation.label}", "\n".join(story))


def _config(target: Target, seed: int, examples: int, *, first: bool) -> SchemathesisConfig:
    return SchemathesisConfig.from_dict(
        {
            "seed": seed,
            "base-url": target.told.base_url,
            "headers": {"Authorization": f"Bearer {target.told.token}"},
            "continue-on-failure": True,
            "checks": {"max_response_time": MOST_SECONDS},
            "suppress-health-check": ["all"],
            "generation": {"max-examples": examples, "database": "none", "no-shrink": not first},
            "phases": {
                "examples": {"enabled": first},
                "coverage": {"enabled": first, "generate-duplicate-query-parameters": True},
            },
            "dictionaries": {name: {"values": values} for name, values in target.told.dictionaries.items()},
            "parameters": {place: {"dictionary": name, "probability": OFTEN} for place, name in PLACES.items()},
        }
    )


def busiest(tally: Tally) -> Iterator[tuple[str, int, dict[int, int]]]:
    """Yield each operation with its cases and its answers by status."""
    for operation in sorted({operation for operation, _ in tally.statuses}):
        statuses = {status: times for (of, status), times in sorted(tally.statuses.items()) if of == operation}
        yield operation, sum(statuses.values()), statuses
