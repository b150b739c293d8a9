"""Endpoints 4: update object records: merge, persons, and `expectedStatus`, which is compared exactly."""

from __future__ import annotations

import pytest

from project_platform_contract.run.api import Fact

from .support.preconditions import accepted, require_success, without_conflict
from .support.records import Records, record_of, status_of


@pytest.mark.rule("records.update.merge")
def test_a_nested_object_is_stored(records: Records, fact: Fact) -> None:
    """Whether it is merged or replaced is recorded as a fact."""
    record = records.create({"stage": "open", "site": {"city": "Köln", "storeys": 2}})

    response = records.update(record, data={"site": {"storeys": 3}})

    updated = record_of(accepted(response))["data"]
    assert updated["site"]["storeys"] == 3
    assert updated["stage"] == "open"
    fact("merge", "deep" if "city" in updated["site"] else "shallow", response)


@pytest.mark.rule("records.update.merge")
def test_an_update_that_changes_nothing_changes_no_data(records: Records, fact: Fact) -> None:
    """Whether it changes updatedAt is recorded as a fact."""
    record = records.create({"stage": "open"})
    later = records.create()

    for data in ({"stage": "open"}, {}):
        response = records.update(record, data=data)

        assert record_of(accepted(response))["data"] == record["data"]
        before, after = record.get("updatedAt"), record_of(response).get("updatedAt")
        if before != later.get("updatedAt"):  # Otherwise the clock of the service is too coarse.
            fact("noOpUpdate", "ignore" if before == after else "touch", response)


@pytest.mark.rule("records.update.null-deletes")
def test_the_last_key_of_a_record_is_deleted(records: Records) -> None:
    record = records.create()

    response = records.update(record, data=dict.fromkeys(record["data"]))

    assert record_of(accepted(response))["data"] == {}


@pytest.mark.rule("records.update.null-deletes")
def test_a_nested_null_deletes_no_top_level_key(records: Records, fact: Fact) -> None:
    """Whether the nested null is stored is recorded as a fact."""
    record = records.create()

    response = records.update(record, data={"site": {"city": "Köln", "storeys": None}})

    site = record_of(accepted(response))["data"]["site"]
    assert site["city"] == "Köln"
    fact("nestedNulls", "keep" if "storeys" in site else "strip", response)


@pytest.mark.rule("records.update.person-refresh")
def test_a_new_identity_may_change_the_person(records: Records, fact: Fact) -> None:
    """The record has a person afterwards; whether it is the same one is recorded as a fact."""
    record = records.linked({"email": records.email()})
    before = records.person(record)

    response = records.update(record, data={"email": records.email()})

    person = record_of(accepted(response)).get("personRefId")
    assert isinstance(person, str)
    fact("records.person-refresh", "kept" if person == before else "refreshed", response)


@pytest.mark.rule("records.update.expected-status-exact")
def test_a_similar_status_is_stale(records: Records) -> None:
    record = records.create({"stage": "open"})
    status = status_of(record)
    require_success(records.update(record, data={"note": "in time"}, expectedStatus=status))
    similar = {
        "empty": "",
        "swapped case": status.swapcase(),
        "a blank after": f"{status} ",
        "a prefix": status[:-1],
        "a wildcard of SQL": f"{status[:1]}%",
        "a letter that is not ASCII after": f"{status}\u00e9",
        "an invisible character": f"{status[:1]}\u200b{status[1:]}",
        "full width": "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in status),
    }

    responses = {
        name: records.update(record, data={"note": "late"}, expectedStatus=text)
        for name, text in similar.items()
        if text != status
    }

    assert without_conflict(responses) == {}
    assert records.read(record)["data"]["note"] == "in time"
