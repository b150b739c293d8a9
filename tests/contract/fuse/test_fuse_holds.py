"""Faulty code above the fuse sends nothing that is not allowed."""

from __future__ import annotations

import random

import httpx
import pytest

from project_platform_contract.fuse import BlockedError, Fuse, FusedTransport
from project_platform_contract.operations import operations
from project_platform_stub import Stub

from ..conftest import ServedStub
from .fuse_requests import STUB, fuse_for


@pytest.fixture
def stub() -> Stub:
    return Stub()


MISLABELLED = """
import pytest

@pytest.mark.rule("agents.list.limit-range")
def test_that_books_although_its_rule_reads(api):
    response = api("calendar_book", json={"start": "2031-03-03T09:00:00Z", "durationMinutes": 30, "summary": "x",
                                          "attendee": {"email": "someone@example.com"}})
    assert response.is_success

@pytest.mark.rule("agents.list.limit-range")
def test_that_ignores_errors_of_the_fuse(api):
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        try:
            api.request(method, f"/projects/{api.project}/object-records", json={"typeSlug": "deal"})
        except Exception:
            pass

@pytest.mark.rule("agents.list.limit-range")
def test_that_uses_another_client(contract_run, data):
    client = contract_run.client(data.token("owner"))
    client.put(f"/projects/{data['project']}/sidebar", json={"sections": []})

def test_without_a_rule(api):
    api("sidebar_replace", json={"sections": []})
"""


def test_a_test_with_a_wrong_rule_sends_no_write(served, run_tests):
    """The test is skipped, and the server receives nothing."""
    target = ("--contract-url", served.base_url, "--contract-project", served.stub.project.id)

    run = run_tests(MISLABELLED, *target, "-q", "-rs", PROJECT_PLATFORM_TOKEN=served.stub.tokens.valid("owner"))

    assert served.non_read_requests == []
    assert len(served.journal) == 1, "only the preflight request"
    assert list(served.stub.outbox) == []
    assert "calendar/provider/events is 'notify'; allowed: read" in run.stdout
    assert "sidebar is 'write'; allowed: read" in run.stdout
    assert "the effect 'irreversible' is not allowed" in run.stdout
    assert "1 passed, 3 skipped" in run.stdout, run.stdout + run.stderr


def fused_client(stub: Stub, fuse: Fuse) -> httpx.Client:
    headers = {"Authorization": f"Bearer {stub.tokens.valid('owner')}"}
    return httpx.Client(transport=FusedTransport(stub.transport(), fuse), base_url=STUB, headers=headers)


def test_random_requests_send_no_write(stub):
    """Two thousand requests with random methods, paths, headers and bodies."""
    rng = random.Random(4)
    methods = ["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY", "get", "Post"]
    segments = [
        *("projects", stub.project.id, stub.project.id.upper(), "object-records", "sidebar", "agents", "workflows"),
        *("calendar", "provider", "events", "busy", "%2e%2e", "..", "", "%2F", "api", "auth", "token", "_stub", "*"),
        *("menu-items", "label-export", "memory-entries", "welcome", "templates", "apply", "socials", "worlds"),
    ]
    headers = [{}, {"X-HTTP-Method-Override": "DELETE"}, {"Host": "other"}, {"X-Original-URL": "/x"}]
    bodies = [b"", b"{}", b'{"sections": []}', b'{"typeSlug": "deal"}', b"_method=DELETE", b"[" * 5000]
    templates = [operation.path for operation in operations()]
    passed = 0
    with fused_client(stub, fuse_for(stub, "read")) as client:
        for _ in range(2000):
            path = rng.choice(templates).replace("{projectId}", stub.project.id)
            if rng.random() < 0.5:
                path = "/" + "/".join(rng.choices(segments, k=rng.randint(1, 6)))
            try:
                client.request(rng.choice(methods), path, content=rng.choice(bodies), headers=rng.choice(headers))
            except (BlockedError, httpx.InvalidURL):
                continue
            passed += 1

    assert ServedStub(stub, STUB).non_read_requests == list(stub.outbox) == []
    assert 20 < passed < 1000
    assert len(stub.world.journal) + len(stub.unmatched_requests) == passed
