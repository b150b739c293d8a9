"""Bulk runs: calls in any number, at the pace that the service bears, stopped and continued without a silent duplicate.

`project.bulk(path)` returns a run; `csv` and `jsonl` read files for it. `scheduler.py` decides which rows are sent and what
their ends mean; `threads.py`, `tasks.py` and `executors.py` carry that out. `partition` sends a part of an input without a
coordinator, and `gather` collects the outcomes of all parts.
"""

from typing import TYPE_CHECKING, Any

from .readers import csv, jsonl

if TYPE_CHECKING:
    from .partitions import gather, partition

__all__ = ["csv", "gather", "jsonl", "partition"]


def __getattr__(name: str) -> Any:
    # Imported on first use, because the help of a command needs nothing of them.
    if name not in {"gather", "partition"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import partitions

    return getattr(partitions, name)
