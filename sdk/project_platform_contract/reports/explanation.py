"""Explains a violation: the sentence of the specification, the members that differ, what was expected and what else is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from project_platform_contract.rules import RULES, STATED
from project_platform_contract.rules.rule import Rule

_MOST_MEMBERS: Final = 20  # Maximum number of differences of a comparison.
_AROUND: Final = 40  # Characters of a long string before and after the first difference.
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

    A sentence or a row of a table about fields that neither the rule nor the output of its test names is left out.
    """
    named = set(_words(f"{rule.statement} {' '.join(differences(said))}"))
    near = [each for each in rule.sentences if not (fields := _fields(each)) or not named.isdisjoint(fields)]
    return (near or list(rule.sentences))[:_MOST]


def explanation(id: str, said: str) -> dict[str, Any]:
    """Return what a report shows of a violation, the output of a test, besides its requests.

    Returns:
        The members `differs` (a line for each difference), `expected` and `allowed`.
    """
    rule = RULES[id]
    differs = differences(said)
    errors = "\n".join(line[1:].strip() if line.startswith("E ") else line for line in said.splitlines())
    is_export = rule.operation == "labels_export"
    if found := _STATUS.search(errors):
        expected, allowed = f"status {found[1]}", "No other status: the specification fixes it."
    elif _SUCCESS.search(errors):
        shown = "No other status: the specification shows 200."
        expected, allowed = "a success", shown if is_export else "Any status from 200 to 299."
    elif _REFUSAL.search(errors):
        expected = "a refusal with an error body"
        allowed = f"{'400, 401 and 403' if is_export else 'Any status from 400 to 499'}, and any code or none."
    else:
        expected, allowed = rule.statement, "Members that the specification does not name."
    if id in _STATED_BY_THE_DATA_FILE:
        allowed += f" Or the data file is wrong: check {_STATED_BY_THE_DATA_FILE[id]} in it."
    if rule.kind == "expected":
        allowed += f" If the deployment differs on purpose, waive the rule in the data file: waive: {{{id}: REASON}}."
    left_open = STATED[rule.operation].left_open if rule.operation else ""
    return {
        "differs": differs,
        "expected": expected,
        "allowed": f"{allowed} Left open: {left_open}" if left_open else allowed,
    }


_STATED_BY_THE_DATA_FILE: Final[Mapping[str, str]] = {
    "agents.list.all": "agents",
    "labels.export.whole-month": "menu_month, menu_items or unapproved_menu_item",
    "templates.apply.report-stated": "template_report or failing_template_report",
    "web-analytics.config.configured": "analytics_configured",
    "web-analytics.config.null": "analytics_configured or other_project",
}
"""Members of the data file with which a test compares a response, by rule."""


def differences(said: str) -> list[str]:
    """Return the error of a violation, with a line for each member that differs if values were compared."""
    lines = said.strip().splitlines() or ["no message"]
    # pytest marks the lines of the error with E, and explains a bare `assert False` in a `where` line.
    errors = [line[1:].strip() for line in lines if line.startswith("E  ")] or lines[:1]
    where = next((line.removeprefix("+  where ") for line in errors if line.startswith("+  where ")), None)
    if where and errors[0].endswith("assert False"):
        return [f"{errors[0]}, where {where}"]
    if "; expected " in errors[0]:  # a line of `explain`, before which pytest puts the words of Python
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


def explain(op: str, left: Any, right: Any) -> list[str] | None:
    """Return a line for each member that differs from the right value, for pytest's hook; None if pytest explains the comparison."""
    if op != "==" or not isinstance(left, (dict, list)) or not isinstance(right, (dict, list)):
        return None
    lines = list(islice(differing_members(left, right), _MOST_MEMBERS + 1))
    if len(lines) > _MOST_MEMBERS:
        lines[_MOST_MEMBERS:] = ["and more"]
    return lines or None


def differing_members(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each member in which two JSON values differ, with its path; if there should be none, a line for each case."""
    if isinstance(left, dict) and right == {} and not path:
        yield from (
            f"{case}: {problem if isinstance(problem, str) else _shown(problem)}" for case, problem in left.items()
        )
    elif isinstance(left, dict) and isinstance(right, dict):
        for name in dict.fromkeys([*left, *right]):
            at = f"{path}.{name}" if path else str(name)
            if name not in left:
                yield f"{at} is missing; expected {_shown(right[name])}"
            elif name not in right:
                yield f"{at} is {_shown(left[name])}; expected no such member"
            else:
                yield from differing_members(left[name], right[name], at)
    elif isinstance(left, list) and isinstance(right, list):
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from differing_members(one, other, f"{path}[{index}]")
        if len(left) != len(right):
            more = f"[{min(len(left), len(right))}]"
            found = f"; it has {_shown(left[len(right)])}" if len(left) > len(right) else ""
            expected = f"; expected {_shown(right[len(left)])}" if len(left) < len(right) else ""
            yield f"{path or 'the list'} has {len(left)} items; expected {len(right)}. At {more}{found}{expected}"
    elif left != right:
        if isinstance(left, str) and isinstance(right, str):
            left, right = _around_difference(left, right)
        yield f"{path or 'the value'} is {_shown(left)}; expected {_shown(right)}"


def _around_difference(left: str, right: str) -> tuple[str, str]:
    """Return the parts of two long strings around their first difference."""
    if max(len(left), len(right)) <= 2 * _AROUND:
        return left, right
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    begin, end = max(at - _AROUND, 0), at + _AROUND
    before = "..." if begin else ""
    return tuple(f"{before}{text[begin:end]}{'...' if end < len(text) else ''}" for text in (left, right))  # type: ignore[return-value]  # two


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 4 * _AROUND else f"{text[: 4 * _AROUND]}..."
