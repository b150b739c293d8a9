"""A new operation needs changes in six files; everything else that lists operations follows from the contract."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.generate import ROOT
from release.builds import tracked

from . import workflows_get

BOTH_CLIENTS = """
import asyncio

from project_platform import AsyncClient, Client, NotFoundError
from project_platform_stub import Stub, faults

stub = Stub()
new = {"name": "Welcome", "trigger_type_slug": "record", "trigger_event_type": "created"}


async def call(base_url):
    async with AsyncClient(base_url, token=stub.token()) as client:
        workflows = client.project(stub.project.id).workflows
        created = await workflows.create(**new)
        print("async", await workflows.get(created.id) == created)


with stub.serve() as server:
    with Client(server.base_url, token=stub.token()) as client:
        workflows = client.project(stub.project.id).workflows
        created = workflows.create(**new)
        stub.world.faults.plan("workflows_get", faults.status(503))
        print("sync", workflows.get(created.id) == created)
        try:
            workflows.get("wf_1")
        except NotFoundError as error:
            print("none", error.operation_id, error.code, error.applied)
    asyncio.run(call(server.base_url))
"""

THE_FUSE = """
import httpx

from project_platform_contract.fuse import Fuse, Limits

fuse = Fuse(Limits("http://target", frozenset(["read"]), projects=["P"]))
print(fuse.check(httpx.Request("GET", "http://target/projects/P/workflows/wf_1")).operation.id)
"""


PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


class Copy:
    """A copy of the repository, whose packages take precedence over the installed ones."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str, status: int = 0) -> str:
        """Run Python in the copy and return its output; fail if it ends with another exit status."""
        paths = os.pathsep.join(str(self.root / part) for part in ("sdk", "server_stub"))
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**inherited, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        assert done.returncode == status, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Copy:
    """A copy with the operation `workflows.get`, after running the generator."""
    root = tmp_path_factory.mktemp("repository")
    for name in tracked(ROOT):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    edited = workflows_get.apply(root)
    assert len(edited) == 6
    copy = Copy(root)
    copy.run("-m", "codegen")
    return copy


def test_the_generated_files_are_current(copy):
    """`codegen --check` passes in the copy."""
    copy.run("-m", "codegen", "--check")


def test_both_clients_call_it(copy):
    """The stub server supports it; it is sent again after a 503, and an identifier that nothing has is a 404 with its own code."""
    assert copy.run("-c", BOTH_CLIENTS).splitlines() == [
        "sync True",
        "none workflows_get workflow_not_found no",
        "async True",
    ]


def test_the_contract_suite_proves_its_rules(copy):
    """Every rule has a test and the right effect, and the stub server proves all of them, also those that hold for every operation."""
    copy.run(*PYTEST, "tests/contract/rules")


def test_the_fuse_of_the_contract_suite_passes_it(copy):
    """A run that only reads may send it."""
    assert copy.run("-c", THE_FUSE).strip() == "workflows_get"


def test_the_tests_that_list_operations_accept_it(copy):
    """Tests of wire format, public surface, permissions, schemas and examples pass without a change, and so does the format of the code."""
    copy.run("-m", "ruff", "format", "--check", ".")
    copy.run(
        *PYTEST,
        *("tests/sdk/test_wire.py", "tests/test_public_surface.py", "tests/codegen/test_contract_examples.py"),
        "tests/stub/dispatch/test_permissions.py",
        *("tests/stub/profile/test_file.py", "tests/stub/faults/test_file.py"),
    )


def test_a_run_with_mistakes_writes_nothing_and_reports_all_of_them(copy):
    """An example that fails is found after the code was generated; the code is as it was before."""
    contract = copy.root / "openapi.yaml"
    before = contract.read_text("utf-8")
    files = {path: path.read_bytes() for folder in ("sdk", "docs") for path in (copy.root / folder).rglob("*.[pm][yd]")}
    contract.write_text(
        before.replace("summary: Get a workflow.", "summary: Get one workflow.")
        .replace("project.workflows.get(created.id)", "project.workflows.get(wrong)")
        .replace("page = project.agents.list(", "page = project.agents.lists("),
        "utf-8",
    )

    shown = copy.run("-m", "codegen", status=1)

    contract.write_text(before, "utf-8")
    assert shown.splitlines() == [
        "workflows_get: x-example ends with NameError: name 'wrong' is not defined",
        "agents_list: x-example ends with AttributeError: 'AgentsResource' object has no attribute 'lists'",
    ]
    assert [path for path, content in files.items() if path.read_bytes() != content] == []
