"""Print the decision table of settling with counts: how often each row occurred, and how often its verdict was wrong.

    python tests/truth/table.py [--runs N] [--seed N] [--how sync|asyncio|trio]

The rows are those of `settle.py`, split where a client can distinguish them. The row of a run is derived from its
requests and responses, not from the verdict of the SDK.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Final

from truth_driver import Tally, drive

# doubt, fences, answer, verdict; by the name that the driver gives the row
ROWS: Final[dict[str, tuple[str, str, str, str]]] = {
    "no doubt: 2xx": ("no", "any", "2xx", "yes"),
    "no doubt: 2xx, cut off": ("no", "any", "2xx, cut off", "yes"),
    "no doubt: 409": ("no", "any", "409", "no"),
    "no doubt: refused": ("no", "any", "another 4xx", "no"),
    "lost, not sent again": ("any", "no", "lost", "unknown"),
    "doubt: refused": ("yes", "any", "another 4xx", "unknown"),
    "doubt, fences: 2xx": ("yes", "yes", "2xx", "yes"),
    "doubt: 2xx, cut off": ("yes", "any", "2xx, cut off", "yes"),
    "doubt: 409, no look": ("yes", "any", "409, no look", "unknown"),
    "doubt, 409, a look: meets it": ("yes", "any", "409, look 2xx, meets the patch", "in effect"),
    "doubt, 409, a look: does not meet it": ("yes", "any", "409, look 2xx, in part or not at all", "unknown"),
    "doubt, 409, a look: our token is there": ("yes", "any", "409, look 2xx, our token is there", "yes"),
    "doubt, 409, a look: another took its place": ("yes", "any", "409, look 2xx, another took its place", "no"),
    "doubt, 409, a look: another seems to have taken its place": (
        "yes",
        "any",
        "409, look 2xx, another seems to have",
        "unknown",
    ),
    "doubt, 409, a look: neither token is there": ("yes", "any", "409, look 2xx, neither token is there", "unknown"),
    "doubt, 409, a look: refused": ("yes", "any", "409, look 404 or another 4xx", "unknown"),
    "doubt, 409, a look: lost": ("yes", "any", "409, look lost", "unknown"),
    "doubt, 409, a look: 2xx, cut off": ("yes", "any", "409, look 2xx, cut off", "unknown"),
    "doubt, 409, a look: not sent": ("yes", "any", "409, look not sent", "unknown"),
    "doubt, 409, a look: 429": ("yes", "any", "409, look 429", "unknown"),
    "attempts spent: lost": ("any", "yes", "attempts spent, the last was lost", "unknown"),
    "attempts spent: doubt: not sent": ("yes", "any", "attempts spent, the last was not sent", "unknown"),
    "attempts spent: doubt: 429": ("yes", "any", "attempts spent, the last was 429", "unknown"),
    "attempts spent: no doubt: not sent": ("no", "any", "attempts spent, the last was not sent", "no"),
    "attempts spent: no doubt: 429": ("no", "any", "attempts spent, the last was 429", "no"),
}
STEPS: Final[dict[str, tuple[str, str, str, str]]] = {
    "not sent, sent again": ("any", "any", "not sent", "(again)"),
    "429, sent again": ("any", "any", "429", "(again)"),
    "lost, fences: sent again": ("any", "yes", "lost", "(again)"),
}


def print_table(tally: Tally) -> None:
    """Print the table, row by row, and the verdicts by kind of write."""
    wrong = Counter(verdict.row for verdict in tally.wrong)
    line = "{:<7}{:<12}{:<42}{:<11}{:>9}{:>7}"
    print(line.format("doubt", "fences", "answer", "verdict", "occurred", "wrong"))
    for name, row in STEPS.items():
        print(line.format(*row, tally.steps[name], ""))
    for name, row in ROWS.items():
        occurred = sum(times for (at, _), times in tally.rows.items() if at == name)
        print(line.format(*row, occurred, wrong[name]))
    verdicts = ("yes", "no", "in effect", "unknown")
    print("\n" + "{:<16}".format("") + "".join(f"{verdict:>11}" for verdict in verdicts) + f"{'wrong':>9}")
    kinds_wrong = Counter(verdict.kind for verdict in tally.wrong)
    for kind in sorted({kind for kind, _ in tally.verdicts}):
        counts = "".join(f"{tally.verdicts[kind, verdict]:>11}" for verdict in verdicts)
        print(f"{kind:<16}{counts}{kinds_wrong[kind]:>9}")
    totals = [sum(times for (_, said), times in tally.verdicts.items() if said == verdict) for verdict in verdicts]
    print(f"{'all':<16}{''.join(f'{total:>11}' for total in totals)}{len(tally.wrong):>9}")


def describe_wrong_runs(tally: Tally, most: int = 3) -> str:
    """Return the logs of the shortest wrong runs, each with the command that repeats it."""
    return "\n\n".join(
        f"seed {verdict.seed}, {verdict.kind}: {'; '.join(verdict.wrong)}\n"
        + "\n".join(verdict.log)
        + f"\nrepeat it with: python tests/truth/table.py --runs 1 --seed {verdict.seed}"
        for verdict in sorted(tally.wrong, key=lambda verdict: len(verdict.log))[:most]
    )


def main() -> int:
    """Run, print, and return 1 if a verdict was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first run; each run has the next one")
    parser.add_argument("--how", choices=("sync", "asyncio", "trio"), default="sync")
    options = parser.parse_args()
    began = time.perf_counter()
    tally = drive(range(options.seed, options.seed + options.runs), options.how)
    print_table(tally)
    print(f"\n{options.runs} runs from seed {options.seed}, {options.how}, {time.perf_counter() - began:.1f} s")
    if tally.wrong:
        print(f"\n{describe_wrong_runs(tally)}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
