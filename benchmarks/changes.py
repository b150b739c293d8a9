"""The cost of JSON and of changes of records, in CPU time of this process; nothing is sent."""

from __future__ import annotations

import copy
import dataclasses
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from project_platform import Change, Client, Request, Response
from project_platform.json_values import exact_json
from project_platform.models import ObjectRecord

from .sides import PROJECT

RECORD = "5b1f3f0e-9a53-4c39-8d0e-1f5d3d0b113f"


class FixedTransport:
    """A transport with one response to every request, after some seconds, so that only the client's own work is measured."""

    max_connections = 100

    def __init__(self, response: Response, seconds: float = 0.0) -> None:
        self._response, self._seconds = response, seconds

    def send(self, request: Request, /) -> Response:
        if self._seconds:
            time.sleep(self._seconds)
        return self._response

    def close(self) -> None:
        """Do nothing: there is no connection."""


def cpu(work: Callable[[], object], repetitions: int, rounds: int) -> list[float]:
    """Return microseconds of CPU time of one repetition, by round."""
    values: list[float] = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(repetitions):
            work()
        values.append((time.process_time() - began) / repetitions * 1e6)
    return values


def writing_numbers(rounds: int) -> tuple[list[float], list[float]]:
    """Return microseconds to write 1,000 integers and 1,000 floats, by `json.dumps` and by `exact_json.dumps`."""
    rng = random.Random(1)
    numbers = [rng.randrange(10**6) for _ in range(1000)] + [rng.random() for _ in range(1000)]
    raw: list[float] = []
    own: list[float] = []
    for _ in range(rounds):
        raw += cpu(lambda: json.dumps(numbers, separators=(",", ":"), ensure_ascii=False).encode(), 20, 1)
        own += cpu(lambda: exact_json.dumps(numbers), 20, 1)
    return raw, own


def making_a_change(rounds: int) -> list[float]:
    """Return microseconds of `Change.between` for a record with eight keys, one of which changes."""
    data = {
        "name": "Ada",
        "stage": "open",
        "amount": 1250.5,
        "count": 7,
        "active": True,
        "note": "Asks for the garden",
        "tags": ["wedding", "garden"],
        "address": {"city": "Basel", "zip": "4051"},
    }
    record = ObjectRecord(id=RECORD, data=data)
    after = {**data, "stage": "won"}
    return cpu(lambda: Change.between(record, after), 300, rounds)


@dataclasses.dataclass
class Deal:
    """The class of a typed record."""

    name: str
    stage: str
    tags: list[str]
    lines: list[dict[str, int]]


def saving(rounds: int) -> tuple[list[float], list[float]]:
    """Return microseconds to edit and save a typed record and read the result, and to change and apply an untyped one."""
    data = {"name": "Ada", "stage": "open", "tags": ["wedding", "garden"], "lines": [{"n": n} for n in range(5)]}
    record = ObjectRecord(id=RECORD, data=data)
    response = Response(200, body=json.dumps({"record": {"id": RECORD, "data": {**data, "stage": "won"}}}).encode())
    typed: list[float] = []
    untyped: list[float] = []
    with Client("https://platform.example", token="token", transport=FixedTransport(response)) as client:
        records = client.project(PROJECT).records
        deals = records.of("deal", Deal)

        def save() -> Deal:
            deal = deals.wrap(record)
            deal.data.stage = "won"
            return deals.save(deal).data

        for _ in range(rounds):
            typed += cpu(save, 100, 1)
            untyped += cpu(lambda: records.apply(records.change(record, {"stage": "won"})), 100, 1)
    return typed, untyped


def applying(count: int, rounds: int) -> float:
    """Return milliseconds to apply a change of one object in an array of `count`, as the median of the rounds."""
    lines: list[dict[str, Any]] = [
        {"id": f"line_{n}", "dish": "soup", "count": n % 7, "tags": ["a", "b"], "price": 12.5} for n in range(count)
    ]
    changed = copy.deepcopy(lines)
    changed[count // 2]["count"] = 99
    record = ObjectRecord(id=RECORD, status="open", data={"lines": lines})
    body = json.dumps({"record": {"id": RECORD, "status": "open", "data": {"lines": changed}}}).encode()
    response = Response(200, body=body)
    with Client("https://platform.example", token="token", transport=FixedTransport(response)) as client:
        records = client.project(PROJECT).records
        change = records.change(record, {"lines": changed})
        return statistics.median(cpu(lambda: records.apply(change), 1, rounds)) / 1e3
