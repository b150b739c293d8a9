"""Mocked calls never reach the network: respx sees the SDK's own connections, and httpx if that is chosen by its name.

The pytest plugin adds the connections to the targets of respx, which ignores a target that does not exist: what proves them is a
mock that is seen, and a server that nothing connects to.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest
import respx

from project_platform import BadRequestError, NotSentError, OutcomeUnknownError

from .server import Server

PAGE = {"agents": [{"id": "a1"}], "pagination": {"limit": 50, "offset": 0, "hasMore": False}}


@pytest.fixture(params=[None, "httpx"], ids=["connections", "httpx"])
def transport(request: pytest.FixtureRequest) -> str | None:
    """The name of the transport; None for the SDK's connections."""
    return request.param


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()
    assert server.opened == 0, "a mocked call reached the network"


def test_a_mocked_read_does_not_reach_the_network(server, connect, token, project_id, transport):
    """The mock sees the request, and its response is that of the call."""
    base_url = f"http://127.0.0.1:{server.port}/prefix"
    project = connect(base_url, transport=transport).project(project_id)

    with respx.mock:
        route = respx.get(f"{base_url}/projects/{project_id}/agents").respond(json=PAGE)
        found = [agent.id for agent in project.agents.list()]

    assert found == ["a1"]
    assert route.calls.last.request.headers["authorization"] == f"Bearer {token}"


def test_a_mocked_write_does_not_reach_the_network(server, connect, project_id, transport):
    """The mock sees the body, and its status is the error of the call."""
    base_url = f"http://127.0.0.1:{server.port}"
    project = connect(base_url, transport=transport).project(project_id)

    with respx.mock:
        refused = respx.post(base_url, path__regex="/object-records$", json__data__title="T")
        refused.respond(400, json={"message": "title is taken"})
        with pytest.raises(BadRequestError, match="title is taken"):
            project.records.create(type_slug="deal", data={"title": "T"})


@pytest.mark.parametrize("failure", [httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout])
def test_a_mock_can_stand_for_a_request_that_was_not_sent(server, connect, project_id, transport, failure):
    """The connections and the client of httpx are the SDK's, so that it is known that nothing began."""
    project = connect(f"http://127.0.0.1:{server.port}", transport=transport).project(project_id)

    with respx.mock:
        respx.post().mock(side_effect=failure("mocked"))
        with pytest.raises(NotSentError) as raised:
            project.records.create(type_slug="deal", data={"title": "T"})

    assert raised.value.applied == "no"


@pytest.mark.parametrize("failure", [httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.WriteError])
def test_a_mock_can_stand_for_a_lost_response(server, connect, project_id, transport, failure):
    """An exception that httpx raises only after it has sent something leaves a write unknown."""
    project = connect(f"http://127.0.0.1:{server.port}", transport=transport).project(project_id)

    with respx.mock:
        respx.post().mock(side_effect=failure("mocked"))
        with pytest.raises(OutcomeUnknownError) as raised:
            project.records.create(type_slug="deal")

    assert isinstance(raised.value, TimeoutError) == (failure is httpx.ReadTimeout)


WITHOUT_PYTEST = """
import respx
from project_platform import Client

with respx.mock, Client("https://platform.example", token="t", transport="httpx") as client:
    respx.get(path="/auth/check-permission").respond(json={"allowed": True})
    print(client.auth.check_permission("agents:read"))
"""


def test_without_pytest_the_name_of_the_transport_is_enough():
    """No line makes respx see a client of httpx."""
    ended = subprocess.run([sys.executable, "-c", WITHOUT_PYTEST], capture_output=True, text=True, check=False)

    assert (ended.stdout, ended.stderr) == ("True\n", "")
