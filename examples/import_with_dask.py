"""How do the workers of a Dask cluster import rows, none of them twice? Gives the cluster's executor to a bulk run.

Needs the extra `dask`. The rows go to the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or to a stub
server on a socket. It writes records of the type `deal`. A worker claims a batch of rows before it sends the first of them, so a
batch that Dask runs again, because it takes a worker for dead, is not sent again.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from distributed import Client as Cluster
from distributed import LocalCluster

from project_platform import Client
from project_platform_stub import Stub

ROWS = 300


@contextlib.contextmanager
def service() -> Iterator[None]:
    """Describe a service in the environment, from which the workers make their clients; tokens never travel in tasks."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        yield
        return
    stub = Stub()
    with stub.serve() as server:
        os.environ |= {
            "PROJECT_PLATFORM_BASE_URL": server.base_url,
            "PROJECT_PLATFORM_TOKEN": stub.token(),
            "PROJECT_PLATFORM_PROJECT": stub.project.id,
        }
        yield


def main() -> None:
    """Import the rows with two workers, and count them by the worker that claimed their batch."""
    rows = [{"id": f"crm-{i}", "title": f"Deal {i}"} for i in range(ROWS)]
    with (
        service(),
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as local,
        Cluster(local) as cluster,
        Client() as client,
    ):
        project = client.project()
        calls = project.records.creates(rows, type_slug="deal", external_id_column="id")
        with project.bulk(Path(folder) / "deals.journal", progress=False) as job:
            # On several machines, claims are in a folder that all workers see, or in an object store: s3://bucket/deals.
            report = job.run(calls, executor=cluster.get_executor(pure=False), claims=Path(folder) / "claims")
        print(report)
        print(f"{report.counts['yes']} of {report.total} rows are records")


if __name__ == "__main__":
    main()
