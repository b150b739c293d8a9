"""Filters of a list: equality with string fields. The specification does not state their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from project_platform_stub.http.errors import bad_request
from project_platform_stub.world.domain import Json


def filtered(items: Iterable[Json], filters: Mapping[str, str], fields: Iterable[str]) -> list[Json]:
    """Return the items whose fields equal all filters; a filter with an unknown name is a 400."""
    known = frozenset(fields)
    for name in filters:
        if name not in known:
            raise bad_request(f"query.{name}", "is not a field to filter by")
    return [item for item in items if all(item.get(name) == value for name, value in filters.items())]
