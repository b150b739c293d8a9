"""How are many records changed, unless somebody else was faster? Sends a guarded change of each, in a run that is continued.

The stub server creates 300 deals, and drops the responses to the first ten updates after they were applied. Such a change is
sent again, because its guard fences; a look at the record (`settle=True`) then shows that it is in effect. The run is stopped in
the middle; the same code continues it.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from project_platform import BulkReport, Change, Client, Project
from project_platform.models import ObjectRecord
from project_platform_stub import Stub, faults

DEALS = 300


def create(project: Project, journal: Path) -> list[ObjectRecord]:
    """Create the deals, and return them in the order of the input."""
    rows = [{"title": f"Deal {i}", "stage": "open"} for i in range(DEALS)]
    with project.bulk(journal, progress=False) as job:
        outcomes = list(job.stream(project.records.creates(rows, type_slug="deal")))
    return [outcome.value for outcome in sorted(outcomes, key=lambda outcome: outcome.row)]


def won(project: Project, deals: list[ObjectRecord]) -> Iterator[Change]:
    """Return a change of each deal, which guards the values that it replaces."""
    return project.records.changes((deal, {"stage": "won"}) for deal in deals)


def main() -> None:
    """Change the deals in two runs, and count them in the service."""
    stub = Stub()
    with (
        tempfile.TemporaryDirectory() as folder,
        Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client,
    ):
        project = client.project(stub.project.id)
        deals = create(project, Path(folder) / "deals.journal")
        project.records.update(deals[-1].id, data={"stage": "lost"})  # somebody else was faster

        stub.world.faults.plan("records_update", [faults.drop_after_apply()] * 10)
        journal = Path(folder) / "won.journal"
        with project.bulk(journal, settle=True, progress=False) as job:
            stopped = list(islice(job.stream(won(project, deals)), DEALS // 3))
        print(f"stopped after {len(stopped)} outcomes; what was in flight is in the journal: {BulkReport(journal)}")

        with project.bulk(journal, settle=True, progress=False) as job:
            report = job.run(won(project, deals))
        print(f"the same again: {report}")
        for row in report.failed():
            print(f"row {row.row} was not applied: {row.error}")
        stages = Counter(stub.project.records[deal.id]["data"]["stage"] for deal in deals)
        applied = report.counts["yes"] + report.counts["in effect"]
        print(f"reported as applied: {applied}; in the service: {stages['won']} won, {stages['lost']} lost")


if __name__ == "__main__":
    main()
