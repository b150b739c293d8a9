"""A model of all interleavings of one change, whose first response is lost and which is settled, with up to three writes of others.

The first attempt is dropped, or executed, or delayed: then it may arrive at any later point, also after the verdict, or
never. Later requests always get a response. The service is three lines (the stub's containment and merge), and the client
is the real flow, which gets its responses as values. For each verdict of the flow, the model collects the possible truths
at that moment and later.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from project_platform import (
    Change,
    ChangeOptions,
    OperationTokens,
    OutcomeUnknownError,
    PlatformError,
    Response,
    RetryPolicy,
    SettledWrite,
)
from project_platform.calls.commands import Flow
from project_platform.calls.fate import Outcome
from project_platform.calls.flow import Attempt, Settings
from project_platform.calls.headers import Secret
from project_platform.errors import ConnectionLostError
from project_platform.models import ObjectRecord
from project_platform.records.settle import ChangeResult, apply
from project_platform.settling import settled
from project_platform_stub.operations.support.jsonb import contains, merged

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
OTHERS = 3
TOKENS = OperationTokens(key="token", ring_key="ring", ring=8)
SHORT = OperationTokens(key="token", ring_key="ring", ring=2)
FIRST = TOKENS.first()
LOST = "lost"
SETTINGS = Settings("https://platform.example", token=Secret("token"), retry=RetryPolicy(initial_delay=0.0))


class State(NamedTuple):
    """The world at one moment.

    Attributes:
        data: The data of the record, as JSON.
        landed: How often the change has been applied.
        late: Whether the first attempt is still in transit.
        left: How often others may still write.
        seen: The responses so far, in order: `lost`, `409`, or the data of the record.
        found: The data at the time of the last response.
    """

    data: str
    landed: int
    late: bool
    left: int
    seen: tuple[str, ...]
    found: str


@dataclass(frozen=True)
class Case:
    """A change, the possible writes of others, and the possible truths.

    Attributes:
        base: The snapshot.
        want: The data after the change.
        others: The possible writes of others.
        truths: How often the change can have been applied in the end, by verdict.
        tokens: The operation tokens, which others preserve.
    """

    base: dict[str, Any]
    want: dict[str, Any]
    others: tuple[dict[str, Any], ...]
    truths: dict[str, set[int]]
    tokens: OperationTokens | None = None


X = ({"x": 0}, {"x": 1}, {"x": 2})
XY = ({"x": 2}, {"x": 1}, {"y": 1}, {"x": 0, "y": 0}, {"x": 1, "y": 1})
ARRAYS = ({"x": [1]}, {"x": [1, 3]}, {"x": [1, 2, 3]}, {"x": [1, 2]}, {"x": [2]})
OBJECTS = ({"x": {"a": 1, "c": 3}}, {"x": {"a": 9}}, {"x": {"a": 1, "b": 2}})

UNKNOWN = {"unknown": {0, 1}}
OPEN = {"in effect": {0, 1}, **UNKNOWN}
ONCE, TWICE = {"yes": {1}, **OPEN}, {"yes": {1, 2}, **OPEN}  # twice only if others restore the old values
SETTLED = {"yes": {1}, "no": {0}}

CASES = {
    "a scalar": Case({"x": 0}, {"x": 1}, X, TWICE),
    "a scalar that is not restored": Case({"x": 0}, {"x": 1}, X[1:], ONCE),
    "two scalars": Case({"x": 0, "y": 0}, {"x": 1, "y": 1}, XY, TWICE),
    "a key deleted": Case({"x": 0}, {}, ({"x": 0}, {"x": 2}, {"x": None}), TWICE),
    "a key added": Case({}, {"x": 1}, ({"x": 2}, {"x": 1}, {"x": None}), OPEN),
    "an array grown": Case({"x": [1]}, {"x": [1, 2]}, ARRAYS, OPEN),
    "an array replaced": Case({"x": [1]}, {"x": [2]}, ARRAYS, TWICE),
    "an object grown": Case({"x": {"a": 1}}, {"x": {"a": 1, "b": 2}}, OBJECTS, OPEN),
    "the first token": Case({"x": 0}, {"x": 1}, X, {"yes": {1, 2}, **UNKNOWN}, TOKENS),
    "a chain of tokens": Case({"x": 0, **FIRST}, {"x": 1, **FIRST}, X, SETTLED, TOKENS),
    "a chain of tokens, a key added": Case(FIRST, {"x": 1, **FIRST}, ({"x": 1}, {"x": None}), SETTLED, TOKENS),
    "a chain of tokens, and a ring too short": Case(
        {"x": 0, **FIRST}, {"x": 1, **FIRST}, X, {**SETTLED, **UNKNOWN}, SHORT
    ),
}


class Model:
    """All interleavings of one change."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.change = Change.between(
            ObjectRecord(id="rec_1", data=case.base),
            case.want,
            change_options=ChangeOptions(tokens=case.tokens),
            project_id=PROJECT,
        )
        self.body = json.dumps({"data": self.change.patch, "expectedData": self.change.guard}).encode()
        self.truths: defaultdict[str, set[tuple[int, int, bool]]] = defaultdict(set)
        self.ends: set[tuple[State, State]] = set()
        self.follow = functools.cache(self._follow)
        self.stamp = functools.cache(self._stamp)

    def explore(self) -> None:
        """Visit all states, and collect the possible truths of each verdict.

        The truth is how often the change had landed by the verdict, how often in the end, and whether the record was as
        the change makes it when the client was last answered.
        """
        todo = [State(json.dumps(self.case.base), 0, False, OTHERS, (), "")]
        known = set(todo)
        while todo:
            state = todo.pop()
            for later in self._later(state):
                does = self.follow(later.seen)
                if isinstance(does, str):
                    self.ends.add((state, later))
                    self.truths[does].add((state.landed, later.landed, self._met(state.found)))
                    continue
                new = self._attempted(later, does) - known
                known |= new
                todo += new

    def _follow(self, seen: tuple[str, ...]) -> bytes | str:
        """Return what the flow does after these responses: the body that it sends, or its verdict."""
        steps = self._settling()
        try:
            order = next(steps)
            for response in seen:
                order = steps.send(_outcome(response))
        except StopIteration as done:
            return f"{done.value.applied}, repeated" if done.value.repeated else str(done.value.applied)
        except OutcomeUnknownError:
            return "unknown"
        except PlatformError as error:
            return error.applied
        assert isinstance(order, Attempt)
        return order.request.body

    def _settling(self) -> Flow[ChangeResult | SettledWrite[Any]]:
        """Apply the change, and settle it if its outcome is not known."""
        try:
            return (yield from apply(self.change, PROJECT, SETTINGS))
        except OutcomeUnknownError as error:
            return (yield from settled(error, SETTINGS))

    def _attempted(self, state: State, body: bytes) -> set[State]:
        """Return the possible states after a request: the first one is dropped, executed or delayed, later ones get a response."""
        landed, response = _delivered(state, body)
        if state.seen:
            return {landed._replace(seen=(*state.seen, response), found=landed.data)}
        ways = (state, landed, state._replace(late=True))
        return {way._replace(seen=(LOST,)) for way in ways}

    def _later(self, state: State) -> set[State]:
        """Return all states that others and the delayed attempt can reach from one."""
        reached, todo = {state}, [state]
        while todo:
            now = todo.pop()
            new = {self._others_wrote(now, patch) for patch in self.case.others} if now.left else set()
            if now.late:
                new.add(_delivered(now, self.body)[0]._replace(late=False))
            new -= reached
            reached |= new
            todo += new
        return reached

    def _others_wrote(self, state: State, patch: dict[str, Any]) -> State:
        data = json.loads(state.data)
        if self.case.tokens is not None:
            patch = {**patch, **self.stamp(state.data, state.left)}
        return state._replace(data=json.dumps(merged(data, patch)), left=state.left - 1)

    def _stamp(self, data: str, _left: int) -> dict[str, Any]:
        """Return token and ring of a change of others; the same for the same state, so that the states are finite."""
        assert self.case.tokens is not None
        patch: dict[str, Any] = {}
        self.case.tokens.stamp(json.loads(data), patch, {})
        return patch

    def _met(self, found: str) -> bool:
        data = json.loads(found or "{}")
        return all(data.get(key) == value for key, value in self.change.patch.items())


