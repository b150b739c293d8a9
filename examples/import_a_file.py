"""How is a file imported, with no row lost and none created twice? Kills the import in the middle, and runs it again.

The stub server creates 1,000 deals from a CSV file. It drops the response to every twentieth create after it was applied: such
a row is unknown, and never sent again.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from project_platform import BulkReport, Client, bulk
from project_platform_stub import Stub, faults

ROWS = 1000


def send(file: Path, journal: Path) -> BulkReport:
    """Send the rows of the file that the journal does not have yet."""
    with Client() as client:
        project = client.project()
        with project.bulk(journal) as job:
            return job.run(project.records.creates(bulk.csv(file), type_slug="deal", external_id_column="id"))


def import_killed_once(stub: Stub) -> Iterator[tuple[str, str]]:
    """Import a file in a process that is killed, and again; yield what was done, and its result; `!` marks a wrong one."""
    stub.world.faults.plan("records_create", [*[faults.latency(0)] * 19, faults.drop_after_apply()] * (ROWS // 20))
    before = set(stub.project.records)
    with tempfile.TemporaryDirectory() as folder, stub.serve() as server:
        file, journal = Path(folder) / "deals.csv", Path(folder) / "deals.journal"
        with file.open("w", newline="") as text:
            csv.writer(text).writerows([("id", "title"), *((f"crm-{i}", f"Deal {i}") for i in range(ROWS))])
        os.environ |= {
            "PROJECT_PLATFORM_BASE_URL": server.base_url,
            "PROJECT_PLATFORM_TOKEN": stub.token(),
            "PROJECT_PLATFORM_PROJECT": stub.project.id,
        }
        command = [sys.executable, __file__, str(file), str(journal)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while len(stub.project.records) < len(before) + ROWS // 3 and process.poll() is None:
                time.sleep(0.01)
            process.kill()
        yield f"{ROWS:,} rows, killed (SIGKILL) in the middle", shown(BulkReport(journal))
        report = send(file, journal)
        ended = report.counts["yes"] + report.counts["unknown"]
        yield "the same again: the rest of the rows", checked(shown(report), ended)
        not_known = {row.key for row in report.unknown()}
    created = Counter(stub.project.records[id].get("externalId") for id in set(stub.project.records) - before)
    twice = sum(number > 1 for number in created.values())
    result = f"{len(created):,}, of which {twice} twice"
    # A row that was in flight when the process was killed may not have arrived; then it is one of the unknown rows.
    yield "deals of the file that the service has", checked(result, len(created.keys() | not_known) - twice)


def checked(result: str, rows: int) -> str:
    """Return a result, marked with `!` unless it is about all rows of the file, each once."""
    return result if rows == ROWS else f"! {result}"


def shown(report: BulkReport) -> str:
    """Return the counts of a report."""
    return ", ".join(f"{number:,} {state}" for state, number in report.counts.items() if number)


if __name__ == "__main__":
    if sys.argv[1:]:
        send(*map(Path, sys.argv[1:]))
    else:
        results = list(import_killed_once(Stub()))
        for done, result in results:
            print(f"{done:45}-> {result}")
        if any(result.startswith("!") for _, result in results):
            sys.exit(1)
