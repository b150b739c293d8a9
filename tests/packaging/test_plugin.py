"""The pytest plugin of the installed wheel, with the dependencies of this environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest


@pytest.fixture(scope="module", params=[[], ["-n", "2"]], ids=["one process", "two workers"])
def suite(request: pytest.FixtureRequest, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample suite, with the output of a run in `printed.txt`."""
    folder = tmp_path_factory.mktemp("suite")
    shutil.copy(Path(__file__).with_name("sample_suite.py"), folder / "test_suite.py")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pytest", "--strict-markers", *request.param],
        env={**environment, "PYTHONPATH": str(installed), "INSTALLED_IN": str(installed)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "printed.txt").write_text(done.stdout)
    return folder


def test_the_sample_suite_runs_from_the_wheel(suite):
    """In process and over a socket; what a failing test reports is tested in `tests/plugin`."""
    printed = (suite / "printed.txt").read_text()

    assert "13 passed" in printed
    assert "project-platform-" in printed.partition("plugins: ")[2].partition("\n")[0]


def test_each_process_has_one_server(suite):
    """Tests with a socket share the server of their process."""
    servers = defaultdict(set)
    for line in (suite / "servers.txt").read_text().splitlines():
        worker, address = line.split()
        servers[worker].add(address)

    assert set(servers) in ({"main"}, {"gw0", "gw1"})
    assert [len(addresses) for addresses in servers.values()] == [1] * len(servers)
    assert len(set.union(*servers.values())) == len(servers)
