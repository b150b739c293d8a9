"""Faults: planned for an operation, met in order, accounted for, and the same in process and over a socket."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import httpx
import pytest

from project_platform_stub import faults

LONG = 60.0  # Seconds; no test waits for it.

# What a client observes of each fault, a status or an exception of httpx; and whether the update was applied.
SEEN = {
    "status": (faults.status(503), 503, False),
    "status, applied": (faults.status(500, applied=True), 500, True),
    "html": (faults.html_502(), 502, False),
    "html, applied": (faults.html_502(applied=True), 502, True),
    "garbage": (faults.garbage_json(), 200, True),
    "latency": (faults.latency(0.02), 200, True),
    "too much latency": (faults.latency(LONG), httpx.ReadTimeout, True),
    "reset": (faults.reset(), httpx.ReadError, False),
    "reset, applied": (faults.reset(applied=True), httpx.ReadError, True),
    "empty": (faults.empty(), httpx.RemoteProtocolError, False),
    "dropped": (faults.drop_after_apply(), httpx.RemoteProtocolError, True),
    "truncated": (faults.truncated(), httpx.RemoteProtocolError, True),
    "truncated at once": (faults.truncated(0), httpx.RemoteProtocolError, True),
    "reset in the body": (faults.reset_mid_body(), httpx.ReadError, True),
    "hang": (faults.hang(LONG), httpx.ReadTimeout, False),
    "hang, applied": (faults.hang(LONG, applied=True), httpx.ReadTimeout, True),
    "late, reset": (faults.apply_late(LONG), httpx.ReadError, False),
    "late, hangs": (faults.apply_late(LONG, hangs=LONG), httpx.ReadTimeout, False),
}


@pytest.fixture(params=["in process", "socket"])
def client(request, stub, api, connect):
    """A client that does not check the responses; `test_broken_responses.py` has the other clients."""
    api.event_hooks = {}
    return api if request.param == "in process" else connect(stub)


def happens(what):
    deadline = time.monotonic() + 10
    while not what() and time.monotonic() < deadline:
        time.sleep(0.005)
    return bool(what())


@pytest.mark.parametrize("name", SEEN)
def test_a_fault_looks_the_same_in_process_and_over_a_socket(client, stub, api, name):
    """The same status or exception; and the write is applied, or is not."""
    fault, seen, applied = SEEN[name]
    record = api.create(data={"stage": "open"})
    stub.world.faults.plan("records_update", fault)
    path, body = api.path("object-records", record["id"]), {"data": {"stage": "won"}}

    timeout = httpx.Timeout(10.0, read=0.3 if seen is httpx.ReadTimeout else 10.0)
    if isinstance(seen, int):
        assert client.patch(path, json=body, timeout=timeout).status_code == seen
    else:
        with pytest.raises(httpx.HTTPError) as raised:
            client.patch(path, json=body, timeout=timeout)
        assert type(raised.value) is seen
    assert happens(lambda: stub.world.journal.of("records_update")), (
        "a client may have given up before the server began"
    )

    assert stub.project.records[record["id"]]["data"]["stage"] == ("won" if applied else "open")
    assert stub.world.faults.left == []
    stub.world.faults.clear()


def test_faults_are_met_in_order_and_once(api, stub):
    """Each request meets the next fault; afterwards the service responds normally. Other operations are not affected."""
    stub.world.faults.plan("agents_list", faults.status(503), faults.flaky(2, faults.status(429)))
    stub.world.faults.plan("agents_list", faults.html_502())

    seen = [api.get(api.path("agents")).status_code for _ in range(5)]

    assert seen == [503, 429, 429, 502, 200]
    assert api.post(api.path("object-records"), json={"typeSlug": "deal"}).status_code == 201


def test_a_fault_for_any_operation(api, stub):
    """Faults for the operation itself take precedence."""
    stub.world.faults.plan("*", faults.status(500), faults.status(503))
    stub.world.faults.plan("agents_list", faults.status(502))

    assert [api.get(api.path("agents")).status_code for _ in range(3)] == [502, 500, 503]


def test_faults_belong_to_a_world(api, stub):
    other = stub.worlds.create()
    other.faults.plan("agents_list", faults.status(503))

    assert api.get(api.path("agents")).status_code == 200
    assert len(other.faults.left) == 1


def test_the_token_endpoint_can_fail(stub, sign_in):
    """Its name in plans is `auth_token`."""
    stub.world.faults.plan("auth_token", faults.status(503, retry_after=1))
    client = sign_in(token=stub.tokens.session())

    assert [client.get("/api/auth/token").status_code for _ in range(2)] == [503, 200]


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("records.update", "There is no operation 'records.update'; did you mean 'records_update'?"),
        ("record_update", "did you mean 'records_update'?"),
        ("xyz", "There is no operation 'xyz'$"),
    ],
)
def test_an_operation_that_does_not_exist_is_refused(stub, operation, message):
    """With a suggestion: a fault for an unknown operation would never be met."""
    with pytest.raises(ValueError, match=message):
        stub.world.faults.plan(operation, faults.empty())


@pytest.mark.parametrize("none", [(), ([],)])
def test_a_plan_without_a_fault_is_refused(stub, none):
    with pytest.raises(ValueError, match="there is no fault to plan"):
        stub.world.faults.plan("records_update", *none)


@pytest.mark.parametrize("fault", [faults.empty, "empty"])
def test_what_is_no_fault_is_refused(stub, fault):
    """The function without its parentheses, or its name."""
    with pytest.raises(TypeError, match=r"is no fault; call a function of faults, as in faults.drop_after_apply\(\)"):
        stub.world.faults.plan("agents_list", fault)


def test_check_fails_for_a_fault_that_was_not_met(api, stub):
    """The message lists the faults that are left and the attempts."""
    stub.world.faults.plan("agents_list", faults.status(503), faults.drop_after_apply())
    stub.world.faults.plan("posts_list", faults.hang())
    api.get(api.path("agents"))

    with pytest.raises(AssertionError) as raised:
        stub.world.faults.check()

    text = str(raised.value)
    assert "agents_list: drop_after_apply" in text
    assert "posts_list: hang" in text
    assert "503 (status 503)" in text
    stub.world.faults.clear()
    stub.world.faults.check()


@pytest.mark.parametrize(
    ("form", "name", "value"),
    [
        ("seconds", "Retry-After", "2"),
        ("milliseconds", "Retry-After-Ms", "2000"),
        ("date", "Retry-After", "Mon, 02 Nov 2026 08:30:03 GMT"),  # rounded up: rounding down would shorten the wait
    ],
)
def test_retry_after_has_three_forms(api, stub, form, name, value):
    """Seconds and date are those of RFC 9110; the date has whole seconds and follows the world's clock."""
    stub.world.clock.freeze(datetime(2026, 11, 2, 8, 30, 0, 1, tzinfo=UTC))
    stub.world.faults.plan("agents_list", faults.status(429, retry_after=2, retry_after_form=form))

    response = api.get(api.path("agents"))

    assert response.headers[name] == value
    assert response.headers["Date"] == "Mon, 02 Nov 2026 08:30:00 GMT"  # clients compare a date with it


