"""Resources, Object record; Endpoints 3 and 4: values of data are stored unchanged, whether created or updated."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.schema import fields_of

from .support.free_form import FALSY, SMALL, free_form
from .support.json_equality import differences, lost
from .support.preconditions import accepted, require_success
from .support.reading import refused
from .support.records import Records, lasting, record_of

_TRUTHY = {"number": 7, "text": "text", "true": True, "list": [1], "object": {"a": 1}}
_LENGTHS = (256, 1001, 5_000, 70_000)  # Beyond the usual sizes of columns: 255, 1000, 4096 and 65535.
_ALMOST_EQUAL: tuple[Any, ...] = (
    *(0, "0", "0.0", "00", "-0", " 0", False, "false", "", " ", "null", [], [0], ["0"], "[]"),
    *(1, "1", "1.0", "01", "1e0", True, "true", "True", [1], [True], {"a": 1}, {"a": "1"}, {"a": True}),
    *("text", "Text", "text ", "t\u00e9xt", "te\u0301xt", "text\n", ["text"], {"a": "text"}),
    *("2026-11-22", "2026-11-22T00:00:00Z", "2026-11-22T00:00:00.000Z", "2026-11-22T01:00:00+01:00"),
)
"""Values that are equal for some comparison; the objects have the same member, so that one replaces or is merged into another alike."""
# Members from which a service may compute its own fields of a record, which are texts.
_TITLES: tuple[dict[str, Any], ...] = (
    *({"title": 42}, {"title": ["a"]}, {"title": "", "name": 7}),
    {"amount": 12.5, "currency": 978, "status": 1, "displayName": {"a": 1}, "occurredAt": 1795341600},
)


@pytest.mark.rule("records.create.free-form-data")
def test_any_json_is_created_unchanged(records: Records) -> None:
    """In the response, and when it is read."""
    sent = free_form()

    record = records.create(sent)

    assert lost(sent, record["data"]) == []
    assert differences(record["data"], records.read(record)["data"]) == []


@pytest.mark.rule("records.create.free-form-data")
def test_small_data_are_created_unchanged(records: Records) -> None:
    """They are all data of the record. The type of the record may require others."""
    created = 0
    for data in (*SMALL, *_TITLES):
        response = records.post(data=data)
        if not refused(response):
            created += 1
            assert lost(data, record_of(require_success(response))["data"]) == [], data

    if not created:
        raise MissingError("no record without a title was created")


@pytest.mark.rule("records.update.free-form-data")
def test_any_json_is_updated_unchanged_whatever_the_record_is_linked_to(records: Records, tag: str) -> None:
    email = records.email()
    sent = {**free_form(), "email": email.upper()}
    record = records.linked({"email": email, "phone": "030 1"}, externalId=f"{tag}-any-json-updated")

    _require_stored(records, record, sent)


def _require_stored(records: Records, record: dict[str, Any], sent: dict[str, Any]) -> None:
    """Update data, and require that the response has the values, and that they are stored."""
    response = records.update(record, data=sent)
    for after in (record_of(accepted(response)), records.read(record)):
        assert lost({**record["data"], **sent}, after["data"]) == []


@pytest.mark.rule("records.create.free-form-data")
def test_keys_that_parsers_refuse_are_stored_or_refused(records: Records, tag: str) -> None:
    """They are not dropped, at no depth; some parsers of JSON refuse them."""
    for key in ("__proto__", ""):
        for sent in ({key: {"a": 1}}, {"below": {key: {"a": 1}}, "list": [{key: "a"}]}):
            response = records.post(data={"title": tag, **sent})
            assert refused(response) or lost(sent, record_of(response)["data"]) == [], sent


@pytest.mark.rule("records.create.long-values")
def test_long_values_are_not_cut(records: Records, tag: str) -> None:
    sent = {f"{length} characters": "x" * (length - 1) + "y" for length in _LENGTHS}

    created = records.post(data={"title": tag, **sent})

    assert lost(sent, record_of(accepted(created))["data"]) == []
    assert lost(sent, records.read(record_of(created))["data"]) == []


@pytest.mark.rule("records.create.large-integers")
def test_integers_beyond_doubles_are_exact(records: Records) -> None:
    sent = {"above": 9007199254740993, "below": -9007199254740995, "far": 123456789012345678901234567890}

    assert lost(sent, records.read(records.create(sent))["data"]) == []


@pytest.mark.rule("records.update.falsy-values")
def test_falsy_values_replace_other_values(records: Records) -> None:
    """Of each kind, in one update. An empty object may be merged into an object, so it replaces only other values."""
    before = {f"{old}, then {new}": value for old, value in _TRUTHY.items() for new in FALSY}
    sent = {
        f"{old}, then {new}": value
        for old in _TRUTHY
        for new, value in FALSY.items()
        if (old, new) != ("object", "empty object")
    }
    record = records.create(before)

    _require_stored(records, record, sent)


@pytest.mark.rule("records.update.merge")
def test_a_value_is_replaced_by_one_that_is_almost_equal(records: Records) -> None:
    """Each by each other one, in one update: a service that skips what did not change must compare exactly."""
    pairs = {f"{old!r}, then {new!r}": (old, new) for old, new in permutations(_ALMOST_EQUAL, 2)}
    record = records.create({name: old for name, (old, _) in pairs.items()})
    sent = {name: new for name, (_, new) in pairs.items()}

    _require_stored(records, record, sent)


@pytest.mark.rule("records.update.only-addressed")
def test_another_record_does_not_change(records: Records, data: Data, tag: str) -> None:
    """Although it has the same type, data and person and, where the service allows that, the same externalId."""
    type = data.values.get("linked_object_type") or data["object_type"]
    same = {"stage": "open", "email": records.email()}
    twin, record = (
        records.create(same, typeSlug=type, externalId=f"{tag}-{name}") for name in ("twin", "another twin")
    )
    records.update(record, externalId=twin["externalId"])

    accepted(records.update(record, data={"stage": "won", "title": None}))

    assert differences(lasting(twin), lasting(records.read(twin))) == []


@pytest.mark.rule("records.create.relations")
def test_relations_of_a_new_record_do_not_become_data(records: Records, tag: str) -> None:
    """The specification does not show their members, so the service may refuse these."""
    other = records.create({"stage": "open"}, relations={})

    created = records.post(data={"title": tag, "stage": "open"}, relations={"contract": other["id"]})

    if created.is_success:
        assert record_of(created)["data"].get("contract") != other["id"]


@pytest.mark.rule("records.update.relations")
def test_relations_do_not_become_data(records: Records) -> None:
    """The service may refuse these, too; it then changes nothing."""
    other, record = records.create(), records.create({"stage": "open"})

    records.update(record, relations={"contract": other["id"], "stage": other["id"]})

    assert differences(lasting(record), lasting(records.read(record))) == []


@pytest.mark.rule("records.update.other-fields")
def test_an_update_sets_only_the_fields_of_its_body(records: Records) -> None:
    """Other fields are ignored, or the update is refused."""
    record = records.create({"stage": "open"})
    require_success(records.update(record, data={"note": "before"}))
    others = {
        **dict.fromkeys({*fields_of("ObjectRecord")} - {"typeSlug", "externalId", "data"}, "contract"),
        **dict.fromkeys(("createdAt", "updatedAt", "occurredAt"), "2001-01-01T00:00:00Z"),
        **dict.fromkeys(("personRefId", "companyRefId"), record["id"]),
        "id": f"{record['id']}-other",
        "amountCents": "1",
        "currency": "XXX",
    }

    records.update(record, data={"note": "before"}, **others)

    after = records.read(record)
    assert {name: after.get(name) for name in others if after.get(name) == others[name]} == {}


@pytest.mark.rule("records.create.empty-key")
def test_a_key_may_be_empty(records: Records, tag: str) -> None:
    response = records.post(data={"title": tag, "": "open"})

    assert response.is_success
    assert record_of(response)["data"].get("") == "open"
