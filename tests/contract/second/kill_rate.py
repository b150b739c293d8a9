"""Prints how many mutants the suite notices, by kind: `python -m contract.second.kill_rate [NAME ...]`, in the folder `tests`.

A mutant is noticed by a rule of the specification, or by inferred rules only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Collection
from pathlib import Path

import yaml

from .mutant import MUTANTS, kinds
from .runs import Result, run_all

HEALTHY = ""
UNNOTICED = Path(__file__).with_name("unnoticed.yaml")


def main() -> int:
    """Run the mutants that the command line names, or all of them and the service that is not broken.

    Returns:
        The number of mutants that were not noticed, at most 1.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="mutants to run (default: all, and the healthy service)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file, by mutant")
    parser.add_argument("--healthy", action="store_true", help="run the service that is not broken, too")
    parser.add_argument("--kind", help="run the mutants of one kind")
    parser.add_argument("--forget", action="store_true", help="remove mutants that were noticed from unnoticed.yaml")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="parallel runs (default: %(default)s)")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - MUTANTS.keys():
        parser.error(f"there is no mutant {unknown.pop()!r}")
    names = arguments.names or [name for name, mutant in MUTANTS.items() if arguments.kind in {None, mutant.kind}]
    healthy = arguments.healthy or not (arguments.names or arguments.kind)
    jobs = [None, *names] if healthy else names
    begin = time.monotonic()
    results: dict[str, Result] = {}
    for name, result in run_all(jobs, workers=arguments.workers):
        results[name or HEALTHY] = result
        print(f"\r{len(results)} of {len(jobs)}", end="", file=sys.stderr, flush=True)
    print(f" in {time.monotonic() - begin:.0f} s", file=sys.stderr)
    if arguments.json:
        values = {
            name: {"verdicts": result.verdicts, "noticed": result.noticed_by, "error": result.error}
            for name, result in results.items()
        }
        arguments.json.write_text(json.dumps(values, indent=1), "utf-8")
    if arguments.forget:
        forget([name for name in names if results[name].noticed_by])
    missed = [name for name in names if not results[name].noticed_by]
    print("\n".join(table(results)))
    if missed:
        print("\nNot noticed:\n")
        print(
            "\n".join(
                f"- `{name}` ({MUTANTS[name].operation}): {results[name].error or MUTANTS[name].sentence}"
                for name in missed
            )
        )
    return min(len(missed), 1)


def unnoticed() -> dict[str, str]:
    """Return the reasons why mutants are not noticed, by mutant."""
    return by_name(UNNOTICED)


def by_name(file: Path) -> dict[str, str]:
    """Return the reasons of a file that lists names by reason, by name."""
    reasons: dict[str, list[str]] = yaml.safe_load(file.read_text("utf-8"))
    return {name: reason for reason, names in reasons.items() for name in names}


def forget(names: Collection[str]) -> None:
    """Remove mutants from the list of those that are not noticed."""
    reasons: dict[str, list[str]] = {}
    for name, reason in unnoticed().items():
        if name not in names:
            reasons.setdefault(reason, []).append(name)
    UNNOTICED.write_text(yaml.safe_dump(reasons, sort_keys=False, width=120), "utf-8")


def table(results: dict[str, Result]) -> list[str]:
    """Return the lines of a table of kinds, with those that only inferred rules notice in a column of their own."""
    lines = [
        "| Kind | Mutants | By the specification | Rate | By inferred rules only | Rate with them |",
        "|---|---|---|---|---|---|",
    ]
    counts = []
    for kind in kinds():
        noticed = [
            results[name].noticed_by for name, mutant in MUTANTS.items() if mutant.kind == kind and name in results
        ]
        if noticed:
            counts.append((kind, len(noticed), noticed.count("specification"), noticed.count("inferred")))
    if counts:
        counts.append(("all", *(sum(column) for column in zip(*(row[1:] for row in counts), strict=True))))
    return lines + [
        f"| {kind} | {count} | {stated} | {stated / count:.0%} | {inferred} | {(stated + inferred) / count:.0%} |"
        for kind, count, stated, inferred in counts
    ]


if __name__ == "__main__":
    sys.exit(main())