@pytest.mark.parametrize(
    "make",
    [
        lambda: faults.status(99),
        lambda: faults.status(600),
        lambda: faults.latency(-1),
        lambda: faults.latency(float("nan")),
        lambda: faults.hang(1e9),
        lambda: faults.status(429, retry_after=-1),
        lambda: faults.status(429, retry_after=1.5),
        lambda: faults.apply_late(-0.1),
        lambda: faults.flaky(0),
        lambda: faults.truncated(-1),
        lambda: faults.reset_mid_body(1.5),
        lambda: faults.status(503, body=3),
        lambda: faults.status(503, content_type="x\r\ny: z"),
        lambda: faults.status(503, retry_after=1, retry_after_form="minutes"),
    ],
)
def test_an_invalid_fault_is_refused(make):
    """On creation, not when it is met."""
    with pytest.raises(ValueError, match=r"must be|use whole seconds"):
        make()


def test_the_report_shows_whether_retry_after_was_honoured(api, stub, clock):
    """By the world's clock or the system's, whichever measured more."""
    stub.world.faults.plan("agents_list", faults.flaky(3, faults.status(429, retry_after=2)))
    for wait in (2, 1, 0):
        api.get(api.path("agents"))
        clock.advance(seconds=wait)

    attempts = stub.world.faults.attempts()

    assert [attempt.honoured for attempt in attempts] == [True, False, None]
    report = stub.world.faults.report().splitlines()
    assert len(report) == 4
    first = "1 08:30:00.000 agents_list 429 (status 429 Retry-After 2 s) 2 s, retried after 2 s: honoured"
    assert report[1].split() == first.split()
    assert report[2].endswith("2 s, retried after 1 s: TOO EARLY")
    assert report[3].endswith("2 s, not retried")


