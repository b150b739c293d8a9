"""The text of a YAML or JSON file as tokens: what opens, what closes, and the scalars between, each with its line.

Scalars are those of JSON, whichever of the two it is: `true`, `false`, `null`, numbers, and text for all the rest. So
`no`, `2026-11-02`, `1e_3` and `0x1f` are text, as their author most likely meant them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

import yaml

# The C loader is ten times as fast; PyYAML lacks it where it was built without libyaml.
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_WORDS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,999})", re.ASCII)  # no longer: Python is slow at turning text into numbers
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s,:{}\[\]"]+')
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class SyntaxProblem(Exception):  # noqa: N818  # it is told as one problem of a document, among others
    """A text is not what it should be.

    Attributes:
        line: The line, counted from 1.
        text: What is wrong there.
    """

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a document.

    Attributes:
        kind: A scalar, the start of a list or an object, the end of either, or an alias of what an anchor marks.
        line: The line it begins on, counted from 1.
        text: A scalar as it is written, without quotes; the name of the anchor that an alias means.
        plain: Whether a scalar is written without quotes, so that it need not be text.
        anchor: Name of the anchor on it.
    """

    kind: Literal["scalar", "list", "object", "end", "alias"]
    line: int
    text: str = ""
    plain: bool = False
    anchor: str | None = None

    @property
    def value(self) -> Any:
        """The value of a scalar.

        Raises:
            SyntaxProblem: It is none that a program could keep.
        """
        if self.plain and self.text in _WORDS:
            return _WORDS[self.text]
        if self.plain and _INTEGER.fullmatch(self.text):
            return int(self.text)
        try:
            if self.plain and _NUMBER.fullmatch(self.text):
                return Decimal(self.text)
            self.text.encode()
        except InvalidOperation:
            raise SyntaxProblem(self.line, "is a number whose exponent is out of range") from None
        except UnicodeEncodeError:
            raise SyntaxProblem(self.line, "holds half of a surrogate pair, which is no text") from None
        return self.text


def json_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a JSON text.

    Raises:
        SyntaxProblem: It is no JSON.
    """
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        raise SyntaxProblem(error.lineno, f"is not JSON: {error.msg}") from None
    except RecursionError:
        raise SyntaxProblem(1, "is nested too deeply") from None
    line, before = 1, 0
    for found in _JSON_TOKEN.finditer(text):
        line += text.count("\n", before, found.start())
        before = found.start()
        match found[0]:
            case "{":
                yield Token("object", line)
            case "[":
                yield Token("list", line)
            case "}" | "]":
                yield Token("end", line)
            case written if written.startswith('"'):
                yield Token("scalar", line, json.loads(written))
            case "NaN" | "Infinity" | "-Infinity":
                raise SyntaxProblem(line, f"is not JSON: {found[0]} is no JSON value")
            case written:
                yield Token("scalar", line, written, plain=True)


def yaml_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a YAML text with one document in it.

    Raises:
        SyntaxProblem: It is no YAML, or has what JSON has no word for: tags, or several documents.
    """
    if unprintable := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, unprintable.start()) + 1
        raise SyntaxProblem(line, f"is not YAML: the character U+{ord(unprintable[0]):04X} may not stand in it")
    documents = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise SyntaxProblem(_line(event), "a second document begins here; a file has one")
            elif (token := _token(event)) is not None:
                yield token
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise SyntaxProblem(line, f"is not YAML: {error.problem or error.context}") from None


def _token(event: Any) -> Token | None:
    tag = getattr(event, "tag", None)
    if tag is not None and not (isinstance(event, yaml.ScalarEvent) and tag == "tag:yaml.org,2002:str"):
        raise SyntaxProblem(_line(event), f"has the tag {tag}; values are those of JSON, without tags")
    match event:
        case yaml.ScalarEvent():
            return Token("scalar", _line(event), event.value, tag is None and event.implicit[0], event.anchor)
        case yaml.SequenceStartEvent():
            return Token("list", _line(event), anchor=event.anchor)
        case yaml.MappingStartEvent():
            return Token("object", _line(event), anchor=event.anchor)
        case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
            return Token("end", _line(event))
        case yaml.AliasEvent():
            return Token("alias", _line(event), str(event.anchor))
        case _:
            return None


def _line(event: Any) -> int:
    line: int = event.start_mark.line + 1
    return line
