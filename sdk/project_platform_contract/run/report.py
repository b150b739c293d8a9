"""The report as JSON, which `report.schema.json` describes; the other forms are made from it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from project_platform.version import VERSION
from project_platform_contract.facts.fact_file import gather
from project_platform_contract.fuse.ledger import Remains
from project_platform_contract.operations import EFFECTS
from project_platform_contract.rules import RULES

from .exit_code import ExitCode
from .settings import Settings
from .verdicts import Finding, Verdicts


@dataclass(frozen=True, slots=True)
class Ending:
    """What is known at the end of a run.

    Attributes:
        target: The target's address; None if it never had one.
        tag: What everything is named with that the run created.
        started: When it began.
        ended: When it ended.
        requests: How many requests were sent.
        remains: What it leaves in the world.
        missing: Rules of the floor that were not proven.
        code: What the run exits with.
    """

    target: str | None
    tag: str
    started: datetime
    ended: datetime
    requests: int
    remains: Remains
    missing: list[str]
    code: ExitCode


def document(verdicts: Verdicts, settings: Settings, ending: Ending) -> dict[str, Any]:
    """Return a report."""
    counts = {name.replace(" ", "_"): len(verdicts.of(name)) for name in ("proven", "violated", "not run")}
    return {
        "suite": VERSION,
        "target": {"kind": settings.kind, "url": ending.target},
        "run": ending.tag,
        "started_at": ending.started.isoformat(timespec="seconds"),
        "seconds": round((ending.ended - ending.started).total_seconds(), 1),
        "allowed": sorted(settings.effects, key=EFFECTS.index),
        "requests": {"sent": ending.requests, "limit": settings.requests, "pace": settings.pace},
        "exit_code": int(ending.code),
        "counts": counts,
        "rules": [_rule(id, finding) for id, finding in verdicts.findings.items()],
        "broken": verdicts.broken,
        "floor": None
        if settings.floor is None
        else {"file": str(settings.floor.path), "rules": len(settings.floor.proven), "missing": ending.missing},
        "facts": {key: [asdict(each) for each in values] for key, values in gather(verdicts.facts).items()},
        "remains": ending.remains.as_json(),
    }


def _rule(id: str, finding: Finding) -> dict[str, Any]:
    rule = asdict(RULES[id])
    return {
        **rule,
        "verdict": finding.verdict,
        "why": finding.why,
        "tests": {"passed": sorted(finding.passed), "not_run": finding.not_run},
        "violations": finding.failed,
    }
