"""Parses YAML documents with PyYAML, whose nodes have line numbers, and with the scalar types of JSON.

Plain scalars are `true`, `false`, `null` and numbers; all others are strings. So `no`, `2026-11-02`, `1e_3` and `0x1f` are
strings, which is most likely what their author means.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

import yaml

from .syntax import MAX_DEPTH, TOO_DEEP, Flaw, Place, SyntaxProblem, check_value, number

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import SafeLoader
else:
    from yaml import CSafeLoader as SafeLoader  # four times as fast

_TAG: Final = "tag:yaml.org,2002:"
_SCALARS: Final = (  # Tags, the patterns of their scalars, and the first characters of these.
    ("null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""]),
    ("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), [*"tTfF"]),
    ("float", re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z"), [*"-0123456789"]),
)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class _Loader(SafeLoader):
    """Loads the types of JSON; values of other types become a `Flaw`."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # none of SafeLoader's
    yaml_constructors: ClassVar[dict[str | None, Any]] = {}  # none of SafeLoader's


def _construct_scalar(loader: _Loader, node: yaml.ScalarNode) -> Any:
    is_plain = loader.resolve(yaml.ScalarNode, node.value, (True, False)) == node.tag  # type: ignore[no-untyped-call]
    if not is_plain:  # An explicit tag does not match the value.
        return _construct_unknown(loader, node)
    match node.tag.removeprefix(_TAG):
        case "null":
            return None
        case "bool":
            return node.value.lower() == "true"
        case _:
            return number(node.value)


def _construct_text(loader: _Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


def _construct_list(loader: _Loader, node: yaml.SequenceNode) -> list[Any]:
    return loader.construct_sequence(node, deep=True)


def _construct_object(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    value: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key, member in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="the name of a member must be a string", problem_mark=key.start_mark)
        name = key.value
        if name == "<<" and not key.style:
            value[name] = Flaw("members are not merged with <<; write them out")
        elif name in lines:
            value[name] = Flaw(f"is defined twice, first on line {lines[name]}")
        else:
            value[name] = loader.construct_object(member, deep=True)
            lines[name] = _line(key)
    return value


def _construct_unknown(loader: _Loader, node: yaml.Node) -> Flaw:
    return Flaw(f"has the tag {node.tag}; values are those of JSON, without tags")


for _name, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(_TAG + _name, _pattern, _first)
    _Loader.add_constructor(_TAG + _name, _construct_scalar)
_Loader.add_constructor(_TAG + "str", _construct_text)
_Loader.add_constructor(_TAG + "seq", _construct_list)
_Loader.add_constructor(_TAG + "map", _construct_object)
_Loader.add_constructor(None, _construct_unknown)


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
        raise _not_yaml(error) from None
    return root


def value_of(root: yaml.Node | None) -> Any:
    """Return the JSON value of a document. It must not be changed, because aliases refer to the same object.

    Raises:
        SyntaxProblem: The document has a value that JSON does not have.
    """
    try:
        value = None if root is None else _Loader("").construct_document(root)
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error) from None
    check_value(value)
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


def _not_yaml(error: yaml.MarkedYAMLError) -> SyntaxProblem:
    mark = error.problem_mark or error.context_mark
    reason = ", ".join(part for part in (error.context, error.problem) if part)
    return SyntaxProblem(f"is not YAML: {reason}", line=None if mark is None else mark.line + 1)


def _line(marked: Any) -> int:
    line: int = marked.start_mark.line + 1
    return line
