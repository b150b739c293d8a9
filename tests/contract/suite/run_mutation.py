"""Shows which rules detect a broken stub: `python tests/contract/suite/run_mutation.py NAME`, or `--all` for all mutations."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from mutation_runs import Job, MutationResult, run_jobs
from mutations import MUTATIONS


def main() -> int:
    """Run the mutations that the command line names.

    Returns:
        0 if the right rules detected every mutation, else 1.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutations to run; without a name, the stub is intact")
    parser.add_argument("--all", action="store_true", help="run every mutation, and an intact stub")
    parser.add_argument("--intact", action="store_true", help="run an intact stub, too")
    parser.add_argument("--full", action="store_true", help="prove all rules, not only those of the mutation's areas")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts to a file, by mutation")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="number of parallel runs (default: %(default)s)"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(MUTATIONS):
        parser.error(f"there is no mutation {unknown.pop()!r}; the mutations are: {', '.join(sorted(MUTATIONS))}")
    names = list(MUTATIONS) if arguments.all else arguments.names
    jobs = [Job(None)] if arguments.all or arguments.intact or not names else []
    jobs += [Job(name, arguments.full) for name in names]
    results = {}
    for number, (job, result) in enumerate(run_jobs(jobs, workers=arguments.workers), 1):
        results[job.mutation] = result
        print(f"\r{number} of {len(jobs)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if arguments.json:
        verdicts = {
            name or "": {"verdicts": result.verdicts, "error": result.error} for name, result in results.items()
        }
        arguments.json.write_text(json.dumps(verdicts, indent=1), "utf-8")
    print("| Mutation | Violated | Expected | |\n|---|---|---|---|")
    lines = [line(job.mutation, results[job.mutation]) for job in jobs]
    print("\n".join(row for row, _ in lines))
    bad = sum(not good for _, good in lines)
    print(f"\n{len(jobs)} runs, {bad} with another result than expected.")
    return min(bad, 1)


def line(name: str | None, result: MutationResult) -> tuple[str, bool]:
    """Return a row of the table, and whether the result is the expected one."""
    violated = "<br>".join(f"`{id}`" for id in sorted(result.violated)) or "none"
    if name is None:
        problem = result.error or (None if not result.violated else "an intact stub violates rules")
        return f"| *(an intact stub)* | {violated} | none | {problem or 'ok'} |", problem is None
    mutation = MUTATIONS[name]
    problem = result.error or mutation.verdict(result.violated)
    expected = "<br>".join(f"`{id}`" for id in mutation.kills)
    return f"| {name} | {violated} | {expected} | {problem or 'killed'} |", problem is None


if __name__ == "__main__":
    sys.exit(main())
