"""Reads YAML and JSON as values of JSON, and finds the lines of places in them.

PyYAML composes YAML, whose nodes have line numbers. Plain scalars are `true`, `false`, `null` and numbers; all others are
strings. So `no`, `2026-11-02`, `1e_3` and `0x1f` are strings, which is most likely what their author means.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import yaml

from project_platform_stub.http.messages import SURROGATE

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import BaseLoader
else:
    from yaml import CBaseLoader as BaseLoader  # four times as fast

Place: TypeAlias = "tuple[str | int, ...]"

_MAX_DEPTH: Final = 100  # Levels, as in the body of a request.
_MAX_VALUES: Final = 1_000_000  # A few lines of aliases can stand for billions of values.
_TOO_DEEP: Final = f"is nested more than {_MAX_DEPTH} levels deep"
_SURROGATES: Final = "contains an unpaired surrogate, which is not Unicode text"
_MAX_DIGITS: Final = (
    1000  # Digits of an int; a longer integer becomes a Decimal, because Python converts long ints slowly.
)
_PLAIN: Final = "plain"  # The tag of scalars that have none.
_TAGS: Final = {
    yaml.ScalarNode: {_PLAIN, "tag:yaml.org,2002:str"},
    yaml.SequenceNode: {"tag:yaml.org,2002:seq"},
    yaml.MappingNode: {"tag:yaml.org,2002:map"},
}
_CONSTANTS: Final = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class SyntaxProblem(Exception):  # noqa: N818  # a problem, which a DocumentError lists
    """A document has a syntax error.

    Attributes:
        place: Its place; empty for the document.
        line: Its line, counted from 1; None if it is found by the place.
    """

    def __init__(self, text: str, place: Place = (), line: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.place = place
        self.line = line


@dataclass(frozen=True, slots=True)
class _Flaw:
    """Placeholder for an invalid value, which `_check_value` refuses with its place."""

    text: str


def _number(text: str) -> int | Decimal | _Flaw:
    """Return a JSON number with all its digits."""
    if len(text) <= _MAX_DIGITS and text.removeprefix("-").isdigit():
        return int(text)
    try:
        return Decimal(text)
    except InvalidOperation:
        return _Flaw("is a number whose exponent is out of range")


def _check_value(root: Any) -> None:
    """Refuse flaws, strings that cannot be encoded, and values over the limits; repeated aliases count every time."""
    count = 0

    def check(value: Any, place: Place) -> None:
        nonlocal count
        count += 1
        if count > _MAX_VALUES:
            raise SyntaxProblem(f"contains more than {_MAX_VALUES} values", place)
        if isinstance(value, _Flaw):
            raise SyntaxProblem(value.text, place)
        if isinstance(value, str) and SURROGATE.search(value):
            raise SyntaxProblem(_SURROGATES, place)
        if isinstance(value, dict | list):
            if len(place) == _MAX_DEPTH:
                raise SyntaxProblem(_TOO_DEEP, place)
            for name, member in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(name, str) and SURROGATE.search(name):
                    raise SyntaxProblem(_SURROGATES, place)
                check(member, (*place, name))

    check(root, ())


def parse_json(text: str) -> Any:
    """Return the value of a JSON document.

    Raises:
        SyntaxProblem: The document is not valid JSON.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_json_object,
            parse_int=_number,
            parse_float=_number,
            parse_constant=lambda name: _Flaw(f"is not JSON: {name} is not a JSON value"),
        )
        _check_value(value)
    except json.JSONDecodeError as error:
        raise SyntaxProblem(f"is not JSON: {error.msg}", line=error.lineno) from None
    except RecursionError:
        raise SyntaxProblem(_TOO_DEEP) from None
    return value


def _json_object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, member in members:
        value[name] = _Flaw("is defined twice") if name in value else member
    return value


class _Loader(BaseLoader):
    DEFAULT_SCALAR_TAG = _PLAIN  # type: ignore[misc]  # it is meant to be overridden


def compose(text: str) -> yaml.Node | None:
    """Return the root node of a YAML document; None if the document is empty.

    Raises:
        SyntaxProblem: The string is not YAML, has several documents, or is nested too deeply.
    """
    if unprintable := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, unprintable.start()) + 1
        raise SyntaxProblem(f"is not YAML: the character U+{ord(unprintable[0]):04X} is not allowed", line=line)
    try:
        depth = 0
        # libyaml composes recursively, without a limit: deep nesting would crash the process.
        for event in yaml.parse(text, Loader=_Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise SyntaxProblem(_TOO_DEEP, line=_line(event))
        root: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        raise SyntaxProblem(f"is not YAML: {reason}", line=None if mark is None else mark.line + 1) from None
    return root


def value_of(root: yaml.Node | None) -> Any:
    """Return the JSON value of a document. It must not be changed, because aliases refer to the same object.

    Raises:
        SyntaxProblem: The document has a value that JSON does not have.
    """
    value = None if root is None else _value(root, {})
    _check_value(value)
    return value


def _value(node: yaml.Node, known: dict[yaml.Node, Any]) -> Any:
    """Return the value of a node; `known` has the values of those that an alias may refer to."""
    if node.tag not in _TAGS[type(node)]:
        return _Flaw(f"has the tag {node.tag}; values are those of JSON, without tags")
    if isinstance(node, yaml.ScalarNode):
        return _plain(node.value) if node.tag == _PLAIN and not node.style else node.value
    if node not in known:
        known[node] = _Flaw("contains itself by an alias")
        if isinstance(node, yaml.SequenceNode):
            known[node] = [_value(item, known) for item in node.value]
        else:
            known[node] = _object(node, known)
    return known[node]


def _plain(text: str) -> Any:
    """Return the value of a scalar without quotes."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return _number(text) if _NUMBER.fullmatch(text) else text


def _object(node: yaml.Node, known: dict[yaml.Node, Any]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key, member in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise SyntaxProblem("is not YAML: the name of a member must be a string", line=_line(key))
        name = key.value
        if name == "<<" and not key.style:
            value[name] = _Flaw("members are not merged with <<; write them out")
        elif name in lines:
            value[name] = _Flaw(f"is defined twice, first on line {lines[name]}")
        else:
            value[name] = _value(member, known)
            lines[name] = _line(key)
    return value


def line_of(root: yaml.Node | None, place: Place) -> int:
    """Return the first line of a place, or of the nearest enclosing place that exists."""
    node, line = root, 1
    for step in place:
        if isinstance(node, yaml.MappingNode):
            # The last member of a name: the duplicate, whose value Python's JSON parser returns.
            item = next((member for member in reversed(node.value) if member[0].value == step), None)
            if item is None:
                break
            line, node = _line(item[0]), item[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = _line(node)
        else:
            break
    return line


def _line(marked: Any) -> int:
    line: int = marked.start_mark.line + 1
    return line
