"""The model of a record after its updates so far, and the choice of its next update: values of all kinds, and preconditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random
from typing import Any, Final, cast

from ..support.covering import Row
from ..support.free_form import FALSY, KEYS, LISTS, NUMBERS, TEXTS, WORDS, deep
from ..support.json_equality import differences

RELATIONS: Final = ("absent", "empty", "some")
"""Kinds of relations."""

FACTORS: Final[dict[str, tuple[str, ...]]] = {
    "data": ("absent", "empty", "set", "delete", "set and delete", "objects", "the same", "status"),
    "externalId": ("absent", "new", "a text", "the same", "of another record"),
    "relations": RELATIONS,
    "expectedData": ("absent", "empty", "holds", "stale"),
    "expectedStatus": ("absent", "holds", "stale"),
}
"""Kinds of the members of an update."""

_KEYS: Final = (
    *("stage", "Stage", "a.b", "a", "$price", " surrounded ", "0", "constructor", "data", "externalId", "typeSlug"),
    *("createdAt", "caf\u00e9", "cafe\u0301", "\U0001f33e"),
)
_OBJECTS: Final[tuple[dict[str, Any], ...]] = (
    dict(KEYS),
    dict(FALSY),
    {"b": "nested", "c.d": {"e": [1, {"f": False}]}},
    {"b": {"c": 0}, "list": [{"a": 1}, {"a": 2}]},
    deep(6, {"value": "x", "list": []}),
    {"texts": dict(TEXTS)},
)
VALUES: Final[tuple[Any, ...]] = (
    *FALSY.values(),
    *WORDS,
    *TEXTS.values(),
    *NUMBERS.values(),
    *LISTS.values(),
    True,
    *_OBJECTS,
)
"""Values of data of all kinds."""

_SHORT: Final = 24  # Number of characters; with the tag of the run, an identifier then has at most 64.
EXTERNAL_TEXTS: Final = tuple(text for text in TEXTS.values() if text.isprintable() and len(text) <= _SHORT)
"""Texts within external identifiers: short ones without control characters, which any service can store."""

_STALE: Final = "a text that no value of these sequences is"
_RECENT: Final = 12  # Number of the latest values from which one is expected again.
_MEMBERS: Final = 3  # Maximum number of keys that an update sets or deletes.


class Values:
    """All values of data, one after the other, in random order."""

    def __init__(self, chance: Random) -> None:
        self._values: Iterator[Any] = cycle(chance.sample(VALUES, len(VALUES)))
        self._objects: Iterator[Any] = cycle(_OBJECTS)

    def next(self) -> Any:
        """Return the next value."""
        return next(self._values)

    def next_object(self) -> dict[str, Any]:
        """Return the next object."""
        return cast("dict[str, Any]", next(self._objects))


class RecordModel:
    """The model of a record.

    Args:
        record: The record as its creation shows it.
        chance: The source of all choices.
        values: The values of data.

    Attributes:
        record: The record, as the response to the last request that changed it shows it.
    """

    def __init__(self, record: dict[str, Any], chance: Random, values: Values) -> None:
        self.record = record
        self._chance = chance
        self._values = values
        self._sent = list(self.data.items())  # Keys and values of all requests, refused ones included.
        self._statuses = {str(record.get("status"))}
        self._deleted: list[str] = []
        self._gone: list[tuple[str, Any]] = []  # Keys and values that deletions removed.

    @property
    def data(self) -> dict[str, Any]:
        """The data of the record."""
        data: dict[str, Any] = self.record["data"]
        return data

    def body(self, row: Row, name: str, others: Sequence[RecordModel]) -> dict[str, Any]:
        """Return an update without relations.

        Args:
            row: The kind of each member, of `FACTORS`.
            name: A text that no other update has, with the tag of the run.
            others: Other records, the one that was updated last at the end.
        """
        body: dict[str, Any] = {}
        if row["data"] != "absent":
            body["data"] = self._changes(row["data"], name)
        if row["externalId"] != "absent":
            body["externalId"] = self._external_id(row["externalId"], name, others)
        if row["expectedData"] != "absent":
            body["expectedData"] = self._expected(row["expectedData"], body.get("data", {}), others)
        if row["expectedStatus"] != "absent":
            status = self.record["status"]
            earlier = sorted(self._statuses - {status})
            stale = (name, "", f"{status} ", status.swapcase() + "-", *earlier)
            body["expectedStatus"] = status if row["expectedStatus"] == "holds" else self._chance.choice(stale)
        self._sent += body.get("data", {}).items()
        return body

    def follow(self, after: dict[str, Any]) -> None:
        """Take a record as the new state."""
        gone = sorted(self.data.keys() - after["data"].keys())
        self._deleted += gone
        self._gone += [(key, self.data[key]) for key in gone]
        self.record = after
        self._statuses.add(str(after.get("status")))

    def _changes(self, kind: str, name: str) -> dict[str, Any]:
        keys = self._chance.sample(_KEYS, self._chance.randint(1, _MEMBERS))
        if self._deleted and self._chance.random() < 0.5:  # what comes back must not have what it had before
            keys.insert(0, self._deleted.pop())
        known = [key for key in self.data if key != "title"]
        match kind:
            case "empty":
                return {}
            case "set":
                return {key: self._values.next() for key in keys}
            case "objects":
                return {key: self._values.next_object() for key in keys}
            case "the same":
                return {key: self.data[key] for key in self._some(known)}
            case "status":
                return {"status": name}
            case _:
                gone = dict.fromkeys([*self._some(known), "a key that is not there"])
                if kind == "delete":
                    return gone
                first, *rest = keys  # an object and other values beside the nulls
                return {first: self._values.next_object(), **{key: self._values.next() for key in rest}, **gone}

    def _external_id(self, kind: str, name: str, others: Sequence[RecordModel]) -> str:
        same, other = self.record.get("externalId"), self._chance.choice(others).record.get("externalId")
        if kind == "a text":  # each with a letter beyond ASCII
            return f"x{self._chance.choice(EXTERNAL_TEXTS)}\u00f8 {name}"
        return {"new": name, "the same": same or name, "of another record": other or name}[kind]

    def _expected(self, kind: str, changes: dict[str, Any], others: Sequence[RecordModel]) -> dict[str, Any]:
        if kind == "empty":
            return {}
        holds = {key: self._part(self.data[key]) for key in self._some(list(self.data))}
        # Of a key that the update changes, the value before it is expected.
        holds |= {key: self.data[key] for key in [key for key in changes if key in self.data][:1]}
        if kind == "holds":
            return holds
        own = [*self._sent, *changes.items()]
        foreign = [item for other in others for item in other.data.items()]
        pools = [
            [item for item in pool if self._is_stale(*item)][-_RECENT:]
            for pool in (own, self._gone, self._gone, foreign)
        ]
        pools.append([(self._chance.choice(_KEYS), _STALE)])
        key, value = self._chance.choice(self._chance.choice([pool for pool in pools if pool]))
        return {**self._chance.choice((holds, {})), key: value}

    def _is_stale(self, key: str, value: Any) -> bool:
        """Return whether an expected value surely does not hold: what a scalar for an array means is not specified."""
        scalar = str | int | float
        if not isinstance(value, scalar):
            return False
        return key not in self.data or (isinstance(self.data[key], scalar) and differences(value, self.data[key]) != [])

    def _part(self, value: Any) -> Any:
        """Return a value, or some of the members of an object."""
        if not isinstance(value, dict):
            return value
        members = cast("dict[str, Any]", value)
        return {key: self._part(members[key]) for key in self._some(list(members))}

    def _some(self, names: list[str]) -> list[str]:
        return self._chance.sample(names, min(len(names), self._chance.randint(1, _MEMBERS)))
