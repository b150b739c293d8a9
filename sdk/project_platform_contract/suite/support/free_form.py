"""Free-form JSON that a service must store unchanged.

Not included is what the specification leaves open, or what is not interoperable: a null as a member of an object, the
character U+0000, surrogates, and numbers beyond the range or precision of a double (RFC 8259 section 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .fields import FIELDS, fields
from .words import PASSAGES, SYNTAX, WORDS

FALSY: Final[Mapping[str, Any]] = {
    "zero": 0,
    "empty text": "",
    "false": False,
    "empty list": [],
    "empty object": {},
}

LONG: Final = "A long text. " * 100 + "Its end."
"""Longer than a column of 255 or 1000 characters; only its end shows whether it was cut."""

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
    "markup": "<b title=\"x\">a &amp; b</b> & 'c' <script>d</script>",
    "escapes": r"\n \u0041 \\ \" %20 %2F + &#65;",
    "placeholders": "{{name}} ${name} %s {0} :name",
    "quotes": "'; -- \" ` \u201c\u201d",
    "leading zeros": "007",
    "a number": "1.10",
    "a large number": "1e400",
    "a boolean": "true",
    "null as text": "null",
    "no number": "NaN",
    "a word of YAML": "yes",
    "a hexadecimal number": "0x1F",
    "an exponent": "1e5",
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
    "a tenth": 0.1,
    "a third": 0.3333333333333333,
    "many digits": 0.30000000000000004,
    "cents": 1234567.89,
    "tiny": 1.5e-9,
    "huge": 1.5e21,
    "more than 16 bits": 65536,
    "more than 31 bits": 2147483648,
    "more than 32 bits": 4294967297,
    "less than -32 bits": -4294967297,
    "more than a float has": 16777217,
    "the largest safe integer": 9007199254740991,
    "the least safe integer": -9007199254740991,
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
    "STAGE": "upper case",
    "firstName": "camel case",
    "first_name": "snake case",
    "first-name": "kebab case",
    "First Name": "words",
    " surrounded ": "blanks",
    "surrounded": "no blanks",
    "a.b": "a dot",
    "a": {"b": "nested", "c.d": {"e.f": "dots below"}},
    "a[0]": "brackets",
    "a/b": "a slash",
    "a~1b": "a JSON pointer",
    "a%20b": "a percent sign",
    "a:b": "a colon",
    "#a": "a hash",
    "@type": "an at sign",
    "$price": "a dollar sign",
    '"quoted"': "quotes",
    "back\\slash": "a backslash",
    "0": "a digit",
    "10": "digits",
    "02": "a leading zero",
    "-1": "a negative number",
    "1.5": "a fraction",
    "true": "a boolean",
    "like a list": {"0": "first", "1": "second"},
    "like a list from 1 on": {"1": "first", "2": "second"},
    "id": "a name that records have",
    "data": {"data": "nested"},
    "length": "a name that lists have",
    "constructor": "a name that objects have",
    "_private": "an underscore",
    "null": "a word of JSON",
    "caf\u00e9": "composed",
    "cafe\u0301": "decomposed",
    "\u043a\u043b\u044e\u0447": "Cyrillic",
    "\U0001f33e": "astral",
    "k" * 200: "long",
}

SMALL: Final[tuple[dict[str, Any], ...]] = (
    *({"ticket": {"a": 1}}, {"data": {"a": 1}}, {"data": {"data": {"data": 1}}}, {"value": 7}, {"value": {"value": 7}}),
    *(
        {"items": [{"a": 1}]},
        {"items": []},
        {"list": ["a"]},
        {"a": [[{"b": []}]]},
        {"0": "a"},
        {"0": {"a": 1}, "1": {"a": 2}},
    ),
    *({"key": "a", "value": "b"}, {"name": "a", "value": {"b": 1}}, {"type": "Point", "coordinates": [1.5, -2]}),
    *({"error": "a"}, {"message": "a", "code": 7}, {"success": False}, {"empty": {}}, {"false": False}),
)
"""Objects of which code might take out what is inside, or which it might take for something else than data."""

DEPTH: Final = 30


def deep(depth: int, end: Any) -> dict[str, Any]:
    """Return objects inside each other, the innermost one with the given member `end`."""
    value: dict[str, Any] = {"end": end}
    for _ in range(depth - 1):
        value = {"in": value}
    return value


def free_form() -> dict[str, Any]:
    """Return an object with all of these values: at the top level, inside an object, and inside lists."""
    return {
        **KEYS,
        **FIELDS,
        **FALSY,
        **TEXTS,
        **NUMBERS,
        **LISTS,
        **{f"the text {text}": text for text in (*WORDS, *SYNTAX)},
        "below": {**KEYS, **FALSY, **TEXTS, **NUMBERS, **LISTS, "long text": LONG},
        "listed": [*TEXTS.values(), *NUMBERS.values(), *FALSY.values(), dict(KEYS), LONG],
        "words": [*WORDS, *SYNTAX, *PASSAGES, [*WORDS], [{"text": text} for text in WORDS]],
        "fields": fields(),
        "long text": LONG,
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
