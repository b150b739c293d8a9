"""Operation tokens distinguish changes that look the same."""

from __future__ import annotations

import re

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


def following(change, data):
    """Return data after the change of another writer."""
    return change({**data, "x": 0}).predicted


def test_a_change_sets_its_token_and_guards_the_previous_one(change):
    base = {"x": 0, **TOKENS.first()}

    new_change = change(base)

    assert new_change.token not in {None, base["token"]}
    assert new_change.patch == {"x": 1, "token": new_change.token, "ring": [base["token"], new_change.token]}
    assert new_change.guard == {"x": 0, "token": base["token"]}
    assert new_change.strength == {"x": "exact"}


def test_a_token_is_lower_case_hexadecimal(change):
    """Services change the case of texts, trim them or normalize them; none of that changes such a token."""
    first = TOKENS.first()

    assert re.fullmatch("[0-9a-f]{48}", first["token"])
    assert re.fullmatch("[0-9a-f]{48}", change(first).token)


@pytest.mark.parametrize("data", [TOKENS.first(), {"x": [0], **TOKENS.first()}])
@pytest.mark.parametrize("guard", ["touched", "all", None])
def test_every_change_with_a_token_before_it_fences(change, data, guard):
    """Whatever else a change touches, the token is guarded exactly, and every change replaces it."""
    assert change(data, guard=guard).fences


@pytest.mark.parametrize("guard", ["touched", "all", None])
def test_a_token_that_the_service_has_cut_or_masked_does_not_fence(change, guard):
    """It may repeat, so the guard may hold again; only what else is guarded counts."""
    assert not change({"token": "***", "ring": ["***"]}, guard=guard).fences
    assert not change({"token": TOKENS.first()["token"][:20], "ring": []}, guard=guard).fences
    assert change({"x": 0, "token": "***", "ring": ["***"]}).fences
    assert change({"token": TOKENS.first()["token"].upper(), "ring": []}, guard=guard).fences


def test_the_ring_keeps_the_last_tokens(change):
    """The ring drops its oldest token once it is full, in whatever order the service returns it."""
    third = following(change, following(change, TOKENS.first()))
    oldest = third["ring"][0]

    new_change = change({**third, "x": 0, "ring": third["ring"][::-1]})

    assert len(third["ring"]) == TOKENS.ring
    assert new_change.patch["ring"] == [*third["ring"][1:], new_change.token]
    assert oldest not in new_change.patch["ring"]


def test_the_first_token_of_a_record_without_one_guards_no_token(change):
    """Absence cannot be guarded: such a change is only as certain as its other guards."""
    new_change = change({"x": 0})

    assert new_change.guard == {"x": 0}
    assert new_change.patch == {"x": 1, "token": new_change.token, "ring": [new_change.token]}


@pytest.mark.parametrize(
    ("applied", "others", "verdict"),
    [
        (True, 0, "yes"),
        (True, 1, "yes"),  # others have changed the record since
        (False, 1, "no"),  # another change followed the token that this one guards, so it cannot be applied any more
        (False, 2, "no"),
        (False, 3, "unknown"),  # the ring has neither token
        (False, 0, "unknown"),  # a delayed copy of the change may still arrive
    ],
)
def test_the_ring_says_whether_a_change_was_applied(change, applied, others, verdict):
    """As long as it has the token of the change, or that of the change before it."""
    base = {"x": 0, **TOKENS.first()}
    ours = change(base)
    now = ours.predicted if applied else base

    for _ in range(others):
        now = following(change, now)

    assert TOKENS.verdict(ours, now) == verdict


@pytest.mark.parametrize(
    "alter",
    [str.upper, str.title, str.swapcase, lambda text: f" {text} ", lambda text: {"text": text}, lambda text: text[:40]],
)
@pytest.mark.parametrize("key", ["token", "ring"])
def test_a_token_is_recognized_in_what_the_service_has_made_of_it(change, alter, key):
    ours = change({"x": 0, **TOKENS.first()})
    token, ring = ours.predicted["token"], ours.predicted["ring"]
    seen = (
        {"token": alter(token)} if key == "token" else {"token": "of another", "ring": [alter(each) for each in ring]}
    )

    assert TOKENS.verdict(ours, seen) == "yes"


@pytest.mark.parametrize(
    "altered",
    [
        lambda token, ring: {},
        lambda token, ring: {"token": token},
        lambda token, ring: {"ring": ring},
        lambda token, ring: {"token": token, "ring": "not a ring"},
        lambda token, ring: {"token": token, "ring": [*ring, 1]},
        lambda token, ring: {"token": token, "ring": [*ring, "another"]},
        lambda token, ring: {"token": token, "ring": [*ring, ring[0]]},
        lambda token, ring: {"token": token, "ring": [ring[0].upper(), *ring[1:]]},
        lambda token, ring: {"token": token.upper(), "ring": [*ring[:-1], token.upper()]},
        lambda token, ring: {"token": token[:-1], "ring": [*ring[:-1], token[:-1]]},
        lambda token, ring: {"token": ring[0], "ring": ring},
        lambda token, ring: {"token": ring[1], "ring": ring[:2]},
        lambda token, ring: {"token": token, "ring": ["\ud800", *ring[1:]]},
    ],
)
def test_no_needs_a_ring_exactly_as_a_change_wrote_it(change, altered):
    """The seal of the last token shows each alteration; the absence of a token then proves nothing."""
    base = following(change, {"x": 0, **TOKENS.first()})
    ours = change({**base, "x": 0})
    theirs = following(change, base)
    assert TOKENS.verdict(ours, theirs) == "no"

    seen = altered(theirs["token"], theirs["ring"])

    assert TOKENS.verdict(ours, seen) == "unknown"


def test_a_chain_that_was_altered_once_is_never_sealed_again(change):
    """The next change drops the wrong tokens from an altered ring, so none after it proves that another was not applied."""
    base = {"x": 0, **TOKENS.first()}
    altered = {**base, "ring": [base["ring"][0], "another"]}
    ours = change(altered)

    theirs = following(change, altered)

    assert ours.guard["token"] == base["token"]
    assert TOKENS.verdict(ours, theirs) == "unknown"
    assert TOKENS.verdict(ours, following(change, theirs)) == "unknown"
    assert TOKENS.verdict(ours, ours.predicted) == "yes"


def test_the_keys_of_tokens_are_reserved(change):
    with pytest.raises(UsageError, match="touches x, which is reserved for operation tokens"):
        change({"x": 0, "token": "T"}, tokens=OperationTokens(key="x"))
    with pytest.raises(UsageError, match="give 2 or more"):
        OperationTokens(ring=1)
    with pytest.raises(UsageError, match="different names"):
        OperationTokens(key="a", ring_key="a")
