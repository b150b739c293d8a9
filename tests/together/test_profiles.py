"""Clients from profiles, against a stub server on a socket: sync, asyncio and trio."""

from __future__ import annotations

import json
import sys

import anyio
import pytest

from project_platform import AsyncClient, Client
from project_platform_stub import Stub


@pytest.fixture
def profile(tmp_path, stub, monkeypatch):
    """A configuration file whose token command first prints a token that the service refuses."""
    for name in ("BASE_URL", "TOKEN", "PROJECT", "PROFILE"):
        monkeypatch.delenv(f"PROJECT_PLATFORM_{name}", raising=False)
    tokens = tmp_path / "tokens"
    tokens.write_text(f"eyJhbGciOiJub25lIn0.e30.x\n{stub.token()}\n")
    program = "import sys; p = sys.argv[1]; first, *rest = open(p).read().split(); open(p, 'w').write(' '.join(rest)); print(first)"
    command = json.dumps([sys.executable, "-c", program, str(tokens)])
    with stub.serve() as server:
        file = tmp_path / "config.toml"
        file.write_text(
            f'[default]\nbase_url = "{server.base_url}"\nproject = "{stub.project.id}"\ntoken_command = {command}\n'
        )
        yield file


@pytest.mark.parametrize("runner", ["sync", "asyncio", "trio"])
def test_a_refused_token_is_replaced_by_the_command(profile, stub: Stub, runner):
    """The command is run once more, and the call succeeds."""

    async def names() -> list[str]:
        async with AsyncClient.from_profile(path=profile) as client:
            return [agent.name async for agent in client.project().agents.list()]

    if runner == "sync":
        with Client.from_profile(path=profile) as client:
            found = [agent.name for agent in client.project().agents.list()]
    else:
        found = anyio.run(names, backend=runner)

    assert found == [agent["name"] for agent in stub.project.agents.values()]
    assert [entry.status for entry in stub.world.journal] == [200]
    assert (profile.parent / "tokens").read_text() == ""
