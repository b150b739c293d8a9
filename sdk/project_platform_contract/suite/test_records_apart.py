"""Endpoints 3 and 4: records that must not affect each other: of other projects, of requests at the same time or of refused ones."""

from __future__ import annotations

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.preconditions import require_refused, require_success
from .support.reading import refused
from .support.records import Records, record_of


@pytest.fixture
def elsewhere(api: Api, contract_run: Run) -> Records:
    """Records of the other project."""
    return Records(api, contract_run, contract_run.data["other_project"])


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
