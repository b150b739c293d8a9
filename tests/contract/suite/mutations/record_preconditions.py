"""Broken preconditions of updates of object records (Endpoints 4, rule 2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import records
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support.containment import contains

from .mutation import Break, mutation, patch, with_body, without, wrap
from .record_updates import keep_what_failed

EXACT = "records.update.expected-data-exact"
STATUS = "records.update.expected-status-exact"
ALSO = ("records.update.*",)


def lenient(equal: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a containment in which scalars that a function accepts are equal, too."""

    def inside(value: Any, part: Any) -> bool:
        if isinstance(part, dict) and isinstance(value, dict):
            found = all(key in value and inside(value[key], part[key]) for key in part)
        elif isinstance(part, list) and isinstance(value, list):
            found = all(any(inside(item, other) for item in value) for other in part)
        else:
            found = contains({"value": value}, {"value": part})
        return found or equal(value, part)

    return inside


def texts(equal: Callable[[str, str], Any]) -> Callable[[Any, Any], bool]:
    """Return a comparison of texts that is false for other values."""
    return lambda value, part: isinstance(value, str) and isinstance(part, str) and bool(equal(value, part))


def same(form: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    """Return whether two values have the same form."""

    def compared(value: Any, part: Any) -> bool:
        with suppress(TypeError, ValueError, ArithmeticError):
            return bool(form(value) == form(part))
        return False

    return compared


def text_of(value: Any) -> Any:
    """Return a scalar as a text."""
    if isinstance(value, dict | list) or value is None:
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def number(value: Any) -> Any:
    """Return a number; fail for any other value."""
    if not isinstance(value, int | Decimal):
        raise TypeError
    return value


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "ignores_case": texts(lambda value, part: value.lower() == part.lower()),
    "ignores_surrounding_blanks": texts(lambda value, part: value.strip() == part.strip()),
    "joins_blanks": texts(lambda value, part: value.split() == part.split()),
    "normalizes_texts": texts(same(lambda value: unicodedata.normalize("NFC", value))),
    "ignores_accents": texts(
        same(lambda value: unicodedata.normalize("NFD", value).encode("ascii", "ignore").decode())
    ),
    "compares_prefixes": texts(lambda value, part: value.startswith(part)),
    "finds_texts": texts(lambda value, part: part in value),
    "finds_texts_in_the_expectation": texts(lambda value, part: part and value in part),
    "knows_wildcards": texts(lambda value, part: re.fullmatch(re.escape(part).replace("%", ".*"), value)),
    "knows_expressions": texts(lambda value, part: part.startswith("^") and re.search(part, value)),
    "compares_as_text": same(text_of),
    "compares_truth": lambda value, part: not isinstance(value, dict) and not value and not part,
    "takes_true_for_1": lambda value, part: not isinstance(value, str) and value == part,
    "rounds": same(lambda value: round(number(value))),
    "rounds_to_six_digits": same(lambda value: round(number(value), 6)),
    "compares_as_small_floats": same(lambda value: float(f"{number(value):.7g}")),
    "ignores_signs": same(lambda value: abs(number(value))),
    "ignores_null": lambda value, part: part is None,
    "compares_no_lists": lambda value, part: isinstance(part, list),
    "compares_the_length_of_lists": lambda value, part: (
        isinstance(value, list) and isinstance(part, list) and len(value) == len(part)
    ),
    "compares_no_objects_in_lists": lambda value, part: (
        isinstance(value, dict) and isinstance(part, dict) and "sku" in part
    ),
    "compares_kinds": lambda value, part: type(value) is type(part) and isinstance(value, int),
    "unwraps_single_items": lambda value, part: isinstance(part, list) and part == [value],
    "takes_empty_objects_for_anything": lambda value, part: part == {},
}


def comparison(name: str, equal: Callable[[Any, Any], bool]) -> Break:
    """Return a mutation of the comparison of values in preconditions."""

    def apply() -> None:
        patch(records, "contains", lenient(equal))

    apply.__name__ = f"a_precondition_{name}"
    return apply


for name, equal in COMPARISONS.items():
    mutation(EXACT, also=ALSO)(comparison(name, equal))


def keys_in_any_case(value: Any, part: Any) -> bool:
    """Return whether an object contains another one, whatever the case and the blanks of its keys."""
    known = {key.strip().lower(): member for key, member in value.items()}
    return all(key.strip().lower() in known and contains(known[key.strip().lower()], part[key]) for key in part)


