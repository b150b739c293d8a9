"""Pairs of data and `expectedData`: what JSON containment matches, and what it does not.

The specification leaves open which elements of an array have to be expected, and what a scalar for an array means. The pairs
avoid both: PostgreSQL's `@>`, MySQL's `JSON_CONTAINS` and a comparison of whole arrays agree on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .fields import FIELDS
from .free_form import FALSY, LONG, deep
from .words import FALSE_WORDS

Pairs = Mapping[str, Mapping[str, Any]]

_MANY: Final = {f"key {number}": number for number in range(60)}

_FLAT: Final[Mapping[str, Any]] = {
    "stage": "open",
    "name": "Caf\u00e9 M\u00fcller",
    "count": 2,
    "price": 2.5,
    "rate": 0.30000000000000004,
    "debt": -2,
    "safe": 9007199254740991,
    "hot": True,
    "cold": False,
    "digits": "007",
    "word": "true",
    "blanks": "a  b",
    "long": LONG,
    "at": "2026-11-22T09:00:00+01:00",
    "tags": ["a", "b", "c"],
    "numbers": [1, 2],
    "lines": [{"sku": "a", "size": {"w": 1, "h": 2}}, {"sku": "b", "size": {"w": 3}}],
    "lists": [["a"], ["b"]],
    "site": {"city": "K\u00f6ln", "address": {"street": "Domstr.", "no": "1"}, "tags": ["x"], "hot": False},
    "a.b": 1,
    "Owner": "Ada",
    "deep": deep(12, {"value": "x", "list": [1]}),
    **FALSY,
    **_MANY,
    "words": {word: word for word in FALSE_WORDS},
    "fields": FIELDS,
}

HAS: Final[Mapping[str, Any]] = {**_FLAT, "below": {"all": _FLAT}, "rows": [_FLAT, {"stage": "lost"}]}
"""The data of a record: values at the top level, the same below it, and the same in a list."""

CONTAINED: Final[Mapping[str, Mapping[str, Any]]] = {
    "nothing": {},
    "all members": HAS,
    "all members in another order": dict(reversed(list(HAS.items()))),
    "falsy members": FALSY,
    "many members": _MANY,
    "numbers": {"count": 2, "price": 2.5, "rate": 0.30000000000000004, "debt": -2, "safe": 9007199254740991},
    "a part of an object": {"site": {"address": {"no": "1"}}},
    "a falsy part of an object": {"site": {"hot": False}},
    "an empty object": {"site": {}},
    "a list": {"tags": ["a", "b", "c"], "numbers": [1, 2], "lists": [["a"], ["b"]]},
    "a list of objects": {"lines": [{"sku": "a", "size": {"w": 1, "h": 2}}, {"sku": "b", "size": {"w": 3}}]},
    "a part far down": {"deep": deep(12, {"value": "x"})},
    "a list far down": {"deep": deep(12, {"list": [1]})},
    "a key with a dot": {"a.b": 1},
    "words": {"words": {word: word for word in FALSE_WORDS}},
    "fields": {"fields": FIELDS},
    "texts": {"long": LONG, "at": "2026-11-22T09:00:00+01:00"},
    "all members below": {"below": {"all": _FLAT}},
    "all members in a list": {"rows": [_FLAT, {"stage": "lost"}]},
}

VALUES: Final[Pairs] = {
    "other": {"stage": "won"},
    "upper case": {"stage": "OPEN"},
    "capital": {"stage": "Open"},
    "a blank before": {"stage": " open"},
    "a blank after": {"stage": "open "},
    "a line end after": {"stage": "open\n"},
    "one blank less": {"blanks": "a b"},
    "a prefix": {"stage": "ope"},
    "a suffix": {"stage": "pen"},
    "longer": {"stage": "opened"},
    "empty": {"stage": ""},
    "a wildcard of SQL": {"stage": "%"},
    "a wildcard of SQL at the end": {"stage": "op%"},
    "a wildcard of one character": {"stage": "ope_"},
    "a glob": {"stage": "*"},
    "a regular expression": {"stage": "^open$"},
    "any character": {"stage": "o.en"},
    "without accents": {"name": "Cafe Muller"},
    "other accents": {"name": "Caf\u00e8 M\u00f6ller"},
    "unknown characters": {"name": "Caf? M?ller"},
    "decomposed": {"name": "Cafe\u0301 Mu\u0308ller"},
    "a number for digits": {"digits": 7},
    "fewer digits": {"digits": "7"},
    "a boolean for a word": {"word": True},
    "a list for a text": {"stage": ["open"]},
    "an object for a text": {"stage": {}},
    "an object of a text": {"stage": {"stage": "open"}},
    "null for a text": {"stage": None},
    "another end of a long text": {"long": f"{LONG[:-1]}!"},
    "the beginning of a long text": {"long": LONG[:255]},
    "another beginning of a long text": {"long": f"B{LONG[1:]}"},
    "the same instant with another offset": {"at": "2026-11-22T08:00:00Z"},
    "the same instant with a fraction": {"at": "2026-11-22T09:00:00.000+01:00"},
    "the date of a timestamp": {"at": "2026-11-22"},
}

NUMBERS: Final[Pairs] = {
    "other": {"count": 3},
    "without its sign": {"debt": 2},
    "with a sign": {"count": -2},
    "with a fraction": {"count": 2.5},
    "with a small fraction": {"count": 2.0000001},
    "without its fraction": {"price": 2},
    "rounded up": {"price": 3},
    "another fraction": {"price": 2.4},
    "rounded": {"rate": 0.3},
    "one less": {"safe": 9007199254740990},
    "as text": {"count": "2"},
    "as text with a fraction": {"price": "2.5"},
    "as a boolean": {"hot": 1},
    "a boolean for a number": {"key 1": True},
    "false for zero": {"zero": False},
    "zero for false": {"cold": 0},
    "the opposite": {"cold": True},
    "the other opposite": {"hot": False},
    "a boolean as text": {"hot": "true"},
    "null for a number": {"count": None},
    "null for false": {"cold": None},
    "a list for a number": {"count": [2]},
    "an object for a number": {"count": {}},
}

FALSY_VALUES: Final[Pairs] = {
    f"{expected} for {actual}": {actual: value}
    for actual in FALSY
    for expected, value in {**FALSY, "null": None}.items()
    if expected != actual
}
"""Of the falsy values, no two are equal."""

_WORDS_TAKEN_FOR: Final[Mapping[str, Any]] = {
    "0": 0,
    "false": False,
    "null": None,
    "None": None,
    "no": False,
    "off": False,
    "[]": [],
    "{}": {},
    "undefined": "",
    "NaN": 0,
    "-": "",
    "0.0": "0",
    "00": "0",
}

WORDS_OF: Final[Pairs] = {
    f"{value!r} for the text {word}": {"words": {word: value}} for word, value in _WORDS_TAKEN_FOR.items()
}
"""For a text, what a language takes it for."""

_FIELDS_TAKEN_FOR: Final[Mapping[str, Any]] = {
    "phone": "+493012345 6",
    "fax": "+4930123456",
    "email": "ada.lovelace+tag@example.com",
    "website": "http://example.com/B/",
    "price": "12.5",
    "amount": "1000.00",
    "total": 1000,
    "quantity": "7",
    "rate": "0.3",
    "version": "1.1",
    "zip": "1067",
    "date": "2026-11-22",
    "createdAt": "2026-11-22T07:00:00Z",
    "currency": "EUR",
    "iban": "DE89370400440532013000",
    "locale": "de-DE",
    "color": "red",
    "active": False,
    "password": "other",
    "token": "***",
    "length": 2,
    "id": "7",
    "count": 2,
    "type": "lead",
    "$ref": "#/y",
    "then": "now",
    "constructor": {"name": "y"},
    "tags": ["b", "a", "b"],
}

FIELDS_OF: Final[Pairs] = {
    f"{value!r} for the {name} {FIELDS[name]!r}": {"fields": {name: value}} for name, value in _FIELDS_TAKEN_FOR.items()
}
"""For a value, one that code which knows its key takes for the same."""

KEYS_OF: Final[Pairs] = {
    "unknown": {"unknown key": "open"},
    "upper case": {"STAGE": "open"},
    "capital": {"Stage": "open"},
    "lower case": {"owner": "Ada"},
    "a blank before": {" stage": "open"},
    "a blank after": {"stage ": "open"},
    "a prefix": {"stag": "open"},
    "longer": {"stages": "open"},
    "a path for a nested key": {"site.city": "K\u00f6ln"},
    "a JSON pointer": {"/site/city": "K\u00f6ln"},
    "a nested key for a dot": {"a": {"b": 1}},
    "a nested key at the top": {"city": "K\u00f6ln"},
    "a top level key below": {"site": {"stage": "open"}},
    "false": {"unknown key": False},
    "zero": {"unknown key": 0},
    "an empty text": {"unknown key": ""},
    "an empty list": {"unknown key": []},
    "an empty object": {"unknown key": {}},
    "false below": {"site": {"unknown key": False}},
    "an empty text below": {"site": {"unknown key": ""}},
    "an empty object below": {"site": {"unknown key": {}}},
}

_OPERATORS: Final[Mapping[str, Any]] = {
    "$eq": "open",
    "$ne": "won",
    "$in": ["open"],
    "$exists": True,
    "$gt": "",
    "$regex": "^op",
    "$not": "won",
    "equals": "open",
    "not": "won",
    "contains": "op",
    "like": "op%",
}

OBJECTS: Final[Pairs] = {
    "one of two members": {"stage": "open", "count": 3},
    "the last of many": {**_MANY, "key 59": 0},
    "the first of many": {"key 0": 1, **{key: value for key, value in _MANY.items() if value}},
    "an unknown one of many": {**_MANY, "key 60": 60},
    "another value below": {"site": {"city": "Bonn"}},
    "another value two levels below": {"site": {"address": {"street": "Domstr.", "no": "2"}}},
    "case below": {"site": {"city": "k\u00f6ln"}},
    "a number for digits below": {"site": {"address": {"no": 1}}},
    "an additional member": {"site": {"city": "K\u00f6ln", "zip": "50667"}},
    "an additional member two levels below": {"site": {"address": {"no": "1", "floor": 1}}},
    "a text for an object": {"site": "K\u00f6ln"},
    "true for an object": {"site": True},
    "a list for an object": {"site": [{"city": "K\u00f6ln"}]},
    "an empty list for an object": {"site": []},
    "null for an object": {"site": None},
    "an object as text": {"site": '{"city": "K\u00f6ln"}'},
    **{f"the operator {name}": {"stage": {name: value}} for name, value in _OPERATORS.items()},
    "a choice": {"$or": [{"stage": "open"}]},
    "a list of choices": {"or": [{"stage": "open"}], "OR": [{"stage": "open"}]},
    "another value far down": {"deep": deep(12, {"value": "y"})},
    "a missing key far down": {"deep": deep(12, {"other": "x"})},
    "another list far down": {"deep": deep(12, {"list": [2]})},
    "one level less": {"deep": deep(11, {"value": "x"})},
    "one level more": {"deep": deep(13, {"value": "x"})},
}

ARRAYS: Final[Pairs] = {
    "another element": {"tags": ["d"]},
    "another element among others": {"tags": ["a", "d"]},
    "another last element": {"tags": ["a", "b", "d"]},
    "an additional element": {"tags": ["a", "b", "c", "d"]},
    "case": {"tags": ["A", "b", "c"]},
    "a prefix of an element": {"tags": ["a", "b", ""]},
    "texts for numbers": {"numbers": ["1", "2"]},
    "another number": {"numbers": [1, 3]},
    "true for a number": {"numbers": [True, 2]},
    "one text": {"tags": "a,b,c"},
    "an object": {"tags": {}},
    "an object with positions": {"tags": {"0": "a"}},
    "true": {"tags": True},
    "null": {"tags": None},
    "null as an element": {"tags": [None]},
    "a list as an element": {"tags": [["a", "b", "c"]]},
    "another list as an element": {"lists": [["a"], ["c"]]},
    "an object with another member": {"lines": [{"sku": "c"}]},
    "an object with an additional member": {"lines": [{"sku": "a", "size": {"w": 1, "h": 2}, "color": "red"}]},
    "another value in an object": {"lines": [{"sku": "a", "size": {"w": 2}}]},
    "members of two objects": {"lines": [{"sku": "a", "size": {"w": 3}}]},
    "other objects": {"lines": [{"sku": "c", "size": {"w": 8}}, {"sku": "d", "size": {"w": 9}}]},
    "another value in the last object": {
        "lines": [{"sku": "a", "size": {"w": 1, "h": 2}}, {"sku": "b", "size": {"w": 4}}]
    },
    "another value in the first object": {
        "lines": [{"sku": "a", "size": {"w": 1, "h": 3}}, {"sku": "b", "size": {"w": 3}}]
    },
    "texts for objects": {"lines": ["a", "b"]},
    "objects for texts": {"tags": [{"0": "a"}, {"0": "b"}, {"0": "c"}]},
    "nulls for objects": {"lines": [None, None]},
    "another list in an object": {"site": {"tags": ["y"]}},
    "an element for an empty list": {"empty list": ["a"]},
    "an element null for an empty list": {"empty list": [None]},
}


def _together(*groups: Pairs) -> Pairs:
    """Return the pairs of several groups; their names say which key they are about."""
    return {f"{next(iter(pair))}, {name}": pair for group in groups for name, pair in group.items()}


STALE: Final[Mapping[str, Pairs]] = {
    "texts": VALUES,
    "numbers and booleans": NUMBERS,
    "falsy values": FALSY_VALUES,
    "words": WORDS_OF,
    "fields": FIELDS_OF,
    "keys": KEYS_OF,
    "objects": OBJECTS,
    "arrays": ARRAYS,
    "values below": {name: {"below": {"all": pair}} for name, pair in _together(VALUES, NUMBERS, ARRAYS).items()},
    "values in a list": {
        name: {"rows": [{**_FLAT, **pair}, {"stage": "lost"}]}
        for name, pair in _together(VALUES, NUMBERS, KEYS_OF).items()
    },
}
"""By group: objects that the data does not contain."""
