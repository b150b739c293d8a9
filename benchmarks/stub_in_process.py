"""What the stub costs without a socket: a call, and the making, keeping and going back of a world."""

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
    """Microseconds of CPU time that something took, by round."""

    what: str
    microseconds: list[float]

    def cells(self) -> list[str]:
        """Return what the table shows."""
        lowest, highest = min(self.microseconds), max(self.microseconds)
        digits = 0 if lowest >= 10 else 2
        return [
            self.what,
            f"{statistics.median(self.microseconds):,.{digits}f}",
            f"{lowest:,.{digits}f} to {highest:,.{digits}f}",
        ]


def calls(*, rounds: int, each: int) -> list[Timed]:
    """Return what a call takes: with `httpx.Client` over the stub's transport, and of that in the transport and behind."""
    stub = Stub()
    project = f"{_BASE}/projects/{stub.project.id}"
    check = f"{_BASE}/auth/check-permission?permission=agents:read"
    headers = {"authorization": f"Bearer {stub.token()}"}
    transport = stub.transport()
    with httpx.Client(transport=transport, headers=headers) as client:
        made = client.post(f"{project}/object-records", json=_RECORD).raise_for_status().json()
        record = f"{project}/object-records/{made['record']['id']}"
        numbers = itertools.count()

        def changes() -> dict[str, Any]:
            number = next(numbers)
            return {"data": {"n": number + 1}, "expectedData": {"n": number}}

        by_client: dict[str, Callable[[], httpx.Response]] = {
            LIST: lambda: client.get(f"{project}/agents?limit=1"),
            UPDATE: lambda: client.patch(record, json=changes()),
            CHECK: lambda: client.get(check),
        }
        built: dict[str, Callable[[], httpx.Request]] = {
            LIST: lambda: httpx.Request("GET", f"{project}/agents?limit=1", headers=headers),
            UPDATE: lambda: httpx.Request("PATCH", record, json=changes(), headers=headers),
            CHECK: lambda: httpx.Request("GET", check, headers=headers),
        }
        timed = {name: Timed(f"{name}, client", []) for name in built}
        within = {name: Timed(f"{name}, transport", []) for name in built}
        for _ in range(rounds):
            for name, build in built.items():
                timed[name].microseconds.append(_answered([by_client[name]] * each))
                requests = [build() for _ in range(each)]
                within[name].microseconds.append(
                    _answered([partial(transport.handle_request, request) for request in requests])
                )
    return [of[name] for name in built for of in (timed, within)]


def _answered(calls: list[Callable[[], httpx.Response]]) -> float:
    """Return microseconds of CPU time for a call; raise if an answer is not a 200."""
    began = time.process_time()
    for call in calls:
        answer = call()
        if answer.status_code != 200:
            raise RuntimeError(f"Expected a 200, got {answer!r}")
    return (time.process_time() - began) / len(calls) * 1e6


def worlds(*, rounds: int, each: int) -> list[Timed]:
    """Return what the life of a world costs, and what a snapshot of one that holds much more."""
    stub = Stub()
    small, large = stub.worlds.create(), stub.worlds.create()
    for number in range(_MANY):
        large.project.records[f"rec_{number}"] = {**_RECORD, "id": f"rec_{number}"}

    def made() -> None:
        stub.worlds.delete(stub.worlds.create().id)

    def used() -> None:
        world = stub.worlds.create()
        headers = {"authorization": f"Bearer {world.token()}"}
        request = httpx.Request("GET", f"{_BASE}/projects/{world.project.id}/agents?limit=1", headers=headers)
        if transport.handle_request(request).status_code != 200:
            raise RuntimeError("A new world does not answer.")
        stub.worlds.delete(world.id)

    transport = stub.transport()
    subjects: list[tuple[str, Callable[[], object]]] = [
        ("a world made and deleted", made),
        ("the same, with a token and a first call", used),
        ("reset", small.reset),
    ]
    for world, size in ((small, "demo world"), (large, f"{_MANY:,} records more")):
        _seen_to_restore(world)
        subjects += [
            (f"snapshot, {size}", partial(world.snapshot, "kept")),
            (f"write and restore, {size}", partial(_write_and_restore, world)),
        ]
    timed = [Timed(what, []) for what, _ in subjects]
    for _ in range(rounds):
        for of, (_, subject) in zip(timed, subjects, strict=True):
            began = time.process_time()
            for _ in range(each):
                subject()
            of.microseconds.append((time.process_time() - began) / each * 1e6)
    return timed


def _write_and_restore(world: World) -> None:
    world.project.records["rec_new"] = _RECORD
    world.restore("kept")


def _seen_to_restore(world: World) -> None:
    world.snapshot("kept")
    before = dict(world.project.records)
    _write_and_restore(world)
    if dict(world.project.records) != before:
        raise RuntimeError("A restored world is not what it was.")
