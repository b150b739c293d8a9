"""The bars of the benchmark: what a ratio or a value must be, and whether it is."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .measure import Row
from .processes import Values
from .sides import RAW, SDK


@dataclass(frozen=True)
class Bar:
    """A limit of a value; `least` says that it is a minimum. `lowest` and `highest` are the extremes of the rounds."""

    what: str
    value: float
    limit: float
    unit: str = ""
    least: bool = False
    lowest: float | None = None
    highest: float | None = None

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
    raw, sdk = (next(row for row in rows if row.side == side) for side in (RAW, SDK))
    cpu = sdk.values("cpu"), raw.values("cpu")
    match sdk.task.what:
        case "one agent" | "one agent over TLS" as what:
            yield ratio(f"sync call, {what}, CPU to raw httpx", *cpu, 0.45)
        case "page of 100":
            yield ratio("page of 100 typed, CPU to raw httpx", *cpu, 1.05)
            yield Bar("page of 100, full collections per 1,000", statistics.mean(sdk.values("full")), 0)
            yield ratio("page of 100, p99 to p50", sdk.values("p99"), sdk.values("p50"), 3)
        case "50 in flight":
            yield ratio("async, 50 in flight, CPU to raw httpx", *cpu, 0.10)
            yield ratio(
                "async, 50 in flight, calls/s to raw httpx", sdk.values("rate"), raw.values("rate"), 7, least=True
            )
        case "all pages of 10,000 agents":
            per_agent = [value / 10_000 for value in sdk.values("cpu")]
            yield absolute("paging 10,000 agents, CPU an agent", per_agent, 8, " us")
