"""The same promises over a socket, with a proxy that cuts connections and delays requests."""

from __future__ import annotations

import socket

import pytest

from project_platform import (
    Change,
    ChangeOptions,
    ConflictError,
    DecodingError,
    NotSentError,
    OperationTokens,
    OutcomeUnknownError,
    StalePreconditionError,
    TimeoutError,
)

TOKENS = OperationTokens()
SLOT = "2031-03-03T09:00:00Z"


class Deal:
    """A record with a first token and the stage `open`."""

    def __init__(self, clean, stub) -> None:
        self.record = clean.records.create(type_slug="deal", data={"stage": "open", **TOKENS.first()})
        self._records = stub.project.records

    @property
    def won(self) -> bool:
        """Whether the stage in the service is `won`."""
        return self._records[self.record.id]["data"]["stage"] == "won"


@pytest.fixture
def deal(clean, stub):
    """Return a deal that can be won."""
    return Deal(clean, stub)


@pytest.mark.parametrize("cut", ["cut before", "delay"])
def test_a_lost_change_is_sent_again_and_applied(clean, proxy, through, deal, cut):
    """A fencing change whose request was lost or delayed is repeated, and the delayed request cannot be applied as well."""
    change = clean.records.change(deal.record, {"stage": "won"})
    proxy.plan(cut)

    result = through(lambda project: project.records.apply(change))
    clean.records.update(deal.record.id, data={"note": "by another"})
    proxy.release()

    assert (result.applied, result.repeated, deal.won) == ("yes", False, True)
    assert [attempt.delivery for attempt in result.attempts] == ["lost", "applied"]


@pytest.mark.parametrize("cuts", [["cut after"], ["delay", "cut after"], ["cut after", "cut before"]])
def test_an_applied_change_is_found_to_be_in_effect(clean, proxy, through, deal, cuts):
    """When the response is dropped, the repetition gets a conflict, and settling it sees the change."""
    change = clean.records.change(deal.record, {"stage": "won"})
    proxy.plan(*cuts)

    with pytest.raises(OutcomeUnknownError) as raised:
        through(lambda project: project.records.apply(change))
    proxy.release()
    result = through(lambda project: project._client.settle(raised.value))

    assert (result.applied, result.value.data["stage"], deal.won) == ("in effect", "won", True)


def test_an_applied_change_is_not_a_conflict(clean, proxy, through, deal):
    """The outcome is unknown, and the error says so instead of reporting a conflict."""
    change = clean.records.change(deal.record, {"stage": "won"})
    proxy.plan("cut after")

    with pytest.raises(OutcomeUnknownError) as raised:
        through(lambda project: project.records.apply(change))

    assert not isinstance(raised.value, ConflictError)
    assert (raised.value.applied, raised.value.change, deal.won) == ("unknown", change, True)


def test_a_cut_off_response_means_that_the_change_was_applied(clean, proxy, through, deal):
    """The header of a 2xx is enough: a second request would only get a conflict."""
    change = clean.records.change(deal.record, {"stage": "won"})
    proxy.plan("cut off")

    with pytest.raises(DecodingError) as raised:
        through(lambda project: project.records.apply(change))

    assert (raised.value.applied, proxy.requests, deal.won) == ("yes", 1, True)


@pytest.mark.parametrize("cut", ["cut after", "delay"])
def test_a_token_shows_that_the_change_was_applied(clean, proxy, through, deal, cut):
    """With operation tokens the caller's change is distinguished from those of others."""
    change = Change.of_edits(deal.record, {"stage": "won"}, change_options=ChangeOptions(tokens=TOKENS))
    proxy.plan(cut)

    result = through(lambda project: project.records.apply(change))
    proxy.release()

    assert (result.applied, deal.won) == ("yes", True)


def test_a_token_shows_that_another_change_came_first(clean, proxy, through, deal):
    """With operation tokens an overtaken change is known not to be applied, now and later."""
    change = Change.of_edits(deal.record, {"stage": "won"}, change_options=ChangeOptions(tokens=TOKENS))
    theirs = Change.of_edits(deal.record, {"stage": "lost"}, change_options=ChangeOptions(tokens=TOKENS))
    proxy.plan("delay", lambda: clean.records.apply(theirs))

    with pytest.raises(StalePreconditionError) as raised:
        through(lambda project: project.records.apply(change))
    proxy.release()

    assert (raised.value.applied, deal.won) == ("no", False)


@pytest.mark.parametrize(("cut", "arrived"), [("cut before", False), ("cut after", True), ("delay", True)])
def test_an_unguarded_update_is_sent_once(proxy, through, deal, cut, arrived):
    """A second delivery could undo the changes of others, so the error asks the caller to check."""
    proxy.plan(cut)

    with pytest.raises(OutcomeUnknownError) as raised:
        through(lambda project: project.records.update(deal.record.id, data={"stage": "won"}))
    proxy.release()

    assert (raised.value.applied, proxy.requests, deal.won) == ("unknown", 1, arrived)
    assert isinstance(raised.value, TimeoutError) == (cut == "delay")


@pytest.mark.parametrize(("cut", "created"), [("cut before", 0), ("cut after", 1), ("delay", 1)])
def test_a_create_is_sent_once(stub, proxy, through, cut, created):
    """A second delivery would create a second record."""
    proxy.plan(cut)

    with pytest.raises(OutcomeUnknownError) as raised:
        through(lambda project: project.records.create(type_slug="deal", external_id="ours"))
    proxy.release()

    ours = [record for record in stub.project.records.values() if record["externalId"] == "ours"]
    assert (raised.value.applied, proxy.requests, len(ours)) == ("unknown", 1, created)


@pytest.mark.parametrize(("cut", "mails"), [("cut before", 0), ("cut after", 1), ("delay", 1)])
def test_a_booking_invites_once(stub, proxy, through, cut, mails):
    """A second delivery would create a second event and send a second mail; the message names the way to check."""
    proxy.plan(cut)

    with pytest.raises(OutcomeUnknownError, match=r"calendar\.busy does not show") as raised:
        through(
            lambda project: project.calendar.book(start=SLOT, summary="Visit", attendee={"email": "ada@example.com"})
        )
    proxy.release()

    assert (raised.value.applied, proxy.requests, len(stub.outbox)) == ("unknown", 1, mails)


def test_a_booking_with_a_cut_off_response_was_made(stub, proxy, through):
    """The header of a 2xx is enough."""
    proxy.plan("cut off")

    with pytest.raises(DecodingError) as raised:
        through(lambda project: project.calendar.book(start=SLOT, summary="Visit"))

    assert (raised.value.applied, proxy.requests) == ("yes", 1)


def test_an_update_without_a_connection_was_not_applied(through, deal):
    """A request that was not sent is known not to be applied."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(NotSentError) as raised:
        through(
            lambda project: project.records.update(deal.record.id, data={"stage": "won"}), f"http://127.0.0.1:{port}"
        )

    assert (raised.value.applied, deal.won) == ("no", False)
