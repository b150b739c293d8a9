"""Uses the wheel without extras. `make core` runs it in an environment with the wheel only, on a stub server elsewhere."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import project_platform
from project_platform import AsyncClient, Client, StalePreconditionError


def calls() -> None:
    """Create, update under a precondition, page and export."""
    with Client() as client:
        project = client.project()
        record = project.records.create(type_slug="deal", data={"stage": "open"})
        project.records.update(record.id, data={"stage": "won"}, expected_data={"stage": "open"})
        try:
            project.records.update(record.id, data={"stage": "lost"}, expected_data={"stage": "open"})
        except StalePreconditionError:
            pass
        else:
            raise AssertionError
        assert list(project.agents.list(limit=2))
        assert project.labels.export(menu_month="2026-11").content.startswith(b"%PDF")


async def asynchronous_calls() -> None:
    """Create and page."""
    async with AsyncClient() as client:
        project = client.project()
        await project.records.create(type_slug="deal", data={"stage": "open"})
        assert [agent async for agent in project.agents.list(limit=2)]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `project-platform` in this environment."""
    program = [sys.executable, "-W", "error", "-m", "project_platform.cli", *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def main() -> None:
    """Check what works, then what names its extra."""
    assert "site-packages" in project_platform.__file__
    calls()
    asyncio.run(asynchronous_calls())
    assert command("bulk", "--help").returncode == 0
    for name in ("stub", "contract"):
        done = command(name, "--help")
        assert done.returncode == 1, name
        assert f"pip install 'project-platform[{name}]'" in done.stderr, done.stderr
    print("ok: calls, the command of bulk runs, and the extras are named")


if __name__ == "__main__":
    main()
