"""YAML and JSON files: values, lines and errors."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project_platform_stub.documents.document import DocumentError, parse_document, read_document
from project_platform_stub.documents.schema import Schema

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def refused(text: str, *, is_json: bool = False) -> str:
    with pytest.raises(DocumentError) as raised:
        parse_document(text, "it.json" if is_json else "it.yaml", is_json=is_json)
    assert len(raised.value.problems) == 1
    return str(raised.value)


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("2026-11-02", "2026-11-02"),
        ("09:30", "09:30"),
        ("no", "no"),
        ("0x1f", "0x1f"),
        ("007", "007"),
        ("1_000", "1_000"),
        (".5", ".5"),
        (".inf", ".inf"),
        ("'4711'", "4711"),
        ("!!str 4711", "4711"),
        ("4711", 4711),
        ("-3", -3),
        ("1e3", Decimal("1e3")),
        ("0.1234567890123456789", Decimal("0.1234567890123456789")),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_scalars_are_those_of_json(scalar, value):
    """Scalars that are true, false, null or a number in JSON have that value; all others are strings."""
    value_read = parse_document(f"a: {scalar}\n", "it.yaml").value["a"]

    assert (value_read, type(value_read)) == (value, type(value))


@pytest.mark.parametrize("name", ["no", "2026-11-02", "1", "null", "'a b'"])
def test_names_of_members_are_strings_as_written(name):
    assert list(parse_document(f"{name}: x\n", "it.yaml").value) == [name.strip("'")]


@given(JSON_VALUES)
def test_json_is_read_as_python_reads_it(value):
    """A JSON document has the value that `json.loads` returns, also with surrogate pairs and line separators."""
    for indent in (None, "\t"):
        text = json.dumps(value, indent=indent)
        assert parse_document(text, "it.json", is_json=True).value == value


def test_a_place_has_the_line_of_its_member():
    """The line of a place is the first line of its member or item, in YAML and in JSON."""
    yaml = parse_document("# first\npeople:\n  - key: a\n    name: >\n      Long\n      name\n  - key: b\n", "it.yaml")
    as_json = parse_document('{"people": [\n {"key":\n "a"},\n {"key": "b"}]}', "it.json", is_json=True)

    assert [yaml.line(place) for place in [(), ("people",), ("people", 0, "name"), ("people", 1)]] == [1, 2, 4, 7]
    assert [as_json.line(place) for place in [("people",), ("people", 0, "key"), ("people", 1, "key")]] == [1, 2, 4]


def test_a_missing_place_has_the_line_of_the_enclosing_place():
    assert parse_document("a: 1\nb:\n  c: 1\n", "it.yaml").line(("b", "d", "e")) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "it.yaml:4: b.c: is defined twice, first on line 3"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", 'it.yaml:3: c["<<"]: members are not merged with <<; write them out'),
        ("a: *x\n", "it.yaml:1: document: is not YAML: found undefined alias"),
        ("a: 1\nb: &x [1, *x]\n", "it.yaml:2: b[1]: contains itself by an alias"),
        ("a: 1\n---\nb: 2\n", "it.yaml:2: document: is not YAML: expected a single document"),
        ("[a]: 1\n", "it.yaml:1: document: is not YAML: the name of a member must be a string"),
        ("a: !!timestamp 2026-11-02\n", "it.yaml:1: a: has the tag tag:yaml.org,2002:timestamp; values are those of"),
        ("a: !!python/name:os.system\n", "it.yaml:1: a: has the tag tag:yaml.org,2002:python/name:os.system"),
        ("a: 1\nb: [1,\n", "it.yaml:3: document: is not YAML: "),
        ("a: 1\n\tb: 2\n", "it.yaml:2: document: is not YAML: "),
        ("a: \x07\n", "it.yaml:1: document: is not YAML: the character U+0007 is not allowed"),
        ("a: 1e99999999999999999999\n", "it.yaml:1: a: is a number whose exponent is out of range"),
        ("a: !!int 0x1f\n", "it.yaml:1: a: has the tag tag:yaml.org,2002:int; values are those of JSON, without tags"),
        (
            "a: 1\nb: !!seq {c: 1}\n",
            "it.yaml:2: b: has the tag tag:yaml.org,2002:seq; values are those of JSON, without tags",
        ),
        ("a: 1\nb: !!set {c}\n", "it.yaml:2: b: has the tag tag:yaml.org,2002:set"),
    ],
)
def test_invalid_yaml_is_refused_with_its_line(text, problem):
    """Values that JSON does not have and probable mistakes are refused with their line and place."""
    assert refused(text).startswith(problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n"a": 1,\n"a": 2}', "it.json:3: a: is defined twice"),
        ('{"a":\n 1,}', "it.json:2: document: is not JSON: "),
        ('{"b": 1,\n"a":\n NaN}', "it.json:2: a: is not JSON: NaN is not a JSON value"),
        ('["x",\n "\\ud83d"]', "it.json:2: [1]: contains an unpaired surrogate, which is not Unicode text"),
        ('{"a": {\n\t"\\ud83d": 1}}', "it.json:1: a: contains an unpaired surrogate, which is not Unicode text"),
        (
            '["\u2028\\ud83d\\ude00",\n 1e99999999999999999999]',
            "it.json:2: [1]: is a number whose exponent is out of range",
        ),
        ("[" * 100_000, "it.json: document: is nested more than 100 levels deep"),
    ],
)
def test_invalid_json_is_refused_with_its_line(text, problem):
    """Invalid JSON is refused with its line and place, also where Python's parser accepts it."""
    assert refused(text, is_json=True).startswith(problem)


