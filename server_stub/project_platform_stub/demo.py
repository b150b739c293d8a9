"""The demo world: a sample of every kind of data, the same for every day and seed."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from .documents.document import parse_document, with_strings
from .world.store import Contents, Origin, State, Writes, short_id, uuid_id
from .world_file.build import build

_ID = re.compile(r"<([a-z]+) ([0-9]+)>")


@lru_cache(maxsize=64)
def demo_origin(day: date, seed: int) -> Origin:
    """Return the initial state of a demo world that starts on a day.

    It has three projects: `Demo` has a sample of every kind of data, `Blank` the same members and no configuration, and
    `Elsewhere` only the member `outsider`.
    """
    content, drawn = _content()
    writes = Writes(State(drawn=drawn))
    content = with_strings(content, lambda text: _ID.sub(lambda found: _id(found[1], seed, int(found[2])), text))
    build(content, Contents(writes, seed), datetime.combine(day, time(), UTC))
    return Origin("demo", seed, writes.state)


@cache
def _content() -> tuple[Any, int]:
    """Return the content of the file, with a place such as `<rec 4>` for each generated identifier, and their number."""
    text = files(__package__).joinpath("demo_world.yaml").read_text("utf-8")
    return parse_document(text, "demo_world.yaml").value, max(int(number) for _, number in _ID.findall(text))


def _id(prefix: str, seed: int, number: int) -> str:
    return uuid_id(seed, number) if prefix == "uuid" else short_id(prefix, seed, number)