def with_missing(default: Callable[[Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a containment in which a missing key matches some values, at any depth."""

    def inside(value: Any, part: Any) -> bool:
        if isinstance(part, dict) and isinstance(value, dict):
            return all(inside(value[key], part[key]) if key in value else default(part[key]) for key in part)
        return contains({"value": value}, {"value": part})

    return inside


def with_paths(value: Any, part: Any) -> bool:
    """Return whether an object contains another one, whose dotted keys are paths."""

    def found(key: str) -> Any:
        member: Any = value
        for name in key.split("."):
            member = member.get(name) if isinstance(member, dict) else None
        return member

    return all(contains(value, {key: part[key]}) or ("." in key and found(key) == part[key]) for key in part)


def to_a_depth(value: Any, part: Any, depth: int) -> bool:
    """Return whether an object contains another one, compared down to a depth."""
    if depth == 0:
        return True
    if isinstance(part, dict):
        return isinstance(value, dict) and all(
            key in value and to_a_depth(value[key], part[key], depth - 1) for key in part
        )
    return contains({"value": value}, {"value": part})


def first_members(value: Any, part: Any) -> bool:
    """Return whether an object contains the first fifty members of another one."""
    return contains(value, dict(list(part.items())[:50]))


CONTAINMENTS: dict[str, Callable[[Any, Any], bool]] = {
    "ignores_the_case_of_keys": keys_in_any_case,
    "takes_missing_for_false": with_missing(lambda expected: expected is False),
    "takes_missing_for_anything_empty": with_missing(lambda expected: expected is not None and not expected),
    "ignores_unknown_keys": with_missing(lambda expected: True),
    "ignores_unknown_keys_below": lambda value, part: (
        part.keys() <= value.keys() and with_missing(lambda expected: True)(value, part)
    ),
    "knows_paths": with_paths,
    "compares_two_levels": lambda value, part: to_a_depth(value, part, 2),
    "compares_ten_levels": lambda value, part: to_a_depth(value, part, 10),
    "compares_fifty_keys": first_members,
    "compares_the_first_key": lambda value, part: contains(value, dict(list(part.items())[:1])),
    "compares_the_last_key": lambda value, part: contains(value, dict(list(part.items())[-1:])),
    "needs_any_key": lambda value, part: not part or any(contains(value, {key: part[key]}) for key in part),
}


def containment(name: str, inside: Callable[[Any, Any], bool]) -> Break:
    """Return a mutation of the comparison of objects in preconditions."""

    def apply() -> None:
        patch(records, "contains", inside)

    apply.__name__ = f"a_precondition_{name}"
    return apply


for name, inside in CONTAINMENTS.items():
    mutation(EXACT, also=ALSO)(containment(name, inside))


@mutation("records.update.expected-null")
def a_precondition_takes_missing_for_null() -> None:
    patch(records, "contains", with_missing(lambda expected: expected is None))


@mutation("records.update.containment", also=ALSO)
def a_precondition_refuses_falsy_values() -> None:
    patch(records, "contains", lambda value, part: contains(value, part) and all(part.values()))


@mutation("records.update.containment", also=ALSO)
def a_precondition_of_nothing_is_stale() -> None:
    def never(rule: Handler, call: Call) -> Answer:
        if call.body.get("expectedData") == {}:
            raise ApiError(409, "Stale.", "stale_precondition")
        return rule(call)

    wrap("records_update", never)


@mutation("records.update.containment", also=ALSO)
def a_precondition_needs_the_order_of_keys() -> None:
    def ordered(value: Any, part: Any) -> bool:
        return contains(value, part) and list(part) == [key for key in value if key in part]

    patch(records, "contains", ordered)


@mutation("records.update.containment", also=ALSO)
def a_precondition_with_many_keys_is_stale() -> None:
    patch(records, "contains", lambda value, part: contains(value, part) and len(part) <= 50)


def only_if(condition: Callable[[dict[str, Any]], Any]) -> None:
    """Check preconditions only for bodies that meet a condition."""

    def checked(rule: Handler, call: Call) -> Answer:
        return rule(call if condition(call.body) else without(call, "expectedData", "expectedStatus"))

    wrap("records_update", checked)


ALWAYS = "records.update.precondition-always"


@mutation(ALWAYS, also=ALSO)
def a_precondition_needs_data() -> None:
    only_if(lambda body: body.get("data"))


@mutation(ALWAYS, also=ALSO)
def a_precondition_needs_no_external_id() -> None:
    only_if(lambda body: "externalId" not in body)


@mutation(ALWAYS, also=ALSO)
def a_precondition_applies_to_changed_keys_only() -> None:
    def changed(rule: Handler, call: Call) -> Answer:
        data, expected = call.body.get("data", {}), call.body.get("expectedData", {})
        return rule(with_body(call, expectedData={key: value for key, value in expected.items() if key in data}))

    wrap("records_update", changed)


@mutation(ALWAYS, also=ALSO)
def a_precondition_does_not_apply_to_deletions() -> None:
    only_if(lambda body: None not in body.get("data", {}).values())


@mutation(ALWAYS, also=ALSO)
def a_precondition_does_not_apply_without_changes() -> None:
    def changing(rule: Handler, call: Call) -> Answer:
        record = call.project.records.get(call.path["recordId"])
        data = call.body.get("data")
        same = record is not None and data is not None and contains(record["data"], data)
        return rule(without(call, "expectedData", "expectedStatus") if same else call)

    wrap("records_update", changing)


@mutation("records.update.expected-data-holds", also=ALSO)
def an_expectation_becomes_data() -> None:
    def merged(rule: Handler, call: Call) -> Answer:
        rule(call)
        return rule(with_body(without(call, "expectedData", "expectedStatus"), data=call.body.get("expectedData", {})))

    wrap("records_update", merged)


@mutation("records.update.expected-data-holds", also=ALSO)
def an_update_that_matches_changes_only_data() -> None:
    def data(rule: Handler, call: Call) -> Answer:
        return rule(without(call, "externalId") if "expectedData" in call.body else call)

    wrap("records_update", data)


@mutation("records.update.stale-unchanged", also=ALSO)
def a_conflict_stores_the_external_id() -> None:
    keep_what_failed()

    def applied(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            if refusal.status == 409:
                rule(without(call, "expectedData", "expectedStatus", "data"))
            raise

    wrap("records_update", applied)


@mutation("records.update.stale-unchanged", also=ALSO)
def a_stale_status_is_found_after_the_data_is_stored() -> None:
    keep_what_failed()

    def late(rule: Handler, call: Call) -> Answer:
        record = call.project.records.get(call.path["recordId"])
        answer = rule(without(call, "expectedStatus"))
        if record is not None and call.body.get("expectedStatus", record["status"]) != record["status"]:
            raise ApiError(409, "Stale.", "stale_precondition")
        return answer

    wrap("records_update", late)


@mutation("records.update.unknown-record", also=ALSO)
def a_record_is_found_by_the_beginning_of_its_identifier() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        known = [id for id in call.project.records if call.path["recordId"].startswith(id)]
        return rule(replace(call, path={**call.path, "recordId": known[0]}) if known else call)

    wrap("records_update", found)


def equal_status(equal: Callable[[str, str], bool]) -> Break:
    """Return a mutation of the comparison of `expectedStatus`."""

    def apply() -> None:
        def compared(rule: Handler, call: Call) -> Answer:
            record, expected = call.project.records.get(call.path["recordId"]), call.body.get("expectedStatus")
            if record is not None and expected is not None and equal(record["status"], expected):
                return rule(without(call, "expectedStatus"))
            return rule(call)

        wrap("records_update", compared)

    return apply


STATUSES: dict[str, Callable[[str, str], bool]] = {
    "ignores_case": lambda status, expected: status.lower() == expected.lower(),
    "ignores_blanks": lambda status, expected: status == expected.strip(),
    "ignores_an_empty_text": lambda status, expected: not expected,
    "compares_prefixes": lambda status, expected: bool(expected) and status.startswith(expected),
    "compares_suffixes": lambda status, expected: expected.startswith(status),
    "knows_wildcards": lambda status, expected: expected == "*",
    "knows_lists": lambda status, expected: status in expected.split(","),
}
for name, equal in STATUSES.items():
    apply = equal_status(equal)
    apply.__name__ = f"an_expected_status_{name}"
    mutation(STATUS, also=ALSO)(apply)


@mutation("records.update.expected-status-stale", also=ALSO)
def an_expected_status_is_checked_after_the_merge() -> None:
    def late(rule: Handler, call: Call) -> Answer:
        new, expected = call.body.get("data", {}).get("status"), call.body.get("expectedStatus")
        return rule(without(call, "expectedStatus") if new is not None and new == expected else call)

    wrap("records_update", late)


@mutation("records.update.expected-status-stale", "records.update.expected-status-holds", also=ALSO)
def an_expected_status_is_compared_with_the_first_one() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        expected = call.body.get("expectedStatus")
        if expected is None:
            return rule(call)
        if expected != "open":
            raise ApiError(409, "Stale.", "stale_precondition")
        return rule(without(call, "expectedStatus"))

    wrap("records_update", first)


@mutation("records.update.either-stale", also=ALSO)
def two_stale_preconditions_cancel_each_other() -> None:
    def both(rule: Handler, call: Call) -> Answer:
        record = call.project.records.get(call.path["recordId"])
        if record is not None and call.body.keys() >= {"expectedData", "expectedStatus"}:
            data = not contains(record["data"], call.body["expectedData"])
            if data and call.body["expectedStatus"] != record["status"]:
                return rule(without(call, "expectedData", "expectedStatus"))
        return rule(call)

    wrap("records_update", both)


@mutation("records.update.expected-status-holds", also=ALSO)
def two_preconditions_are_always_stale() -> None:
    def stale(rule: Handler, call: Call) -> Answer:
        if call.body.keys() >= {"expectedData", "expectedStatus"}:
            raise ApiError(409, "Stale.", "stale_precondition")
        return rule(call)

    wrap("records_update", stale)
