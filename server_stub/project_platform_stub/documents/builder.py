"""Tokens put together to the value of a document, with the lines that its members and items begin on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from .tokens import SyntaxProblem, Token

Step: TypeAlias = "str | int"
Place: TypeAlias = tuple[Step, ...]

MAX_DEPTH = 100  # Levels, as in a request's body.
MAX_VALUES = 1_000_000  # In one document, with what aliases repeat: a few lines of aliases can stand for billions.


@dataclass(slots=True)
class OpenValue:
    """A list or an object that is not closed yet.

    Attributes:
        value: What is in it so far.
        anchor: Name of the anchor on it.
        key: The member that comes next.
        size: How many values it stands for.
    """

    value: dict[str, Any] | list[Any]
    anchor: str | None
    key: str | None = None
    size: int = 1


class Builder:
    """Puts tokens together, without recursion.

    Attributes:
        lines: The lines on which members and items begin, by the `id` of the object or list that has them.
    """

    def __init__(self) -> None:
        self.lines: dict[int, dict[Step, int]] = {}
        self._open: list[OpenValue] = []
        self._anchors: dict[str, tuple[Any, int] | None] = {}  # value and size; None while it is open

    @property
    def place(self) -> Place:
        """The place that the last token was at."""
        steps = (len(each.value) if isinstance(each.value, list) else each.key for each in self._open)
        return tuple(step for step in steps if step is not None)

    def build(self, tokens: Iterator[Token]) -> Any:
        """Return the value that the tokens stand for."""
        result: Any = None
        for token in tokens:
            if token.kind == "end":
                done = self._open.pop()
                value: Any = done.value
                size, anchor = done.size, done.anchor
            elif self._is_key(token):
                self._key(token)
                continue
            elif token.kind in {"list", "object"}:
                self._enter(token)
                continue
            else:
                value, size = self._aliased(token) if token.kind == "alias" else (token.value, 1)
                anchor = token.anchor
            if anchor is not None:
                self._anchors[anchor] = (value, size)
            result = self._add(value, size, token)
        return result

    def _is_key(self, token: Token) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, dict) and self._open[-1].key is None

    def _key(self, token: Token) -> None:
        inside = self._open[-1]
        if token.kind != "scalar":
            raise SyntaxProblem(token.line, "the name of a member must be text")
        if token.plain and token.text == "<<":
            raise SyntaxProblem(token.line, "members are not merged with <<; write them out")
        inside.key = token.text
        first = self.lines[id(inside.value)].get(token.text)
        if first is not None:
            raise SyntaxProblem(token.line, f"is there twice, first on line {first}")
        self.lines[id(inside.value)][token.text] = token.line

    def _enter(self, token: Token) -> None:
        if len(self._open) == MAX_DEPTH:
            raise SyntaxProblem(token.line, f"is nested more than {MAX_DEPTH} levels deep")
        value: dict[str, Any] | list[Any] = {} if token.kind == "object" else []
        if self._open and isinstance(self._open[-1].value, list):
            self.lines[id(self._open[-1].value)][len(self._open[-1].value)] = token.line
        self.lines[id(value)] = {}
        if token.anchor is not None:
            self._anchors[token.anchor] = None
        self._open.append(OpenValue(value, token.anchor))

    def _aliased(self, token: Token) -> tuple[Any, int]:
        if token.text not in self._anchors:
            raise SyntaxProblem(token.line, f"no anchor &{token.text} stands before this alias")
        anchored = self._anchors[token.text]
        if anchored is None:
            raise SyntaxProblem(token.line, f"the alias *{token.text} stands inside of what it repeats")
        return anchored

    def _add(self, value: Any, size: int, token: Token) -> Any:
        """Put a value where it belongs, and return it."""
        if not self._open:
            return value
        inside = self._open[-1]
        inside.size += size
        if inside.size > MAX_VALUES:
            raise SyntaxProblem(token.line, f"holds more than {MAX_VALUES} values")
        if isinstance(inside.value, list):
            self.lines[id(inside.value)].setdefault(len(inside.value), token.line)
            inside.value.append(value)
        else:
            assert inside.key is not None
            inside.value[inside.key] = value
            inside.key = None
        return value
