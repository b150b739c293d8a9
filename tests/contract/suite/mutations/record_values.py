"""Broken storage of free-form data, external identifiers and relations of object records (Endpoints 3 and 4)."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from project_platform_stub.operations import records
from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import Break, mutation, patch, with_body, without, wrap

CREATED = "records.create.free-form-data"
UPDATED = "records.update.free-form-data"
ALSO = ("records.*",)


def stored(change: Callable[[Any], Any], *operations: str) -> None:
    """Change the data that operations store; the change gets the whole data."""
    for operation in operations or ("records_create", "records_update"):

        def altered(rule: Handler, call: Call) -> Answer:
            return rule(with_body(call, data=change(call.body["data"])) if "data" in call.body else call)

        wrap(operation, altered)


def each(change: Callable[[Any], Any], value: Any) -> Any:
    """Return a value with all values changed that are neither objects nor lists, at any depth."""
    match value:
        case dict():
            return {key: each(change, member) for key, member in value.items()}
        case list():
            return [each(change, item) for item in value]
        case _:
            return change(value)


def text(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """Return a function that changes texts, and returns other values unchanged."""
    return lambda value: change(value) if isinstance(value, str) else value


def top(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that changes the members of an object, not those of the objects in it."""
    return lambda data: {key: change(value) for key, value in data.items()}


def keys(change: Callable[[str], str], value: Any) -> Any:
    """Return a value with all keys changed, at any depth."""
    match value:
        case dict():
            return {change(key): keys(change, member) for key, member in value.items()}
        case list():
            return [keys(change, item) for item in value]
        case _:
            return value


def rounded(value: Any) -> Any:
    """Return a number with two decimals at most."""
    return round(value, 2) if isinstance(value, Decimal | float) else value


def limited(value: Any, depth: int) -> Any:
    """Return a value without objects below a depth."""
    if isinstance(value, dict):
        return {key: limited(member, depth - 1) for key, member in value.items()} if depth else {}
    return value


