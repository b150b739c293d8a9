"""Endpoints 4, rule 2: preconditions are compared with what the record has now, after its keys were replaced, emptied and deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from project_platform_contract.data.data_file import MissingError

from .support.free_form import FIELDS
from .support.json_equality import differences
from .support.preconditions import require_success
from .support.records import Records, record_of, status_of

_SEQUENCES: Final[Mapping[str, tuple[Any, ...]]] = {
    "text": ("open", "won", None, "lost", "", "open", None),
    "digits": ("1", "01", None, 1, "1", "1.0", None),
    "number": (1, 2, None, 3, 0, 1.5, None),
    "flag": (True, False, None, "true", True, 0, None),
    "list": (["a", "b"], ["a"], None, ["c"], [], ["b", {"a": 1}], None),
    "object": ({"a": 1, "b": {"c": "x"}}, {"a": 2}, None, {"b": {"c": "y"}}, "text", {"a": 1}, None),
    "site.city": ("Bonn", "Ulm", None, "K\u00f6ln", "bonn", "Bonn ", None),
    "site": ({"city": "Bonn", "zip": "1"}, {"city": "Ulm"}, {"city": None}, {"city": ""}, None, {"city": "Bonn"}, {}),
    "lines": ([{"sku": "a"}], [{"sku": "b"}, {"sku": "c"}], None, [{"sku": "c"}], [], [{"sku": "a", "n": 1}], None),
    "id": ("a", "b", None, "c", "", "a", None),
}
"""By key: its values, one after the other; a null deletes the key."""

_STEPS: Final = len(_SEQUENCES["text"])


@pytest.mark.rule("records.update.expected-data-stale")
def test_earlier_values_of_a_key_are_stale(records: Records) -> None:
    """One at a time, alone and beside one that holds; an update that is refused leaves no value that could be expected."""
    record = records.create(_values(0))
    data: dict[str, Any] = record["data"]
    for step in range(1, _STEPS):
        before = data
        data = record_of(require_success(records.update(record, data=_values(step))))["data"]
        holds = {"title": data["title"]} if step % 2 else {}
        for key, value in _stale(step, data):
            response = records.update(record, data={key: "late"}, expectedData={**holds, key: value})
            assert response.status_code == 409, f"step {step}: {key} was {value!r}: {response.status_code}"
        for expected in (before, {"text": "late"}):
            if any(_is_stale(value, data, key) for key, value in expected.items()):
                late = records.update(record, data={"text": "late"}, expectedData=expected)
                assert late.status_code == 409, f"step {step}: {expected!r}: {late.status_code}"


@pytest.mark.rule("records.update.expected-data-holds")
def test_the_latest_values_of_all_keys_hold(records: Records) -> None:
    """In the same update as the next values, and whatever was refused before."""
    record = records.create(_values(0))
    held: dict[str, Any] = record["data"]
    for step in range(1, _STEPS):
        response = records.update(record, data=_values(step), expectedData=held)
        assert response.is_success, f"step {step}: {response.status_code}"
        data = record_of(response)["data"]
        records.update(record, data={"text": "late"}, expectedData={"text": "never"})
        held = {key: value for key, value in data.items() if not isinstance(value, dict) or None not in value.values()}
        again = records.update(record, expectedData=held)
        assert again.is_success, f"step {step}: {again.status_code}"
        assert differences(data, record_of(again)["data"]) == [], step


@pytest.mark.rule("records.update.null-deletes")
def test_keys_that_serializers_know_can_be_deleted(records: Records) -> None:
    """Some of them, then all."""
    record = records.create(dict(FIELDS))
    first, left = list(FIELDS)[::2], list(FIELDS)[1::2]

    some = record_of(require_success(records.update(record, data=dict.fromkeys(first))))["data"]
    assert differences({key: value for key, value in record["data"].items() if key not in first}, some) == []
    none = record_of(require_success(records.update(record, data=dict.fromkeys(left))))["data"]

    assert differences({key: value for key, value in record["data"].items() if key not in FIELDS}, none) == []


@pytest.mark.rule("records.update.expected-data-stale")
def test_keys_that_serializers_know_cannot_be_expected_once_they_are_deleted(records: Records) -> None:
    """Alone, and beside one that is left."""
    record = records.create(dict(FIELDS))
    gone, left = list(FIELDS)[::2], list(FIELDS)[1::2]
    after = record_of(require_success(records.update(record, data=dict.fromkeys(gone))))
    if after["data"].keys() & set(gone):
        raise MissingError("a key whose value is null was not deleted")
    expected: list[dict[str, Any]] = [{name: FIELDS[name]} for name in gone[::12]]
    expected += [{left[0]: FIELDS[left[0]], name: FIELDS[name]} for name in gone[6::24]]

    require_success(records.update(record, relations={}, expectedData={name: FIELDS[name] for name in left}))
    statuses = {str(data): records.update(record, relations={}, expectedData=data).status_code for data in expected}

    assert statuses == dict.fromkeys(statuses, 409)


@pytest.mark.rule("records.update.expected-status-stale", "records.update.expected-status-holds")
def test_earlier_statuses_are_stale(records: Records) -> None:
    """Also after a status has returned, or is no longer in the data."""
    record = records.create({"status": "contract-a"})
    seen = [status_of(record)]
    for value in ("contract-b", "contract-c", "contract-b", None, "contract-d"):
        record = record_of(require_success(records.update(record, data={"status": value})))
        if record.get("status") == seen[-1] != value and len(seen) == 1:
            raise MissingError("the status of a record does not change with `status` in its data")
        if isinstance(record.get("status"), str):
            assert records.update(record, relations={}, expectedStatus=record["status"]).is_success, value
        earlier = sorted({status for status in seen if status != record.get("status")})
        answers = [records.update(record, relations={}, expectedStatus=status).status_code for status in earlier]
        assert answers == [409] * len(earlier), f"{earlier} after {value}"
        seen.append(str(record.get("status")))


def _values(step: int) -> dict[str, Any]:
    """Return the values of an update; every other key is one value ahead."""
    return {key: values[(step + number % 2) % _STEPS] for number, (key, values) in enumerate(_SEQUENCES.items())}


def _stale(step: int, data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the first and the latest of the earlier values of each key that are surely stale."""
    for earlier in {0, step - 1} if step % 2 else {step - 1}:
        for key, value in _values(earlier).items():
            if value is not None and _is_stale(value, data, key):
                yield key, value


def _is_stale(value: Any, data: Mapping[str, Any], key: str) -> bool:
    """Return whether a value is surely not contained: whether an array contains a scalar or a part of it is not specified."""
    if key not in data:
        return value is not None
    now = data[key]
    if isinstance(value, dict) and isinstance(now, dict):
        return any(_is_stale(part, now, name) for name, part in value.items())
    if isinstance(now, list):
        items = value if isinstance(value, list) else []
        return any(all(_differs(item, other) for other in now) for item in items)
    return value is not None and differences(value, now) != []


def _differs(item: Any, other: Any) -> bool:
    """Return whether an element of an array is surely not contained in another one."""
    if isinstance(item, dict) and isinstance(other, dict):
        return any(_is_stale(part, other, name) for name, part in item.items())
    return differences(item, other) != []
