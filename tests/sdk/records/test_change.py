"""A change of a record as a value."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from project_platform import (
    DELETE,
    Change,
    ChangeOptions,
    Client,
    OperationTokens,
    UsageError,
    WeakGuardError,
)
from project_platform.json_values.exact_json import loads
from project_platform.models import ObjectRecord

BASE = {
    "stage": "open",
    "note": "x",
    "tags": ["a"],
    "none": [],
    "site": {"city": "Köln"},
    "empty": {},
    "price": loads("0.1234567890123456789"),
}


@pytest.fixture
def record():
    return ObjectRecord(id="rec_1", type_slug="deal", status="open", data=BASE)


def changed(record, edits, **options):
    return Change.of_edits(record, edits, change_options=ChangeOptions(**options))


@pytest.fixture
def records(project_id, token):
    """Return the records of a project; to make a change, nothing is sent."""
    with Client("https://platform.example", token=token) as client:
        yield client.project(project_id).records


def test_a_change_has_the_differences_and_the_previous_values(records, record, project_id):
    """The patch has the new values, null for what is deleted; the guard has the old values of the same keys."""
    change = records.change(record, {"stage": "won", "note": DELETE, "tags": ["a"], "new": 1})

    assert change.patch == {"stage": "won", "note": None, "new": 1}
    assert change.guard == {"stage": "open", "note": "x"}
    assert change.strength == {"stage": "exact", "note": "exact", "new": "none"}
    assert (change.record_id, change.project_id, change.fences, bool(change)) == ("rec_1", project_id, True, True)
    assert change.predicted == {**{key: BASE[key] for key in BASE if key != "note"}, "stage": "won", "new": 1}


def test_an_unchanged_record_gives_an_empty_change(records, record):
    change = records.change(record, {"stage": "open", "site": {"city": "Köln"}})

    assert not change
    assert (change.patch, change.guard, change.fences) == ({}, {}, False)


@pytest.mark.parametrize(
    ("edits", "strength", "fences"),
    [
        ({"stage": "won"}, "exact", True),
        ({"stage": DELETE}, "exact", True),
        ({"tags": ["a", "b"]}, "subset", False),
        ({"tags": ["b"]}, "subset", True),
        ({"none": ["b"]}, "vacuous", False),
        ({"none": DELETE}, "vacuous", True),
        ({"site": {"city": "Köln", "storeys": 2}}, "subset", False),
        ({"site": {"city": "Bonn"}}, "subset", True),
        ({"empty": {"a": 1}}, "vacuous", False),
        ({"new": 1}, "none", False),
    ],
)
def test_the_strength_of_a_guard_is_given_for_each_path(records, record, edits, strength, fences):
    """Containment guards scalars exactly, objects and arrays in part, empty ones only by type, and absent keys not at all."""
    change = records.change(record, edits)

    assert set(change.strength.values()) == {strength}
    assert change.fences is fences


def test_strength_is_given_by_nested_path_where_the_merge_is_deep(record):
    change = changed(record, {"site": {"city": "Bonn", "storeys": 2}}, merge="deep")

    assert (change.patch, change.guard) == ({"site": {"city": "Bonn", "storeys": 2}}, {"site": {"city": "Köln"}})
    assert change.strength == {"site.city": "exact", "site.storeys": "none"}


@pytest.mark.parametrize(
    ("guard", "guarded", "strength"),
    [
        ("touched", {"stage": "open"}, "exact"),
        ("exact", {"stage": "open"}, "exact"),
        ("all", BASE, "exact"),
        (["note"], {"note": "x"}, "none"),
        (("stage", "note"), {"stage": "open", "note": "x"}, "exact"),
        ([], {}, "none"),
        (None, None, "none"),
    ],
)
def test_the_guarded_paths_can_be_chosen(record, guard, guarded, strength):
    """The keys touched, all keys, the keys named, or nothing; a touched key that is not guarded has no strength."""
    change = changed(record, {"stage": "won"}, guard=guard)

    assert change.guard == guarded
    assert change.strength == {"stage": strength}
    assert change.fences == (strength == "exact")


@pytest.mark.parametrize(("guard", "message"), [("stage", "a list of keys"), (["stage", "nothing"], "nothing")])
def test_an_invalid_guard_is_refused(record, guard, message):
    """A guard is not a single key, and lists no key that the record does not have: absence cannot be guarded."""
    with pytest.raises(UsageError, match=message):
        changed(record, {"stage": "won"}, guard=guard)


def test_the_status_can_be_guarded(records, record):
    """The status of the record is then expected; the status of a record without one cannot be guarded."""
    assert changed(record, {"stage": "won"}, status=True).expected_status == "open"
    assert records.change(record, {"stage": "won"}).expected_status is None
    with pytest.raises(UsageError, match="no status"):
        changed(ObjectRecord(id="rec_1", data=BASE), {"stage": "won"}, status=True)


def test_a_weak_guard_is_refused_where_it_must_be_exact(record):
    with pytest.raises(WeakGuardError, match=r"tags \(subset\), new \(none\)") as raised:
        changed(record, {"stage": "won", "tags": ["b"], "new": 1}, guard="exact")

    assert raised.value.paths == {"tags": "subset", "new": "none"}
    assert changed(record, {"stage": "won"}, guard="exact").fences


def test_a_missing_key_cannot_be_deleted(records, record):
    with pytest.raises(UsageError, match="nothing is to be deleted"):
        records.change(record, {"nothing": DELETE})


def test_numbers_are_guarded_with_every_digit(records, record):
    """A number that no float can represent is expected as the service wrote it; otherwise the guard would always be stale."""
    change = records.change(record, {"price": 1})

    assert change.guard is not None
    assert change.guard["price"].text == "0.1234567890123456789"
    assert "0.1234567890123456789 -> 1" in repr(change)


def test_a_change_is_made_between_two_states(record):
    after = record.model_copy(update={"data": {**BASE, "stage": "won"}})

    assert Change.between(record, after) == Change.between(record, {**BASE, "stage": "won"})
    assert Change.between(record, after).patch == {"stage": "won"}
    with pytest.raises(UsageError, match="before is record rec_1 and after is record rec_2"):
        Change.between(record, after.model_copy(update={"id": "rec_2"}))


def test_a_change_is_immutable(records, record):
    """The properties of a change are copies; editing them or the record does not alter it."""
    change = records.change(record, {"tags": ["b"]})
    before = (change.patch, change.guard, change.base, change.predicted)

    change.patch["tags"].append("c")
    change.guard["tags"].append("c")
    change.base.clear()
    change.predicted.clear()
    record.data["tags"].append("c")

    assert (change.patch, change.guard, change.base, change.predicted) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        change.record_id = "rec_2"
    record.data["tags"].remove("c")


@pytest.mark.parametrize("tokens", [None, OperationTokens()])
def test_a_change_can_be_pickled_and_copied(record, tokens):
    change = changed(record, {"price": 1, "note": DELETE}, status=True, tokens=tokens)

    for copied in (pickle.loads(pickle.dumps(change)), copy.copy(change), copy.deepcopy(change)):
        assert copied == change
        assert (copied.patch, copied.guard, copied.token) == (change.patch, change.guard, change.token)
        assert copied.guard["price"].text == "0.1234567890123456789"
    assert copy.deepcopy(DELETE) is DELETE
    assert pickle.loads(pickle.dumps(DELETE)) is DELETE


def test_changes_with_the_same_content_are_equal(records, record):
    change = changed(record, {"stage": "won"})

    assert change == changed(record, {"stage": "won"})
    assert change != changed(record, {"stage": "lost"})
    assert change != changed(record, {"stage": "won"}, guard="all")
    assert change != records.change(record, {"stage": "won"})  # which is of a project
    with pytest.raises(TypeError, match="unhashable"):
        hash(change)


def test_the_values_of_a_change_are_escaped_in_a_notebook():
    evil = "<script>alert('x')</script>"
    record = ObjectRecord(id=evil, status=evil, data={evil: evil, "gone": evil})

    html = changed(record, {evil: {evil: [evil]}, "gone": DELETE, "new": evil}, status=True)._repr_html_()

    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 7
    assert ">deleted</span>" in html
    assert ">absent</span>" in html
    assert "fences: yes" in html


def test_the_guard_is_checked_as_the_service_does(record):
    change = changed(record, {"stage": "won"}, status=True)

    assert change.guard_holds_in(record)
    assert change.guard_holds_in(record.model_copy(update={"data": {"stage": "open", "more": 1}}))
    assert not change.guard_holds_in(record.model_copy(update={"status": "won"}))
    assert not change.guard_holds_in(record.model_copy(update={"data": {}}))
