"""The table of the guide that compares the `save` of three object mappers, as the requests that they would send here, with a typed save.

Django sends every field (`save()` without `update_fields`), pyairtable since 3.0 the edited fields, and Beanie with
`use_revision` the edited fields if the revision is still the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from project_platform import Client, StalePreconditionError
from project_platform_stub import Stub

PAGE = Path(__file__).parents[3] / "docs/guides/records.md"
STORED = {"title": "Roof", "stage": "open", "revision": 1}


def updating(arguments_of):
    """Return a `save` that updates the record with the arguments that a function makes of its data and the edits."""
    return lambda records, record, edits: records.update(record.id, **arguments_of(record.data, edits))


def typed(records, record, edits):
    """Save a typed record."""
    deals = records.of("deal")
    deals.save(deals.wrap(record), record.data | edits)


edited_fields = updating(lambda data, edits: {"data": edits})
SAVES = {
    "Django": updating(lambda data, edits: {"data": data | edits}),
    "pyairtable": edited_fields,
    "Beanie, with revisions": updating(
        lambda data, edits: {"data": edits | {"revision": 2}, "expected_data": {"revision": data["revision"]}}
    ),
    "this SDK": typed,
}
EDITS = [({"title": "Wall"}, None), ({"stage": "lost"}, None), ({"stage": "lost"}, edited_fields)]


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


@pytest.mark.parametrize("name", SAVES)
def test_a_typed_save_keeps_or_refuses_where_others_lose_an_edit(name):
    """Two writers read the same record and save one after the other; the table has the fate of the first edit."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    (fates,) = [line[2:] for line in lines if line[0] == name and len(line) == 5]

    assert [fate_of_the_other_edit(SAVES[name], *edit) for edit in EDITS] == fates
