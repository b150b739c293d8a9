"""The advice of an error in doubt, followed literally, after each write that was lost, applied late or applied twice."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from project_platform import (
    Capabilities,
    ChangeOptions,
    InDoubtError,
    OperationTokens,
    OutcomeUnknownError,
    PlatformError,
    RetryPolicy,
    StalePreconditionError,
    operations,
)
from project_platform_stub import Profile, Stub, faults

from .conftest import Way

NOTHING_KNOWN = Capabilities()
CONTRACT = Path(__file__).resolve().parents[2] / "openapi.yaml"
ONCE = RetryPolicy(max_attempts=1)
BOOKED = {
    "start": "2031-07-01T09:00:00Z",
    "duration_minutes": 30,
    "summary": "Visit",
    "attendee": {"email": "a@example.com"},
}
SECTIONS = [{"id": "sales", "label": "Sales", "items": []}]


class Write(NamedTuple):
    """A write: the operation, the call, given what `prepare` returns, and the number of its effects on the world."""

    operation: str
    call: Callable[[Any, Any, Any], Any]
    effects: Callable[[Any, Any], int]
    prepare: Callable[[Any, Any], Any] = lambda way, stub: None
    capabilities: Capabilities = NOTHING_KNOWN


def a_deal(way, stub):
    return way(lambda client, project: project.records.create(type_slug="deal", data={"stage": "open"}))


def a_booking(way, stub):
    """Book an event, of which the attendee gets a mail."""
    return way(lambda client, project: project.calendar.book(**BOOKED))


def update(**guard):
    """Return a write that wins a deal."""
    return Write(
        "records_update",
        lambda client, project, deal: project.records.update(deal.id, data={"stage": "won"}, **guard),
        lambda stub, deal: stub.project.records[deal.id]["data"]["stage"] == "won",
        a_deal,
    )


def create(facts=NOTHING_KNOWN, **named):
    return Write(
        "records_create",
        lambda client, project, _: project.records.create(type_slug="deal", data={"title": "Roof 7"}, **named),
        lambda stub, _: sum(record["data"].get("title") == "Roof 7" for record in stub.project.records.values()),
        capabilities=facts,
    )


def a_post(way, stub):
    """Return a published post of a page, and its account."""
    posts = stub.project.posts.values()
    post = next(post for post in posts if post["status"] == "published" and post["platform"] == "pagenet")
    return post["id"], post["socialAccountId"]


WRITES = {
    "guarded update": update(expected_data={"stage": "open"}),
    "update without a guard": update(),
    "change": Write(
        "records_update",
        lambda client, project, deal: project.records.apply(project.records.change(deal, {"stage": "won"})),
        lambda stub, deal: stub.project.records[deal.id]["data"]["stage"] == "won",
        a_deal,
    ),
    "create": create(),
    "create with a unique identifier": create(Capabilities(external_id="unique"), external_id="crm-7"),
    "workflow": Write(
        "workflows_create",
        lambda client, project, _: project.workflows.create(
            name="Welcome", trigger_type_slug="record", trigger_event_type="created", actions=[]
        ),
        lambda stub, _: sum(workflow["name"] == "Welcome" for workflow in stub.project.workflows.values()),
    ),
    "booking": Write(
        "calendar_book",
        lambda client, project, _: project.calendar.book(**BOOKED),
        lambda stub, _: len(stub.outbox),
    ),
    "new time": Write(
        "calendar_reschedule",
        lambda client, project, booking: project.calendar.reschedule(
            booking.booking_uid, start="2031-07-02T09:00:00Z", duration_minutes=30
        ),
        lambda stub, _: len(stub.outbox) - 1,
        a_booking,
    ),
    "sidebar": Write(
        "sidebar_replace",
        lambda client, project, _: project.sidebar.replace(sections=SECTIONS),
        lambda stub, _: [section["id"] for section in stub.project.sidebar] == ["sales"],
    ),
    "template": Write(
        "templates_apply",
        lambda client, project, template: project.templates.apply(
            template, name="Acme", variable_values={"client": "Acme"}
        ),
        lambda stub, _: sum(project.name == "Acme" for project in stub.world.projects.values()),
        lambda way, stub: next(iter(stub.project.templates)),
    ),
    "memory entry": Write(
        "memory_update",
        lambda client, project, _: project.memory.update("brand/voice", title="Ours"),
        lambda stub, _: stub.project.memory["brand/voice"]["title"] == "Ours",
    ),
    "like": Write(
        "engagement_like",
        lambda client, project, post: client.send(operations.engagement_like(project.id, post[0], account_id=post[1])),
        lambda stub, _: len(stub.project.likes),
        a_post,
    ),
}
LOST = {
    "before": faults.reset(),
    "after": faults.drop_after_apply(),
    "late": faults.apply_late(3600),
    "twice": faults.drop_after_apply(),
}


@pytest.fixture
def stub():
    return Stub(profile=Profile(external_id="unique"))


@pytest.fixture(params=["sync", "asyncio", "trio"])
def way(request, stub):
    """Return a way to use the SDK: the sync client over a socket, the others in this process, where faults look the same."""
    if request.param == "sync":
        with stub.serve() as server:
            yield Way(request.param, stub, server.base_url)
    else:
        yield Way(request.param, stub, None)


def test_every_write_of_the_contract_is_here():
    """An operation that is added has its advice followed, too."""
    paths = yaml.safe_load(CONTRACT.read_text("utf-8"))["paths"].values()
    marked = [operation for path in paths for operation in path.values() if "x-sdk" in operation]
    writes = {operation["operationId"] for operation in marked if operation["x-sdk"]["effect"] != "read"}

    assert writes == {write.operation for write in WRITES.values()}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("lost", LOST)
def test_the_advice_of_a_lost_write_is_right(way, stub, name, lost):
    """Followed literally, it ends with the effect of the write, once, and no verdict on the way is wrong."""
    write = WRITES[name]
    options = {"retry": ONCE, "capabilities": write.capabilities}
    given = write.prepare(way, stub)
    world = stub.world

    def again(client: Any, project: Any) -> Any:
        return write.call(client, project, given)

    def effects() -> int:
        return int(write.effects(stub, given))

    world.faults.plan(write.operation, LOST[lost])
    with pytest.raises(OutcomeUnknownError) as caught:
        way(again, **options)
    if lost == "twice":  # an intermediary sent it again
        with contextlib.suppress(PlatformError):
            way(lambda client, _: client.send(caught.value.call), **options)
    before = effects()

    error: InDoubtError | None = caught.value
    while error is not None:
        error = followed(pickle.loads(pickle.dumps(error)), way, again, effects, options)
    world.faults.land()

    assert effects() == max(before, 1)


def followed(error, way, again, effects, options):
    """Do what an error says; return the error that this ends with, None if there is none."""
    assert error.applied == "unknown"
    assert str(error).endswith(f"; {error.advice}")
    verb, _, settling = error.advice.partition(" ")
    if verb in {"call", "await"}:
        try:
            settled = way(lambda client, _: eval(settling, {"client": client, "error": error}), **options)
        except OutcomeUnknownError as unknown:
            return unknown
        assert settled.applied in {"yes", "in effect"}
        assert effects()
        return None
    if error.advice.startswith("wait a minute"):
        way.stub.world.faults.land()
    if not effects():
        way(again, **options)
    return None


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("others", [0, 1])
def test_the_advice_of_a_lost_modify_neither_loses_nor_doubles_a_count(way, stub, lost, others):
    """With operation tokens: settle it, and call `modify` again after a `StalePreconditionError`."""
    options = ChangeOptions(tokens=OperationTokens())
    counter = way(lambda _, project: project.records.of("deal", change_options=options).create({"n": 0}))

    def count(client: Any, project: Any) -> Any:
        counters = project.records.of("deal", change_options=options, refresh="noop")
        return counters.modify(counters.wrap(counter.raw), add_one)  # another process knows nothing of the first one

    stub.world.faults.plan("records_update", LOST[lost])
    with pytest.raises(OutcomeUnknownError) as caught:
        way(count, retry=ONCE)
    error = pickle.loads(pickle.dumps(caught.value))
    if lost == "twice":
        with contextlib.suppress(PlatformError):
            way(lambda client, _: client.send(error.call), retry=ONCE)
    for _ in range(others):
        way(count)
    try:
        assert way(lambda client, _: client.settle(error)).applied == "yes"
    except StalePreconditionError:
        way(count)
    stub.world.faults.land()

    assert stub.project.records[counter.id]["data"]["n"] == 1 + others


def add_one(data):
    """Count."""
    data["n"] += 1
