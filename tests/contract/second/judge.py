"""Runs the suite on services and writes the results: `python -m contract.second.judge [NAME ...] --json FILE`, in the folder `tests`."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from . import down  # noqa: F401  # registers its own
from .mutant import DOWN, HEALTHY, MUTANTS, VARIATIONS
from .runs import Result, run_all

TESTS = Path(__file__).parents[2]
RUN_TIMEOUT = 7200  # Seconds; all runs take half an hour on an idle core.


def main() -> int:
    """Run the services that the command line names, or all mutants and variations.

    Returns:
        The number of mutants that are not noticed and variations that are accused, at most 1.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"services; {' and '.join(HEALTHY)} are not broken")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file, by service")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="parallel runs (default: %(default)s)")
    arguments = parser.parse_args()
    names = arguments.names or [*MUTANTS, *VARIATIONS]
    if unknown := set(names) - {*MUTANTS, *VARIATIONS, *DOWN, *HEALTHY}:
        parser.error(f"there is no service {unknown.pop()!r}")
    values, wrong = {}, 0
    for name, result in run_all(names, workers=arguments.workers):
        found = {"noticed": result.noticed_by, "violated": result.violated, "stated": result.stated}
        values[name] = asdict(result) | found
        if message := problem(name, result):
            wrong += 1
            print(f"{name}: {message}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(values, indent=1), "utf-8")
    return min(wrong, 1)


def problem(name: str, result: Result) -> str | None:
    """Return what is wrong with the result of a mutant or a variation; None if nothing is."""
    if result.error:
        return result.error
    if name in MUTANTS:
        return None if result.noticed_by or result.idle else f"not noticed ({MUTANTS[name].sentence})"
    accused = [] if name in DOWN else result.stated
    return f"accused by {', '.join(accused)}" if accused else None


def known_gaps() -> dict[str, str]:
    """Return the reasons why mutants are not noticed and variations are accused, by name."""
    gaps: dict[str, str] = yaml.safe_load(Path(__file__).with_name("known_gaps.yaml").read_text("utf-8"))
    return gaps


def sample(names: Iterable[str], count: int) -> list[str]:
    """Return some names, drawn with the seed of the test run, or all of them if the variable `MUTANTS` is `all`."""
    ordered = sorted(names)
    if os.environ.get("MUTANTS") == "all":
        return ordered
    return random.Random(os.environ["MUTANTS_SEED"]).sample(ordered, min(count, len(ordered)))


def results_of(names: Iterable[str], folder: Path) -> Any:
    """Run services in another process, because it forks, and return the results, by name.

    Args:
        names: The services.
        folder: A folder for the results.
    """
    file = folder / "results.json"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    subprocess.run(
        [sys.executable, "-m", "contract.second.judge", *names, "--json", str(file)],
        cwd=TESTS,
        env=environment,
        stdout=subprocess.DEVNULL,
        timeout=RUN_TIMEOUT,
        check=False,
    )
    return json.loads(file.read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main())
