"""YAML and JSON files written by people, and problems with file, line and place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from .syntax import Place, SyntaxProblem, compose, line_of, parse_json, value_of

_MAX_STEPS = 8  # Steps of the place in the message of a syntax problem.
MAX_PROBLEMS = 20  # Problems that the message of an error lists; it counts the rest.
_NOT_YAML = re.compile(
    r"[\t\x85\u2028\u2029]|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)  # valid in JSON, but not in YAML, or a line break only there
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*", re.ASCII)


class DocumentError(ValueError):
    """A document is not valid. The message has one line for every problem.

    Attributes:
        problems: All problems, as `FILE:LINE: place: problem`, also those that the message only counts.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - MAX_PROBLEMS
        super().__init__("\n".join([*self.problems[:MAX_PROBLEMS], *([f"... and {more} more"] if more > 0 else [])]))

    def __reduce__(self) -> Any:
        """Pickle all problems, not only those in the message."""
        return type(self), (self.problems,)


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a file.

    Attributes:
        name: Name of the file in errors.
        value: The JSON value. It must not be changed, because YAML aliases refer to the same object.
        line: Returns the first line of a place, or of the nearest enclosing place that exists; None if the value does
            not come from a file.
    """

    name: str
    value: Any
    line: Callable[[Place], int | None] = field(default=lambda _: None, repr=False, compare=False)

    def problem(self, place: Place, text: str) -> str:
        """Return a problem as `FILE:LINE: place: text`."""
        line = self.line(place)
        return f"{self.name}{'' if line is None else f':{line}'}: {_format_place(place)}: {text}"


class Problems:
    """Collects the problems of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._problems: list[tuple[int, str]] = []

    def add(self, place: Place, problem: str) -> None:
        """Add a problem, unless it was added before."""
        problem_at_line = (self.document.line(place) or 0, self.document.problem(place, problem))
        if problem_at_line not in self._problems:
            self._problems.append(problem_at_line)

    def raise_any(self) -> None:
        """Raise a `DocumentError` with all problems in the order of their lines, if there are any."""
        if self._problems:
            raise DocumentError(text for _, text in sorted(self._problems, key=lambda problem: problem[0]))


def read_document(path: Path) -> Document:
    """Return the content of a file: JSON if its name ends in `.json`, otherwise YAML.

    Raises:
        DocumentError: The file cannot be read, or has a syntax error.
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
    """Return the content of a string.

    Raises:
        DocumentError: The string has a syntax error.
    """
    line: Callable[[Place], int | None] = _json_lines(text)
    try:
        if is_json:
            return Document(name, parse_json(text), line)
        root = compose(text)
        line = partial(line_of, root)
        return Document(name, value_of(root), line)
    except SyntaxProblem as problem:
        where = problem.line or line(problem.place)
        document = Document(name, None, lambda _: where)
        raise DocumentError([document.problem(problem.place[:_MAX_STEPS], problem.text)]) from None


def _json_lines(text: str) -> Callable[[Place], int | None]:
    """Return the function that finds lines in JSON. Its first call parses the JSON as YAML, whose nodes have lines."""

    @cache
    def root() -> yaml.Node | None:
        try:
            return compose(_NOT_YAML.sub(" ", text))
        except SyntaxProblem:  # YAML has limits that JSON does not have, such as the length of a name.
            return None

    return lambda place: None if root() is None else line_of(root(), place)


def plain(value: Any) -> Any:
    """Return a value with ints and floats in place of Decimals; `50.0` is an integer to JSON Schema, and becomes 50."""
    if isinstance(value, Mapping):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, Decimal | float):
        return int(value) if value == int(value) else float(value)
    return value


def with_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with another string in place of each of its strings, except for the names of members."""
    match value:
        case str():
            return change(value)
        case dict():
            return {name: with_strings(member, change) for name, member in value.items()}
        case list():
            return [with_strings(member, change) for member in value]
        case _:
            return value


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return `; did you mean "deal"?` if a known word is similar to `word`, otherwise an empty string."""
    if not isinstance(word, str):
        return ""
    near = difflib.get_close_matches(word, [name for name in known if isinstance(name, str)], n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def _format_place(place: Place) -> str:
    """Return a place in the notation of messages: `projects[0].records[2].type`."""
    text = ""
    for step in place:
        if isinstance(step, str) and _NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]' if isinstance(step, str) else f"[{step}]"
    return text or "document"
