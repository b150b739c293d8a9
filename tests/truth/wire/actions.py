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

    def do(project: Any, options: Any) -> Any:
        return project.records.update(nonce, data={"stage": "won"}, options=options)

    return Action("update", nonce, do, lambda record: record.id)


def _guarded_update(rng: random.Random, service: Service, nonce: str) -> Action:
    _record(service, nonce)

    def do(project: Any, options: Any) -> Any:
        return project.records.update(nonce, data={"stage": "won"}, expected_data={"stage": "open"}, options=options)

    return Action("guarded update", nonce, do, lambda record: record.id, "fenced")


def _apply(rng: random.Random, service: Service, nonce: str) -> Action:
    kind, edits, guard = rng.choice(
        (
            ("apply", {"stage": "won"}, "touched"),
            ("apply", {"stage": "won", "note": DELETE}, "touched"),
            ("apply, no guard", {"stage": "won"}, None),
            ("apply, only adds", {"owner": "Ada"}, "touched"),
        )
    )
    change = Change.between(
        _record(service, nonce),
        {key: value for key, value in {**_data(service, nonce), **edits}.items() if value is not DELETE},
        change_options=ChangeOptions(guard=guard),
    )

    def do(project: Any, options: Any) -> Any:
        return project.records.apply(change, options=options)

    resending: Resending = "fenced" if "stage" in edits and guard else "never"
    return Action(kind, nonce, do, lambda result: result.record.id, resending, change=change)


def _apply_with_tokens(rng: random.Random, service: Service, nonce: str) -> Action:
    record = _record(service, nonce, **TOKENS.first())
    change = Change.between(
        record, {**_data(service, nonce), "owner": "Ada"}, change_options=ChangeOptions(tokens=TOKENS)
    )

    def do(project: Any, options: Any) -> Any:
        return project.records.apply(change, options=options)

    return Action("apply, tokens", nonce, do, lambda result: result.record.id, "fenced", change=change)


def _data(service: Service, nonce: str) -> dict[str, Any]:
    return dict(service.ledger.states[nonce][-1])


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
    _update: 8,
    _guarded_update: 8,
    _apply: 18,
    _apply_with_tokens: 8,
    _like: 8,
    _memory: 6,
    _sidebar: 4,
    _agents: 6,
    _config: 4,
    _busy: 4,
}
