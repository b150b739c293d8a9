"""The cost of the stub without a socket: a call, and creating, snapshotting and restoring a world."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx

from project_platform_stub import Stub, World

from .stub_requests import CHECK, LIST, UPDATE

_BASE = "http://stub.example"
_RECORD = {"typeSlug": "deal", "data": {"title": "New roof", "stage": "open", "n": 0}}
_MANY = 10_000  # Records.


@dataclass(frozen=True)
class Timed:
    """Microseconds of CPU time per call of one function, by round."""

    what: str
    microseconds: list[float]

    def cells(self) -> list[str]:
        """Return the cells of the row in the printed table."""
        lowest, highest = min(self.microseconds), max(self.microseconds)
        digits = 0 if lowest >= 10 else 2
        return [
            self.what,
            f"{statistics.median(self.microseconds):,.{digits}f}",
            f"{lowest:,.{digits}f} to {highest:,.{digits}f}",
        ]


def time_calls(*, rounds: int, calls: int) -> list[Timed]:
    """Time calls with `httpx.Client` over the stub's transport, and of the transport alone."""
    stub = Stub()
    project = f"{_BASE}/projects/{stub.project.id}"
    check = f"{_BASE}/auth/check-permission?permission=agents:read"
    headers = {"authorization": f"Bearer {stub.token()}"}
    transport = stub.transport()
    with httpx.Client(transport=transport, headers=headers) as client:
        created = client.post(f"{project}/object-records", json=_RECORD).raise_for_status().json()
        record = f"{project}/object-records/{created['record']['id']}"
        numbers = itertools.count()

        def changes() -> dict[str, Any]:
            number = next(numbers)
            return {"data": {"n": number + 1}, "expectedData": {"n": number}}

        by_client: dict[str, Callable[[], httpx.Response]] = {
            LIST: lambda: client.get(f"{project}/agents?limit=1"),
            UPDATE: lambda: client.patch(record, json=changes()),
            CHECK: lambda: client.get(check),
        }
        builders: dict[str, Callable[[], httpx.Request]] = {
            LIST: lambda: httpx.Request("GET", f"{project}/agents?limit=1", headers=headers),
            UPDATE: lambda: httpx.Request("PATCH", record, json=changes(), headers=headers),
            CHECK: lambda: httpx.Request("GET", check, headers=headers),
        }
        timed = {name: Timed(f"{name}, client", []) for name in builders}
        in_transport = {name: Timed(f"{name}, transport", []) for name in builders}
        for _ in range(rounds):
            for name, build in builders.items():
                timed[name].microseconds.append(_time_responses([by_client[name]] * calls))
                requests = [build() for _ in range(calls)]
                in_transport[name].microseconds.append(
                    _time_responses([partial(transport.handle_request, request) for request in requests])
                )
    return [timings[name] for name in builders for timings in (timed, in_transport)]


def _time_responses(calls: list[Callable[[], httpx.Response]]) -> float:
    """Return microseconds of CPU time per call; raise if a response is not a 200."""
    began = time.process_time()
    for call in calls:
        response = call()
        if response.status_code != 200:
            raise RuntimeError(f"Expected a 200, got {response!r}")
    return (time.process_time() - began) / len(calls) * 1e6


def time_worlds(*, rounds: int, calls: int) -> list[Timed]:
    """Time creating, resetting, snapshotting and restoring worlds, with few records and with many."""
    stub = Stub()
    small, large = stub.worlds.create(), stub.worlds.create()
    for number in range(_MANY):
        large.project.records[f"rec_{number}"] = {**_RECORD, "id": f"rec_{number}"}

    def create_and_delete() -> None:
        stub.worlds.delete(stub.worlds.create().id)

    def create_and_call() -> None:
        world = stub.worlds.create()
        headers = {"authorization": f"Bearer {world.token()}"}
        request = httpx.Request("GET", f"{_BASE}/projects/{world.project.id}/agents?limit=1", headers=headers)
        if transport.handle_request(request).status_code != 200:
            raise RuntimeError("A new world does not answer with a 200.")
        stub.worlds.delete(world.id)

    transport = stub.transport()
    subjects: list[tuple[str, Callable[[], object]]] = [
        ("create and delete a world", create_and_delete),
        ("the same, with a token and a first call", create_and_call),
        ("reset", small.reset),
    ]
    for world, size in ((small, "demo world"), (large, f"{_MANY:,} records more")):
        _check_restore(world)
        subjects += [
            (f"snapshot, {size}", partial(world.snapshot, "before")),
            (f"write and restore, {size}", partial(_write_and_restore, world)),
        ]
    timed = [Timed(what, []) for what, _ in subjects]
    for _ in range(rounds):
        for timing, (_, subject) in zip(timed, subjects, strict=True):
            began = time.process_time()
            for _ in range(calls):
                subject()
            timing.microseconds.append((time.process_time() - began) / calls * 1e6)
    return timed


def _write_and_restore(world: World) -> None:
    world.project.records["rec_new"] = _RECORD
    world.restore("before")


def _check_restore(world: World) -> None:
    world.snapshot("before")
    before = dict(world.project.records)
    _write_and_restore(world)
    if dict(world.project.records) != before:
        raise RuntimeError("A restored world differs from its snapshot.")
