"""Fuzz the stub server for a while, and print what was sent, what came back, and what of it is not explained.

    python tests/stub/fuzz.py [--cases N] [--seed N] [--profile NAME]

For each profile Schemathesis sends its cases to a stub behind a socket, made from `openapi.yaml` and from what exists in
the demo world, until there are as many as requested. The exit status is 1 if anything is left unexplained.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Mapping
from typing import Any

from fuzzing.profiles import PROFILES
from fuzzing.rounds import Tally, busiest, play
from fuzzing.target import Target

EXAMPLES = 60  # Cases of each operation in a round: with more, the journal would not keep them all until it is read.
MIB = 1024 * 1024


def main() -> int:
    """Fuzz, print, and return whether anything is unexplained."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000, help="at least so many cases in all")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="drawn if not given")
    parser.add_argument("--profile", choices=PROFILES, help="all of them if not given")
    options = parser.parse_args()
    names = [options.profile] if options.profile else list(PROFILES)
    print(f"{options.cases} cases, seed {options.seed}, profiles: {', '.join(names)}")
    unexplained = 0
    for index, name in enumerate(names):
        seed, cases = options.seed + 1000 * index, -(-options.cases // len(names))
        tally = fuzz_with_schemathesis(PROFILES[name], seed, cases)
        print_tally(name, tally)
        unexplained += len(tally.findings)
    print(f"\n{unexplained or 'nothing'} unexplained")
    return 1 if unexplained else 0


def fuzz_with_schemathesis(profile: dict[str, Any], seed: int, cases: int) -> Tally:
    """Play rounds until there were so many cases; each round has the next seed."""
    tally = Tally()
    with Target(profile) as target:
        while tally.cases < cases:
            play(target, profile, seed, EXAMPLES, tally, first=not tally.cases)
            seed += 1
            print(f"  {tally.cases} cases, {tally.memory[-1] / MIB:.1f} MiB", file=sys.stderr)
    return tally


def print_tally(name: str, tally: Tally) -> None:
    """Print what became of the cases that Schemathesis made."""
    print(f"\n== {name}: {tally.cases} cases ({', '.join(f'{n} {phase}' for phase, n in tally.phases.items())})")
    for operation, cases, statuses in busiest(tally):
        print(f"{operation:<66}{cases:>7}  {statuses_text(statuses)}")
    print(f"checks: {', '.join(f'{check} {times}' for check, times in tally.checks.most_common())}")
    memory = f"{tally.memory[-1] / MIB:.1f} MiB at the end, {tally.growth / MIB:.1f} of them after the first quarter"
    print(f"rows written: {tally.added}; memory: {memory}")
    print("fits the contract and is refused, because:")
    for why, times in tally.explained.most_common():
        print(f"{times:>7}  {why}")
    for kind, story in tally.findings.items():
        print(f"\nUNEXPLAINED {kind}\n{story}")


def statuses_text(statuses: Mapping[int, int]) -> str:
    """Return how often there was which status."""
    return ", ".join(f"{status}: {times}" for status, times in sorted(statuses.items()))


if __name__ == "__main__":
    sys.exit(main())
