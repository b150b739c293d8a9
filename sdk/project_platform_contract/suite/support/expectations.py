"""Pairs of data and `expectedData`: what JSON containment matches, and what it does not.

The specification leaves open which elements of an array have to be expected, and what a scalar for an array means. The pairs
avoid both: PostgreSQL's `@>`, MySQL's `JSON_CONTAINS` and a comparison of whole arrays agree on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .free_form import FALSY, FIELDS, LONG, WORDS, deep

Pairs = Mapping[str, Mapping[str, Any]]

_MANY: Final = {f"key {number}": number for number in range(60)}

_FLAT: Final[Mapping[str, Any]] = {
    "stage": "open",
    "name": "Caf\u00e9 M\u00fcller",
    "count": 2,
    "price": 2.5,
    "debt": -2,
    "safe": 9007199254740991,
    "hot": True,
    "cold": False,
    "digits": "007",
    "blanks": "a  b",
    "long": LONG,
    "at": "2026-11-22T09:00:00+01:00",
    "tags": ["a", "b", "c"],
    "numbers": [1, 2],
    "lines": [{"sku": "a", "size": {"w": 1, "h": 2}}, {"sku": "b", "size": {"w": 3}}],
    "lists": [["a"], ["b"]],
    "holes": ["a", None, "b", None],
    "site": {"city": "K\u00f6ln", "address": {"street": "Domstr.", "no": "1"}, "tags": ["x"], "hot": False},
    "a.b": 1,
    "Owner": "Ada",
    "deep": deep(12, {"value": "x", "list": [1]}),
    **FALSY,
    **_MANY,
    "words": {word: word for word in WORDS},
    "fields": dict(FIELDS),
}

HAS: Final[Mapping[str, Any]] = {**_FLAT, "below": {"all": _FLAT}, "rows": [_FLAT, {"stage": "lost"}]}
"""The data of a record: values at the top level, the same below it, and the same in a list."""

CONTAINED: Final[Pairs] = {
    "nothing": {},
    "all members in another order": dict(reversed(list(HAS.items()))),
    "every second member": dict(list(HAS.items())[::2]),
    "parts of objects": {
        "site": {"address": {"no": "1"}, "hot": False},
        "deep": deep(12, {"value": "x"}),
        "below": {"all": {"site": {"address": {"street": "Domstr."}}}},
    },
    "an empty object": {"site": {}},
    "lists": {name: value for name, value in _FLAT.items() if isinstance(value, list)},
}

_VALUES: Final[Pairs] = {
    "another text": {"stage": "won"},
    "upper case": {"stage": "OPEN"},
    "a blank after": {"stage": "open "},
    "one blank less": {"blanks": "a b"},
    "a prefix": {"stage": "ope"},
    "a wildcard of SQL": {"stage": "op%"},
    "without accents": {"name": "Cafe Muller"},
    "decomposed": {"name": "Cafe\u0301 Mu\u0308ller"},
    "a number for digits": {"digits": 7},
    "null for a text": {"stage": None},
    "another end of a long text": {"long": f"{LONG[:-1]}!"},
    "the same instant with another offset": {"at": "2026-11-22T08:00:00Z"},
    "without its sign": {"debt": 2},
    "with a small fraction": {"count": 2.0000001},
    "without its fraction": {"price": 2},
    "one less": {"safe": 9007199254740990},
    "a number as text": {"count": "2"},
    "a number for true": {"hot": 1},
    "the opposite": {"hot": False},
    "true for a number": {"key 1": True},
    "false for zero": {"zero": False},
    "an empty object for an empty list": {"empty list": {}},
    "an address in lower case": {"fields": {"email": "ada.lovelace+tag@example.com"}},
    "another password": {"fields": {"password": "other"}},
}
"""Values that are almost those that the data has."""

_KEYS_AND_OBJECTS: Final[Pairs] = {
    "an unknown key": {"unknown key": "open"},
    "a key in upper case": {"STAGE": "open"},
    "a path for a nested key": {"site.city": "K\u00f6ln"},
    "a nested key for a dot": {"a": {"b": 1}},
    "a nested key at the top": {"city": "K\u00f6ln"},
    "an empty object for an unknown key below": {"site": {"unknown key": {}}},
    "one of two members": {"stage": "open", "count": 3},
    "another value two levels below": {"site": {"address": {"street": "Domstr.", "no": "2"}}},
    "an additional member": {"site": {"city": "K\u00f6ln", "zip": "50667"}},
    "null for an object": {"site": None},
    "a text for a number": {"key 1": "1"},
    "an operator": {"stage": {"$ne": "won"}},
    "another value far down": {"deep": deep(12, {"value": "y"})},
}

_ARRAYS: Final[Pairs] = {
    "another element among others": {"tags": ["a", "b", "d"]},
    "an additional element": {"tags": ["a", "b", "c", "d"]},
    "texts for numbers": {"numbers": ["1", "2"]},
    "one text for a list": {"tags": "a,b,c"},
    "another list as an element": {"lists": [["a"], ["c"]]},
    "another value in an object": {"lines": [{"sku": "a", "size": {"w": 2}}]},
    "members of two objects": {"lines": [{"sku": "a", "size": {"w": 3}}]},
    "an element for an empty list": {"empty list": ["a"]},
}


def _placed(pairs: Pairs) -> Pairs:
    """Return the pairs at the top, below it and in a list in turns."""
    found = dict(pairs)
    for number, (name, pair) in enumerate(pairs.items()):
        if number % 3 == 1:
            found[name] = {"below": {"all": pair}}
        elif number % 3 == 2:
            found[name] = {"rows": [{**_FLAT, **pair}, {"stage": "lost"}]}
    return found


STALE: Final[Pairs] = {**_placed(_VALUES), **_KEYS_AND_OBJECTS, **_placed(_ARRAYS)}
"""Objects that the data does not contain."""
