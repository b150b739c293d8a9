"""The tests of a project that has installed `project-platform[stub]`; `test_plugin.py` runs them in such an environment."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest

import project_platform
import project_platform_pytest
import project_platform_stub
from project_platform import Client, Project
from project_platform_stub import Journal, Outbox, World


@pytest.mark.stub(socket=True)
@pytest.mark.parametrize("number", range(8))
def test_over_a_socket(
    stub_client: Client, stub_base_url: str, stub_world: World, stub_token: str, number: int
) -> None:
    """Code that has only a base URL uses the test's world as well."""
    assert stub_client.auth.check_permission("crm_objects:read")
    headers = {"Authorization": f"Bearer {stub_token}"}
    assert httpx.get(f"{stub_base_url}/projects/{stub_world.project.id}/agents", headers=headers).status_code == 200
    with Path("servers.txt").open("a") as file:
        file.write(f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')} {stub_base_url}\n")


@pytest.mark.parametrize("number", range(4))
def test_in_process(stub_project: Project, stub_outbox: Outbox, stub_journal: Journal, number: int) -> None:
    """The slot is free in the world of each test."""
    stub_project.calendar.book(start="2027-07-01T09:00:00Z", summary="Visit", attendee={"email": "ada@example.com"})

    assert [mail.to for mail in stub_outbox] == ["ada@example.com"]
    assert [entry.operation for entry in stub_journal] == ["calendar_book"]


def test_of_the_installed_packages() -> None:
    """The packages are those of the wheel, not of the repository."""
    for package in (project_platform, project_platform_pytest, project_platform_stub):
        assert str(package.__file__).startswith(os.environ["INSTALLED_IN"])
