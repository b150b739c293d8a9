"""The methods of both clients report whether a write was applied, also after a lost response or an interruption."""

from __future__ import annotations

import anyio
import httpx
import pytest

from project_platform import (
    AsyncClient,
    Client,
    ConflictError,
    OutcomeUnknownError,
    Response,
    UsageError,
)

from .deal import BASE, LOST, STALE, WON, answer, win


@pytest.fixture
def guarded(project, record):
    """Return the client's change of the record that sets its stage to won."""
    return project.records.change(record, {"stage": "won"})


@pytest.fixture
def modify(project, record):
    """Return a function that modifies the record."""

    def modify(edit, **options):
        deals = project.records.of("deal", **options)
        return deals.modify(deals.wrap(record), edit)

    return modify


@pytest.fixture
def newer():
    """Return a function that returns a newer snapshot of a record, which was lost."""
    return lambda old: old.model_copy(update={"data": {**BASE, "stage": "lost"}})


UNKNOWN = (
    "records_update was interrupted; it is not known whether it was applied; call client.settle(call), where call is "
    "operations.records_update(...) with the same arguments"
)


def http(outcome):
    """Return what a scripted service answers for an outcome."""
    if isinstance(outcome, Response):
        return httpx.Response(outcome.status, content=outcome.body)
    return httpx.ReadError("the connection broke")


def test_a_client_applies_and_settles_a_change(client, project, service, guarded):
    """The same flows run under every kind of client."""
    service.will(http(LOST), http(STALE), http(STALE), http(answer(WON)))

    with pytest.raises(OutcomeUnknownError) as raised:
        project.records.apply(guarded)
    settled = client.settle(raised.value)

    assert (settled.applied, settled.value.data, len(settled.attempts)) == ("in effect", WON, 4)


def test_a_client_modifies_a_record(modify, service, newer):
    """The function and `refresh` may be plain ones under every kind of client."""
    service.will(http(STALE), http(answer(WON)))

    assert modify(win, refresh=newer).data == WON


def test_functions_may_be_asynchronous_under_an_async_client(modify, service, newer, way):
    """The function and `refresh` are awaited; a sync client refuses them and sends nothing."""

    async def edit(data):
        await anyio.lowlevel.checkpoint()
        win(data)

    async def refresh(old):
        await anyio.lowlevel.checkpoint()
        return newer(old)

    if way == "sync":
        with pytest.raises(UsageError, match="needs an AsyncClient"):
            modify(edit)
        assert not service.requests
        return
    service.will(http(STALE), http(answer(WON)))
    assert modify(edit, refresh=refresh).data == WON


def test_an_exception_of_the_function_is_raised_and_nothing_is_sent(modify, service):
    """An exception of the function is raised unchanged."""

    def edit(data):
        raise ZeroDivisionError("by the caller")

    with pytest.raises(ZeroDivisionError, match="by the caller") as raised:
        modify(edit)

    assert not service.requests
    assert not getattr(raised.value, "__notes__", [])


def test_an_update_with_a_guard_reports_a_lost_answer_as_unknown(project, service):
    """`records.update` is repeated in the same way, and a conflict after a lost response is not reported as one."""
    service.will(http(LOST), http(STALE))
    with pytest.raises(OutcomeUnknownError, match=r"client\.settle\(error\)$") as raised:
        project.records.update("rec_1", data={"stage": "won"}, expected_data={"stage": "open"})

    service.will(http(LOST), http(answer(WON)))
    record = project.records.update("rec_1", data={"stage": "won"}, expected_data={"stage": "open"})

    assert not isinstance(raised.value, ConflictError)
    assert record.data == WON


MUTATIONS = {
    "external_id": lambda project: project.records.create(type_slug="deal", external_id="crm-42"),
    "does not show whose event takes a slot": lambda project: project.calendar.book(
        start="2031-03-03T09:00:00Z", summary="Visit"
    ),
    "call client.settle(error)": lambda project: project.calendar.reschedule("evt_1", start="2031-03-03T09:00:00Z"),
    "for a sub-project with this name": lambda project: project.templates.apply("tpl_1", name="Client"),
    "for a workflow with this name": lambda project: project.workflows.create(
        name="Greet", trigger_type_slug="deal", trigger_event_type="created"
    ),
}


@pytest.mark.parametrize("hint", MUTATIONS)
def test_a_write_whose_answer_is_lost_says_how_to_find_out(project, service, hint):
    """It is sent once, its outcome is unknown, and the message ends with what to do."""
    service.will(http(LOST))

    with pytest.raises(OutcomeUnknownError) as raised:
        MUTATIONS[hint](project)

    assert hint in raised.value.advice
    assert str(raised.value).endswith(f"; {raised.value.advice}")
    assert (raised.value.applied, len(service.requests)) == ("unknown", 1)


class Interrupted:
    """A transport that is interrupted while it waits for a response."""

    def send(self, request):
        """Raise the exception of Ctrl-C."""
        raise KeyboardInterrupt

    def close(self):
        """Do nothing."""


class Waiting:
    """A transport that never returns a response."""

    async def send(self, request):
        """Wait."""
        await anyio.sleep_forever()

    async def aclose(self):
        """Do nothing."""


def test_ctrl_c_during_a_write_notes_that_the_outcome_is_unknown(change, project_id, token):
    """The request may have arrived: the interruption has a note that says so, for a write but not for a read."""
    with Client("https://platform.example", token=token, transport=Interrupted()) as client:
        project = client.project(project_id)
        with pytest.raises(KeyboardInterrupt) as written:
            project.records.apply(change())
        with pytest.raises(KeyboardInterrupt) as read:
            project.agents.list().first_page()

    assert written.value.__notes__ == [UNKNOWN]
    assert not hasattr(read.value, "__notes__")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_write_notes_that_the_outcome_is_unknown(change, project_id, token, backend):
    """The cancellation is raised unchanged, with a note that the change may have been applied."""
    notes = []

    async def write():
        async with AsyncClient("https://platform.example", token=token, transport=Waiting()) as client:
            try:
                await client.project(project_id).records.apply(change())
            except anyio.get_cancelled_exc_class() as cancelled:
                notes.extend(cancelled.__notes__)
                raise

    async def main():
        with anyio.move_on_after(0.01) as scope:
            await write()
        assert scope.cancelled_caught

    anyio.run(main, backend=backend)

    assert notes == [UNKNOWN]
