"""The trials of lists notice a call that waits and a list that does not end, and accept only SDKs that can read a normal list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from benchmarks import list_trials
from benchmarks.list_trials import ASKING, INTERVAL, PAGES, PATIENCE, SDKS, WAITING, NotReadError, Sdk

pytestmark = pytest.mark.one_python

RECORDED: dict[str, Any] = json.loads((Path(__file__).parents[2] / "benchmarks/compare.json").read_text("utf-8"))[
    "sdks"
]


def naive_listing(url: str, limit: float | None) -> Iterator[Any]:
    """Yield the objects of a list as long as the server names a next page, with a timeout for each read."""
    following: str | None = url
    while following:
        with urlopen(f"{following}/objects", timeout=limit) as response:
            page = json.load(response)
        yield from page["objects"]
        following = page["next"]


def a_page(_: int, names: tuple[str, ...], more: bool, url: str) -> tuple[Any, dict[str, str]]:
    return {"objects": names, "next": url if more else None}, {}


NAIVE = Sdk("/objects", naive_listing, a_page)


def test_a_list_of_two_pages_is_read() -> None:
    """With one request for each page."""
    cell = list_trials.run("pages", NAIVE)

    assert (cell["requests"], cell["objects"], cell["end"]) == (2, 4, "result")


def test_a_list_that_does_not_end_is_stopped() -> None:
    """After a number of requests."""
    cell = list_trials.run("loop", NAIVE)

    assert (cell["requests"], cell["end"]) == (list_trials.MAX_REQUESTS, ASKING)


def test_a_call_that_waits_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timeout for each read does not end a body that keeps arriving."""
    monkeypatch.setattr(list_trials, "DEADLINE", 2 * INTERVAL)
    monkeypatch.setattr(list_trials, "PATIENCE", 4 * INTERVAL)

    assert list_trials.run("slow", NAIVE)["end"] == WAITING


def test_a_call_that_ends_in_time_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The timeout for each read ends a body that stops."""
    monkeypatch.setattr(list_trials, "DEADLINE", 0.2)

    cell = list_trials.run("stalled", NAIVE)

    assert cell["end"] == "TimeoutError"
    assert cell["seconds"] < PATIENCE


def test_an_sdk_that_cannot_read_a_normal_list_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it does with a loop would say nothing: it does not understand the server."""
    monkeypatch.setitem(SDKS, "naive", NAIVE._replace(path="/elsewhere"))

    with pytest.raises(NotReadError, match="naive"):
        list_trials.cells("naive")


@pytest.mark.parametrize("name", SDKS)
def test_a_slow_body_takes_longer_than_the_trial(name: str) -> None:
    """Otherwise an SDK without a limit would return in time."""
    content, _ = SDKS[name].page(1, PAGES[1], False, "http://127.0.0.1:1")

    assert len(json.dumps(content)) * INTERVAL > PATIENCE


@pytest.mark.parametrize("name", SDKS)
def test_each_recorded_sdk_has_read_a_normal_list(name: str) -> None:
    """The page says so."""
    cell = RECORDED[name]["cells"]["pages"]

    assert (cell["requests"], cell["objects"], cell["end"]) == (2, 4, "result")


def test_each_recorded_limit_is_in_effect() -> None:
    """The page says so: a body that stops ends every call, at the limit or after several attempts."""
    ends = {name: column["cells"]["stalled"] for name, column in RECORDED.items()}

    assert {name: cell for name, cell in ends.items() if cell["end"] == WAITING} == {}
    assert {name for name, cell in ends.items() if cell["seconds"] > 3} == {"openai", "anthropic", "boto3"}
    assert RECORDED["project-platform"]["cells"]["slow"]["seconds"] < 3
