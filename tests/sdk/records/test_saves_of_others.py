"""The `save` of three object mappers, as the requests that they would send here, beside a typed save.

Django sends every field (`save()` without `update_fields`), pyairtable since 3.0 the edited fields, and Beanie with
`use_revision` the edited fields if the revision is still the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from project_platform import Client, StalePreconditionError
from project_platform_stub import Stub

PAGE = Path(__file__).parents[3] / "docs/guides/records.md"
STORED = {"title": "Roof", "stage": "open", "revision": 1}


class Deal(BaseModel):
    """The data of a deal."""

    title: str
    stage: str


def django(records, record, edits):
    """Send the whole object."""
    records.update(record.id, data=record.data | edits)


def pyairtable(records, record, edits):
    """Send the edited fields."""
    records.update(record.id, data=edits)


def beanie(records, record, edits):
    """Send the edited fields and a new revision, if the revision is that of the object."""
    revision = record.data["revision"]
    records.update(record.id, data=edits | {"revision": revision + 1}, expected_data={"revision": revision})


def typed(records, record, edits):
    """Save a typed record."""
    deals = records.of("deal", Deal)
    deal = deals.wrap(record)
    for field, value in edits.items():
        setattr(deal.data, field, value)
    deals.save(deal)


# What becomes of the edit of the other writer: of another field, of the same field, of the same field without a revision.
SAVES = {
    django: ("Django", "lost", "lost", "lost"),
    pyairtable: ("pyairtable", "kept", "lost", "lost"),
    beanie: ("Beanie, with revisions", "refused", "refused", "lost"),
    typed: ("this SDK", "kept", "refused", "refused"),
}
EDITS = [({"title": "Wall"}, None), ({"stage": "lost"}, None), ({"stage": "lost"}, pyairtable)]


def fate_of_the_other_edit(save, edit, save_of_the_other):
    """Return what becomes of the edit of another writer who has read the same record and saves it first."""
    stub = Stub()
    options = {"token": stub.token(), "project_id": stub.project.id, "transport": stub.transport()}
    with Client("https://stub.example", **options) as client:
        records = client.project().records
        record = records.create(type_slug="deal", data=STORED)
        (save_of_the_other or save)(records, record, edit)
        try:
            save(records, record, {"stage": "won"})
        except StalePreconditionError:
            return "refused"
    data = stub.project.records[record.id]["data"]
    assert data["stage"] == "won"
    return "kept" if edit.items() <= data.items() else "lost"


@pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
def test_a_typed_save_keeps_or_refuses_where_others_lose_an_edit(save):
    """Two writers read the same record and save one after the other."""
    _, *expected = SAVES[save]

    assert [fate_of_the_other_edit(save, *edit) for edit in EDITS] == expected


@pytest.mark.parametrize("row", SAVES.values(), ids=lambda row: row[0])
def test_the_guide_shows_these_fates(row):
    """The table of the guide has a line for each `save`."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]

    assert [(line[0], *line[2:]) for line in lines if line[0] == row[0] and len(line) == 5] == [row]
