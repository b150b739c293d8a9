"""Parses YAML documents with PyYAML, whose nodes have line numbers, and with the scalar types of JSON.

Plain scalars are `true`, `false`, `null` and numbers; all others are strings. So `no`, `2026-11-02`, `1e_3` and `0x1f` are
strings, which is most likely what their author means.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from .syntax import MAX_DEPTH, TOO_DEEP, Flaw, Place, SyntaxProblem, check_value, number

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import BaseLoader
else:
    from yaml import CBaseLoader as BaseLoader  # four times as fast

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
            if depth > MAX_DEPTH:
                raise SyntaxProblem(TOO_DEEP, line=_line(event))
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
    check_value(value)
    return value


def _value(node: yaml.Node, known: dict[yaml.Node, Any]) -> Any:
    """Return the value of a node; `known` has the values of those that an alias may refer to."""
    if node.tag not in _TAGS[type(node)]:
        return Flaw(f"has the tag {node.tag}; values are those of JSON, without tags")
    if isinstance(node, yaml.ScalarNode):
        return _plain(node.value) if node.tag == _PLAIN and not node.style else node.value
    if node not in known:
        known[node] = Flaw("contains itself by an alias")
        if isinstance(node, yaml.SequenceNode):
            known[node] = [_value(item, known) for item in node.value]
        else:
            known[node] = _object(node, known)
    return known[node]


def _plain(text: str) -> Any:
    """Return the value of a scalar without quotes."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return number(text) if _NUMBER.fullmatch(text) else text


def _object(node: yaml.Node, known: dict[yaml.Node, Any]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key, member in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise SyntaxProblem("is not YAML: the name of a member must be a string", line=_line(key))
        name = key.value
        if name == "<<" and not key.style:
            value[name] = Flaw("members are not merged with <<; write them out")
        elif name in lines:
            value[name] = Flaw(f"is defined twice, first on line {lines[name]}")
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
