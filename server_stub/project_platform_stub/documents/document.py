"""YAML and JSON files that people write: read with the lines that things stand on, so that a problem can name its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .builder import Builder, Place, Step
from .tokens import SyntaxProblem, json_tokens, yaml_tokens

_STEPS = 8  # Of a place that a problem of syntax still tells.
MAX_PROBLEMS = 20  # That an error lists; the rest is counted.
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*", re.ASCII)
_UNKNOWN_LINE: Mapping[Step, int] = {}


class DocumentError(ValueError):
    """A file is not what it should be. The text lists what is wrong with it, a line for each problem.

    Attributes:
        problems: All of them, as `FILE:LINE: place: what is wrong`. Not only those that the text lists.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - MAX_PROBLEMS
        super().__init__("\n".join([*self.problems[:MAX_PROBLEMS], *([f"... and {more} more"] if more > 0 else [])]))

    def __reduce__(self) -> Any:
        """Keep the problems when the error goes from one process to another."""
        return type(self), (self.problems,)


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds.

    Attributes:
        name: The file, as errors call it.
        value: The JSON value. What an alias repeats is the same object again, so it must not be changed.
        lines: The lines on which members and items begin, by the `id` of the object or list that has them; None where
            the value came from no file.
    """

    name: str
    value: Any
    lines: Mapping[int, Mapping[Step, int]] | None = field(default=None, repr=False, compare=False)

    def line(self, place: Place) -> int | None:
        """Return the line on which a place begins, or the nearest one around it; None if this came from no file."""
        if self.lines is None:
            return None
        line, value = 1, self.value
        for step in place:
            found = self.lines.get(id(value), _UNKNOWN_LINE).get(step)
            if found is None:
                break
            line, value = found, value[step]
        return line

    def told(self, place: Place, problem: str) -> str:
        """Return a problem as `FILE:LINE: place: what is wrong`."""
        line = self.line(place)
        return f"{self.name}{'' if line is None else f':{line}'}: {_told(place)}: {problem}"


class Problems:
    """What is wrong with a document, as it is found."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._found: list[tuple[int, str]] = []

    def add(self, place: Place, problem: str) -> None:
        """Note a problem, once."""
        found = (self._document.line(place) or 0, self._document.told(place, problem))
        if found not in self._found:
            self._found.append(found)

    def raise_any(self) -> None:
        """Raise a `DocumentError` with all problems, in the order of the lines, if there are any."""
        if self._found:
            raise DocumentError(text for _, text in sorted(self._found, key=lambda found: found[0]))


def read_document(path: Path) -> Document:
    """Return what a file holds; it is JSON if its name ends so, and YAML otherwise.

    Raises:
        DocumentError: It cannot be read, or is neither.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError([f"{path}: cannot be read: {error.strerror or error}"]) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError([f"{path}:{line}: document: is not UTF-8"]) from None
    return parse_document(text, str(path), is_json=path.suffix.lower() == ".json")


def parse_document(text: str, name: str, *, is_json: bool = False) -> Document:
    """Return what a text holds.

    Args:
        text: The text.
        name: What to call it in errors.
        is_json: Whether it is JSON and not YAML.

    Raises:
        DocumentError: It is neither.
    """
    tokens = json_tokens(text) if is_json else yaml_tokens(text)
    builder = Builder()
    try:
        value = builder.build(tokens)
    except SyntaxProblem as problem:
        raise DocumentError([f"{name}:{problem.line}: {_told(builder.place[:_STEPS])}: {problem.text}"]) from None
    return Document(name, value, builder.lines)


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return `; did you mean "deal"?` if something known is much like a word, and nothing otherwise."""
    if not isinstance(word, str):
        return ""
    near = difflib.get_close_matches(word, [each for each in known if isinstance(each, str)], n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def _told(place: Place) -> str:
    """Return a place as a reader writes it: `projects[0].records[2].type`."""
    text = ""
    for step in place:
        if isinstance(step, str) and _NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]' if isinstance(step, str) else f"[{step}]"
    return text or "document"
