"""Endpoints 4, rule 2: preconditions of updates of object records."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from project_platform_contract.run.api import Fact

from .support.preconditions import require_conclusive, require_refused
from .support.records import Records, lasting, record_of, status_of


@pytest.mark.rule("records.update.expected-data-holds")
def test_an_update_whose_expected_data_matches_succeeds(records: Records) -> None:
    """The precondition applies to the record before the update, not after it."""
    record = records.create({"stage": "open"})

    response = records.update(record, data={"stage": "won"}, expectedData=record["data"])

    assert response.is_success
    assert record_of(response)["data"]["stage"] == "won"


@pytest.mark.rule("records.update.expected-data-stale")
def test_the_data_of_an_update_does_not_satisfy_its_own_precondition(records: Records) -> None:
    """Nor does a precondition match after another update has changed the record."""
    record = records.create({"stage": "open"})

    before, won = record["data"], {**record["data"], "stage": "won"}

    own = records.update(record, data={"stage": "won"}, expectedData=won)
    first = records.update(record, data={"stage": "lost"}, expectedData=before)
    second = records.update(record, data={"stage": "won"}, expectedData=before)

    assert [own.status_code, first.is_success, second.status_code] == [409, True, 409]


@pytest.mark.rule("records.update.containment")
def test_an_array_contains_itself(records: Records, fact: Fact) -> None:
    """Whether order and number of elements matter is recorded as a fact."""
    record = records.create({"tags": ["a", "b", "c"]})

    def holds(tags: list[str]) -> bool:
        return records.update(record, data={"note": "seen"}, expectedData={"tags": tags}).is_success

    same = records.update(record, data={"note": "seen"}, expectedData={"tags": ["a", "b", "c"]})
    assert same.is_success
    fact("containmentArrays", "subset" if holds(["c", "a"]) else "prefix" if holds(["a"]) else "equal", same)


@pytest.mark.rule("records.update.expected-status-holds")
def test_an_update_whose_expected_status_matches_succeeds(records: Records) -> None:
    record = records.create({"stage": "open"})

    response = records.update(record, data={"stage": "won"}, expectedStatus=status_of(record))

    assert response.is_success
    assert record_of(response)["data"]["stage"] == "won"


@pytest.mark.rule("records.update.expected-status-stale")
def test_a_stale_status_is_a_conflict(records: Records, tag: str) -> None:
    record = records.create({"stage": "open"})

    assert records.update(record, data={"stage": "won"}, expectedStatus=tag).status_code == 409


@pytest.mark.rule("records.update.either-stale")
def test_one_stale_precondition_is_enough(records: Records, tag: str) -> None:
    record = records.create({"stage": "open"})
    won = {"stage": "won"}

    data_holds = records.update(record, data=won, expectedData={"stage": "open"}, expectedStatus=tag)
    status_holds = records.update(record, data=won, expectedData=won, expectedStatus=status_of(record))

    assert [data_holds.status_code, status_holds.status_code] == [409, 409]


@pytest.mark.rule("records.update.stale-unchanged")
@pytest.mark.parametrize("stale", ["expectedData", "expectedStatus"])
def test_a_conflict_leaves_the_record_unchanged(records: Records, tag: str, stale: str) -> None:
    record = records.create({"stage": "open", "note": "old"}, externalId=f"{tag}-{stale}")
    precondition = {"expectedData": {"stage": "won"}, "expectedStatus": tag}[stale]

    changes = {"data": {"stage": "lost", "note": None, "more": 1}, "externalId": f"{tag}-{stale}-lost"}
    records.update(record, **changes, **{stale: precondition})

    assert lasting(records.read(record)) == lasting(record)


@pytest.mark.rule("records.update.stale-unchanged")
def test_a_conflict_does_not_change_the_person(records: Records) -> None:
    record = records.linked({"email": records.email()})

    records.update(record, data={"email": records.email()}, expectedData={"source": "never"})

    assert lasting(records.read(record)) == lasting(record)


@pytest.mark.rule("records.update.stale-body")
def test_a_conflict_has_an_error_body(records: Records) -> None:
    response = require_refused(
        records.update(records.create(), data={"note": "late"}, expectedData={"title": "another"})
    )

    assert isinstance(response.json()["message"], str)
    assert isinstance(response.json().get("code", ""), str)


@pytest.mark.rule("records.update.concurrent-merges")
def test_concurrent_updates_of_different_keys_all_take_effect(records: Records) -> None:
    """No update is lost because another one writes the whole data at the same time."""
    record = records.create({"version": 0})
    changes = {f"writer {writer}": writer for writer in range(16)}

    with ThreadPoolExecutor(8) as writers:
        statuses = list(writers.map(lambda key: records.update(record, data={key: changes[key]}).status_code, changes))

    assert [status for status in statuses if not 200 <= status < 300] == []
    assert records.read(record)["data"] == {**record["data"], **changes}


@pytest.mark.rule("records.update.atomic")
def test_one_of_several_concurrent_updates_succeeds(records: Records) -> None:
    """Check and write are atomic: the record has the data of the update that succeeded."""
    record = records.create({"version": 0})

    def update(writer: int) -> int:
        changes = {"version": 1, "writer": writer}
        return records.update(record, data=changes, expectedData=record["data"]).status_code

    with ThreadPoolExecutor(8) as writers:
        statuses = list(writers.map(update, range(16)))

    went_through = [writer for writer, status in enumerate(statuses) if 200 <= status < 300]
    assert len(went_through) <= 1, f"{len(went_through)} of 16 went through"
    require_conclusive(statuses)
    assert sorted({*statuses} - {409}) == [statuses[writer] for writer in went_through] != []
    assert records.read(record)["data"]["writer"] == went_through[0]