def test_a_different_request_is_not_a_retry(api, stub, clock):
    """A retry has the same method, path and body."""
    stub.world.faults.plan("records_create", faults.status(429, retry_after=5))
    one, other = {"typeSlug": "deal", "data": {"n": 1}}, {"typeSlug": "deal", "data": {"n": 2}}

    for body in (one, other, one):
        api.post(api.path("object-records"), json=body)
        clock.advance(seconds=3)

    assert [attempt.honoured for attempt in stub.world.faults.attempts()] == [True, None, None]


def test_a_late_request_is_carried_out_after_its_delay(api, stub):
    """Although its client got a failure; it has a separate journal entry."""
    record = api.create(data={"stage": "open"})
    stub.world.faults.plan("records_update", faults.apply_late(1.5))

    with pytest.raises(httpx.ReadError):
        api.update(record, data={"stage": "won"})
    assert stub.project.records[record["id"]]["data"]["stage"] == "open"
    assert happens(lambda: not stub.world.faults.pending)

    assert stub.project.records[record["id"]]["data"]["stage"] == "won"
    failed, late = stub.world.journal.of("records_update")
    assert (failed.status, failed.ending) == (None, "reset without a response")
    assert (late.status, late.ending) == (200, "carried out late")


def test_a_late_request_can_be_carried_out_at_once(api, stub):
    """After other writes, so its guard is stale and it changes nothing."""
    record = api.create(data={"stage": "open"})
    stub.world.faults.plan("records_update", faults.apply_late(60.0))
    with pytest.raises(httpx.ReadError):
        api.update(record, data={"stage": "won"}, expectedData={"stage": "open"})
    api.update(record, data={"stage": "lost"})

    assert stub.world.faults.land() == 1
    assert stub.world.faults.land() == 0

    assert stub.project.records[record["id"]]["data"]["stage"] == "lost"
    assert stub.world.journal[-1].verdict == "409 stale_precondition carried out late"


def test_clearing_the_plans_drops_late_requests(api, stub):
    stub.world.faults.plan("records_create", faults.apply_late(60.0))
    with pytest.raises(httpx.ReadError):
        api.post(api.path("object-records"), json={"typeSlug": "deal"})
    before = len(stub.project.records)

    stub.world.faults.clear()

    assert (stub.world.faults.pending, stub.world.faults.land()) == (0, 0)
    assert len(stub.project.records) == before


def test_an_error_response_meets_its_fault(api, stub):
    """The response to a request that the service refuses is lost like any other."""
    record = api.create(data={"stage": "open"})
    stub.world.faults.plan("records_update", faults.drop_after_apply())

    with pytest.raises(httpx.RemoteProtocolError):
        api.update(record, data={"stage": "won"}, expectedData={"stage": "won"})

    assert stub.world.journal[-1].verdict == "409 stale_precondition closed without a response"
