"""Bulk runs: calls in any number, at the pace that the service bears, stopped and continued without a silent duplicate.

`project.bulk(path)` returns a run; `csv` and `jsonl` read files for it. `scheduler.py` decides which rows are sent and what
their ends mean; `threads.py` and `tasks.py` carry that out.
"""

from .readers import csv, jsonl

__all__ = ["csv", "jsonl"]
