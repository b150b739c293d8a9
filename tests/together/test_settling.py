"""`client.settle`: what it sends, what it returns or raises, and what it never does. `test_advice.py` follows the advice of errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from project_platform import (
    Capabilities,
    Change,
    Client,
    NotFoundError,
    OutcomeUnknownError,
    RetryPolicy,
    StalePreconditionError,
    UnprocessableEntityError,
    UnsuccessfulError,
    UsageError,
    can_settle,
    operations,
)
from project_platform_stub import Profile, Stub, faults

AFTER, BEFORE = faults.drop_after_apply(), faults.reset()
ONCE = RetryPolicy(max_attempts=1)
SECRET = "sk-customer-secret-0123456789"


@pytest.fixture
def base_url():
    """In this process: sockets are tested by the advice."""


@pytest.fixture
def lost(way, stub):
    """Return a function that makes a call meet a fault, and returns its error."""

    def lost(operation, fault, call, **options):
        stub.world.faults.plan(operation, fault)
        with pytest.raises(OutcomeUnknownError) as caught:
            way(call, retry=ONCE, **options)
        stub.world.faults.clear()
        return caught.value

    return lost


@pytest.fixture
def deal(way):
    return way(lambda _, project: project.records.create(type_slug="deal", data={"stage": "open"}))


def settle(way, what, **options):
    """Settle in one attempt for each request."""
    return way(lambda client, _: client.settle(what), retry=ONCE, **options)


def win(deal, **guard):
    return lambda _, project: project.records.update(deal.id, data={"stage": "won"}, **guard)


def sent(stub):
    return len(stub.world.journal)


@pytest.mark.parametrize(("fault", "applied"), [(AFTER, "in effect"), (BEFORE, "yes")])
def test_a_change_that_is_applied_again_in_doubt_is_settled(way, stub, deal, fault, applied):
    """Its conflict would be with the caller's own write."""
    change = way(lambda _, project: project.records.change(deal, {"stage": "won"}))
    stub.world.faults.plan("records_update", fault)
    with pytest.raises(OutcomeUnknownError):
        way(lambda _, project: project.records.apply(change), retry=ONCE)

    change = pickle.loads(pickle.dumps(change))  # as a notebook, or a copy, keeps it
    assert change.in_doubt
    assert way(lambda _, project: project.records.apply(change)).applied == applied
    assert not change.in_doubt
    with pytest.raises(StalePreconditionError) as caught:
        way(lambda _, project: project.records.apply(change))
    assert caught.value.__notes__ == [
        "this change was applied by an earlier call, which may be why its guard does not hold any more"
    ]


def test_times_of_an_event_can_be_looked_at(way, lost):
    booking = way(lambda _, p: p.calendar.book(start="2031-07-01T09:00:00Z", duration_minutes=30, summary="Visit"))
    named = {"start": "2031-07-02T10:00:00+01:00", "duration_minutes": 30}
    error = lost("calendar_reschedule", AFTER, lambda _, p: p.calendar.reschedule(booking.booking_uid, **named))
    assert settle(way, error).applied == "in effect"


NULL: dict[str, Any] = {
    "memory_update": ("entry", lambda _, project: project.memory.update("brand/voice", description=None)),
    "records_update": ("record", lambda _, project: project.records.update("rec_1", external_id=None)),
}


@pytest.mark.parametrize("operation", NULL)
@pytest.mark.parametrize("shown", [{}, {"description": "old", "externalId": "old"}])
def test_a_field_that_is_missing_is_not_the_null_that_was_sent(way, stub, lost, operation, shown):
    """The contract says that a response may lack it."""
    name, call = NULL[operation]
    error = lost(operation, BEFORE, call)
    for fields, applied in ((shown, None), ({"description": None, "externalId": None}, "in effect")):
        body = {name: {"id": "rec_1", "slug": "brand/voice", "data": {}, **fields}}
        stub.world.faults.plan(operation, faults.status(200, body=body))
        if applied is None:
            with pytest.raises(OutcomeUnknownError):
                settle(way, error)
        else:
            assert settle(way, error).applied == applied


