"""Endpoints 4, rules 1 and 2: sequences of updates, compared with a model of the record.

The sequences are random, and the same in every run. They avoid what the specification leaves open: an object for an object, which
may be merged into it, a null below the top level, and a part of a list in `expectedData`.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final, cast

import pytest

from .support.free_form import FALSY, KEYS, LISTS, NUMBERS, TEXTS
from .support.json_equality import differences, lost
from .support.records import Records, record_of

_SEQUENCES: Final = 4
_UPDATES: Final = 12
_KEYS: Final = 14  # Few keys, so that each is set, deleted and set again.
_MEMBERS: Final = 4  # Maximum number of keys of an update, and of members of an object.
_VALUES: Final = (*FALSY.values(), *TEXTS.values(), *NUMBERS.values(), *LISTS.values(), True)
_STALE: Final = "a text that no value of these sequences is"


class Model:
    """What the data of a record should be, and the choice of its next update.

    Args:
        chance: The source of all choices.
        data: The data of the new record.
    """

    def __init__(self, chance: Random, data: dict[str, Any]) -> None:
        self.data = data
        self._chance = chance
        self._keys = chance.sample(list(KEYS), _KEYS)

    def changes(self) -> dict[str, Any]:
        """Return what the next update sends as data: values and deletions, of keys that exist or do not."""
        keys = self._chance.sample(self._keys, self._chance.randint(0, _MEMBERS))
        return {key: self._change(self.data.get(key)) for key in keys}

    def _change(self, before: Any) -> Any:
        if self._chance.random() < 0.3:  # often enough to delete keys twice
            return None
        new = self._value(2)
        return self._chance.choice(list(TEXTS.values())) if isinstance(before, dict) and isinstance(new, dict) else new

    def _value(self, depth: int) -> Any:
        kind = self._chance.random() if depth else 1.0
        if kind < 0.2:
            return {key: self._value(depth - 1) for key in self._some(list(KEYS))}
        if kind < 0.4:
            return [self._value(depth - 1) for _ in self._some(list(KEYS))]
        return self._chance.choice(_VALUES)

    def _some(self, names: list[str]) -> list[str]:
        return self._chance.sample(names, min(len(names), self._chance.randint(0, _MEMBERS)))

    def contained(self) -> dict[str, Any]:
        """Return `expectedData` that the data contain: some of the members, of objects as well."""
        return {key: self._part(self.data[key]) for key in self._some(list(self.data))}

    def _part(self, value: Any) -> Any:
        match value:
            case dict():
                members = cast("dict[str, Any]", value)
                return {key: self._part(members[key]) for key in self._some(list(members))}
            case _:
                return value

    def stale(self) -> dict[str, Any]:
        """Return the same with one member that the data do not have, or have with another value."""
        return {**self.contained(), self._chance.choice(self._keys): _STALE}

    def apply(self, changes: dict[str, Any]) -> None:
        """Merge an update."""
        self.data = {key: value for key, value in {**self.data, **changes}.items() if value is not None}


@pytest.mark.rule("records.update.sequence")
@pytest.mark.parametrize("seed", range(_SEQUENCES))
def test_data_is_what_the_updates_in_their_order_make_of_it(records: Records, tag: str, seed: int) -> None:
    """Some updates expect what the data contain, some are stale and change nothing, others expect nothing."""
    chance = Random(seed)  # noqa: S311  # no secret
    first = Model(chance, {"title": tag})
    first.apply(first.changes())
    created = records.create(first.data)
    assert lost(first.data, created["data"]) == []
    model = Model(chance, created["data"])

    for number in range(_UPDATES):
        changes, kind = model.changes(), chance.choice(("holds", "stale", "none"))
        expected = {"holds": model.contained, "stale": model.stale, "none": dict[str, Any]}[kind]()
        body = {"expectedData": expected} if kind != "none" else {}
        response = records.update(created, data=changes, **body)
        shown = f"update {number} of sequence {seed} sends {changes!a} and expects {expected!a}"
        if kind == "stale":
            assert response.status_code == 409, f"{shown}: {response.status_code}"
            continue
        assert response.is_success, f"{shown}: {response.status_code}"
        model.apply(changes)
        assert differences(model.data, record_of(response)["data"]) == [], shown

    assert differences(model.data, records.read(created)["data"]) == []
