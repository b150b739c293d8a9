"""Uses an extra in an environment that has nothing else. `make extras` runs it for each, on a stub server elsewhere."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from project_platform import Client

NOTEBOOKS = Path(__file__).parents[2] / "docs/notebooks"


def pdf() -> None:
    """Read the review of a label sheet, and draw a page."""
    with Client() as client:
        sheet = client.project().labels.export(menu_month="2026-11")
        assert sheet.review["labels"]
        assert sheet.page(1).png.startswith(b"\x89PNG")


def frames() -> None:
    """Export an Arrow stream."""
    with Client() as client:
        assert client.project().agents.list().__arrow_c_stream__() is not None


def notebook() -> None:
    """Run the cells of the notebooks in a kernel, and the review of a label sheet."""
    import nbformat
    from nbclient import NotebookClient

    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        NotebookClient(nbformat.read(path, as_version=4), timeout=120, kernel_name="python3").execute()
    pdf()


def rich() -> None:
    """Show the progress of a bulk run."""
    with tempfile.TemporaryDirectory() as folder, Client() as client:
        project = client.project()
        with project.bulk(Path(folder, "deals.journal"), progress=True) as job:
            assert job.run(project.records.creates([{"title": "Roof"}], type_slug="deal")).counts["yes"] == 1


def otel() -> None:
    """Import the listener for OpenTelemetry."""
    from project_platform import otel as listeners

    assert listeners.__all__


def socks() -> None:
    """Name an unreachable SOCKS proxy, not a package."""
    import os

    from project_platform import PlatformError

    os.environ["ALL_PROXY"] = "socks5://127.0.0.1:1"
    with Client(base_url="https://platform.example") as client:
        message = ""
        try:
            client.project().agents.list().first()
        except PlatformError as error:
            message = str(error)
        assert "no connection" in message, message


def stub() -> None:
    """Run the program in the README's way."""
    command = [sys.executable, "-m", "project_platform", "stub", "exec", "--", sys.executable, "-m", "project_platform"]
    done = subprocess.run([*command, "call", "labels.export", "--to", "labels.pdf"], check=False, timeout=60)
    assert done.returncode == 0


def fonts() -> None:
    """Draw a label with Arabic, Thai and Chinese letters, together with the extra `stub`."""
    from project_platform_stub import Stub

    with Stub() as server:
        (item, *_) = server.project.menu_items
        server.project.menu_items[item] |= {"name": "شوربة, ต้มยำ, 卵"}
        client = Client("https://stub.example", token=server.token(), transport=server.transport())
        assert client.project(server.project.id).labels.export(item_ids=[item]).summary.problem_count == 0


def contract() -> None:
    """Write a data file for the deployment, and run the suite with it."""
    command = [sys.executable, "-m", "project_platform", "contract"]
    with Client() as client:
        url = client.base_url
        project = client.project().id
    with tempfile.TemporaryDirectory() as folder:
        init = [*command, "init", url, "--project", project]
        subprocess.run(init, cwd=folder, check=True, timeout=120)
        subprocess.run([*command, url, "--data", "contract.yaml"], cwd=folder, check=True, timeout=300)


def dask() -> None:
    """Send the rows of a bulk run with workers."""
    from distributed import LocalCluster

    with (
        tempfile.TemporaryDirectory() as folder,
        Client() as client,
        LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        cluster.get_client() as workers,
    ):
        project = client.project()
        with project.bulk(Path(folder, "deals.journal"), progress=False) as job:
            rows = project.records.creates([{"title": "Roof"}], type_slug="deal")
            report = job.run(rows, executor=workers.get_executor(), claims=Path(folder, "claims"))
            assert report.counts["yes"] == 1


if __name__ == "__main__":
    globals()[sys.argv[1].rpartition(",")[2]]()  # the last one, where an extra needs another
