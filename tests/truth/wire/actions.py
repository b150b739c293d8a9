"""The calls of the SDK that a run makes. Each has a nonce, and can say whose response a result is."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from project_platform import DELETE, Change, ChangeOptions, OperationTokens
from project_platform.models import ObjectRecord

from .service import Service

TOKENS: Final = OperationTokens()
LARGE: Final = "x" * 3_000_000  # more than the buffers of a connection hold
START: Final = "2031-03-03T09:00:00Z"

Resending = Literal["never", "fenced", "safe"]

UPDATES: Final[tuple[tuple[str, Resending, dict[str, Any]], ...]] = (
    ("update", "never", {}),
    ("guarded update", "fenced", {"expected_data": {"stage": "open"}}),
)
CHANGES: Final[tuple[tuple[str, Resending, dict[str, Any], dict[str, Any]], ...]] = (
    ("apply", "fenced", {"stage": "won"}, {}),
    ("apply", "fenced", {"stage": "won", "note": DELETE}, {}),
    ("apply, no guard", "never", {"stage": "won"}, {"guard": None}),
    ("apply, only adds", "never", {"owner": "Ada"}, {}),
    ("apply, tokens", "fenced", {"owner": "Ada"}, {"tokens": TOKENS}),
    ("apply, tokens", "fenced", {"owner": "Ada"}, {"tokens": TOKENS}),
)


@dataclass
class Action:
    """A call of the SDK.

    Attributes:
        kind: Name in the counts.
        nonce: Identifies the call in its requests and responses.
        do: Makes the call, with a project and with options; asynchronous clients return an awaitable.
        identify: Returns the nonce in a result.
        resending: After which lost responses the SDK sends it again: never; if its guard fences; or always. "read" calls
            are always safe.
        writes: Whether it changes something.
        change: The change of a record, if it is one.
    """

    kind: str
    nonce: str
    do: Callable[[Any, Any], Any]
    identify: Callable[[Any], str]
    resending: Resending = "never"
    writes: bool = True
    change: Change | None = None


def draw(rng: random.Random, service: Service) -> Action:
    """Return a random call, and prepare what it needs in the service."""
    make = rng.choices(list(ACTIONS), list(ACTIONS.values()))[0]
    return make(rng, service, str(uuid.UUID(int=rng.getrandbits(128), version=4)))


def _book(rng: random.Random, _service: Service, nonce: str) -> Action:
    description = LARGE if rng.random() < 0.03 else "a visit"

    def do(project: Any, options: Any) -> Any:
        return project.calendar.book(
            start=START, summary=f"for {nonce}", description=description, conflict_check=False, options=options
        )

    return Action("book", nonce, do, lambda booking: booking.booking_uid)


def _create(rng: random.Random, _service: Service, nonce: str) -> Action:
    def do(project: Any, options: Any) -> Any:
        return project.records.create(type_slug="deal", data={"nonce": nonce}, options=options)

    return Action("create", nonce, do, lambda record: record.id)


def _record(service: Service, nonce: str, **more: Any) -> ObjectRecord:
    data = {"nonce": nonce, "stage": "open", "note": "old", **more}
    return ObjectRecord.model_validate(service.add_record(nonce, data))


def _update(rng: random.Random, service: Service, nonce: str) -> Action:
    _record(service, nonce)
    kind, resending, guard = rng.choice(UPDATES)

    def do(project: Any, options: Any) -> Any:
        return project.records.update(nonce, data={"stage": "won"}, **guard, options=options)

    return Action(kind, nonce, do, lambda record: record.id, resending)


def _apply(rng: random.Random, service: Service, nonce: str) -> Action:
    kind, resending, edits, options_of_change = rng.choice(CHANGES)
    before = _record(service, nonce, **(TOKENS.first() if "tokens" in options_of_change else {}))
    after = {key: value for key, value in {**before.data, **edits}.items() if value is not DELETE}
    change = Change.between(before, after, change_options=ChangeOptions(**options_of_change))

    def do(project: Any, options: Any) -> Any:
        return project.records.apply(change, options=options)

    return Action(kind, nonce, do, lambda result: result.record.id, resending, change=change)


def _like(rng: random.Random, _service: Service, nonce: str) -> Action:
    def do(project: Any, options: Any) -> Any:
        return project.engagement.like(nonce, account_id=nonce, options=options)

    return Action("like", nonce, do, lambda liked: nonce if liked is True else repr(liked), "safe")


def _memory(rng: random.Random, _service: Service, nonce: str) -> Action:
    content = LARGE if rng.random() < 0.03 else "a note"

    def do(project: Any, options: Any) -> Any:
        return project.memory.update(nonce, content=content, options=options)

    return Action("memory", nonce, do, lambda entry: entry.slug, "safe")


def _sidebar(rng: random.Random, _service: Service, nonce: str) -> Action:
    def do(project: Any, options: Any) -> Any:
        return project.sidebar.replace(sections=[{"id": nonce, "label": "a", "items": []}], options=options)

    return Action("sidebar", nonce, do, lambda sidebar: sidebar.sections[0].id, "safe")


def _agents(rng: random.Random, _service: Service, nonce: str) -> Action:
    def do(project: Any, options: Any) -> Any:
        return project.agents.list(options=options).first_page()

    return Action("agents", nonce, do, lambda page: page.items[0].project_id, "safe", writes=False)


def _config(rng: random.Random, _service: Service, nonce: str) -> Action:
    def do(project: Any, options: Any) -> Any:
        return project.web_analytics.get_config(options=options)

    return Action("config", nonce, do, lambda config: config.project_id, "safe", writes=False)


def _busy(rng: random.Random, _service: Service, nonce: str) -> Action:
    def do(project: Any, options: Any) -> Any:
        return project.calendar.busy(time_min=START, time_max=START, calendar_id=nonce, options=options)

    return Action("busy", nonce, do, lambda busy: busy[0].start, "safe", writes=False)


ACTIONS: Final[dict[Callable[[random.Random, Service, str], Action], int]] = {
    _book: 16,
    _create: 10,
    _update: 16,
    _apply: 26,
    _like: 8,
    _memory: 6,
    _sidebar: 4,
    _agents: 6,
    _config: 4,
    _busy: 4,
}
