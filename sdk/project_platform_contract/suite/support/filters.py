"""Finds the filters of a list, whose names the specification does not give."""

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
    """Return the names of query parameters that filter a list, and the last response.

    Args:
        api: The `Api` that lists.
        operation: The operationId.
        candidates: Names of fields, which are tried as names of filters.
        items: The items without a filter.
        read: Returns the items of a response body.
        path: Path parameters.
    """
    working = []
    response = api(operation, **path)
    for name in candidates:
        values = {item[name] for item in items if isinstance(item.get(name), str)}
        for value in sorted(values):
            expected = [item for item in items if item.get(name) == value]
            if len(expected) == len(items):
                continue  # the filter would have no effect
            response = api(operation, query={name: value}, **path)
            # Other members may differ between two responses.
            if response.is_success and _ids(read(response.json())) == _ids(expected):
                working.append(name)
            break
    return working, response


def _ids(items: Iterable[Item]) -> list[Any]:
    return [item.get("id", item.get("mediaId")) for item in items]
