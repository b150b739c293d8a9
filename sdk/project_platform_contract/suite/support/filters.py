"""Filters of a list, whose names the specification does not show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import httpx

from project_platform_contract.run.api import Api

Item = dict[str, Any]


def filters_that_work(
    api: Api,
    operation: str,
    candidates: Iterable[str],
    items: list[Item],
    read: Callable[[Any], list[Item]],
    **path: Any,
) -> tuple[list[str], httpx.Response]:
    """Return the names by which a list can be filtered, and the last answer.

    Args:
        api: Calls.
        operation: The operation that lists.
        candidates: Names of fields that might be names of filters.
        items: What it lists without a filter.
        read: Returns what an answer lists.
        path: Path parameters.
    """
    working = []
    response = api(operation, **path)
    for name in candidates:
        values = {item[name] for item in items if isinstance(item.get(name), str)}
        for value in sorted(values):
            expected = [item for item in items if item.get(name) == value]
            if len(expected) == len(items):
                continue  # such a filter cannot be told from none
            response = api(operation, query={name: value}, **path)
            if response.is_success and read(response.json()) == expected:
                working.append(name)
            break
    return working, response
