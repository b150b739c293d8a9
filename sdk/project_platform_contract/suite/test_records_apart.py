"""Endpoints 3 and 4: records that must not affect each other: of other projects, of requests at the same time or of refused ones."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.json_equality import differences, lost
from .support.preconditions import require_conclusive, require_refused, require_success
from .support.reading import refused
from .support.records import Records, lasting, record_of

_WRITERS: Final = 12


def _bodies(tag: str) -> Iterator[dict[str, Any]]:
    """Yield updates, each of which would change a record, expect something of it, or read it."""
    yield {"data": {"stage": "lost", "title": None}}
    yield {"externalId": f"{tag}-elsewhere"}
    yield {"relations": {}}
    yield {"data": {"stage": "lost"}, "externalId": f"{tag}-elsewhere", "relations": {}}
    yield {"data": {"stage": "lost"}, "expectedData": {"stage": "open"}}
    yield {"externalId": f"{tag}-elsewhere", "expectedData": {}}
    yield {}


@pytest.fixture
def elsewhere(api: Api, contract_run: Run) -> Records:
    """Records of the other project."""
    return Records(api, contract_run, contract_run.data["other_project"])


@pytest.mark.rule("records.update.other-project")
@pytest.mark.parametrize("kind", ["plain", "linked"])
def test_no_update_reaches_a_record_through_another_project(
    records: Records, elsewhere: Records, data: Data, tag: str, kind: str
) -> None:
    """Whatever it changes or expects, and in which project the record is."""
    slug = data["object_type" if kind == "plain" else "linked_object_type"]
    body = {"typeSlug": slug, "data": {"title": tag, "stage": "open", "email": records.email()}}
    here, there = records.post(**body), elsewhere.post(**body)
    for owner, stranger, created in ((records, elsewhere, here), (elsewhere, records, there)):
        if refused(created):  # the other project may lack the type
            continue
        record = record_of(created)
        require_success(owner.update(record, data={"stage": "open"}))
        reached = [change for change in _bodies(tag) if stranger.update(record, **change).is_success]
        assert reached == []
        assert differences(lasting(record), lasting(owner.read(record))) == []


@pytest.mark.rule("records.update.unknown-record")
def test_no_update_of_an_unknown_record_succeeds(records: Records, tag: str) -> None:
    """Whatever it changes or expects, and although it is sent twice."""
    known = records.create({"stage": "open"})
    require_success(records.update(known, data={"stage": "open"}))

    responses = [(body, records.update({"id": f"{tag}-nowhere"}, **body)) for body in _bodies(tag) for _ in range(2)]

    assert [body for body, response in responses if not response.is_client_error] == []


@pytest.mark.rule("scope.own-things.records-create")
@pytest.mark.parametrize("kind", ["plain", "linked"])
def test_two_projects_have_records_with_the_same_identifier(
    records: Records, elsewhere: Records, data: Data, tag: str, kind: str
) -> None:
    """Their external identifiers and data are equal at first; each record then has its own updates only."""
    slug = data["object_type" if kind == "plain" else "linked_object_type"]
    external = f"{tag}-of-two-projects-{kind}"
    body = {"typeSlug": slug, "data": {"title": tag, "stage": "open"}, "externalId": external}
    first = record_of(require_success(records.post(**body)))
    created = elsewhere.post(**body)
    if refused(created):
        raise MissingError(f"the other project refuses the type or the externalId ({created.status_code})")
    second = record_of(created)

    assert first["id"] != second["id"]
    for number in range(3):
        first = record_of(require_success(records.update(first, data={"n": number, "a": number, "stage": None})))
        second = record_of(require_success(elsewhere.update(second, data={"n": -number, "b": number})))
        changed = elsewhere.update(second, externalId=f"{external}-{number}")
        second = record_of(require_success(changed))
    for owner, record, sent in (
        (records, first, {"title": tag, "n": 2, "a": 2}),
        (elsewhere, second, {"title": tag, "stage": "open", "n": -2, "b": 2}),
    ):
        stored = owner.read(record)
        assert lost(sent, stored["data"]) == []
        assert {"a", "b", "stage"} & stored["data"].keys() == {"a", "b", "stage"} & sent.keys()
        assert stored["externalId"] == (external if record is first else f"{external}-2")


@pytest.mark.rule("scope.own-things.records-create")
def test_two_projects_have_persons_of_their_own(records: Records, elsewhere: Records) -> None:
    """A person with the same identity is created in each: none is attached from another project."""
    body = records.linked_body({"email": records.email()})
    here = records.person(record_of(require_success(records.post(**body))))
    created = elsewhere.post(**body)
    if refused(created):
        raise MissingError(f"the other project refuses the type ({created.status_code})")

    assert record_of(created).get("personRefId") != here


@pytest.mark.rule("records.create.external-id")
def test_an_empty_external_id_is_refused_or_stored(records: Records, tag: str) -> None:
    """When a record is updated, and when one is created: if that replaces another record, it is the one of this test."""
    record = records.create(externalId=f"{tag}-not-empty")
    for response in (records.update(record, externalId=""), records.post(data={"title": tag}, externalId="")):
        assert refused(response) or record_of(response)["externalId"] == ""


@pytest.mark.rule("records.create.external-id")
def test_a_refused_request_takes_no_external_id(records: Records, sign_in: SignIn, contract_run: Run, tag: str) -> None:
    """One without a token, one whose body is invalid, and a stale one: the identifier is that of the next record."""
    names = [f"{tag}-not-taken-{number}" for number in range(3)]
    stranger = Records(sign_in(None), contract_run)
    record = records.create({"stage": "open"})
    require_refused(stranger.post(data={"title": tag}, externalId=names[0]))
    require_refused(records.post(data=["a"], externalId=names[1]))
    require_refused(records.update(record, externalId=names[2], expectedData={"stage": "won"}))

    created = [records.post(data={"title": tag}, externalId=name) for name in names]

    assert [response.status_code for response in created if not response.is_success] == []
    assert [records.read(record_of(response)).get("externalId") for response in created] == names


@pytest.mark.rule("records.update.concurrent-merges")
def test_concurrent_updates_of_several_records_and_fields_all_take_effect(
    records: Records, sign_in: SignIn, contract_run: Run, tag: str
) -> None:
    """Of different keys and the external identifier, of two records, by two callers; those that are stale change nothing."""
    callers = [records]
    if "service_account" in contract_run.data.tokens:
        callers.append(Records(sign_in("service_account"), contract_run))
    pool = [records.create({"stage": "open"}), records.linked({"stage": "open", "email": records.email()})]
    if refused(callers[-1].update(pool[0], relations={})):
        callers.pop()

    def update(number: int) -> httpx.Response:
        record, caller = pool[number % 2], callers[number // 2 % len(callers)]
        body: dict[str, Any] = {"data": {f"key {number}": number, "gone": None}}
        if number % 4 == 0:
            body["externalId"] = f"{tag}-at-once-{number % 2}"
        if number % 3 == 0:
            body |= {"expectedData": {"stage": "won"}, "externalId": f"{tag}-stale-{number}"}
        return caller.update(record, **body)

    numbers = range(2 * _WRITERS)
    with ThreadPoolExecutor(6) as writers:
        responses = list(writers.map(update, numbers))
    require_conclusive([response.status_code for response in responses])

    assert [number for number in numbers if (responses[number].status_code == 409) != (number % 3 == 0)] == []
    assert [number for number in numbers if not responses[number].is_success and number % 3] == []
    for place, record in enumerate(pool):
        kept = {f"key {number}": number for number in numbers if number % 2 == place and number % 3}
        stored = records.read(record)
        assert differences({**record["data"], **kept}, stored["data"]) == []
        assert stored.get("externalId") == (f"{tag}-at-once-0" if place == 0 else record.get("externalId"))