def split(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data with dotted keys as nested objects."""
    result: dict[str, Any] = {}
    for key, value in data.items():
        *path, last = key.split(".")
        target = result
        for part in path:
            target[part] = target = dict(found) if isinstance(found := target.get(part), dict) else {}
        target[last] = value
    return result


TEXTS: dict[str, Callable[[Any], Any]] = {
    "trims_texts_at_the_top": top(text(str.strip)),
    "trims_texts_at_any_depth": lambda data: each(text(str.strip), data),
    "composes_texts": lambda data: each(text(lambda value: unicodedata.normalize("NFC", value)), data),
    "decomposes_texts": top(text(lambda value: unicodedata.normalize("NFD", value))),
    "replaces_compatibility_characters": top(text(lambda value: unicodedata.normalize("NFKC", value))),
    "escapes_markup": top(text(lambda value: html.escape(value, quote=False))),
    "decodes_entities": top(text(html.unescape)),
    "joins_blanks": top(
        text(lambda value: " ".join(value.split(" ")) if "  " not in value else value.replace("  ", " "))
    ),
    "changes_line_ends": top(text(lambda value: value.replace("\r\n", "\n"))),
    "loses_astral_characters": top(text(lambda value: "".join(c if ord(c) < 0x10000 else "\ufffd" for c in value))),
    "loses_invisible_characters": top(text(lambda value: value.replace("\u200b", "").replace("\ufeff", ""))),
    "reads_numbers_in_texts": top(text(lambda value: int(value) if value.isdecimal() else value)),  # type: ignore[arg-type,return-value]
}
VALUES: dict[str, Callable[[Any], Any]] = {
    "rounds_numbers": lambda data: each(rounded, data),
    "cuts_fractions": top(lambda value: int(value) if isinstance(value, Decimal) else value),
    "stores_small_integers": top(lambda value: value % 2**31 if type(value) is int else value),
    "stores_booleans_as_numbers": lambda data: each(
        lambda value: int(value) if isinstance(value, bool) else value, data
    ),
    "drops_falsy_values": lambda data: {key: value for key, value in data.items() if value},
    "drops_empty_texts": lambda data: {key: value for key, value in data.items() if value != ""},
    "drops_empty_objects": lambda data: {key: value for key, value in data.items() if value != {}},
    "drops_false": lambda data: {key: value for key, value in data.items() if value is not False},
    "sorts_lists": top(lambda value: sorted(value, key=str) if isinstance(value, list) else value),
    "removes_duplicates": top(
        lambda value: (
            [item for n, item in enumerate(value) if item not in value[:n]] if isinstance(value, list) else value
        )
    ),
    "cuts_lists": top(lambda value: value[:100] if isinstance(value, list) else value),
    "unwraps_single_items": top(lambda value: value[0] if isinstance(value, list) and len(value) == 1 else value),
    "stores_five_levels": lambda data: limited(data, 5),
    "stores_a_hundred_members": lambda data: {
        key: dict(list(value.items())[:100]) if isinstance(value, dict) else value for key, value in data.items()
    },
}
KEYS: dict[str, Callable[[Any], Any]] = {
    "trims_keys": lambda data: keys(str.strip, data),
    "lowers_keys": lambda data: keys(str.lower, data),
    "writes_keys_in_camel_case": lambda data: keys(
        lambda key: (parts := key.split("_"))[0] + "".join(map(str.title, parts[1:])), data
    ),
    "normalizes_keys": lambda data: keys(lambda key: unicodedata.normalize("NFC", key), data),
    "splits_keys_at_dots": split,
    "drops_keys_with_a_dollar_sign": lambda data: {
        key: value for key, value in data.items() if not key.startswith("$")
    },
    "cuts_keys": lambda data: keys(lambda key: key[:64], data),
    "reads_keys_as_numbers": lambda data: keys(lambda key: str(int(key)) if key.isdecimal() else key, data),
}


def defect(name: str, change: Callable[[Any], Any], *operations: str) -> Break:
    """Return a mutation that changes the data that operations store."""

    def apply() -> None:
        stored(change, *operations)

    apply.__name__ = f"data_{name}"
    return apply


DEFECTS = {**TEXTS, **VALUES, **KEYS}
for name, change in DEFECTS.items():
    mutation(CREATED, also=ALSO)(defect(name, change))
for name in ("trims_texts_at_any_depth", "rounds_numbers", "drops_empty_objects", "removes_duplicates", "trims_keys"):
    mutation(UPDATED, also=ALSO)(defect(f"{name}_in_updates", DEFECTS[name], "records_update"))


@mutation("records.create.long-values", also=ALSO)
def data_cuts_texts_at_255_characters() -> None:
    stored(lambda data: each(text(lambda value: value[:255]), data))


@mutation("records.create.long-values")
def data_cuts_texts_at_65535_characters() -> None:
    stored(lambda data: each(text(lambda value: value[:65535]), data))


@mutation("records.create.large-integers", also=("records.create.free-form-data", "records.update.free-form-data"))
def integers_are_doubles() -> None:
    stored(lambda data: each(lambda value: int(float(value)) if type(value) is int else value, data))


@mutation("records.update.falsy-values", also=ALSO)
def falsy_values_are_not_applied() -> None:
    stored(lambda data: {key: value for key, value in data.items() if value or value is None}, "records_update")


@mutation("records.update.falsy-values", also=ALSO)
def zero_is_not_applied() -> None:
    stored(
        lambda data: {key: value for key, value in data.items() if type(value) is not int or value}, "records_update"
    )


@mutation("records.update.falsy-values", also=ALSO)
def falsy_values_are_not_replaced() -> None:
    merge = records.merged_data

    def merged(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Any) -> dict[str, Any]:
        kept = {key: value for key, value in document.items() if not value and changes.get(key) is not None}
        return {**merge(document, changes, profile), **kept}

    patch(records, "merged_data", merged)


@mutation("records.update.null-deletes", also=("records.update.sequence",))
def a_null_deletes_no_falsy_value() -> None:
    merge = records.merged_data

    def merged(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Any) -> dict[str, Any]:
        return merge(document, {k: v for k, v in changes.items() if v is not None or document.get(k)}, profile)

    patch(records, "merged_data", merged)


@mutation("records.update.null-deletes", also=ALSO)
def a_null_deletes_keys_in_any_case() -> None:
    merge = records.merged_data

    def merged(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Any) -> dict[str, Any]:
        gone = {key.lower() for key, value in changes.items() if value is None}
        return {key: v for key, v in merge(document, changes, profile).items() if key.lower() not in gone}

    patch(records, "merged_data", merged)


@mutation("records.update.merge", also=ALSO)
def a_dotted_key_is_a_path() -> None:
    merge = records.merged_data

    def merged(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Any) -> dict[str, Any]:
        dotted = {key: value for key, value in changes.items() if "." in key and isinstance(value, int)}
        result = merge(document, {key: value for key, value in changes.items() if key not in dotted}, profile)
        for key, value in dotted.items():
            first, _, rest = key.partition(".")
            below = result.get(first)
            result[first] = {**(below if isinstance(below, dict) else {}), rest: value}
        return result

    patch(records, "merged_data", merged)


@mutation("records.update.merge", also=ALSO)
def lists_are_joined() -> None:
    merge = records.merged_data

    def merged(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Any) -> dict[str, Any]:
        lists = {
            key: [*document[key], *(item for item in value if item not in document[key])]
            for key, value in changes.items()
            if isinstance(value, list) and isinstance(document.get(key), list)
        }
        return merge(document, {**changes, **lists}, profile)

    patch(records, "merged_data", merged)


@mutation("records.update.only-addressed", also=ALSO)
def an_update_changes_all_records_of_the_type() -> None:
    def everywhere(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        record = answer.value["record"]
        if "data" in call.body:
            for other in list(call.project.records.values()):
                if other["typeSlug"] == record["typeSlug"] and str(other["externalId"]).find("-twin") > 0:
                    call.project.records[other["id"]] = {**other, "data": record["data"]}
        return answer

    wrap("records_update", everywhere)


@mutation("records.update.answers-record", also=ALSO)
def an_update_changes_the_time_of_creation() -> None:
    changed = records._changed

    def created(call: Call, record: Any) -> Any:
        updated = {**changed(call, record), "createdAt": "2020-01-01T00:00:00Z"}
        call.project.records[record["id"]] = updated
        return updated

    patch(records, "_changed", created)


@mutation("records.update.external-id", also=ALSO)
def an_update_without_data_clears_the_data() -> None:
    def cleared(rule: Handler, call: Call) -> Answer:
        if "externalId" in call.body and "data" not in call.body:
            record = call.project.records[call.path["recordId"]]
            return rule(with_body(call, data=dict.fromkeys(record["data"])))
        return rule(call)

    wrap("records_update", cleared)


@mutation("records.update.external-id")
def an_empty_external_id_is_ignored() -> None:
    def ignored(rule: Handler, call: Call) -> Answer:
        return rule(call if call.body.get("externalId") else without(call, "externalId"))

    wrap("records_update", ignored)


def alter_external_id(operation: str, change: Callable[[str], Any]) -> None:
    """Change the external identifier that an operation stores."""

    def altered(rule: Handler, call: Call) -> Answer:
        if "externalId" not in call.body:
            return rule(call)
        return rule(with_body(call, externalId=change(call.body["externalId"])))

    wrap(operation, altered)


@mutation("records.create.external-id", also=ALSO)
def external_ids_are_in_lower_case() -> None:
    alter_external_id("records_create", str.lower)


@mutation("records.create.external-id", also=ALSO)
def external_ids_are_normalized() -> None:
    alter_external_id("records_create", lambda value: unicodedata.normalize("NFC", value))


@mutation("records.update.external-id", also=ALSO)
def external_ids_are_decoded() -> None:
    alter_external_id("records_update", lambda value: value.replace("%20", " "))


@mutation("records.create.relations", also=ALSO)
def relations_of_a_new_record_become_data() -> None:
    def mixed(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, data={**call.body.get("data", {}), **call.body.get("relations", {})}))

    wrap("records_create", mixed)


@mutation("records.update.relations", also=ALSO)
def relations_of_an_update_become_data() -> None:
    def mixed(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, data={**call.body.get("data", {}), **call.body.get("relations", {})}))

    wrap("records_update", mixed)


@mutation("records.update.relations", also=ALSO)
def an_update_of_relations_ignores_other_fields() -> None:
    def alone(rule: Handler, call: Call) -> Answer:
        return rule(without(call, "data", "externalId") if "relations" in call.body else call)

    wrap("records_update", alone)
