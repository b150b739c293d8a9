"""Break the stub and see which rules notice: `python tests/contract/suite/run_mutation.py NAME`, or `--all` for a table."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from mutation_runs import Job, Outcome, outcomes
from mutations import MUTATIONS


def main() -> int:
    """Run what the command line names; the exit code is 0 if every mutation was killed by the right rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to break; none of them runs a healthy stub")
    parser.add_argument("--all", action="store_true", help="one run for each mutation, and one with a healthy stub")
    parser.add_argument("--full", action="store_true", help="prove all rules, not only those of the areas concerned")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts into a file, by mutation")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="runs at once (default: %(default)s)")
    given = parser.parse_args()
    if unknown := set(given.names) - set(MUTATIONS):
        parser.error(f"there is no mutation {unknown.pop()!r}; there are: {', '.join(sorted(MUTATIONS))}")
    names = list(MUTATIONS) if given.all else given.names
    jobs = [Job(None)] if given.all or not names else []
    jobs += [Job(name, given.full) for name in names]
    found = {}
    for number, (job, outcome) in enumerate(outcomes(jobs, workers=given.workers), 1):
        found[job.mutation] = outcome
        print(f"\r{number} of {len(jobs)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if given.json:
        told = {name or "": {"verdicts": each.verdicts, "error": each.error} for name, each in found.items()}
        given.json.write_text(json.dumps(told, indent=1), "utf-8")
    print("| Mutation | Violated | Expected | |\n|---|---|---|---|")
    lines = [line(job.mutation, found[job.mutation]) for job in jobs]
    print("\n".join(text for text, _ in lines))
    bad = sum(not good for _, good in lines)
    print(f"\n{len(jobs)} runs, {bad} of them not as they should be.")
    return min(bad, 1)


def line(name: str | None, outcome: Outcome) -> tuple[str, bool]:
    """Return a line of the table, and whether it is as it should be."""
    violated = "<br>".join(f"`{id}`" for id in sorted(outcome.violated)) or "none"
    if name is None:
        problem = outcome.error or (None if not outcome.violated else "a healthy stub violates rules")
        return f"| *(a healthy stub)* | {violated} | none | {problem or 'ok'} |", problem is None
    mutation = MUTATIONS[name]
    problem = outcome.error or mutation.verdict(outcome.violated)
    expected = "<br>".join(f"`{id}`" for id in mutation.kills)
    return f"| {name} | {violated} | {expected} | {problem or 'killed'} |", problem is None


if __name__ == "__main__":
    sys.exit(main())
