"""Object records."""

import re
from copy import deepcopy
from functools import reduce

from ..mutant import Kind, instead, values
from ..service import records
from .sentences import MERGE, PERSON, PRECONDITIONS, STALE

mutant = Kind("records")


@mutant.change(PERSON, "records_create", memory={})
def a_person_that_exists_has_the_number_that_was_inserted_last(inserted, perform, call):
    before = set(call.world.persons.values())
    value = perform(call)
    person = value["record"].get("personRefId")
    if person is None:
        return value
    if person not in before:
        inserted["last"] = person
    stored = call.world.records[call.project, value["record"]["id"]]
    stored["personRefId"] = value["record"]["personRefId"] = inserted.get("last", person)
    return value


@mutant(STALE, "records_update")
def data_of_a_refused_update_are_written_by_the_next_one():
    pending = {}

    @instead(records, "stale")
    def refused(stale, record, body):
        if stale(record, body):
            pending[record["id"]] = body.get("data", {})
        return stale(record, body)

    @instead(records, "apply_changes")
    def written(apply, call, record, body):
        apply(call, record, {**body, "data": pending.pop(record["id"], {}) | body.get("data", {})})


@mutant.change(MERGE, "records_update", at=instead(records, "apply_changes"), memory={})
def a_deleted_key_comes_back_with_the_next_update(deleted, apply, call, record, body):
    before = record["data"]
    record["data"] = {**deleted.pop(record["id"], {}), **before}
    apply(call, record, body)
    deleted[record["id"]] = {key: before[key] for key in before.keys() - record["data"].keys()}


@mutant.change(MERGE, "records_update", at=instead(records, "apply_changes"), memory={})
def a_value_is_not_changed_back_to_the_first_one(first, apply, call, record, body):
    loaded = first.setdefault(record["id"], record["data"])
    changes = {key: value for key, value in body.get("data", {}).items() if key not in loaded or loaded[key] != value}
    apply(call, record, {**body, "data": changes})


@mutant.change(
    "PATCH /projects/{projectId}/object-records/{recordId}", "records_update", at=instead(records, "apply_changes")
)
def an_update_changes_all_records_of_the_person(apply, call, record, body):
    apply(call, record, body)
    for other in call.world.records.values():
        if other.get("personRefId") == record.get("personRefId") is not None:
            other["data"] = deepcopy(record["data"])


@mutant.change(PERSON, "records_create", at=instead(records, "link"))
def an_address_within_that_of_a_person_is_theirs(link, call, record, identity):
    address = records.identity_of(identity)
    known = [own for project, own in call.world.persons if project == call.project and address and address in own]
    link(call, record, {**identity, **({"email": known[0]} if known else {})})


@mutant.change("All identifiers are strings.", "records_create", at=values("records_create"))
def an_external_identifier_of_digits_is_a_number(value):
    external = value["record"]["externalId"]
    if external is not None and re.fullmatch("[0-9]{1,15}", external):
        value["record"]["externalId"] = int(external)


@mutant.change(MERGE, "records_update", at=instead(records, "apply_changes"))
def the_last_key_of_a_record_is_not_deleted(apply_changes, call, record, body):
    before = record["data"]
    apply_changes(call, record, body)
    record["data"] = record["data"] or before


@mutant.change(PRECONDITIONS, "records_update", at=instead(records, "stale_data"))
def an_expected_value_that_is_false_zero_or_empty_is_none(stale_data, record, body):
    expected = body.get("expectedData", {})
    compared = {
        key: value for key, value in expected.items() if value or not isinstance(value, bool | int | float | str)
    }
    return stale_data(record, {**body, "expectedData": compared})


@mutant.change(PRECONDITIONS, "records_update", at=instead(records, "stale_data"))
def an_expected_value_is_compared_after_the_merge(stale_data, record, body):
    return stale_data({**record, "data": records.merged(record["data"], body.get("data", {}))}, body)


@mutant.change(STALE, "records_update", at=instead(records, "stale"), memory=[])
def a_stale_update_is_accepted_if_it_is_sent_again(refused, stale, record, body):
    if body in refused or not stale(record, body):
        return False
    refused.append(deepcopy(body))
    return True


@mutant.change(MERGE, "records_update", at=instead(records, "apply_changes"), memory=[])
def an_update_is_ignored_as_a_repetition_of_an_earlier_one(known, apply, call, record, body):
    if (repeated := {**body, "of": record["id"]}) not in known:
        known.append(deepcopy(repeated))
        apply(call, record, body)


@mutant(PRECONDITIONS, "records_update")
def preconditions_read_a_replica_that_lacks_the_last_update():
    replica = {}
    instead(records, "stale")(lambda stale, record, body: stale(replica.get(record["id"], record), body))

    @instead(records, "apply_changes")
    def lagging(apply_changes, call, record, body):
        replica[record["id"]] = deepcopy(record)
        apply_changes(call, record, body)


@mutant.change(MERGE, "records_update", at=instead(records, "apply_changes"), memory={})
def a_record_is_rebuilt_from_its_last_five_changes(logs, apply_changes, call, record, body):
    log = logs.setdefault(record["id"], [deepcopy(record["data"])])
    apply_changes(call, record, body)
    log.append(deepcopy(body.get("data", {})))
    start = {}
    record["data"] = reduce(records.merged, log[-5:], start)


@mutant.change(PERSON, "records_create", at=instead(records, "link"))
def a_visitor_with_an_external_identifier_has_no_person(link, call, record, identity):
    if call.operation != "records_create" or record["externalId"] is None:
        link(call, record, identity)


@mutant.change(STALE, "records_update", at=instead(records, "stale_status"))
def a_stale_status_is_overlooked_if_the_data_are_as_expected(stale_status, record, body):
    return "expectedData" not in body and stale_status(record, body)


@mutant.change(MERGE, "records_update", at=instead(records, "merged"))
def a_null_beside_an_object_deletes_nothing(merged, old, changes):
    nested = any(isinstance(value, dict) for value in changes.values())
    return merged(old, {key: value for key, value in changes.items() if value is not None or not nested})
