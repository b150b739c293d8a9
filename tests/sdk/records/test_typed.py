"""Typed records on the stub server, synchronously, under asyncio and under trio."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import datetime
import functools
import gc
import json
import pickle
import re
import warnings
import weakref
from pathlib import Path
from typing import Annotated

import anyio
import httpx
import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model, field_serializer

from project_platform import (
    AsyncClient,
    ChangeOptions,
    Client,
    Conflict,
    DataMismatchError,
    DecodingError,
    GuardNeverHoldsError,
    InexpressibleChangeError,
    OperationTokens,
    OutcomeUnknownError,
    PermissionDeniedError,
    RetryPolicy,
    StalePreconditionError,
    UsageError,
    operations,
)
from project_platform.models import ObjectRecord
from project_platform.records import edits
from project_platform_stub import Stub, faults

from ..conftest import PROJECT
from ..transports.test_leases import interrupted
from .typed_classes import Deal, Frozen, Line, Open, Plain, Rich, Site, Stage, Won

LOST = faults.drop_after_apply()


@pytest.fixture
def stub():
    return Stub()


@pytest.fixture
def project(stub, open_client, way):
    transport = stub.transport() if way == "sync" else stub.async_transport()
    options = {"token": stub.token(), "project_id": stub.project.id, "retry": RetryPolicy(max_attempts=1)}
    return open_client("https://stub.example", transport=transport, **options).project()


@pytest.fixture
def read(project):
    """Return a function that creates a record, and reads it with a class."""

    def read(kind, /, refresh="never", **data):
        records = project.records.of("deal", kind, refresh=refresh)
        return records, records.wrap(project.records.create(type_slug="deal", data=data))

    return read


@pytest.fixture
def lose(stub):
    """Return a function that calls another one, whose response is lost, and returns the error."""

    def lose(write, *arguments):
        stub.world.faults.plan("records_update", LOST)
        with pytest.raises(OutcomeUnknownError) as caught:
            write(*arguments)
        return caught.value

    return lose


@pytest.fixture
def stored(stub):
    return lambda record: stub.project.records[record.id]["data"]


def test_a_record_is_created_edited_and_saved(project, stored):
    """All fields are stored; then only the edit is sent, guarded by what was read."""
    deals = project.records.of("deal", Deal)
    deal = deals.create(Deal(title="Roof"), external_id="crm-1")
    assert (deal.applied, deal.external_id, deal.data) == ("yes", "crm-1", Deal(title="Roof"))
    assert deal.created_at <= deal.updated_at

    deal.data.stage = "won"
    change = deals.change(deal)
    saved = deals.save(deal)

    assert (change.patch, change.guard, change.fences) == ({"stage": "won"}, {"stage": "open"}, True)
    assert saved is not deal
    assert (saved.applied, saved.data.stage, len(saved.attempts)) == ("yes", "won", 1)
    assert stored(saved) == {"title": "Roof", "stage": "won", "tags": []}


def test_data_that_do_not_fit_keep_the_verdict(project, stub):
    """The save returns its record; the access to the data says what does not fit, without the value."""
    deals = project.records.of("deal", Deal)
    deal = deals.create(Deal(title="t"))
    stub.project.records[deal.id] = {**stub.project.records[deal.id], "data": {"title": ["secret"], "stage": "open"}}
    deal.data.stage = "won"
    saved = deals.save(deal)

    assert (saved.applied, saved.raw.data["stage"]) == ("yes", "won")
    with pytest.raises(DataMismatchError, match=r"title \(string_type\)") as caught:
        _ = saved.data
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.applied, error.record, error.problems) == ("yes", saved.raw, ("title (string_type)",))
    assert error.attempts
    assert "secret" not in str(error)
    assert saved == pickle.loads(pickle.dumps(saved))
    with pytest.raises(DataMismatchError):
        deals.save(saved)


def test_a_response_without_data_keeps_the_verdict(read, stub):
    """What is missing is a problem of the data, and the record can still be shown and pickled."""
    deals, deal = read(Deal, title="t")
    deal.data.stage = "won"
    stub.world.faults.plan("records_update", faults.status(200, body={"record": {"id": deal.id}}))
    with pytest.warns(UserWarning, match="no data to compare"):
        saved = deals.save(deal)

    assert (saved.applied, saved.id) == ("yes", deal.id)
    for record in (saved, pickle.loads(pickle.dumps(saved))):
        with pytest.raises(DataMismatchError, match=r"data \(missing\); applied: yes"):
            _ = record.data
        assert deal.id in repr(record)
        assert deal.id in record._repr_html_()
    assert repr(deals.wrap(ObjectRecord()))


def test_a_response_without_an_identifier_is_of_the_record(read, stub):
    deals, deal = read(Deal, title="t")
    deal.data.stage = "won"
    body = {"record": {"data": {"title": "t", "stage": "won"}}}
    stub.world.faults.plan("records_update", faults.status(200, body=body))
    saved = deals.save(deal)

    assert saved.id == deals.change(saved).record_id == deal.id


@pytest.mark.parametrize("refresh", ["noop", "never"])
def test_a_stale_save_is_a_conflict_of_the_class(read, refresh):
    """`theirs` needs a newer snapshot, since no operation reads a record."""
    deals, mine = read(Deal, refresh=refresh, title="t", stage="open", note="n")
    theirs = deals.wrap(mine.raw)
    theirs.data.stage, theirs.data.note = "lost", None
    deals.save(theirs)
    mine.data.stage = "won"
    with pytest.raises(StalePreconditionError) as caught:
        deals.save(mine)

    conflict: Conflict[Deal] = deals.conflict(caught.value)
    assert (conflict.base.stage, conflict.mine.stage) == ("open", "won")
    if refresh == "never":
        assert (conflict.theirs, conflict.keys) == (None, ())
    else:
        assert conflict.theirs == Deal(title="t", stage="lost")
        assert {key.key: key.meeting for key in conflict.keys} == {"stage": "conflict", "note": "disjoint"}
    mine.data.stage = "open"  # nothing was applied, so the record can still be edited
    assert deals.save(mine) is mine


def test_only_an_error_of_a_change_has_a_conflict_of_the_class(project, read):
    deals, deal = read(Deal, title="t")
    with pytest.raises(StalePreconditionError) as caught:
        project.records.update(deal.id, data={"title": "u"}, expected_data={"title": "x"})
    with pytest.raises(UsageError, match="give the error of save"):
        deals.conflict(caught.value)
    with pytest.raises(UsageError, match="error is of type Record; give the StalePreconditionError that save"):
        deals.conflict(deal)


@pytest.mark.parametrize(("fault", "way_on"), [(faults.garbage_json(), -1), (LOST, 1)])
def test_the_advice_of_a_saved_record_goes_on_with_it(read, project, stub, fault, way_on):
    """Executed literally, after a response that cannot be read, and after `client.settle`."""
    deals, deal = read(Deal, title="t", stage="open")
    deal.data.stage = "won"
    stub.world.faults.plan("records_update", fault)
    with pytest.raises((DecodingError, OutcomeUnknownError)) as ended:
        deals.save(deal)
    result = project._client.settle(ended.value) if fault is LOST else None
    with pytest.raises(UsageError, match="was saved already") as saved:
        deals.save(deal)

    advice = re.findall(r"deal = ([^:]*\))", str(saved.value))[way_on]
    deal = eval(advice, {"deals": deals, "deal": deal, "project": project, "result": result})
    deal.data.stage = "lost"
    assert deals.save(deal).data.stage == "lost"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_second_save_at_the_same_time_is_refused(stub, backend):
    """It would be a conflict with itself, and the first one is not disturbed; after a refusal the record can be saved again."""

    async def run():
        options = {"token": stub.token(), "project_id": stub.project.id, "transport": stub.async_transport()}
        async with AsyncClient("https://stub.example", **options) as client:
            deals = client.project().records.of("deal", Deal)
            deal = await deals.create(Deal(title="t"))
            deal.data.stage = "won"
            stub.world.faults.plan("records_update", faults.status(403), faults.hang(60, applied=True))
            with pytest.raises(PermissionDeniedError):
                await deals.save(deal)
            async with anyio.create_task_group() as group:
                group.start_soon(deals.save, deal)
                await anyio.wait_all_tasks_blocked()
                with pytest.raises(UsageError, match="once it has ended, settle it"):
                    await deals.save(deal)
                group.cancel_scope.cancel()
            return await deals.settle(deal)

    assert anyio.run(run, backend=backend).applied == "in effect"


def test_a_saved_record_is_freed_at_once(stub):
    """It refers to its change, and the change to it, without a cycle that only the garbage collector would free."""
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        deals = client.project(stub.project.id).records.of("deal", Deal)
        deal = deals.create(Deal(title="t"))
        deal.data.stage = "won"
        data = weakref.ref(deal.data)
        deals.save(deal)
        gc.disable()
        try:
            del deal
            assert data() is None
        finally:
            gc.enable()


@pytest.mark.parametrize("what", ["record", "error", "change", "pickled record"])
def test_a_lost_save_is_settled(read, lose, what):
    deals, deal = read(Deal, title="t", stage="open")
    deal.data.stage = "won"
    error = lose(deals.save, deal)
    with pytest.raises(UsageError, match="settle it before"):
        deals.save(deal)
    values = {"record": deal, "error": error, "change": error.change}
    found = deals.settle(values.get(what) or pickle.loads(pickle.dumps(deal)))

    assert (found.applied, found.data.stage) == ("in effect", "won")
    if what != "pickled record":  # the record knows it, too
        with pytest.raises(UsageError, match="was saved already"):
            deals.save(deal)
    found.data.stage = "paid"
    assert deals.save(found).applied == "yes"


def test_a_save_that_never_began_is_settled_too(read, stored):
    deals, deal = read(Deal, title="t", stage="open")
    with pytest.raises(UsageError, match="there is nothing to settle"):
        deals.settle(deal)
    deal.data.stage = "won"

    assert stored(deals.settle(deal)) == {"title": "t", "stage": "won"}


@pytest.mark.parametrize("options", [ChangeOptions(), ChangeOptions(tokens=OperationTokens())], ids=["guard", "tokens"])
def test_a_save_is_unknown_after_a_settle_of_it_that_was_interrupted(stub, options):
    """Also if the save had not begun, and is sent by that settle: a save of it is no conflict, nor is another settle."""
    inner, pending = stub.transport(), []

    class Interrupting(httpx.BaseTransport):
        def handle_request(self, request):
            response = inner.handle_request(request)
            if pending:
                raise pending.pop()
            return response

    with Client("https://stub.example", token=stub.token(), transport=Interrupting()) as client:
        deals = client.project(stub.project.id).records.of("deal", Deal, change_options=options)
        deal = deals.create(Deal(title="t"))
        deal.data.stage = "won"
        pending.append(KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            deals.settle(deal)
        with pytest.raises(UsageError, match="settle it before"):
            deals.save(deal)
        deal.data.title = "mine"
        found = deals.settle(deal)
    assert (found.applied in {"yes", "in effect"}, found.data) == (True, Deal(title="mine", stage="won"))


@pytest.mark.parametrize("name", ["save", "modify"])
def test_ctrl_c_at_any_line_leaves_an_applied_edit_that_can_be_settled(stub, name):
    """Or that is known to be applied; the record takes no other save in both cases."""
    folders = (f"{Path(edits.__file__).parent}/",)

    def win(deal: Deal) -> None:
        deal.stage = "won"

    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        deals = client.project(stub.project.id).records.of("deal", Deal)
        number, applied = 0, 0
        while True:
            deal = deals.create(Deal(title="t"))
            if name == "save":
                deal.data.stage = "won"
            act = (
                functools.partial(deals.modify, deal, win) if name == "modify" else functools.partial(deals.save, deal)
            )
            if not interrupted(number, act, folders):
                break
            if stub.project.records[deal.id]["data"]["stage"] == "won":
                applied += 1
                with contextlib.suppress(UsageError):  # it was saved, as the record knows
                    assert deals.settle(deal).applied in {"yes", "in effect"}
                with pytest.raises(UsageError, match=r"saved already|settle it before"):
                    deals.save(deal)
            number += 1
    assert applied > 3


def test_a_save_that_stays_unknown_ends_with_the_record_that_was_seen(project, read, lose):
    deals, deal = read(Deal, title="t", stage="open")
    deal.data.stage = "won"
    lose(deals.save, deal)
    project.records.update(deal.id, data={"stage": "lost"})
    with pytest.raises(OutcomeUnknownError) as error:
        deals.settle(deal)
    with pytest.raises(UsageError, match=r"error.seen is a record, go on with it: deal = deals.wrap\(error.seen\)"):
        deals.save(deal)
    deal = deals.wrap(error.value.seen)
    deal.data.stage = "won"
    assert deals.save(deal).applied == "yes"


def test_a_record_of_another_deployment_is_refused(stub, read, lose):
    """There may be one with its identifier, too."""
    deals, deal = read(Deal, title="t", stage="open")
    deal.data.stage = "won"
    lose(deals.save, deal)
    other = Stub()
    with Client("https://other.example", token=other.token(), transport=other.transport()) as client:
        elsewhere = client.project(stub.project.id).records.of("deal", Deal)
        for write in (elsewhere.settle, elsewhere.save, lambda deal: elsewhere.modify(deal, str)):
            for record in (deal, pickle.loads(pickle.dumps(deal))):
                with pytest.raises(
                    UsageError, match=r"is one of https://stub\.example, and these records are of https://other"
                ) as caught:
                    write(record)
                assert caught.value.applied == ("unknown" if write == elsewhere.settle else "no")
    assert deals.settle(deal).applied == "in effect"


def test_what_is_edited_after_a_lost_save_is_in_the_settled_record(read, lose, project):
    """A lost save of other data, as of a frozen class, or a lost `modify` is no edit of the value."""
    data, kept = Deal(title="t", stage="won"), Deal(title="t", stage="open")
    for method, given in (("save", data), ("modify", lambda deal: data)):
        deals, deal = read(Deal, title="t", stage="open")
        lose(getattr(deals, method), deal, given)
        assert (deals.settle(deal).data, deal.data) == (data, kept)

    deals, deal = read(Deal, title="t", stage="open")
    deal.data.stage = "won"
    lose(deals.save, deal)
    deal.data.tags.append("x")
    project.records.update(deal.id, data={"title": "theirs"})
    settled = deals.settle(pickle.loads(pickle.dumps(deal)))
    assert settled.data == Deal(title="theirs", stage="won", tags=["x"])
    assert deals.save(settled).data == settled.data


Places = create_model("Places", stage=(str, ...), home=(Site, ...), work=(Site, ...))


@pytest.mark.parametrize("kind", ["modify", "value", "does not fit", "elements", "places"])
def test_an_edit_after_a_lost_write_that_cannot_be_in_the_settled_record_is_named(read, lose, project, kind):
    """It was not made of what was written, or would move the keys of elements that the class does not have."""
    lines = {"lines": [{"sku": "a", "x": 1}, {"sku": "b", "x": 2}]}
    sites = {name: {"city": name, "x": 1} for name in ("home", "work")}
    deals, deal = read({"elements": Rich, "places": Places}.get(kind, Deal), title="t", stage="open", **lines, **sites)
    if kind in {"does not fit", "elements", "places"}:
        deal.data.stage = "won"
    writes = {"modify": lambda: deals.modify(deal, lambda data: setattr(data, "stage", "won"))}
    writes["value"] = lambda: deals.save(deal, Deal(title="t", stage="won"))
    lose(writes.get(kind, lambda: deals.save(deal)))
    if kind == "elements":
        deal.data.lines.reverse()
    elif kind == "places":
        deal.data.home, deal.data.work = deal.data.work, deal.data.home
    else:
        deal.data.title = "mine"
    if kind == "does not fit":
        project.records.update(deal.id, data={"tags": 7})
    with pytest.warns(UserWarning, match="since its save has to be edited again"):
        assert deals.settle(deal).applied in {"yes", "in effect"}


def test_the_advice_about_elements_keeps_their_keys(read, stored):
    """Elements are edited in place, and what is removed and what is added is saved one after the other."""
    orders, order = read(Rich, lines=[{"sku": "a", "x": 1}, {"sku": "b", "x": 2}])
    order.data.lines.pop()
    order.data.lines.append(Line(sku="c"))
    with pytest.raises(
        UsageError, match=r"edit the elements in place, save what is removed and what is added one after"
    ):
        orders.save(order)
    order.data.lines.pop()
    order = orders.save(order)
    order.data.lines.append(Line(sku="c"))
    order.data.lines[0].sku = "z"
    assert stored(orders.save(order)) == {"lines": [{"sku": "z", "x": 1}, {"sku": "c", "quantity": 1}]}


def test_an_edit_after_a_lost_save_never_overwrites_what_another_writer_wrote(read, lose, project, recwarn):
    """It was made of data that are gone, so it has to be made again. A default that is random is no edit."""
    deals, deal = read(Plain, title="t", stage="open")
    deal.data.stage = "won"
    lose(deals.save, deal)
    stored = pickle.dumps(deal)
    assert not deals.change(deals.settle(deal))

    deal = pickle.loads(stored)
    deal.data.title = "mine"
    project.records.update(deal.id, data={"title": "theirs"})
    settled = deals.settle(deal)
    assert (settled.data.title, [str(each.message) for each in recwarn]) == (
        "theirs",
        [f"what was edited of record {deal.id} since its save has to be edited again: another writer changed title"],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        deal = pickle.loads(stored)
        deal.data.title = "mine"
        assert deals.settle(deal).applied == "in effect"


def test_settle_tells_a_modify_that_ended_from_one_that_sent_nothing(read):
    """After an interruption, only that which sent nothing may be called again."""
    deals, deal = read(Deal, title="t", stage="open")
    with pytest.raises(UsageError, match="there is nothing to settle"):
        deals.settle(deal)
    deals.modify(deal, lambda data: setattr(data, "stage", "won"))
    with pytest.raises(UsageError, match="was saved already"):
        deals.settle(deal)


def test_a_save_that_was_interrupted_before_it_was_sent_can_be_saved(stub):
    """As by the exception of a token source."""
    sources = iter([stub.token, lambda: 1 / 0, lambda: 1 / 0, *[stub.token] * 3])

    def token() -> str:
        return next(sources)()

    with Client("https://stub.example", token=token, transport=stub.transport()) as client:
        deals = client.project(stub.project.id).records.of("deal", Deal)
        deal = deals.create(Deal(title="t"))
        deal.data.stage = "won"
        with pytest.raises(ZeroDivisionError):
            deals.save(deal)
        other = pickle.loads(pickle.dumps(deal))
        unsaved = pickle.loads(pickle.dumps(deal))
        with pytest.raises(ZeroDivisionError):
            deals.save(unsaved, Deal(title="other"))
        with pytest.raises(UsageError, match="there is nothing to settle"):
            deals.settle(unsaved)
        assert deals.save(deal).applied == "yes"
        with pytest.raises(UsageError, match="was saved already") as caught:
            deals.settle(deal)
        assert caught.value.applied == "yes"
        assert deals.settle(other).applied == "in effect"  # as it would be after any interruption


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("what", ["change", "record"])
def test_a_stored_change_with_a_token_is_the_one_that_is_saved(project, stub, what, lost):
    """As the guide stores one before a save, in case the process ends."""
    deals = project.records.of("deal", Deal, change_options=ChangeOptions(tokens=OperationTokens()))
    deal = deals.create(Deal(title="t", stage="open"))
    deal.data.stage = "won"
    stored = pickle.dumps(deals.change(deal) if what == "change" else deal)
    if lost:
        stub.world.faults.plan("records_update", LOST)
    with contextlib.suppress(OutcomeUnknownError):
        deals.save(deal)
    assert deals.settle(pickle.loads(stored)).applied == "yes"
    other = deals.wrap(deal.raw)
    other.data.stage = "won"
    with pytest.raises(StalePreconditionError):
        deals.settle(deals.change(other))


def test_equal_edits_of_two_copies_are_two_changes(project):
    """As of two workers that have the record from a cache, also if it was edited before."""
    deals = project.records.of("deal", Deal, change_options=ChangeOptions(tokens=OperationTokens()))
    for edited in (False, True):
        deal = deals.create(Deal(title="t", stage="open"))
        if edited:
            deal.data.title = "u"
        cached = pickle.dumps(pickle.loads(pickle.dumps(deal)))
        mine, theirs = pickle.loads(cached), pickle.loads(cached)
        mine.data.stage = theirs.data.stage = "won"
        assert deals.change(theirs).token == deals.change(theirs).token
        given = [deals.change(pickle.loads(cached), Deal(title="t", stage="won")) for _ in range(2)]
        assert given[0].token != given[1].token
        assert deals.save(mine).applied == "yes"
        with pytest.raises(StalePreconditionError):
            deals.settle(deals.change(theirs))
        with pytest.raises(UsageError, match="there is nothing to settle"):
            deals.settle(theirs)


def test_data_without_the_keys_of_tokens_keep_them(project):
    deals = project.records.of("deal", change_options=ChangeOptions(tokens=OperationTokens()))
    deal = deals.save(deals.create({"stage": "open", "note": "n"}), {"stage": "won"})
    assert deal.data == {"stage": "won"}
    assert deal.raw.data.keys() == {"stage", "operationToken", "operationTokens"}


Closed = create_model(
    "Closed", __config__=ConfigDict(extra="forbid"), title=(str, ...), stage=(str, "new"), probability=(float, 0.5)
)


# --- modify


def add_one(data):
    data.number = (data.number or 0) + 1


def test_modify_works_on_a_newer_snapshot_and_keeps_the_verdict(read):
    counters, old = read(Rich, refresh="noop", number=1)
    counters.modify(old, add_one)
    counted = counters.modify(old, add_one)

    assert (counted.data.number, counted.applied) == (3, "yes")
    assert old.data.number == 1
    assert counters.modify(counted, lambda data: None).data.number == 3


def test_the_function_may_be_asynchronous_with_an_asynchronous_client(read, way):
    """A synchronous one says that it cannot wait for it."""

    async def edit(data):
        return data.model_copy(update={"stage": "paid"})

    deals, deal = read(Deal, title="t")
    if way == "sync":
        with pytest.raises(UsageError, match="needs an AsyncClient"):
            deals.modify(deal, edit)
    else:
        assert deals.modify(deal, edit).data.stage == "paid"


def test_a_snapshot_may_come_from_a_function(read, project):
    """It must be of the same record, and newer."""
    deals, old = read(Deal, title="t", stage="open")
    newer = deals.wrap(old.raw)
    newer.data.stage = "lost"
    saved = deals.save(newer)

    def win(data):
        data.stage = "won"

    given = project.records.of("deal", Deal, refresh=lambda record: saved.raw)
    assert given.modify(old, win).data.stage == "won"
    for wrong, error in (
        (lambda record: record, GuardNeverHoldsError),
        (lambda record: ObjectRecord(id="other", data={}), UsageError),
        (lambda record: ObjectRecord(id=record.id), UsageError),
    ):
        with pytest.raises((error, StalePreconditionError)) as caught:
            project.records.of("deal", Deal, refresh=wrong).modify(old, win, max_snapshots=2)
        assert isinstance(caught.value, error) or error is GuardNeverHoldsError


def test_arguments_that_cannot_be_used_are_refused(read, project):
    deals, deal = read(Deal, title="t")
    for call in (
        deals.save,
        lambda record: deals.modify(record, lambda data: None),
        lambda record: deals.table([record]),
    ):
        with pytest.raises(UsageError, match=r"record is of type ObjectRecord; give wrap\(record\)"):
            call(deal.raw)
        with pytest.raises(UsageError, match="record is of type Deal; give the record, not its data"):
            call(deal.data)
    with pytest.raises(UsageError, match="the record is of type Record; give one of the service, such as raw"):
        project.records.change(deal, {"stage": "won"})
    with pytest.raises(UsageError, match="edits is of type Deal; give a mapping"):
        next(project.records.changes([(deal.raw, deal.data)]))
    with pytest.raises(UsageError, match="external_id is of type str; give a function"):
        deals.creates([deal.data], external_id="title")
    with pytest.raises(UsageError, match="is nan, which is not a number of JSON"):
        project.records.of("deal", Closed).create(Closed(title="t", probability=float("nan")))
    lost = OutcomeUnknownError("lost", applied="unknown")
    lost.call = operations.memory_update(PROJECT, "a", title="t")
    with pytest.raises(UsageError, match="of memory_update, which is not about a record; give it to client"):
        deals.settle(lost)
    with pytest.raises(UsageError, match="path is of type list; give the path of the journal"):
        project.bulk([])
    with pytest.raises(UsageError, match="raw is of type NoneType"):
        deals.wrap(None)
    with pytest.raises(UsageError, match="records is one record; give an iterable"):
        deals.table(deal)
    with pytest.raises(UsageError, match="type_slug is of type ModelMetaclass; give a slug"):
        project.records.of(Deal, "deal")
    with pytest.raises(UsageError, match="max_snapshots is 0"):
        deals.modify(deal, lambda data: None, max_snapshots=0)
    with pytest.raises(UsageError, match="refresh is 'often'"):
        project.records.of("deal", Deal, refresh="often")
    with pytest.raises(UsageError, match="change_options is of type dict"):
        project.records.of("deal", Deal, change_options={})


# --- kinds of classes, values


def test_a_frozen_class_is_saved_with_another_value(read, stored):
    """`data` itself cannot be replaced."""
    deals, deal = read(Frozen, title="t", other=1)
    with pytest.raises(AttributeError, match="give save another one"):
        deal.data = Frozen("u")
    saved = deals.save(deal, dataclasses.replace(deal.data, stage="won"))

    assert stored(saved) == {"title": "t", "stage": "won", "other": 1}


def test_a_union_may_become_another_member(read, stored):
    either = TypeAdapter[Open | Won](Annotated[Open | Won, Field(discriminator="kind")])
    deals, deal = read(either, kind="open", due="d", x=1)
    assert isinstance(deal.data, Open)
    saved = deals.save(deal, Won(amount=3))

    assert isinstance(saved.data, Won)
    assert stored(saved) == {"kind": "won", "amount": 3, "x": 1}
    with pytest.raises(UsageError, match="no columns"):
        deals.table([saved])


def test_records_compare_pickle_and_show_themselves_without_credentials(project, read):
    deals, deal = read(Deal, title="t", apiToken="eyJhbGciOi.secret.x")
    other = deals.wrap(deal.raw)
    assert deal == other
    for shown in (repr(deal), deal._repr_html_()):
        assert "secret" not in shown
        assert "[redacted]" in shown
    assert deal != project.records.of("deal", Won).wrap(deal.raw)  # whose data do not fit
    deal.data.stage = "won"
    assert deal != other
    again = pickle.loads(pickle.dumps(deal))
    assert again == deal == copy.deepcopy(deal)
    assert deals.change(again).patch == {"stage": "won"}
    with pytest.raises(TypeError):
        hash(deal)


@pytest.fixture
def bulk(project, portal, tmp_path):
    """Return a function that sends rows in a bulk run, and returns their outcomes."""

    async def stream(journal, rows):
        async with project._target.bulk(journal, progress=False) as job:
            return [outcome async for outcome in job.stream(rows)]

    def bulk(name, rows):
        if portal is not None:
            return portal.call(stream, tmp_path / name, rows)
        with project.bulk(tmp_path / name, progress=False) as job:
            return list(job.stream(rows))

    return bulk


def test_creates_with_operation_tokens_are_the_same_when_their_run_continues(project, bulk):
    """The token of a new record is made from its row."""
    deals = project.records.of("deal", Deal, change_options=ChangeOptions(tokens=OperationTokens()))

    counts = [len(bulk("journal", deals.creates([Deal(title=f"d{n}") for n in range(rows)]))) for rows in (2, 3)]

    assert counts == [2, 1]


def test_bulk_runs_and_tables_take_typed_records(project, bulk):
    """A run creates and changes them, and marks those that it has changed as saved."""
    deals = project.records.of("deal", Deal)
    values = [Deal(title=f"d{number}", tags=["a"]) for number in range(5)]
    outcomes = bulk("creates.journal", deals.creates(values, external_id=lambda deal: deal.title))
    created = [deals.wrap(outcome.value) for outcome in outcomes]
    for deal in created:
        deal.data.stage = "won"
    outcomes = bulk("changes.journal", map(deals.change, created))

    assert [outcome.applied for outcome in outcomes] == ["yes"] * 5
    for deal in created:
        with pytest.raises(UsageError, match="was saved already"):
            deals.save(deal)
    table = deals.table(deals.wrap(outcome.value) for outcome in outcomes)
    assert repr(table).startswith("Listing of Record, 5 items")
    assert table[0].stage == "won"
    frame = table.to_polars()
    assert frame.columns == [
        "id", "external_id", "status", "applied", "created_at", "updated_at", "title", "stage", "note", "tags",
    ]  # fmt: skip
    assert sorted(frame["title"]) == [f"d{number}" for number in range(5)]
    assert str(frame["tags"].dtype) == "List(String)"


def test_a_value_that_cannot_be_stored_is_refused_with_its_position(project):
    values = [Deal(title="t"), Deal.model_construct(title=3)]
    with pytest.raises(UsageError, match=r"^row 1: Deal could not read its own data back: title \(string_type\)"):
        list(project.records.of("deal", Deal).creates(values))


WithId = create_model("WithId", id=(int, ...), password=(str, "s3cret"))


def test_columns_of_the_class_do_not_hide_those_of_the_record(read):
    """Nor does the representation of a row show what that of the record hides."""
    deals, deal = read(WithId, id=7)
    (row,) = deals.table([deal])
    assert "password" in repr(row)
    assert "s3cret" not in repr(row)
    table = deals.table([deal]).to_arrow()

    assert table.column("data_id").to_pylist() == [7]
    assert table.column("id").to_pylist() == [deal.id]


class Parts(BaseModel):
    """A recursive class, whose fields have the names that columns of its `id` could have."""

    id: int = 7
    data_id: int = 8
    parts: list[Parts] = []


def test_a_recursive_class_is_a_table(read):
    """What it has of itself is JSON."""
    deals, deal = read(Parts, parts=[{"id": 1}])
    (row,) = deals.table([deal]).to_arrow().to_pylist()

    assert (row["id"], row["data_id"], row["data_data_id"]) == (deal.id, 8, 7)
    assert json.loads(row["parts"][0])["id"] == 1


def test_a_class_that_was_defined_again_says_so(read, project):
    """A notebook does so when a cell is run again. The advice is followed."""
    _, deal = read(Plain, title="t")
    again = project.records.of("deal", dataclasses.make_dataclass("Plain", [("title", str), ("stage", str, "open")]))
    deal.data.stage = "won"
    with pytest.raises(
        UsageError, match=r"another class Plain, whose definition was run again; make deals again .*wrap\(record.raw\)"
    ):
        again.save(deal)
    edited = again.wrap(deal.raw)
    edited.data.stage = "won"
    assert again.save(edited).applied == "yes"


class Coded(BaseModel):
    """A class that writes one stage only."""

    title: str = "t"
    stage: str = "open"

    @field_serializer("stage")
    def known(self, stage: str) -> str:
        if stage != "open":
            raise ValueError(stage)
        return stage


def test_a_value_that_the_class_cannot_write_keeps_the_verdict(project, stub):
    """The save was applied: an error that nothing was sent would make somebody send it again."""
    coded = project.records.of("deal", Coded)
    deal = coded.create(Coded())
    newer = {"title": "t", "stage": "of a newer service"}
    stub.project.records[deal.id] = {**stub.project.records[deal.id], "data": newer}
    deal.data.title = "edited"
    saved = coded.save(deal)

    with pytest.raises(DataMismatchError, match="Coded cannot be written as JSON") as caught:
        _ = saved.data
    assert caught.value.applied == saved.applied == "yes"


Task = create_model(
    "Task", stage=(Stage, ...), due=(datetime.date, ...), state=(Open | Won, ...), labels=(set[str], set())
)


def test_columns_hold_enumerations_and_dates_as_text_and_unions_as_json(read):
    """So that a filter finds them, and nothing is lost."""
    tasks, task = read(Task, stage="won", due="2026-11-24", state={"kind": "won", "amount": 3}, labels=["a"])
    table = tasks.table([task]).to_arrow()

    found = {name: table.column(name).to_pylist()[0] for name in ("stage", "due", "state", "labels")}
    assert (found["stage"], found["due"], json.loads(found["labels"])) == ("won", "2026-11-24", ["a"])
    assert json.loads(found["state"]) == {"kind": "won", "amount": 3}


class Poll(BaseModel):
    """Dicts in a model."""

    answers: list[dict[str, int | None]] = []
    more: dict[str, int | None] = {}
    site: Site | None = None


@dataclasses.dataclass
class PollDataclass:
    """The same in a dataclass."""

    answers: list[dict[str, int | None]] = dataclasses.field(default_factory=list[dict[str, int | None]])
    more: dict[str, int | None] = dataclasses.field(default_factory=dict[str, int | None])
    site: Site | None = None


@pytest.mark.parametrize("kind", [dict, Poll, PollDataclass])
def test_a_null_in_a_dict_is_as_in_untyped_calls(project, stub, kind):
    """It is stored with a new record, and a change needs to know the merge; it was dropped, with the verdict "yes"."""
    deals, shallow = (
        project.records.of("deal", *([] if kind is dict else [kind]), change_options=options)
        for options in (ChangeOptions(), ChangeOptions(merge="shallow"))
    )
    deal = deals.create(kind(answers=[{"q": 1, "a": None}], more={"b": None, "c": 1}))
    data = stub.project.records[deal.id]["data"]
    assert data == {"answers": [{"q": 1, "a": None}], "more": {"b": None, "c": 1}}

    def more(record):
        return record.data["more"] if kind is dict else record.data.more

    more(deal)["b2"] = None
    with pytest.raises(InexpressibleChangeError, match=r'more\.b.?: a nested null .* ChangeOptions\(merge="shallow"\)'):
        deals.save(deal)
    deal = shallow.wrap(deal.raw)
    more(deal)["b2"] = None
    deal = shallow.save(deal)
    assert stub.project.records[deal.id]["data"]["more"] == {"b": None, "b2": None, "c": 1}

    del more(deal)["b"]
    shallow.save(deal)
    assert stub.project.records[deal.id]["data"] == {"answers": [{"q": 1, "a": None}], "more": {"b2": None, "c": 1}}
