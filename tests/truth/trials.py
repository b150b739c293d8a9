"""Try the promise about writes over sockets, with a faulty server and every transport, and print the counts.

    python tests/truth/trials.py [--runs N] [--seed N] [--transport NAME] [--how sync|asyncio|trio|uvloop] [--tls only|never]
                                 [--processes N] [--faults] [--record FILE]

A run is a client that makes a few calls; every call has a verdict. The runs are divided among the lanes: transport, kind of
client, with TLS and without.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from wire.judge import VERDICTS
from wire.runs import Tally, drive
from wire.transports import HOWS, TRANSPORTS, Lane, lanes

from project_platform.version import VERSION

CHUNK: Final = 250  # runs that a process makes at a time


def main() -> int:
    """Run, print, and return 1 if a claim was broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first run of each lane")
    parser.add_argument("--transport", choices=TRANSPORTS, action="append", help="may be given several times")
    parser.add_argument("--how", choices=HOWS, action="append")
    parser.add_argument("--tls", choices=("only", "never"))
    parser.add_argument("--processes", type=int, default=2 * (os.cpu_count() or 1), help="some wait while others work")
    parser.add_argument("--faults", action="store_true", help="print the counts of the faults, too")
    parser.add_argument(
        "--record", type=Path, help="write the counts as JSON; the documentation shows those of measured.json"
    )
    options = parser.parse_args()
    chosen = [
        lane
        for lane in lanes()
        if lane.transport in (options.transport or TRANSPORTS)
        and lane.how in (options.how or HOWS)
        and (options.tls is None or lane.tls == (options.tls == "only"))
    ]
    began = time.perf_counter()
    tally = drive_all(chosen, options.runs, options.seed, options.processes)
    print_table(tally)
    if options.faults:
        for fault, times in sorted(tally.faults.items()):
            print(f"{times:>9}  {fault}")
    calls = tally.verdicts.total()
    print(f"\n{tally.runs} runs, {calls} calls, {time.perf_counter() - began:.0f} s from seed {options.seed}")
    for log in tally.logs[:5]:
        print(f"\n{log}")
    if options.record:
        options.record.write_text(json.dumps(counts(tally), indent=2) + "\n", "utf-8")
    return 1 if tally.claims else 0


def counts(tally: Tally) -> dict[str, str | int]:
    """Return the counts by verdict, with the date and the version of the SDK."""
    verdicts = Counter[str]()
    for (_, _, applied), times in tally.verdicts.items():
        verdicts[applied] += times
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "version": VERSION,
        "commit": _commit(),
        "runs": tally.runs,
        "calls": verdicts.total(),
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "wrong": tally.wrong.total(),
    }


def _commit() -> str:
    return subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
    ).stdout.strip()


def drive_all(chosen: list[Lane], runs: int, seed: int, processes: int) -> Tally:
    """Return the results of the runs, divided among the lanes."""
    tasks = list(_tasks(chosen, runs, seed))
    tally = Tally()
    if processes == 1 or len(tasks) == 1:
        for lane, seeds in tasks:
            tally.add(drive(lane, seeds))
        return tally
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(drive, lane, seeds) for lane, seeds in tasks]):
            tally.add(future.result())
    return tally


def _tasks(chosen: list[Lane], runs: int, seed: int) -> Iterator[tuple[Lane, range]]:
    for number, lane in enumerate(chosen):
        share = runs // len(chosen) + (number < runs % len(chosen))
        for start in range(seed, seed + share, CHUNK):
            yield lane, range(start, min(start + CHUNK, seed + share))


def print_table(tally: Tally) -> None:
    """Print the counts by lane and verdict, and the broken claims."""
    others = sorted({applied for _, _, applied in tally.verdicts} - set(VERDICTS))
    columns = (*VERDICTS, *others)
    print(f"{'':<34}" + "".join(f"{column:>11}" for column in columns) + f"{'wrong':>9}")
    verdicts: Counter[tuple[Lane, str]] = Counter()
    for (lane, _, applied), times in tally.verdicts.items():
        verdicts[lane, applied] += times
    for lane in (lane for lane in lanes() if any(verdicts[lane, column] for column in columns)):
        print(
            f"{lane!s:<34}" + "".join(f"{verdicts[lane, column]:>11}" for column in columns) + f"{tally.wrong[lane]:>9}"
        )
    totals = [sum(verdicts[lane, column] for lane in lanes()) for column in columns]
    print(f"{'all':<34}" + "".join(f"{total:>11}" for total in totals) + f"{tally.wrong.total():>9}")
    for (lane, claim), times in tally.claims.most_common():
        print(f"{times:>7}  {lane}: {claim}")


if __name__ == "__main__":
    sys.exit(main())
