"""No verdict is wrong, whatever a service does to the values that it stores and answers."""

from __future__ import annotations

import itertools
import warnings
from collections import defaultdict
from typing import Any

import pytest

from project_platform import (
    Change,
    ChangeOptions,
    ConnectionLostError,
    OperationTokens,
    OutcomeUnknownError,
    PlatformError,
    RetryPolicy,
)
from project_platform.calls.flow import Attempt, Settings
from project_platform.calls.headers import Secret
from project_platform.models import ObjectRecord
from project_platform.records.settle import apply, update_call
from project_platform.settling import settled

from ..wire import PROJECT
from .altering_service import ALTERATIONS, RING, TOKEN, AlteringService, untouched

SETTINGS = Settings("https://platform.example", token=Secret("token"), retry=RetryPolicy(initial_delay=0.0))
LOST = ConnectionLostError("the connection broke")
TOKENS = OperationTokens(key=TOKEN, ring_key=RING, ring=3)
EDITS: list[dict[str, Any]] = [
    {"count": 123_456},
    {"count": 7},  # which rounds to the old value
    {"stage": " Ausgeführt 7"},
    {"tags": ["b", "T 7"]},
    {"note": {"a": 7}},
]
# What becomes of the first copy of a change: its response is lost, or it is, or it arrives after the verdict.
FATES = ("lost after", "lost before", "late")


def made_of(snapshot: dict[str, Any], edits: dict[str, Any], tokens: OperationTokens | None) -> Change:
    """Return a change of a record as it was seen."""
    options = ChangeOptions(tokens=tokens, merge="shallow")
    return Change.between(ObjectRecord(id="rec_1", data=snapshot), {**snapshot, **edits}, change_options=options)


def settling(change: Change) -> Any:
    """Apply a change, and settle it if its outcome is not known."""
    try:
        return (yield from apply(change, PROJECT, SETTINGS))
    except OutcomeUnknownError as error:
        return (yield from settled(error, SETTINGS))


def body_of(change: Change) -> bytes:
    """Return the body of the update that applies a change."""
    return bytes(update_call(change, PROJECT).body or b"")


def verdict_of(service: AlteringService, change: Change, fate: str, others: list[dict[str, Any]]) -> tuple[str, bool]:
    """Return what is said of a change whose first copy has a fate, while others write; and whether it says "repeated"."""
    steps = settling(change)
    next(steps)
    if fate == "lost after":
        service.answer(body_of(change))
    for edits in others:
        service.answer(body_of(made_of(service.data, edits, change.tokens)))
    outcome: Any = LOST
    try:
        while True:
            command = steps.send(outcome)
            outcome = service.answer(command.request.body) if isinstance(command, Attempt) else None
    except StopIteration as end:
        return end.value.applied, end.value.repeated
    except PlatformError as error:
        return error.applied, False


def wrong_verdicts(store: Any, show: Any, tokens: OperationTokens | None) -> tuple[dict[Any, set[str]], list[str]]:
    """Return the verdicts by fate and whether others wrote, of all edits; and what is wrong with any."""
    verdicts, wrong = defaultdict[Any, set[str]](set), []
    for edits, fate, others in itertools.product(EDITS, FATES, range(3)):
        first = tokens.first() if tokens else {}
        service = AlteringService({"stage": "Open ", "count": 0, "tags": ["b", "a"], **first}, store, show)
        change = made_of(service.seen, edits, tokens)
        applied, repeated = verdict_of(service, change, fate, [{"other": number} for number in range(others)])
        verdicts[fate, others > 0].add(applied)
        by_then = service.landed[body_of(change)]
        in_effect = all(service.seen.get(key) == value for key, value in change.patch.items())
        if fate == "late":
            service.answer(body_of(change))
        in_the_end = service.landed[body_of(change)]
        claims = {
            "yes, and not applied": applied == "yes" and not by_then,
            "no, and applied": applied == "no" and in_the_end,
            "once, and applied twice in a row": applied == "yes"
            and not repeated
            and body_of(change) in service.doubled,
            "in effect, and the record has other values": applied == "in effect" and not in_effect,
        }
        wrong += [f"{edits} {fate} {others}: {claim}" for claim, is_wrong in claims.items() if is_wrong]
    return verdicts, wrong


@pytest.mark.parametrize("tokens", [TOKENS, None], ids=["tokens", "looks"])
@pytest.mark.parametrize("place", ["stores", "answers"])
@pytest.mark.parametrize("name", sorted(ALTERATIONS))
def test_no_verdict_is_wrong_if_a_service_alters_values(name, place, tokens):
    """`yes` and `no` are facts, `in effect` is true of the record, and a second application is never silent."""
    alterations = [ALTERATIONS[name], untouched]
    store, show = alterations if place == "stores" else reversed(alterations)

    with warnings.catch_warnings(action="ignore"):  # records differ from the prediction, which is the point
        verdicts, wrong = wrong_verdicts(store, show, tokens)

    assert wrong == []
    if tokens is None:
        assert "no" not in set[str]().union(*verdicts.values())


UNTOUCHED = ["nothing", "trims", "lower case", "NFKC", "sorts arrays", "reverses arrays"]


@pytest.mark.parametrize("name", [*UNTOUCHED, "upper case", "title case", "swaps case", "pads texts"])
def test_tokens_survive_what_services_do_to_texts(name):
    """Only one change writes its characters, so it is recognized; what is missing proves nothing if a token was altered."""
    with warnings.catch_warnings(action="ignore"):
        verdicts, _ = wrong_verdicts(ALTERATIONS[name], untouched, TOKENS)

    assert verdicts["lost after", True] == {"yes"}
    assert verdicts["lost before", True] == ({"no"} if name in UNTOUCHED else {"unknown"})
