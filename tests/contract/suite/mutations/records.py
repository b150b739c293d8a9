"""Broken creation of object records (Endpoints 3)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from project_platform_stub.operations import records
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support.persons import person_of
from project_platform_stub.world.domain import Json, ObjectType

from .mutation import alter_value, mutation, patch, with_body, without, wrap


@mutation("records.create.person-created", also=("records.create.person-attached",))
def no_person_is_attached_to_a_new_record() -> None:
    patch(records, "_person", lambda *_: None)


@mutation("records.create.person-attached", also=("records.create.person-concurrent",))
def a_person_is_created_although_there_is_one() -> None:
    patch(records, "person_of", lambda project, data: None)


@mutation("records.create.person-created", also=("records.create.person-attached",))
def no_person_is_created_where_there_is_none() -> None:
    def found(call: Call, object_type: ObjectType, data: Json, changes: Json) -> str | None:
        return person_of(call.project, data) if object_type.links_to_person else None

    patch(records, "_person", found)


@mutation("records.create.external-id", also=("records.create.*",))
def the_external_id_of_a_new_record_is_lost() -> None:
    wrap("records_create", lambda rule, call: rule(without(call, "externalId")))


@mutation("records.create.answers-record", also=("records.create.*",))
def the_data_of_a_new_record_is_lost() -> None:
    wrap("records_create", lambda rule, call: rule(without(call, "data")))


@mutation("records.create.answers-record")
def a_new_record_is_answered_with_another_type() -> None:
    alter_value("records_create", lambda value: value["record"].update(typeSlug="record"))


@mutation("fields.object-record.types")
def the_amount_of_a_record_is_a_number() -> None:
    def amount(value: object) -> Any:
        return int(value) if isinstance(value, str | int | Decimal) and str(value).isdecimal() else None

    patch(records, "_cents", amount)


@mutation("answers.records-create")
def a_new_record_is_answered_without_its_wrapper() -> None:
    def bare(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        return Answer(answer.value["record"])

    wrap("records_create", bare)


@mutation("records.create.no-person")
def a_person_is_attached_whatever_the_type() -> None:
    person = records._person

    def attached(call: Call, object_type: ObjectType, data: Json, changes: Json) -> str | None:
        return person(call, replace(object_type, links_to_person=True), data, changes)

    patch(records, "_person", attached)


@mutation("records.create.no-person", also=("records.*",))
def an_empty_email_identifies_a_person() -> None:
    def attached(call: Call, object_type: ObjectType, data: Json, changes: Json) -> str | None:
        found = person(call, object_type, data, changes)
        return "rec_nobody" if found is None and object_type.links_to_person and "email" in data else found

    person = records._person
    patch(records, "_person", attached)


@mutation("records.create.unknown-type")
def a_type_is_found_by_its_beginning() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        known = [slug for slug in call.project.object_types if call.body["typeSlug"].startswith(slug)]
        return rule(with_body(call, typeSlug=known[0]) if known else call)

    wrap("records_create", found)


@mutation("records.create.free-form-data", also=("records.create.answers-record",))
def what_is_nested_in_data_becomes_text() -> None:
    def flat(rule: Handler, call: Call) -> Answer:
        data = call.body.get("data", {})
        texts = {name: str(value) if isinstance(value, dict | list) else value for name, value in data.items()}
        return rule(with_body(call, data=texts))

    wrap("records_create", flat)
