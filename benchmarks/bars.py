"""The bars of the benchmark: what a ratio or a value must be, and whether it is."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .measure import Row, load
from .processes import Values
from .sides import RAW, SDK, SDK_ON_UVLOOP


@dataclass(frozen=True)
class Bar:
    """A limit of a value; `least` says that it is a minimum. `lowest` and `highest` are the extremes of the rounds, `load` is that of the machine."""

    what: str
    value: float
    limit: float
    unit: str = ""
    least: bool = False
    lowest: float | None = None
    highest: float | None = None
    load: float = field(default_factory=load)

    @property
    def met(self) -> bool:
        """Whether the value is within the limit."""
        return self.value >= self.limit if self.least else self.value <= self.limit

    def cells(self) -> list[str]:
        """Return the cells of the bar in the printed table."""
        spread = "" if self.lowest is None else f" ({self.lowest:.2f} to {self.highest:.2f})"
        sign = ">=" if self.least else "<="
        return [
            self.what,
            f"{self.value:.2f}{self.unit}{spread}",
            f"{sign} {self.limit:g}{self.unit}",
            "met" if self.met else "MISSED",
            f"{self.load:.1f}",
        ]


def ratio(what: str, own: Sequence[float], other: Sequence[float], limit: float, *, least: bool = False) -> Bar:
    """Return the bar of the median of the rounds' ratios."""
    ratios = [one / two for one, two in zip(own, other, strict=True)]
    return Bar(what, statistics.median(ratios), limit, "", least, min(ratios), max(ratios))


def of_values(what: str, values: Values, limit: float) -> Bar:
    """Return the bar of the SDK's values to those of raw httpx."""
    return ratio(what, values[SDK], values[RAW], limit)


def absolute(what: str, values: Sequence[float], limit: float, unit: str) -> Bar:
    """Return the bar of the median of the values."""
    return Bar(what, statistics.median(values), limit, unit, lowest=min(values), highest=max(values))


def of_rows(rows: Sequence[Row]) -> Iterator[Bar]:
    """Yield the bars of one task."""
    by_side = {row.side: row for row in rows}
    raw, sdk = by_side[RAW], by_side[SDK]
    cpu = sdk.values("cpu"), raw.values("cpu")
    match sdk.task.what:
        case "one agent":
            yield ratio("sync call, one agent, CPU to raw httpx", *cpu, 0.33)
        case "one agent over TLS":
            yield ratio("sync call, one agent over TLS, CPU to raw httpx", *cpu, 0.42)
        case "page of 100":
            yield ratio("page of 100 typed, CPU to raw httpx", *cpu, 0.75)
            yield Bar("page of 100, full collections per 1,000", statistics.mean(sdk.values("full")), 0)
            yield ratio("page of 100, p99 to p50", sdk.values("p99"), sdk.values("p50"), 2)
        case "50 in flight":
            yield ratio("async, 50 in flight, CPU to raw httpx", *cpu, 0.12)
            yield ratio(
                "async, 50 in flight, calls/s to raw httpx", sdk.values("rate"), raw.values("rate"), 8, least=True
            )
            if SDK_ON_UVLOOP in by_side:
                on_uvloop = by_side[SDK_ON_UVLOOP].values("cpu")
                yield ratio("async on uvloop, 50 in flight, CPU to raw httpx", on_uvloop, raw.values("cpu"), 0.09)
        case "all pages of 10,000 agents":
            per_agent = [value / 10_000 for value in sdk.values("cpu")]
            yield absolute("paging 10,000 agents, CPU an agent", per_agent, 8, " us")
