"""Bulk runs: calls in any number, at the rate that the service admits, stopped and continued without a silent duplicate.

`project.bulk(path)` returns a run; `arrow`, `csv` and `jsonl` read tables for it. `scheduler.py` decides which rows are sent and what
their ends mean; `run.py`, `tasks.py` and `executors.py` carry that out. `partition` sends a part of an input without a
coordinator, and `gather` collects the outcomes of all parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .readers import arrow, csv, jsonl

if TYPE_CHECKING:
    from .partitions import gather, partition

__all__ = ["arrow", "csv", "gather", "jsonl", "partition"]


def __getattr__(name: str) -> object:
    # Imported when they are used: the help of the command imports this package, and needs neither pydantic nor sqlite3.
    if name in {"gather", "partition"}:
        from . import partitions

        return getattr(partitions, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
