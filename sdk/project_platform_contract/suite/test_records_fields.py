"""Endpoints 3 and 4: the fields of a body take effect together and apart, and none of them sets another one."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.target import Target

from .support.json_equality import differences, lost
from .support.preconditions import require_refused, require_success
from .support.reading import refused
from .support.records import Records, record_of
from .support.subsets import subsets

# Fields of a record that its data does not set, whatever the names of its keys.
_APART = ("id", "typeSlug", "externalId", "createdAt", "createdBy")
_RELATED = 12  # Number of updates with relations.
_WHY = "the relations of a record"


@pytest.fixture
def target(contract_run: Run) -> Target:
    """The target of the run."""
    return contract_run.target


@pytest.mark.rule("records.create.answers-record")
def test_keys_of_new_data_set_no_fields(records: Records, tag: str) -> None:
    """Data is keyed by field, and its fields may have the names of those of a record."""
    sent = {name: f"{tag} {name}" for name in _APART}

    record = records.create(sent, externalId=f"{tag}-keyed")

    assert lost(sent, record["data"]) == []
    assert [name for name in _APART if record.get(name) == sent[name]] == []
    assert record["externalId"] == f"{tag}-keyed"


@pytest.mark.rule("records.update.answers-record")
def test_keys_of_updated_data_set_no_fields(records: Records, tag: str) -> None:
    record = records.create(externalId=f"{tag}-keys")
    sent = {name: f"{tag} {name}" for name in (*_APART, "updatedAt", "updatedBy", "relations")}

    response = records.update(record, data=sent)

    assert response.is_success
    updated = record_of(response)
    assert lost(sent, updated["data"]) == []
    assert {name: updated.get(name) for name in _APART} == {name: record.get(name) for name in _APART}
    assert [name for name in ("updatedAt", "updatedBy") if updated.get(name) == sent[name]] == []


@pytest.mark.rule("records.update.expected-data-exact")
def test_fields_of_the_record_are_no_data(records: Records, tag: str) -> None:
    """Only what is in the data is contained in it."""
    record = records.create({"stage": "open"}, externalId=f"{tag}-no-data")
    require_success(records.update(record, data={"note": "in time"}, expectedData={"stage": "open"}))
    fields = {name: record[name] for name in _APART if record.get(name) is not None and name not in record["data"]}
    pairs: list[dict[str, Any]] = [{name: value} for name, value in fields.items()]
    pairs += [{"stage": "open", name: value} for name, value in fields.items()]
    pairs += [{"data": {"stage": "open"}}, {"record": {"stage": "open"}}]

    statuses = {
        str(pair): records.update(record, data={"note": "late"}, expectedData=pair).status_code for pair in pairs
    }

    assert statuses == dict.fromkeys(statuses, 409)


@pytest.mark.rule("records.create.external-id")
def test_a_long_external_id_is_stored_whole_or_refused(records: Records, tag: str) -> None:
    """The specification shows no maximum length."""
    sent = {length: f"{tag}-{'x' * length}-end" for length in (40, 100, 300)}
    record = records.create(externalId=f"{tag}-short")

    created = {length: records.post(data={"title": tag}, externalId=text) for length, text in sent.items()}
    updated = {length: records.update(record, externalId=f"{text}-2") for length, text in sent.items()}

    for length, text in sent.items():
        for response, expected in ((created[length], text), (updated[length], f"{text}-2")):
            assert refused(response) or record_of(response).get("externalId") == expected, length


@pytest.mark.rule("records.create.external-id-blanks")
def test_blanks_around_an_external_id_are_kept_or_refused(records: Records, tag: str) -> None:
    sent = [f" {tag}-before", f"{tag}-after ", f"\t{tag}-both\n"]
    record = records.create()

    responses = [(text, records.post(data={"title": tag}, externalId=text)) for text in sent]
    responses += [(f" {text} 2 ", records.update(record, externalId=f" {text} 2 ")) for text in sent]

    stored = [(text, record_of(response).get("externalId")) for text, response in responses if not refused(response)]
    assert differences([text for text, _ in stored], [external for _, external in stored]) == []


@pytest.mark.rule("scope.own-things.records-create")
def test_a_record_is_created_in_the_addressed_project(api: Api, data: Data, tag: str) -> None:
    """It can be updated through that project, and not through another one."""
    other = data["other_project"]
    body = {"typeSlug": data["object_type"], "data": {"title": tag}}
    created = api("records_create", projectId=other, json=body)
    if not created.is_success:
        raise MissingError(f"no record of 'object_type' can be created in 'other_project': {created.status_code}")
    id = record_of(created)["id"]

    here = api("records_update", recordId=id, json={"relations": {}})
    there = api("records_update", projectId=other, recordId=id, json={"relations": {}})

    assert there.is_success
    assert refused(here)


@pytest.mark.rule("records.create.relations-stored")
def test_a_new_record_has_its_relations(records: Records, target: Target, tag: str) -> None:
    """No operation shows them, so only a stub can prove this. The body may have other fields."""
    project, other = target.stub_project(_WHY), records.create()
    sent = {"contract": other["id"], "list": [other["id"]], "nested": {"of": {"id": other["id"]}}, "empty": []}

    for number, body in enumerate(({}, {"stage": "open"}, {"contract": "a key of both"})):
        for external_id in ({}, {"externalId": f"{tag}-related-{number}"}):
            record = records.create(body, relations=sent, **external_id)

            assert lost(sent, project.relations[record["id"]]) == [], (body, external_id)
    assert not project.relations[other["id"]]


@pytest.mark.rule("records.update.relations-stored")
def test_updated_relations_are_stored(records: Records, target: Target, tag: str) -> None:
    """Whichever other fields are updated, and only if the preconditions hold."""
    project, other = target.stub_project(_WHY), records.create()
    record = records.create({"stage": "open"}, relations={"first": other["id"]})
    fields: dict[str, Any] = {
        "data": {"note": "new"},
        "externalId": f"{tag}-relations",
        "expectedData": {"stage": "open"},
        "expectedStatus": record["status"],
    }

    for number, names in enumerate(((), *subsets(fields))):
        sent = {f"relation {number}": other["id"], "last": [record["id"], number]}
        assert records.update(record, relations=sent, **{name: fields[name] for name in names}).is_success
        assert lost(sent, project.relations[record["id"]]) == [], names

    before = project.relations[record["id"]]
    for defect in ({"expectedData": {"stage": "won"}}, {"expectedStatus": tag}, {"externalId": 7}, {"data": ["a"]}):
        require_refused(records.update(record, relations={"lost": other["id"]}, **defect))
        assert project.relations[record["id"]] == before, defect
    for body in ({"data": {"first": None}}, {"externalId": f"{tag}-kept"}, {"expectedData": {"stage": "open"}}):
        assert records.update(record, **body).is_success
        assert project.relations[record["id"]] == before, body
    assert not project.relations[other["id"]]


@pytest.mark.rule("records.update.relations-stored")
def test_relations_of_several_records_are_stored_apart(
    records: Records, sign_in: SignIn, contract_run: Run, tag: str
) -> None:
    """Records of both kinds, updated in turns by two callers, with requests between them that are refused."""
    project, other = contract_run.target.stub_project(_WHY), records.create()
    callers = [records, Records(sign_in("service_account"), contract_run)]
    pool = [
        records.create(),
        records.linked({"email": records.email()}),
        records.create(relations={"first": other["id"]}),
    ]
    sent: list[dict[str, Any]] = [{}, {}, {"first": other["id"]}]
    for number in range(_RELATED):
        place = number % len(pool)
        record = pool[place]
        relations = {f"relation {number}": other["id"], f"last {place}": [record["id"], number]}
        fields: dict[str, Any] = {"data": {"n": number}, "externalId": f"{tag}-related-apart-{number}"}
        body = {name: fields[name] for bit, name in enumerate(fields) if number >> bit & 1}
        require_refused(callers[0].update(record, relations={"lost": other["id"]}, expectedData={"n": tag}))
        require_success(callers[number % 2].update(record, relations=relations, **body))
        sent[place] |= relations
        for expected, stored in zip(sent, pool, strict=True):
            assert differences(expected, dict(project.relations[stored["id"]])) == [], number
