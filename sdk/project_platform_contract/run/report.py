"""The report of a run as JSON, described by `report.schema.json`; the package `reports` renders it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from project_platform.version import VERSION
from project_platform_contract.data.inferred import is_apart
from project_platform_contract.facts.fact_file import gather
from project_platform_contract.fuse.ledger import Remains
from project_platform_contract.operations import EFFECTS, operations
from project_platform_contract.reports.explanation import explanation, quotes
from project_platform_contract.rules import RULES

from .exit_code import ExitCode
from .settings import Settings
from .verdicts import Finding, Verdicts

_MEMBERS: Final = frozenset({"id", "statement", "section", "operation", "effect", "inferred"})


@dataclass(frozen=True, slots=True)
class Share:
    """The share of the rules that are proven.

    Attributes:
        selected: Number of rules whose effect is allowed and of which no test was deselected.
        proven: Number of proven rules among them.
        min_percent: Percentage that must be proven if there is no floor.
    """

    selected: int
    proven: int
    min_percent: float

    @property
    def is_too_small(self) -> bool:
        """Whether fewer rules are proven than must be."""
        return 100 * self.proven < self.min_percent * self.selected


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Facts about a whole run, over all its processes.

    Attributes:
        target: Base URL of the target; None if no test used it.
        tag: Tag of the run.
        started: Start of the run.
        ended: End of the run.
        requests: Number of requests that were sent.
        remains: Lasting changes of the run.
        missing: Rules of the floor that were not proven.
        share: The share of the rules that are proven.
        code: Exit code.
    """

    target: str | None
    tag: str
    started: datetime
    ended: datetime
    requests: int
    remains: Remains
    missing: list[str]
    share: Share
    code: ExitCode


def build_report(verdicts: Verdicts, settings: Settings, summary: RunSummary) -> dict[str, Any]:
    """Return the report of a run."""
    rules = [_rule(id, finding) for id, finding in verdicts.findings.items()]
    apart = {id for id in RULES if is_apart(id, settings.inferred)}
    stated = [rule for rule in rules if rule["id"] not in apart]
    inferred = [rule for rule in rules if rule["id"] in apart]
    return {
        "suite": VERSION,
        "target": {"kind": settings.kind, "url": summary.target},
        "run": summary.tag,
        "started_at": summary.started.isoformat(timespec="seconds"),
        "seconds": round((summary.ended - summary.started).total_seconds(), 1),
        "allowed": sorted(settings.effects, key=EFFECTS.index),
        "requests": {"sent": summary.requests, "limit": settings.requests, "pace": settings.pace},
        "exit_code": int(summary.code),
        "share": asdict(summary.share),
        "counts": {**_counts(stated), "inferred": _counts(inferred)},
        "down": [verdicts.down[operation.id] for operation in operations() if operation.id in verdicts.down],
        "rules": stated,
        "inferred": inferred,
        "broken": verdicts.broken,
        "floor": None
        if settings.floor is None
        else {"file": str(settings.floor.path), "rules": len(settings.floor.proven), "missing": summary.missing},
        "facts": {
            key: [asdict(observation) for observation in observations]
            for key, observations in gather(verdicts.facts).items()
        },
        "remains": summary.remains.as_json(),
    }


def _counts(rules: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    found = Counter(str(rule["verdict"]) for rule in rules)
    return {name.replace(" ", "_"): found[name] for name in ("proven", "violated", "not run")}


def _rule(id: str, finding: Finding) -> dict[str, Any]:
    rule = RULES[id]
    return {
        **{name: value for name, value in asdict(rule).items() if name in _MEMBERS},
        "quotes": quotes(rule, "\n".join(failure["said"] for failure in finding.failed)),
        "verdict": finding.verdict,
        "checked": finding.checked,
        "why": finding.why,
        "remedy": " and ".join(sorted(finding.remedies)) or None if finding.why else None,
        "seconds": round(finding.seconds, 3),
        "tests": {"passed": sorted(finding.passed), "not_run": finding.not_run},
        "violations": [failure | explanation(id, failure["said"]) for failure in finding.failed],
    }
