"""Bulk runs: calls in any number, at the pace that the service bears, stopped and continued without a silent duplicate.

`project.bulk(path)` returns a run; `arrow`, `csv` and `jsonl` read tables for it. `scheduler.py` decides which rows are sent and what
their ends mean; `threads.py`, `tasks.py` and `executors.py` carry that out. `partition` sends a part of an input without a
coordinator, and `gather` collects the outcomes of all parts.
"""

from .partitions import gather, partition
from .readers import arrow, csv, jsonl

__all__ = ["arrow", "csv", "gather", "jsonl", "partition"]
