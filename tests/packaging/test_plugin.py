"""The pytest plugin of the installed wheel, with the dependencies of this environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest


@pytest.fixture(scope="module", params=[[], ["-n", "2"]], ids=["one process", "two workers"])
def suite(request: pytest.FixtureRequest, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample suite, with the output of a run in `printed.txt`."""
    folder = tmp_path_factory.mktemp("suite")
    shutil.copy(Path(__file__).with_name("sample_suite.py"), folder / "test_suite.py")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [
            sys.executable,
            *["-W", "error", "-m", "pytest", "--strict-markers", "--junit-xml=report.xml"],
            *request.param,
        ],
        env={**environment, "PYTHONPATH": str(installed), "INSTALLED_IN": str(installed)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}, done.stdout + done.stderr
    (folder / "printed.txt").write_text(done.stdout)
    return folder


def test_the_sample_suite_runs_from_the_wheel(suite):
    """Its tests pass, in process and over a socket; the tests with an unmet fault or a wrong path fail."""
    printed = (suite / "printed.txt").read_text()
    outcomes = defaultdict(set)
    for case in ElementTree.parse(suite / "report.xml").iter("testcase"):
        outcome = case[0].tag if len(case) else "passed"
        outcomes[outcome].add(case.attrib["name"].partition("[")[0])

    assert set(outcomes) == {"failure", "passed"}, printed
    assert outcomes["failure"] == {"test_leftover_fails", "test_near_miss_fails"}, printed
    assert outcomes["passed"] == {
        "test_in_process",
        "test_of_the_installed_packages",
        "test_over_a_socket",
    }
    assert "project-platform-" in printed.partition("plugins: ")[2].partition("\n")[0]


def test_the_report_of_the_sample_suite_has_the_reasons(suite):
    """Unmet faults and near misses, whichever process the test ran in."""
    printed = (suite / "printed.txt").read_text()

    assert "Planned faults that no request met:\n  records_update: drop_after_apply\n" in printed
    near_miss = printed.partition("Near misses:\n")[2].partition("\n")[0]
    assert near_miss.endswith("did you mean GET /projects/{projectId}/agents?")


def test_each_process_has_one_server(suite):
    """Tests with a socket share the server of their process."""
    servers = defaultdict(set)
    for line in (suite / "servers.txt").read_text().splitlines():
        worker, address = line.split()
        servers[worker].add(address)

    assert set(servers) in ({"main"}, {"gw0", "gw1"})
    assert [len(addresses) for addresses in servers.values()] == [1] * len(servers)
    assert len(set.union(*servers.values())) == len(servers)
