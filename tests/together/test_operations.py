"""Exact numbers, pages and a label sheet, which SDK and stub must read alike."""

from __future__ import annotations

import io
from decimal import Decimal

import pikepdf
import pytest


def test_a_guard_may_repeat_a_read_value(way):
    """A number with more digits than a float survives reading and sending as a precondition."""
    digits = "0.1234567890123456789"
    record = way(lambda _, p: p.records.create(type_slug="deal", data={"rate": Decimal(digits), "n": 10**30}))

    updated = way(lambda _, p: p.records.update(record.id, data={"seen": True}, expected_data=record.data))

    assert updated.data["seen"] is True
    assert updated.data["n"] == 10**30


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_agents_are_complete_for_every_page_size(way, limit):
    """Operation 12: iterating gives every agent once, in order."""
    agents = way(lambda _, p: p.agents.list(limit=limit))

    assert [agent.id for agent in agents] == way.ids["agents"]
    assert {agent.access for agent in agents} == {"project_member"}


def test_labels_are_a_pdf_with_summary_and_review(way, tmp_path):
    """Operation 16: landscape Letter, a summary in the header, the review attached; saved unchanged."""
    sheet = way(lambda _, p: p.labels.export(menu_month="2026-11", include_unapproved=True, stock="5x3.5"))

    path = sheet.save(tmp_path / "labels.pdf")

    with pikepdf.open(io.BytesIO(path.read_bytes())) as pdf:
        assert [float(x) for x in pdf.pages[0].mediabox] == [0, 0, 792, 612]
        assert len(pdf.pages) == sheet.summary.sheet_count
    assert sheet.summary.problem is None
    assert len(sheet.review["labels"]) == sheet.summary.label_count == 6
