"""Exact numbers, which SDK and stub must read alike."""

from __future__ import annotations

from decimal import Decimal


def test_a_guard_may_repeat_a_read_value(way):
    """A number with more digits than a float survives reading and sending as a precondition."""
    digits = "0.1234567890123456789"
    record = way(lambda _, p: p.records.create(type_slug="deal", data={"rate": Decimal(digits), "n": 10**30}))

    updated = way(lambda _, p: p.records.update(record.id, data={"seen": True}, expected_data=record.data))

    assert updated.data["seen"] is True
    assert (str(updated.data["rate"]), updated.data["n"]) == (digits, 10**30)
