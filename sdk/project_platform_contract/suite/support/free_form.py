"""The values that the requests of all resources have: one of each kind that code stores, compares or shows in another way.

Not included is what the specification leaves open, or what is not interoperable: a null as a member of an object, the
character U+0000, surrogates, and numbers beyond the range or precision of a double (RFC 8259 section 6). No text has an at
sign, which the fuse reads as a part of an address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

FALSY: Final[Mapping[str, Any]] = {"zero": 0, "empty text": "", "false": False, "empty list": [], "empty object": {}}

LONG: Final = "A long text. " * 100 + "Its end."
"""Longer than a column of 255 or 1000 characters; only its end shows whether it was cut."""

WORDS: Final = ("0", "false", "null", "None", "[]", "{}", "-", "00")
"""Texts that some languages and libraries take for false, for nothing, or for an empty value."""

TEXTS: Final[Mapping[str, str]] = {
    "surrounding blanks": "  two before, two after  ",
    "surrounding line ends": "\n\ta line\r\n",
    "inner blanks": "a  b\tc\nd\r\n\r\ne",
    "only blanks": "   ",
    "no-break space": "\u00a0a\u00a0",
    "composed": "Caf\u00e9",
    "decomposed": "Cafe\u0301",
    "compatibility characters": "\ufb01 \u00bd \u2460 \u212b \uff21",
    "case": "stra\u00dfe STRASSE \u0130 \u0131 \u01c5",
    "astral characters": "\U0001f33e \U00020bb7 \U0001d518",
    "joined characters": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
    "invisible characters": "a\u200bb\u00adc\u2060d\ufeff",
    "byte order mark": "\ufefftext",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u200f\u0645\u0631\u062d\u0628\u0627",
    "line separators": "a\u2028b\u2029c",
    "markup": "<b title=\"x\">a &amp; b</b> & 'c' <!-- d --> <script>e</script> <br/>",
    "escapes": r"\n \u0041 \\ \" %20 %2F %% + &#65; $1 \1",
    "placeholders": "{{name}} ${name} {name} %s %(a)s {0} :name #{a} <%= a %> {% a %} [[a]]",
    "quotes": "'; -- \" ` \u201c\u201d x's /* a */ '' OR '1'='1",
    "paths": "../../a C:\\a\\b //c ~/d a//b/ ?e=f",
    "abbreviations": "(c) ... -> -- :smile: :-) *a* __b__ 1/2 1 000",
    "leading zeros": "007",
    "a number": "1.10",
    "a large number": "1e400",
    "a boolean": "true",
    "null as text": "null",
    "no number": "NaN",
    "a hexadecimal number": "0x1F",
    "a signed number": "+49",
    "a formula": "=1+1",
    "a time": "12:30",
    "a timestamp": "2026-11-22T09:00:00+02:00",
    "a timestamp with a fraction": "2026-11-22T09:00:00.1234560Z",
    "a date": "2026-11-02",
    "a URL": "https://example.com/a/../b//c?d=1&e=%20&d=2#f",
    "a JSON text": '{"a": [1, 2]}',
    "a list as text": "a,b;c",
    "Markdown": "---\ntitle: a\n---\n\n\n\n# b\n* c  \nd",
}

NUMBERS: Final[Mapping[str, float]] = {
    "negative": -1,
    "a half": 1.5,
    "many digits": 0.30000000000000004,
    "cents": 1234567.89,
    "tiny": 1.5e-9,
    "huge": 1.5e21,
    "more than 31 bits": 2147483648,
    "less than -32 bits": -4294967297,
    "more than a float has": 16777217,
    "the largest safe integer": 9007199254740991,
}

LISTS: Final[Mapping[str, list[Any]]] = {
    "order": [3, 1, 2],
    "duplicates": ["b", "a", "b", "a"],
    "one item": ["a"],
    "falsy items": [0, "", False, None, [], {}],
    "mixed": [1, "1", True, "true", None, "null", 1.5],
    "lists": [[1, [2, [3, []]]], [[]]],
    "objects": [{"a": 1, "b": [{"c": False}]}, {"a": 1, "b": []}, {}],
    "many": list(range(300)),
}

KEYS: Final[Mapping[str, Any]] = {
    "stage": "lower case",
    "Stage": "capital",
    "firstName": "camel case",
    "first_name": "snake case",
    "first-name": "kebab case",
    "First Name": "words",
    " surrounded ": "blanks",
    "a.b": "a dot",
    "a": {"b": "nested", "c.d": {"e.f": "dots below"}},
    "a[0]": "brackets",
    "a/b": "a slash",
    "a~1b": "a JSON pointer",
    "a%20b": "a percent sign",
    "#a": "a hash",
    "$price": "a dollar sign",
    '"quoted"': "quotes",
    "back\\slash": "a backslash",
    "0": "a digit",
    "02": "a leading zero",
    "like a list": {"0": "first", "1": "second"},
    "id": "a name that records have",
    "data": {"data": "nested"},
    "length": "a name that lists have",
    "constructor": "a name that objects have",
    "_private": "an underscore",
    "caf\u00e9": "composed",
    "cafe\u0301": "decomposed",
    "\u043a\u043b\u044e\u0447": "Cyrillic",
    "\U0001f33e": "astral",
    "k" * 200: "long",
}

FIELDS: Final[Mapping[str, Any]] = {
    "phone": "+49 (0)30 / 12 34-56",
    "email": "Ada.LOVELACE+Tag@Example.COM",
    "url": "HTTP://Example.COM:80/a/../B/?b=%7e&a=1#",
    "name": "o'NEILL  van der  BERG",
    "zip": "01067",
    "country": "germany",
    "date": "22.11.2026",
    "createdAt": "2026-11-22T09:00:00.000+02:00",
    "price": "12.50",
    "amountCents": "0100",
    "currency": "eur",
    "quantity": "007",
    "iban": "de89 3704 0044 0532 0130 00",
    "color": "Red",
    "active": "yes",
    "password": "s3cret ",
    "token": "eyJh.eyJz.c2ln",
    "externalId": " 007 ",
    "type": "Lead",
    "tags": ["b", "a", "b"],
    "toJSON": "text",
    "then": "later",
    "$ref": "#/x",
    "$set": {"a": 1},
    "@type": "X",
    "items": {"a": 1},
    "links": {"self": "/x"},
}
"""Members whose names serializers, validators, filters and formatters know, each with a value that such code changes."""

SMALL: Final[tuple[dict[str, Any], ...]] = (
    *({"ticket": {"a": 1}}, {"data": {"data": 1}}, {"value": {"value": 7}}, {"items": []}, {"a": [[{"b": []}]]}),
    *({"0": {"a": 1}, "1": {"a": 2}}, {"key": "a", "value": "b"}, {"type": "Point", "coordinates": [1.5, -2]}),
    *({"error": "a"}, {"success": False}, {"empty": {}}),
)
"""Objects of which code might take out what is inside, or which it might take for something else than data."""

DEPTH: Final = 30
_PLAIN: Final = re.compile(r"[A-Za-z]([\w -]{0,998}\w)?", re.ASCII)  # As long as the longest limit that is specified.


def is_plain(value: Any) -> bool:
    """Return whether a value is a text of ASCII words, or an object or a list of such texts: no service has a reason to refuse it."""
    texts: list[Any] = value if isinstance(value, list) else [value]
    if isinstance(value, dict):
        texts = [*value, *cast("dict[str, Any]", value).values()]
    return all(isinstance(text, str) and _PLAIN.fullmatch(text) for text in texts)


def deep(depth: int, end: Any) -> dict[str, Any]:
    """Return objects inside each other, the innermost one with the given member `end`."""
    value: dict[str, Any] = {"end": end}
    for _ in range(depth - 1):
        value = {"in": value}
    return value


def free_form() -> dict[str, Any]:
    """Return an object with all of these values: at the top level, inside an object, and inside lists."""
    all_values = {**KEYS, **FALSY, **TEXTS, **NUMBERS, **LISTS, "long text": LONG}
    return {
        **FIELDS,
        **all_values,
        **{f"the text {text}": text for text in WORDS},
        "below": all_values,
        "listed": [*TEXTS.values(), *NUMBERS.values(), *FALSY.values(), dict(KEYS), LONG],
        "words": [*WORDS, [*WORDS], [{"text": text} for text in WORDS]],
        "fields": dict(FIELDS),
        "true": True,
        "depth": deep(DEPTH, [{"of": "all"}]),
        "nested lists": _lists(DEPTH),
        "many members": {f"member {number}": number for number in range(300)},
    }


def _lists(depth: int) -> list[Any]:
    value: list[Any] = ["end"]
    for _ in range(depth - 1):
        value = [value]
    return value
