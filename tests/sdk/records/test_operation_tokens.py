"""Operation tokens tell one change from another that looks the same."""

from __future__ import annotations

import pickle

import pytest

from project_platform import Change, ChangeOptions, OperationTokens, UsageError
from project_platform.models import ObjectRecord

TOKENS = OperationTokens(key="token", ring_key="ring", ring=3)


@pytest.fixture
def change():
    """Return a function that makes a change with tokens of data as it was read."""

    def change(data, *, tokens=TOKENS, **options):
        record = ObjectRecord(id="rec_1", data=data)
        return Change.between(record, {**data, "x": 1}, change_options=ChangeOptions(tokens=tokens, **options))

    return change


def test_a_change_sets_its_token_and_guards_the_previous_one(change):
    """The patch has a new token and the ring that ends with it; the guard has the previous token."""
    new_change = change({"x": 0, "token": "T2", "ring": ["T1", "T2"]})

    assert new_change.token not in {None, "T1", "T2"}
    assert new_change.patch == {"x": 1, "token": new_change.token, "ring": ["T1", "T2", new_change.token]}
    assert new_change.guard == {"x": 0, "token": "T2"}
    assert new_change.strength == {"x": "exact"}


def test_two_equal_changes_have_different_tokens(change):
    """Two changes never have the same token."""
    data = {"x": 0, **TOKENS.first()}

    assert len({change(data).token for _ in range(100)}) == 100


@pytest.mark.parametrize("data", [{"token": "T", "ring": ["T"]}, {"x": [0], "token": "T", "ring": ["T"]}])
@pytest.mark.parametrize("guard", ["touched", "all", None])
def test_every_change_with_a_token_before_it_fences(change, data, guard):
    """Whatever else a change touches, the token is guarded exactly, and every change replaces it."""
    assert change(data, guard=guard).fences


def test_the_ring_keeps_the_last_tokens(change):
    """The ring drops its oldest token once it is full."""
    new_change = change({"token": "T3", "ring": ["T1", "T2", "T3"]})

    assert new_change.patch["ring"] == ["T2", "T3", new_change.token]


def test_a_new_record_starts_with_a_token(change):
    """The result of `first` is merged into the data of a new record, so that its first change has a token to guard."""
    first = TOKENS.first()

    new_change = change(first)

    assert new_change.guard == {"token": first["token"]}
    assert new_change.patch["ring"] == [first["token"], new_change.token]


def test_the_first_token_of_a_record_without_one_guards_no_token(change):
    """Absence cannot be guarded: such a change is only as certain as its other guards."""
    new_change = change({"x": 0})

    assert new_change.guard == {"x": 0}
    assert new_change.patch == {"x": 1, "token": new_change.token, "ring": [new_change.token]}


def test_no_is_never_reported_after_a_first_token_that_a_change_set(change):
    """A late copy of that change may be applied once more and reset the ring, which then lacks a change that was applied."""
    first = change({"x": 0})
    started = {"x": 0, "token": first.token, "ring": [first.token]}
    new_change = change(started)
    later = change({**started, "y": 1})

    set_back = later.predicted

    assert TOKENS.verdict(new_change, set_back) == "unknown"
    assert TOKENS.verdict(later, set_back) == "yes"


def test_an_empty_change_has_no_token(change):
    """An empty change has no token."""
    new_change = change({"x": 1, "token": "T", "ring": ["T"]})

    assert not new_change
    assert new_change.token is None


@pytest.mark.parametrize(
    ("data", "verdict"),
    [
        ({"token": "{ours}", "ring": ["T", "{ours}"]}, "yes"),
        ({"token": "V", "ring": ["T", "{ours}", "V"]}, "yes"),
        ({"token": "V", "ring": ["T", "V"]}, "no"),
        ({"token": "W", "ring": ["T", "V", "W"]}, "no"),
        ({"token": "W", "ring": ["U", "V", "W"]}, "unknown"),
        ({"token": "T", "ring": ["T"]}, "unknown"),
        ({"token": "V", "ring": "not a ring"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_the_ring_shows_whether_a_change_was_applied(change, data, verdict):
    """Its token is in the ring: yes. The previous token is, and another one follows it: no. Otherwise it is unknown."""
    new_change = change({"x": 0, "token": "T", "ring": ["T"]})
    ours = {"{ours}": new_change.token}
    ring = data.get("ring")
    seen = {"token": ours.get(data.get("token"), data.get("token"))}
    seen["ring"] = [ours.get(token, token) for token in ring] if isinstance(ring, list) else ring

    assert TOKENS.verdict(new_change, seen) == verdict


def test_the_keys_of_tokens_are_reserved(change):
    """A change must not touch the two keys, and they must differ."""
    with pytest.raises(UsageError, match="touches x, which is reserved for operation tokens"):
        change({"x": 0, "token": "T"}, tokens=OperationTokens(key="x"))
    with pytest.raises(UsageError, match="give 2 or more"):
        OperationTokens(ring=1)
    with pytest.raises(UsageError, match="different names"):
        OperationTokens(key="a", ring_key="a")


def test_operation_tokens_are_an_immutable_value():
    """They pickle and compare by value."""
    assert pickle.loads(pickle.dumps(TOKENS)) == TOKENS
