"""Fuzz the stub server, and print the number of requests and responses, and every unexplained failure.

    python tests/stub/fuzz.py [--cases N] [--seed N] [--profile NAME]

For each profile Schemathesis generates requests from `openapi.yaml` and from values of the demo world, and sends them to
a stub over a socket until the number of cases is reached. The exit status is 1 if there is an unexplained failure.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Mapping
from typing import Any

from fuzzing.profiles import PROFILES
from fuzzing.rounds import Tally, by_operation, run_round
from fuzzing.target import Target

EXAMPLES = 60  # Cases of each operation in a round; the journal must store all of them until it is read.
MIB = 1024 * 1024


def main() -> int:
    """Fuzz, print the results, and return 1 if there is an unexplained failure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--cases", type=int, default=10_000, help="minimum number of cases in total (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(10**9), help="seed of the random generator (default: random)"
    )
    parser.add_argument("--profile", choices=PROFILES, help="the profile to fuzz (default: all)")
    options = parser.parse_args()
    names = [options.profile] if options.profile else list(PROFILES)
    print(f"{options.cases} cases, seed {options.seed}, profiles: {', '.join(names)}")
    unexplained = 0
    for index, name in enumerate(names):
        seed, cases = options.seed + 1000 * index, -(-options.cases // len(names))
        tally = fuzz_with_schemathesis(PROFILES[name], seed, cases)
        print_tally(name, tally)
        unexplained += len(tally.findings)
    print(f"\n{unexplained} unexplained failures")
    return 1 if unexplained else 0


def fuzz_with_schemathesis(profile: dict[str, Any], seed: int, cases: int) -> Tally:
    """Run rounds until the number of cases is reached; each round has the next seed."""
    tally = Tally()
    with Target(profile) as target:
        while tally.cases < cases:
            run_round(target, profile, seed, EXAMPLES, tally, first=not tally.cases)
            seed += 1
            print(f"  {tally.cases} cases, {tally.memory[-1] / MIB:.1f} MiB", file=sys.stderr)
    return tally


def print_tally(name: str, tally: Tally) -> None:
    """Print the results of a profile."""
    print(f"\n== {name}: {tally.cases} cases ({', '.join(f'{n} {phase}' for phase, n in tally.phases.items())})")
    for operation, cases, statuses in by_operation(tally):
        print(f"{operation:<66}{cases:>7}  {statuses_text(statuses)}")
    print(f"checks: {', '.join(f'{check} {count}' for check, count in tally.checks.most_common())}")
    memory = f"{tally.memory[-1] / MIB:.1f} MiB at the end, {tally.growth / MIB:.1f} of them after the first quarter"
    print(f"rows written: {tally.added}; memory: {memory}")
    print("refused although they fit the contract, by reason:")
    for reason, count in tally.explained.most_common():
        print(f"{count:>7}  {reason}")
    for kind, report in tally.findings.items():
        print(f"\nUNEXPLAINED {kind}\n{report}")


def statuses_text(statuses: Mapping[int, int]) -> str:
    """Return the number of responses by status, as text."""
    return ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))


if __name__ == "__main__":
    sys.exit(main())
