"""Values in a state file are unchanged after a restart, in every digit."""

from __future__ import annotations

from datetime import UTC
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from project_platform_stub import Stub
from project_platform_stub.http.messages import parse_json
from project_platform_stub.world.domain import Calendar, Event, Invitation
from project_platform_stub.world.world import World

from ..conftest import encoded_rows

AWKWARD = r"""[
    1e400, -1E-400, 0.1234567890123456789, 0.10, -0, -0.0, 1.0, 123456789012345678901234567890, NINES,
    "\u0000", "\\ \" \/ \u001f \ud83d\ude00 \u2028", "", {"":{"":[]}}, {"b":1,"a":2}, [true,false,1,0,null]
]""".replace("NINES", "9" * 5000)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
TIMES = st.datetimes(timezones=st.just(UTC))
EVENTS = st.builds(
    Event, TEXT, TEXT, TIMES, TIMES, st.none() | TEXT, TEXT, metadata=st.none() | st.dictionaries(TEXT, VALUES)
)
CALENDARS = st.builds(Calendar, TEXT, st.frozensets(TEXT), st.lists(st.tuples(TIMES, TIMES), max_size=3).map(tuple))
MAILS = st.builds(Invitation, TEXT, st.just("update"), TEXT, TEXT, TEXT, TEXT)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("records"), TEXT, st.dictionaries(TEXT, VALUES, max_size=3)),
        st.tuples(st.just("memory"), TEXT, st.dictionaries(TEXT, VALUES, max_size=3)),
        st.tuples(st.just("events"), TEXT, EVENTS),
        st.tuples(st.just("calendars"), TEXT, CALENDARS),
        st.tuples(st.just("outbox"), TEXT, MAILS),
        st.tuples(st.sampled_from(["records", "memory", "events", "menu_items"]), st.integers(0, 30), st.none()),
        st.tuples(st.sampled_from(["snapshot", "restore", "reset", "restart"]), st.none(), st.none()),
    ),
    max_size=20,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHANGES)
@example([("records", "", {"values": parse_json(AWKWARD)})])
def test_a_restart_changes_nothing(state_path, changes):
    """A world is unchanged by a restart after any sequence of changes, resets and restored snapshots."""
    state_path.unlink(missing_ok=True)
    stub = Stub(state=state_path)
    try:
        for table, id, value in [*changes, ("restart", None, None)]:
            if table == "restart":
                before = stub.world.state
                stub.close()
                stub = Stub(state=state_path)
                assert encoded_rows(stub.world.state) == encoded_rows(before)
                assert (stub.world.state.added, stub.world.state.drawn) == (before.added, before.drawn)
            else:
                _change(stub.world, table, id, value)
    finally:
        stub.close()


def _change(world: World, table: str, id, value) -> None:
    if table == "snapshot":
        world.snapshot("s")
    elif table == "restore":
        if "s" in world.snapshots:
            world.restore("s")
    elif table == "reset":
        world.reset()
    elif table == "outbox":
        world.outbox.append(value)
    else:
        table_view = getattr(world.project, table)
        if value is not None:
            table_view[id] = value
        elif ids := list(table_view):
            del table_view[ids[id % len(ids)]]


def test_a_value_that_is_not_json_is_refused(restart):
    """A value that cannot be stored is not in the world either."""
    stub = restart()

    for value in (object(), Decimal("NaN"), float("nan"), "\ud800"):
        with pytest.raises((TypeError, ValueError)):
            stub.project.memory["m"] = {"value": value}

    assert "m" not in stub.project.memory
    assert list(restart().project.memory) == ["welcome", "brand/voice", "brand/voice/café"]
