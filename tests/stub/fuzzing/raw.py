"""Raw requests, handed to the service without a socket: whatever they are, the answer is a clear one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from project_platform_stub.admin import Admin
from project_platform_stub.demo import demo_origin
from project_platform_stub.dispatch.service import Service
from project_platform_stub.http.messages import Request, Response
from project_platform_stub.profile import Profile
from project_platform_stub.world.registry import Worlds

from .admin_requests import admin_requests
from .invariants import broken
from .raw_requests import authorizations, raw_requests
from .target import CLEAN

Test = TypeVar("Test", bound=Callable[..., None])

FIELD = re.compile(r"[\x20-\x7e]*")  # What may stand in a header, wherever it came from.
MOST = 4  # Requests that follow one another.


def fuzz_service(profile: Mapping[str, Any], first: int, cases: int, *, shrink: bool = True) -> Counter[int]:
    """Send raw requests to the operations; return the answers by status.

    Args:
        profile: The profile of the stub.
        first: What the requests are drawn from.
        cases: How many runs of at most `MOST` requests there are.
        shrink: Whether to look for the least requests that go wrong, if any do.

    Raises:
        AssertionError: An answer was not clear, or a world was not sound after it; its notes tell the requests.
    """
    worlds = Worlds(default_origin=demo_origin)
    world = worlds.create("demo", stays=True)
    service = Service(worlds, profile=Profile.from_mapping(profile))
    world.snapshot(CLEAN)
    good, bad = authorizations(world)
    statuses: Counter[int] = Counter()

    @_settings(first, cases, shrink=shrink)
    @given(st.lists(raw_requests(world, good, bad), min_size=1, max_size=MOST))
    def send(requests: list[Request]) -> None:
        world.restore(CLEAN)
        for request in requests:
            response = service.handle(request)
            statuses[response.status] += 1
            _check(response)
            accepted = response.status >= 400 or request.headers.get("authorization") in good
            assert accepted, f"{response.status} for a credential that is none"
            latest = [journal[-1].request_id for journal in (world.journal, service.strays) if len(journal)]
            assert response.headers["X-Request-Id"] in latest, "it is in no journal"
        assert not (problems := broken(world)), problems

    send()
    return statuses


def fuzz_admin(first: int, cases: int) -> Counter[int]:
    """Send raw requests to the admin routes, as `fuzz_service` does; what they answer may be a page."""
    statuses: Counter[int] = Counter()

    @_settings(first, cases)
    @given(st.lists(admin_requests(), min_size=1, max_size=2 * MOST))
    def send(requests: list[Request]) -> None:
        worlds = Worlds(default_origin=demo_origin)
        worlds.create("demo", stays=True)
        service = Service(worlds, profile=Profile())
        service.mount(b"/_stub/", Admin(service).handle)
        for request in requests:
            response = service.handle(request)
            statuses[response.status] += 1
            assert response.status < 500, response.body
            assert all(FIELD.fullmatch(text) for text in response.headers.values())
        for world in worlds:
            assert not (problems := broken(world)), problems

    send()
    return statuses


def _settings(first: int, cases: int, *, shrink: bool = True) -> Callable[[Test], Test]:
    phases = (Phase.generate, *((Phase.shrink,) if shrink else ()))
    checks = list(HealthCheck)
    chosen = settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=checks,
        report_multiple_bugs=False,
    )
    return lambda test: seed(first)(chosen(test))


def _check(response: Response) -> None:
    """Check an answer that is no page: JSON with a message if it is an error, and nothing that was not to be told."""
    assert response.status < 500, response.body
    assert all(FIELD.fullmatch(text) for text in response.headers.values())
    assert re.fullmatch("req_[0-9a-f]{32}", response.headers["X-Request-Id"])
    if response.headers["Content-Type"] == "application/pdf":
        assert response.body.startswith(b"%PDF-")
        return
    assert response.headers["Content-Type"] == "application/json"
    body = json.loads(response.body)
    if response.status >= 400:
        assert set(body) == {"message", "code"}
        assert body["message"]
        assert body["code"]
