"""YAML and JSON files written by people, and their problems with file, line and place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from .json_text import parse_json
from .syntax import Place, SyntaxProblem
from .yaml_text import compose, line_of, value_of

_STEPS = 8  # Of the place of a syntax problem that the message names.
MAX_PROBLEMS = 20  # That the text of an error lists; the rest is counted.
_NOT_YAML = re.compile(
    r"[\t\x85\u2028\u2029]|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)  # good JSON that breaks YAML, or its lines
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*", re.ASCII)


class DocumentError(ValueError):
    """A document is not valid. The text lists its problems, a line for each.

    Attributes:
        problems: All problems, as `FILE:LINE: place: problem`, with those that the text only counts.
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
    """The content of a file.

    Attributes:
        name: Name of the file in errors.
        value: The JSON value. YAML aliases repeat the same object, so it must not be changed.
        line: Returns the line on which a place begins, or the nearest place around it that exists; None if the value
            was not read from a text.
    """

    name: str
    value: Any
    line: Callable[[Place], int | None] = field(default=lambda _: None, repr=False, compare=False)

    def problem(self, place: Place, text: str) -> str:
        """Return a problem as `FILE:LINE: place: text`."""
        return _problem(self.name, self.line(place), place, text)


class Problems:
    """Collects the problems of a document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._found: list[tuple[int, str]] = []

    def add(self, place: Place, problem: str) -> None:
        """Add a problem, once."""
        found = (self._document.line(place) or 0, self._document.problem(place, problem))
        if found not in self._found:
            self._found.append(found)

    def raise_any(self) -> None:
        """Raise a `DocumentError` with all problems, in the order of the lines, if there are any."""
        if self._found:
            raise DocumentError(text for _, text in sorted(self._found, key=lambda found: found[0]))


def read_document(path: Path) -> Document:
    """Return the content of a file, which is JSON if its name ends in `.json`, and YAML otherwise.

    Raises:
        DocumentError: The file cannot be read, or is neither.
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
    """Return the content of a text.

    Args:
        text: The text.
        name: Name of the file in errors.
        is_json: Whether the text is JSON and not YAML.

    Raises:
        DocumentError: The text is neither.
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
        raise DocumentError([_problem(name, where, problem.place[:_STEPS], problem.text)]) from None


def _json_lines(text: str) -> Callable[[Place], int | None]:
    """Return the function that finds lines in a JSON text, which is composed for that when the first problem needs it."""

    @cache
    def root() -> yaml.Node | None:
        try:
            return compose(_NOT_YAML.sub(" ", text))
        except SyntaxProblem:  # YAML has limits that JSON has not, such as the length of a name.
            return None

    return lambda place: None if root() is None else line_of(root(), place)


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return `; did you mean "deal"?` if a known word is much like `word`, and an empty text otherwise."""
    if not isinstance(word, str):
        return ""
    near = difflib.get_close_matches(word, [name for name in known if isinstance(name, str)], n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def _problem(name: str, line: int | None, place: Place, text: str) -> str:
    return f"{name}{'' if line is None else f':{line}'}: {_written(place)}: {text}"


def _written(place: Place) -> str:
    """Return a place as people write it: `projects[0].records[2].type`."""
    text = ""
    for step in place:
        if isinstance(step, str) and _NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]' if isinstance(step, str) else f"[{step}]"
    return text or "document"