TIMES = {"start": "2031-07-02T10:00:00Z", "end": "2031-07-02T11:00:00Z"}
OTHERS: dict[str, Any] = {
    "memory_update": (
        {"entry": {"slug": "brand", "title": "mine"}},
        lambda _, project: project.memory.update("brand/voice", title="mine"),
    ),
    "calendar_reschedule": (
        {"bookingUid": "evt_2", **TIMES},
        lambda _, project: project.calendar.reschedule("evt_1", **TIMES),
    ),
}


@pytest.mark.parametrize("operation", OTHERS)
def test_a_look_at_another_thing_says_nothing(way, stub, lost, operation):
    """It has the values of the update, by chance."""
    body, call = OTHERS[operation]
    error = lost(operation, BEFORE, call)
    stub.world.faults.plan(operation, faults.status(200, body=body))
    with pytest.raises(OutcomeUnknownError, match=r"the response is of the e(ntry brand|vent evt_2)"):
        settle(way, error)


@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("memory_update", lambda client, project: project.memory.update("brand/voice", title="mine")),
        (
            "calendar_reschedule",
            lambda client, project: project.calendar.reschedule("evt", start="2031-07-02T10:00:00Z"),
        ),
    ],
)
def test_a_service_that_refuses_an_update_without_fields_leaves_it_unknown(way, stub, lost, operation, call):
    """That such an update is accepted is an assumption; the refusal is the cause, and the advice is then for a person."""
    error = lost(operation, AFTER, call)
    stub.world.faults.plan(operation, faults.status(422))
    with pytest.raises(OutcomeUnknownError) as caught:
        settle(way, error)
    assert isinstance(caught.value.__cause__, UnprocessableEntityError)
    assert caught.value.advice == caught.value.call.operation.look
    assert can_settle(caught.value)


@pytest.mark.parametrize(("fault", "applied"), [(AFTER, "in effect"), (BEFORE, "yes")])
def test_a_create_is_settled_where_external_identifiers_are_unique(way, lost, stub, fault, applied):
    """No operation shows the record that exists already."""
    unique = Capabilities(external_id="unique")
    error = lost(
        "records_create",
        fault,
        lambda _, p: p.records.create(type_slug="deal", data={}, external_id="crm-7"),
        capabilities=unique,
    )
    settled = settle(way, error, capabilities=unique)

    for what in (error, error.call):
        assert can_settle(what, unique)
        assert not can_settle(what)
    assert settled.applied == applied
    if applied == "in effect":
        for value_of in (
            lambda client, project: settled.value,
            lambda client, project: project.records.of("deal").settle(error),
        ):
            with pytest.raises(UsageError, match="search the platform") as caught:
                way(value_of, capabilities=unique)
            assert caught.value.applied == "in effect"
    assert sum(record["externalId"] == "crm-7" for record in stub.project.records.values()) == 1


@pytest.fixture
def stub():
    return Stub(profile=Profile(external_id="unique"))


# Titles, descriptions, time zones and relations are shown by no operation; nor is what a create makes.
CANNOT: dict[str, Any] = {
    "sidebar_replace": lambda client, project: project.sidebar.replace(sections=[]),
    "calendar_book": lambda client, project: project.calendar.book(
        start="2031-07-01T09:00:00Z", duration_minutes=30, summary="Visit"
    ),
    "templates_apply": lambda client, project: project.templates.apply("t", name="n"),
    "workflows_create": lambda client, project: project.workflows.create(
        name="w", trigger_type_slug="a", trigger_event_type="b", actions=[]
    ),
    "records_create": lambda client, project: project.records.create(type_slug="deal", data={}, external_id="x"),
    "records_update": lambda client, project: project.records.update("rec", relations={"deal": "rec_2"}),
    "calendar_reschedule, a title": lambda client, project: project.calendar.reschedule("evt", summary="Other"),
    "calendar_reschedule, a description": lambda client, project: project.calendar.reschedule(
        "evt", start="2031-07-03T10:00:00Z", description="x"
    ),
    "calendar_reschedule, a time zone": lambda client, project: project.calendar.reschedule(
        "evt", start="2031-07-03T10:00:00", time_zone="Asia/Tokyo"
    ),
}