def _delivered(state: State, body: bytes) -> tuple[State, str]:
    """Return the state after a request, and its response."""
    request, data = json.loads(body), json.loads(state.data)
    if not contains(data, request.get("expectedData", {})):
        return state, "409"
    after = json.dumps(merged(data, request["data"]))
    return state._replace(data=after, landed=state.landed + bool(request["data"])), after


def _outcome(seen: str) -> Outcome:
    if seen == LOST:
        return ConnectionLostError("the connection broke")
    if seen == "409":
        return Response(409, body=b'{"message": "stale"}')
    return Response(200, body=b'{"record": {"id": "rec_1", "data": %s}}' % seen.encode())


@pytest.mark.parametrize("name", CASES)
def test_every_verdict_is_true_in_every_interleaving(name, capsys):
    """`yes` and `no` are never wrong, `in effect` holds at that moment, and everything else is `unknown`."""
    model = Model(CASES[name])

    model.explore()

    truths = model.truths
    landed = {said: {end for _, end, _ in true} for said, true in truths.items()}
    with capsys.disabled():
        summary = "; ".join(f"{said}: landed {' or '.join(map(str, sorted(landed[said])))}" for said in sorted(landed))
        print(f"\n  {name}: {len(model.ends)} end states; {summary}", end="")
    assert all(by_then > 0 for said in ("yes", "yes, repeated") for by_then, _, _ in truths.get(said, ()))
    assert all(in_the_end == 0 for _, in_the_end, _ in truths.get("no", ()))
    assert all(met for _, _, met in truths.get("in effect", ()))
    assert landed == model.case.truths
