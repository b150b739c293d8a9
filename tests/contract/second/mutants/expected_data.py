"""Preconditions of record updates that compare only a part of what is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import records
from ..service.app import Refusal

preconditions = Kind("preconditions")


CONTAINMENT = "`expectedData` is a JSON containment precondition"


STALE = "When either is stale, the response is 409 and the record is unchanged."


STATUS = "`expectedStatus` is a status precondition"


original = records.contains


original_stale = records.stale_data


def at_the_top(name: str, change: Callable[[Json, Json], Json]) -> None:
    """Register a mutant that compares only a part of expectedData, given the data and expectedData."""

    def apply() -> None:
        def stale(record: Json, body: Json) -> bool:
            if "expectedData" not in body:
                return False
            return not original(record["data"], change(record["data"], body["expectedData"]))

        patch(records, "stale_data", stale)

    preconditions.add(name, "records_update", CONTAINMENT, apply)


def cut(value: Any, depth: int) -> Any:
    """Return a value without what is below a depth."""
    if not isinstance(value, dict):
        return value
    return {key: cut(part, depth - 1) for key, part in value.items()} if depth else {}


at_the_top("expected members below the second level are not compared", lambda data, want: cut(want, 2))


at_the_top("expected members below the fourth level are not compared", lambda data, want: cut(want, 4))


at_the_top("only the first expected member is compared", lambda data, want: dict(list(want.items())[:1]))


at_the_top("only ten expected members are compared", lambda data, want: dict(list(want.items())[:10]))


at_the_top(
    "falsy expected values are not compared", lambda data, want: {key: part for key, part in want.items() if part}
)


at_the_top(
    "expected keys that the record lacks are not compared",
    lambda data, want: {key: part for key, part in want.items() if key in data},
)


@preconditions("records_update", CONTAINMENT)
def expected_keys_are_compared_without_case() -> None:
    def contains(have: Any, want: Any) -> bool:
        if isinstance(have, dict) and isinstance(want, dict):
            have = {key.lower(): value for key, value in have.items()}
            want = {key.lower(): value for key, value in want.items()}
        return original(have, want)

    patch(records, "contains", contains)


@preconditions("records_update", CONTAINMENT)
def a_dot_in_an_expected_key_is_a_path() -> None:
    def reached(data: Any, path: list[str]) -> Any:
        for part in path:
            data = data.get(part) if isinstance(data, dict) else None
        return data

    def stale(record: Json, body: Json) -> bool:
        want = body.get("expectedData", {})
        return not all(
            original(reached(record["data"], key.split(".")), part) for key, part in want.items() if "." in key
        ) or not original(record["data"], {key: part for key, part in want.items() if "." not in key})

    patch(records, "stale_data", stale)


def compared(name: str, compare: Callable[[Json, Json], Json], sentence: str = CONTAINMENT) -> None:
    """Register a mutant that leaves out members of expectedData, given the body."""

    def apply() -> None:
        patch(records, "stale_data", lambda record, body: original_stale(record, compare(record, body)))

    preconditions.add(name, "records_update", sentence, apply)


def without(body: Json, *names: str) -> Json:
    """Return a body without some members."""
    return {name: value for name, value in body.items() if name not in names}


def keys(body: Json, *, changed: bool) -> Json:
    """Return a body whose expectedData has only keys that the update changes, or only the others."""
    if "expectedData" not in body:
        return body
    want = {key: part for key, part in body["expectedData"].items() if (key in body.get("data", {})) is changed}
    return {**body, "expectedData": want}


compared("expected keys that the update changes are not compared", lambda record, body: keys(body, changed=False))


compared("expected keys that the update does not touch are not compared", lambda record, body: keys(body, changed=True))


compared(
    "expected data without new data are not compared",
    lambda record, body: body if body.get("data") else without(body, "expectedData"),
    STALE,
)


compared(
    "expected data of an update that changes nothing are not compared",
    lambda record, body: (
        without(body, "expectedData")
        if records.merged(record["data"], body.get("data", {})) == record["data"]
        else body
    ),
    STALE,
)


@preconditions("records_update", STALE)
def a_precondition_is_checked_against_the_first_version() -> None:
    first: dict[str, Json] = {}

    def stale(record: Json, body: Json) -> bool:
        return original_stale({"data": first.setdefault(record["id"], record["data"])}, body)

    patch(records, "stale_data", stale)


def status(name: str, stale: Callable[[str, str], bool], sentence: str = STATUS) -> None:
    """Register a mutant with another comparison of the status and expectedStatus."""

    def apply() -> None:
        patch(
            records,
            "stale_status",
            lambda record, body: "expectedStatus" in body and stale(record["status"], body["expectedStatus"]),
        )

    preconditions.add(name, "records_update", sentence, apply)


status("an expected status is compared without case", lambda have, want: have.lower() != want.lower())


status("an expected status is compared without blanks around it", lambda have, want: have != want.strip())


status("an expected status may be a prefix", lambda have, want: not have.startswith(want))


status("an empty expected status is not compared", lambda have, want: want not in {"", have})


@preconditions("records_update", STALE)
def an_expected_status_alone_is_not_compared() -> None:
    compare = records.stale_status
    patch(records, "stale_status", lambda record, body: "expectedData" in body and compare(record, body))


def on_conflict(name: str, do: Callable[[Any, Json, Json], None]) -> None:
    """Register a mutant that changes a record although the precondition is stale."""

    def apply() -> None:
        def changed(perform: Any, call: Any) -> Any:
            try:
                return perform(call)
            except Refusal as refusal:
                if refusal.status == 409:
                    do(call, call.world.records[call.project, call.path["recordId"]], call.body)
                raise

        wrap("records_update", changed)

    preconditions.add(name, "records_update", STALE, apply)


on_conflict(
    "a stale update sets the external id",
    lambda call, record, body: record.update(externalId=body.get("externalId", record["externalId"])),
)


on_conflict(
    "a stale update adds new keys",
    lambda call, record, body: record.update(data={**body.get("data", {}), **record["data"]}),
)


on_conflict(
    "a stale update deletes keys",
    lambda call, record, body: record.update(
        data={key: value for key, value in record["data"].items() if body.get("data", {}).get(key, "") is not None}
    ),
)


on_conflict("a stale update sets the status", lambda call, record, body: record.update(status="conflicted"))
