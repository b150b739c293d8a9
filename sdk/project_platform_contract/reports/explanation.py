"""Explains a violation: the sentence of the specification, what was expected, and what else would have been allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from project_platform_contract.rules import RULES, STATED
from project_platform_contract.rules.rule import Rule

_MOST: Final = 3  # Maximum number of sentences about one rule.
_FIELD: Final = re.compile(r"[A-Za-z]\w*")

# How pytest shows an assertion about the status of a response, and the expectation.
_STATUS: Final = re.compile(r"^assert \d{3} == (\d{3})$", re.MULTILINE)
_SUCCESS: Final = re.compile(r"^\+  where False = .*\.is_success", re.MULTILINE)
_REFUSAL: Final = re.compile(
    r"^\+  where (False = (refused\(|.*\.is_client_error)|True = .*\.is_success)|^assert 400 <= \d+|^assert \d+ < 500|"
    r"assert \[.* if not (refused\(|\w+\.is_client_error)",
    re.MULTILINE,
)


def quotes(rule: Rule, said: str = "") -> list[str]:
    """Return the sentences of the specification that state a rule, word for word.

    A sentence or a row of a table about fields that neither the rule nor the violation names is left out.

    Args:
        rule: The rule.
        said: Output of a test that violates it.
    """
    named = set(_words(f"{rule.statement} {' '.join(differences(said))}"))
    near = [each for each in rule.sentences if not (fields := _fields(each)) or not named.isdisjoint(fields)]
    return (near or list(rule.sentences))[:_MOST]


def explanation(id: str, said: str) -> dict[str, Any]:
    """Return what a report shows of a violation besides its requests.

    Args:
        id: The rule.
        said: Output of its test, or how the response violates the contract.

    Returns:
        The members `differs` (a line for each difference), `expected` and `allowed`.
    """
    rule = RULES[id]
    differs = differences(said)
    errors = "\n".join(line[1:].strip() if line.startswith("E ") else line for line in said.splitlines())
    if found := _STATUS.search(errors):
        expected, allowed = f"status {found[1]}", "No other status: the specification fixes it."
    elif _SUCCESS.search(errors):
        expected, allowed = "a success", _SUCCESSES.get(rule.operation or "", "Any status from 200 to 299.")
    elif _REFUSAL.search(errors):
        expected = "a refusal with an error body"
        allowed = _REFUSALS.get(rule.operation or "", "Any status from 400 to 499, and any code or none.")
    else:
        expected, allowed = rule.statement, "Members that the specification does not name."
    left_open = STATED[rule.operation].left_open if rule.operation else ""
    return {
        "differs": differs,
        "expected": expected,
        "allowed": f"{allowed} Left open: {left_open}" if left_open else allowed,
    }


_SUCCESSES: Final[Mapping[str, str]] = {"labels_export": "No other status: the specification shows 200."}
_REFUSALS: Final[Mapping[str, str]] = {"labels_export": "400, 401 and 403, and any code or none."}


def differences(said: str) -> list[str]:
    """Return the error of a violation, with a line for each member that differs if values were compared."""
    lines = said.strip().splitlines() or ["no message"]
    # pytest marks the lines of the error with E, and explains a bare `assert False` in a `where` line.
    errors = [line[1:].strip() for line in lines if line.startswith("E  ")] or lines[:1]
    where = next((line.removeprefix("+  where ") for line in errors if line.startswith("+  where ")), None)
    if where and errors[0].endswith("assert False"):
        return [f"{errors[0]}, where {where}"]
    if "; expected " in errors[0]:  # a difference of `comparison.py`, before which pytest puts the words of Python
        errors[0] = errors[0].removeprefix("AssertionError: ").removeprefix("assert ")
    return [line for line in errors if line and not line.startswith("+  ")]


def _words(text: str) -> list[str]:
    """Return the words of a text in the singular, as far as they may be fields."""
    return [word.removesuffix("s") for word in _FIELD.findall(text)]


def _fields(sentence: str) -> Sequence[str]:
    """Return the fields that a sentence names: those in backticks, and the first cell of a row."""
    row, bar, _ = sentence.partition(" | ")
    named = row if bar and "`" not in row else " ".join(re.findall(r"`([^`]+)`", sentence))
    return _words(named)
