"""A new operation needs changes in six files; everything else that lists operations follows from the contract."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.generate import ROOT

from . import records_delete

pytestmark = pytest.mark.one_python

BOTH_CLIENTS = """
import asyncio

from project_platform import AsyncClient, Client, NotFoundError, OutcomeUnknownError
from project_platform_stub import Stub, faults

stub = Stub()


def new(project):
    return project.records.create(type_slug="deal", data={"stage": "open"}).id


async def call(base_url):
    async with AsyncClient(base_url, token=stub.token()) as client:
        project = client.project(stub.project.id)
        record = await project.records.create(type_slug="deal", data={"stage": "open"})
        print("async", await project.records.delete(record.id))


with stub.serve() as server:
    with Client(server.base_url, token=stub.token()) as client:
        project = client.project(stub.project.id)
        record = new(project)
        print("sync", project.records.delete(record))
        try:
            project.records.delete(record)
        except NotFoundError as error:
            print("again", error.operation_id, error.applied)
        stub.world.faults.plan("records_delete", faults.drop_after_apply())
        try:
            project.records.delete(new(project))
        except OutcomeUnknownError as error:
            print("lost", type(error.__cause__).__name__, "a 404 means that it was deleted" in str(error))
    asyncio.run(call(server.base_url))
"""

THE_FUSE = """
import httpx

from project_platform_contract.fuse import BlockedError, Fuse, Limits

fuse = Fuse(Limits("http://target", frozenset(["read", "write", "notify", "irreversible"]), projects=["P"]))
try:
    fuse.check(httpx.Request("DELETE", "http://target/projects/P/object-records/of-a-stranger"))
except BlockedError as error:
    print(error)
fuse.created.add("ours")
print(fuse.check(httpx.Request("DELETE", "http://target/projects/P/object-records/ours")).operation.id)
"""


class Copy:
    """A copy of the repository, whose packages take precedence over the installed ones."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str) -> str:
        """Run Python in the copy and return its output; fail if the exit status is not 0."""
        paths = os.pathsep.join(str(self.root / part) for part in ("sdk", "server_stub"))
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**inherited, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Copy:
    """A copy with the operation `records.delete`, after running the generator."""
    root = tmp_path_factory.mktemp("repository")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
    edited = records_delete.apply(root)
    assert len(edited) == 6
    copy = Copy(root)
    copy.run("-m", "codegen")
    return copy


def test_the_generated_files_are_current(copy):
    """`codegen --check` passes in the copy."""
    copy.run("-m", "codegen", "--check")


def test_both_clients_call_it(copy):
    """The stub server supports it; a deleted record is a 404, and a lost response leaves the outcome unknown."""
    assert copy.run("-c", BOTH_CLIENTS).splitlines() == [
        "sync True",
        "again records_delete no",
        "lost NotFoundError True",
        "async True",
    ]


def test_the_contract_suite_proves_its_rules(copy):
    """The suite proves the rule of the operation, and the rules that hold for every operation."""
    shown = copy.run(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "project_platform_contract"),
        *("--contract-fuzz", "2", "-k", "records_delete or records-delete"),
    )

    assert " passed" in shown
    assert "failed" not in shown
    assert "skipped" not in shown


def test_the_fuse_of_the_contract_suite_knows_it(copy):
    """With all effects allowed, the fuse blocks deleting an unknown record and passes deleting one that the run created."""
    refusal, passed = copy.run("-c", THE_FUSE).splitlines()

    assert refusal == "the recordId 'of-a-stranger' was neither created by this run nor given in the data file"
    assert passed == "records_delete"


def test_the_tests_that_list_operations_accept_it(copy):
    """Tests of wire format, public surface, permissions, schemas and pages pass without a change."""
    copy.run(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("tests/sdk/test_wire.py", "tests/test_public_surface.py", "tests/docs/test_pages.py"),
        *(
            "tests/stub/dispatch/test_permissions.py",
            "tests/stub/profile/test_file.py",
            "tests/stub/faults/test_file.py",
        ),
    )


@pytest.mark.parametrize(
    ("page", "line"),
    [
        (
            "docs/reference/operations/index.md",
            "| [`records.delete`](records_delete.md) | Delete an object record. | yes |",
        ),
        ("docs/errors.md", "| `records.delete` | safe | irreversible |"),
        ("docs/errors.md", "| `records.delete` | nothing | delete it again: a 404 means that it was deleted |"),
        ("docs/guides/stub.md", "| `records.delete` | `crm_objects:write` |"),
        ("docs/assumptions.md", "### records.delete"),
        ("docs/contract-rules.md", "## `records_delete`"),
    ],
)
def test_the_documentation_names_it(copy, page, line):
    """Tables and pages that list operations include it."""
    assert line in (copy.root / page).read_text("utf-8").splitlines()
