"""Parses JSON documents, and refuses duplicate keys and the constants that Python's parser accepts."""

from __future__ import annotations

import json
from typing import Any

from .syntax import TOO_DEEP, Flaw, SyntaxProblem, check_value, number


def parse_json(text: str) -> Any:
    """Return the value of a JSON document.

    Raises:
        SyntaxProblem: The document is not valid JSON.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=number, parse_float=number, parse_constant=_constant
        )
        check_value(value)
    except json.JSONDecodeError as error:
        raise SyntaxProblem(f"is not JSON: {error.msg}", line=error.lineno) from None
    except RecursionError:
        raise SyntaxProblem(TOO_DEEP) from None
    return value


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, member in members:
        value[name] = Flaw("is defined twice") if name in value else member
    return value


def _constant(text: str) -> Flaw:
    return Flaw(f"is not JSON: {text} is not a JSON value")
