"""A record's data, edited in a `with` statement."""

from __future__ import annotations

import threading

import pytest

from project_platform import ChangeOptions, Client, InexpressibleChangeError, UsageError, WeakGuardError
from project_platform.models import ObjectRecord


@pytest.fixture
def record():
    """Return a record as it was read."""
    return ObjectRecord(id="rec_1", status="open", data={"stage": "open", "site": {"city": "Köln"}, "tags": ["a"]})


@pytest.fixture
def records(project_id, token):
    """Return the records of a project; to edit one, nothing is sent."""
    with Client("https://platform.example", token=token) as client:
        yield client.project(project_id).records


def test_a_draft_becomes_the_change_of_its_edits(records, record):
    """The draft is edited like any dict, nested values included; the record is not altered."""
    with records.edit(record, change_options=ChangeOptions(status=True)) as draft:
        draft["stage"] = "won"
        draft["site"]["storeys"] = 2
        draft["tags"].append("b")
        draft.setdefault("note", "x")

    assert draft.change.patch == {
        "stage": "won",
        "site": {"city": "Köln", "storeys": 2},
        "tags": ["a", "b"],
        "note": "x",
    }
    assert draft.change.expected_status == "open"
    assert record.data == {"stage": "open", "site": {"city": "Köln"}, "tags": ["a"]}


def test_deleting_from_a_draft_deletes(records, record):
    """The change deletes keys that were removed from the draft."""
    with records.edit(record) as draft:
        del draft["stage"]
        draft.pop("tags")

    assert draft.change.patch == {"stage": None, "tags": None}


def test_an_unedited_draft_is_an_empty_change(records, record):
    """The change is empty, and therefore false."""
    with records.edit(record) as draft:
        draft["stage"] = "won"
        draft["stage"] = "open"

    assert not draft.change


def test_the_change_of_an_open_draft_is_not_available(records, record):
    """Before the statement ends, more edits may follow."""
    with records.edit(record) as draft:
        draft["stage"] = "won"
        with pytest.raises(UsageError, match="read it after its `with` statement"):
            _ = draft.change


def test_a_draft_that_raised_has_no_change(records, record):
    """A draft whose statement raised has no change, and the record can be edited again."""
    draft = records.edit(record)

    def half_done():
        with draft:
            draft["stage"] = "won"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_done()

    with pytest.raises(UsageError, match="without an exception"):
        _ = draft.change
    with records.edit(record) as again:
        again["stage"] = "lost"
    assert again.change.patch == {"stage": "lost"}


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        (lambda draft: draft.update(site={}), InexpressibleChangeError),
        (lambda draft: draft.update(stage=float("nan")), UsageError),
        (lambda draft: draft.update(tags=["b"]), WeakGuardError),
    ],
)
def test_an_inexpressible_edit_is_refused_when_the_draft_ends(records, record, edit, error):
    """The change is checked like any other, and a refused draft is closed."""
    with pytest.raises(error):
        with records.edit(record, change_options=ChangeOptions(require_exact_guard=True)) as draft:
            edit(draft)

    with records.edit(record):
        pass


def test_two_drafts_of_one_record_are_refused(records, record):
    """The inner draft would not have the edits of the outer one, and one of the two would be lost."""
    with records.edit(record) as draft:
        draft["stage"] = "won"
        with pytest.raises(UsageError, match="another draft of record rec_1 is open"), records.edit(record):
            pass

    assert draft.change.patch == {"stage": "won"}


def test_drafts_of_two_records_may_be_open_at_once(records, record):
    """Drafts of different records are independent."""
    other = record.model_copy(update={"id": "rec_2"})

    with records.edit(record) as one, records.edit(other) as two:
        one["stage"] = two["stage"] = "won"

    assert (one.change.record_id, two.change.record_id) == ("rec_1", "rec_2")


def test_two_threads_may_each_edit_a_record(records, record):
    """Threads do not see each other's drafts; the service decides which change is first."""
    made = []

    def edit():
        with records.edit(record) as draft:
            draft["stage"] = "won"
        made.append(draft.change)

    with records.edit(record) as mine:
        mine["stage"] = "lost"
        thread = threading.Thread(target=edit)
        thread.start()
        thread.join()

    assert [change.patch for change in (*made, mine.change)] == [{"stage": "won"}, {"stage": "lost"}]
