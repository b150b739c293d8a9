"""Identical reads are sent once, until something is written."""

from __future__ import annotations

import gzip

import httpx
import pytest

from project_platform_contract.fuse.limits import BlockedError
from project_platform_contract.run.shared_reads import SharingTransport

BASE = "https://platform.example/api-v2"
PROJECT = "/projects/0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
AGENTS = f"{PROJECT}/agents"
LABELS = f"{PROJECT}/menu-items/label-export"


@pytest.fixture
def sent():
    """The requests that were sent."""
    return []


@pytest.fixture
def failures():
    """Errors that end the next requests."""
    return []


@pytest.fixture
def client(sent, failures):
    """A client of a service that numbers its responses."""

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        if failures:
            raise failures.pop()
        status = int(request.url.params.get("status", 200))
        return httpx.Response(status, json={"number": len(sent)}, headers={"X-Request-Id": str(len(sent))})

    with httpx.Client(base_url=BASE, transport=SharingTransport(httpx.MockTransport(respond), BASE)) as client:
        yield client


def test_an_identical_read_is_answered_with_the_same_response(client, sent):
    """Status, header fields and body are equal; the label export is a POST that reads."""
    first, second = client.get(AGENTS, params={"limit": 1}), client.get(AGENTS, params={"limit": 1})
    labels = [client.post(LABELS, json={"menuMonth": "2026-11"}).json() for _ in range(2)]

    assert (first.json(), first.headers) == (second.json(), second.headers)
    assert labels == [{"number": 2}, {"number": 2}]
    assert len(sent) == 2


def test_a_compressed_response_is_shared_as_its_content():
    """The body is decoded when it is read first."""
    body = gzip.compress(b'{"posts": []}')
    compressed = httpx.MockTransport(lambda _: httpx.Response(200, content=body, headers={"Content-Encoding": "gzip"}))
    with httpx.Client(base_url=BASE, transport=SharingTransport(compressed, BASE)) as client:
        assert [client.get(AGENTS).json() for _ in range(2)] == [{"posts": []}] * 2


@pytest.mark.parametrize(
    "other",
    [
        {"params": {"limit": 2}},
        {"headers": {"Authorization": "Bearer other"}},
        {"headers": {"Content-Type": "text/plain"}},
        {"headers": {"Accept": "application/pdf"}},
        {"content": b"{}"},
        {"extensions": {"fresh": True}},
    ],
)
def test_a_read_that_differs_is_sent(client, sent, other):
    """In its URL, credential, content type or body, or because the test asks for it."""
    client.request("GET", AGENTS, params={"limit": 1})
    client.request("GET", AGENTS, **{"params": {"limit": 1}, **other})

    assert len(sent) == 2


def test_a_write_is_always_sent_and_ends_the_sharing(client, sent):
    """It may change what every read returns."""
    for _ in range(2):
        client.get(AGENTS)
        client.put(f"{PROJECT}/sidebar", json={"sections": []})

    assert [request.method for request in sent] == ["GET", "PUT", "GET", "PUT"]


def test_a_path_that_is_no_operation_is_always_sent(client, sent):
    """What it does is unknown, but a GET changes nothing (RFC 9110 section 9.2.1)."""
    for _ in range(2):
        client.get(AGENTS)
        client.get("/api/auth/token")

    assert [request.url.path.rpartition("/")[2] for request in sent] == ["agents", "token", "token"]


@pytest.mark.parametrize(
    ("failure", "methods"),
    [
        (httpx.ReadTimeout("no response"), ["GET", "PUT", "GET"]),  # it may have been applied
        (BlockedError("not allowed", request=None), ["GET", "PUT"]),  # nothing was sent, so nothing changes
    ],
)
def test_a_write_that_fails_ends_the_sharing_unless_it_was_held_back(client, sent, failures, failure, methods):
    client.get(AGENTS)
    failures.append(failure)
    with pytest.raises(type(failure)):
        client.put(f"{PROJECT}/sidebar", json={"sections": []})
    client.get(AGENTS)

    assert [request.method for request in sent] == methods


def test_large_responses_are_not_shared(client, sent, monkeypatch):
    """The bodies that are kept have a maximum size, together; a write makes room again."""
    monkeypatch.setattr("project_platform_contract.run.shared_reads.MAX_KEPT", 30)  # bytes; each body has 12
    for _ in range(2):
        for limit in (1, 2, 3):
            client.get(AGENTS, params={"limit": limit})
    assert [request.url.params["limit"] for request in sent] == ["1", "2", "3", "3"]

    client.put(f"{PROJECT}/sidebar", json={"sections": []})
    for _ in range(2):
        client.get(AGENTS, params={"limit": 3})
    assert len(sent) == 6


@pytest.mark.parametrize(("status", "number"), [(429, 2), (500, 2), (502, 2), (503, 2), (404, 1)])
def test_a_response_that_says_to_try_later_is_not_shared(client, sent, status, number):
    """The next one may be another; a refusal is shared."""
    assert [client.get(AGENTS, params={"status": status}).status_code for _ in range(2)] == [status] * 2
    assert len(sent) == number