@pytest.mark.parametrize("write", CANNOT)
def test_where_nothing_can_be_looked_at_nothing_is_sent(way, stub, lost, write):
    """The same error is raised again, and the advice is for a person at once."""
    error = lost(write.partition(",")[0], BEFORE, CANNOT[write])
    before = sent(stub)
    with pytest.raises(OutcomeUnknownError) as caught:
        settle(way, error)

    assert caught.value is error
    assert not can_settle(error)
    assert error.advice == error.call.operation.look
    with pytest.raises(OutcomeUnknownError) as stored:  # of a program that stores what it sends
        settle(way, error.call)
    assert (stored.value.call, stored.value.advice) == (error.call, error.advice)
    assert sent(stub) == before


def test_success_false_of_a_like_is_settled(way, stub):
    """An `UnsuccessfulError` of a write is in doubt, too."""
    call = _like(stub)
    stub.world.faults.plan("engagement_like", faults.status(200, body={"success": False}))
    with pytest.raises(UnsuccessfulError) as caught:
        way(lambda client, _: client.send(call))

    assert can_settle(caught.value)
    assert (settle(way, caught.value).applied, len(stub.project.likes)) == ("yes", 1)


def test_what_is_not_in_doubt_cannot_be_settled(way, stub):
    """An error that says "no", a read, and values of another kind."""
    with pytest.raises(NotFoundError) as caught:
        way(lambda _, project: project.records.update("nope", data={"a": 1}))
    for what, message in (
        (caught.value, "applied is 'no'"),
        (operations.agents_list(stub.project.id), "only reads"),
        ("deal", "str cannot be settled"),
        (Change("rec_1", _patch={"a": 1}), "names no project"),
    ):
        with pytest.raises(UsageError, match=message):
            settle(way, what)


def test_an_error_pickles_with_its_call_and_shows_nothing_of_it(way, stub, lost, deal):
    """Its pickle has the body, and no token or header; no representation has either."""
    error = lost(
        "records_update",
        AFTER,
        lambda _, p: p.records.update(deal.id, data={"stage": "won", "key": SECRET}, expected_data={"stage": "open"}),
        headers={"x-key": "header-secret-0123456789"},
    )
    stored = pickle.dumps(error)

    for shown in (str(error), repr(error), repr(vars(error))):
        assert SECRET not in shown
    assert stub.token().encode()[:40] not in stored
    assert b"header-secret" not in stored
    assert SECRET.encode() in stored
    for copied in (pickle.loads(stored), copy.copy(error), copy.deepcopy(error)):
        assert settle(way, copied).applied == "in effect"


def test_an_error_is_not_settled_at_another_deployment(stub, lost, deal):
    """Nothing is sent."""
    error = lost("records_update", BEFORE, win(deal, expected_data={"stage": "open"}))
    before = sent(stub)
    other = Client("https://staging.example", token=stub.token(), transport=stub.transport())
    for message in (r"a call to http://stub\.localhost", "the client is closed"):
        with pytest.raises(UsageError, match=message) as caught:
            other.settle(pickle.loads(pickle.dumps(error)))
        other.close()
        assert caught.value.applied == "unknown"  # of the write
    assert sent(stub) == before


def test_a_refused_like_is_for_a_person_and_a_token_function_is_no_verdict(way, stub, lost):
    """To settle it again would end the same, which is what the message says otherwise."""
    like = _like(stub)
    error = lost("engagement_like", AFTER, lambda client, _: client.send(like))
    for refusal in (faults.status(404), faults.status(409), faults.status(200, body={"success": False})):
        stub.world.faults.plan("engagement_like", refusal)
        with pytest.raises(OutcomeUnknownError, match=r"look in the platform whether it was applied$"):
            settle(way, error)
    verb = "call" if way.runner == "sync" else "await"
    with pytest.raises(OutcomeUnknownError, match=rf"{verb} client\.settle\(error\)$") as caught:
        settle(way, error, token=lambda: None)
    assert settle(way, caught.value).applied == "yes"


def _like(stub: Stub) -> Any:
    posts = stub.project.posts.values()
    post = next(post for post in posts if post["status"] == "published" and post["platform"] == "pagenet")
    return operations.engagement_like(stub.project.id, post["id"], account_id=post["socialAccountId"])