@pytest.mark.parametrize(("is_json", "depth"), [(True, 101), (False, 101), (False, 100_000)])
def test_deep_nesting_is_refused(is_json, depth):
    """More than 100 levels are refused, and deep nesting does not crash the parser."""
    assert refused("[" * depth + "]" * depth, is_json=is_json).endswith("is nested more than 100 levels deep")


def test_aliases_repeat_the_value_of_their_anchor():
    assert parse_document("a: &x [1, 2]\nb: {c: *x}\nd: &t text\ne: *t\n", "it.yaml").value == {
        "a": [1, 2],
        "b": {"c": [1, 2]},
        "d": "text",
        "e": "text",
    }


def test_aliases_count_for_the_nesting():
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200))]

    assert refused("\n".join(lines)).endswith("is nested more than 100 levels deep")


def test_a_few_aliases_do_not_become_billions_of_values():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]

    assert refused("\n".join(lines)).endswith("contains more than 1000000 values")


def test_the_extension_of_a_file_selects_the_format(tmp_path):
    """A name that ends in `.json` is JSON, any other is YAML; a byte order mark is ignored."""
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{\n\t"a": "\\ud83d\\ude00"\n}')
    (tmp_path / "a.yml").write_text("a: b\n")

    assert read_document(tmp_path / "a.json").value == {"a": "😀"}
    assert read_document(tmp_path / "a.yml").value == {"a": "b"}


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "bytes.yaml").write_bytes(b"a: 1\nb: \xff\n")

    with pytest.raises(DocumentError, match=r"missing\.yaml: cannot be read: No such file"):
        read_document(tmp_path / "missing.yaml")
    with pytest.raises(DocumentError, match=r"bytes\.yaml:2: document: is not UTF-8"):
        read_document(tmp_path / "bytes.yaml")


def test_all_problems_are_reported_in_the_order_of_their_lines():
    """The message lists 20 problems and counts the rest; the attribute has all of them."""
    counted = {"items": {"properties": {"count": {"minimum": 1}}}}
    schema = Schema({"required": ["name"], "properties": {"items": counted}}, {})

    with pytest.raises(DocumentError) as raised:
        schema.check(parse_document("items:\n" + "- count: 0\n" * 30, "it.yaml"))

    lines = str(raised.value).splitlines()
    assert lines[0] == "it.yaml:1: name: is required"
    assert lines[1:3] == [f"it.yaml:{n + 2}: items[{n}].count: is 0; the minimum is 1" for n in range(2)]
    assert (len(lines), lines[-1]) == (21, "... and 11 more")
    assert len(raised.value.problems) == 31


def test_an_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(DocumentError(["it.yaml:1: a: is wrong"])))

    assert (str(error), error.problems) == ("it.yaml:1: a: is wrong", ("it.yaml:1: a: is wrong",))
