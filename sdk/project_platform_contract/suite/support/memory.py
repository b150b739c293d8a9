"""Memory entries that a test changes. Every one is restored."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.restoration import ENTRY_FIELDS

from .preconditions import accepted

Entry = dict[str, Any]


class Memory:
    """One memory entry. No operation reads it, so `read` sends an update without fields.

    `merges` says that its metadata are known to be merged, and must not be changed.
    """

    def __init__(self, api: Api, slug: str, before: Entry, *, merges: bool = False) -> None:
        self._api = api
        self.slug = slug
        self.before = before
        self.merges = merges

    def read(self) -> Entry:
        """Return the current entry.

        Raises:
            MissingError: An update without fields is refused.
        """
        response = self._api.restore("memory_update", slug=self.slug, json={})
        if not response.is_success:
            raise MissingError(
                f"{self.slug!r} cannot be read, and so not restored: an update without fields was answered with {response.status_code}"
            )
        entry: Entry = response.json()["entry"]
        return entry

    def update(self, **fields: Any) -> Entry:
        """Update the entry, and return it as the response shows it."""
        entry: Entry = accepted(self._api("memory_update", slug=self.slug, json=fields)).json()["entry"]
        return entry


MemoryOf = Callable[[str], AbstractContextManager[Memory]]


def updatable(entry: Entry) -> Entry:
    """Return the fields of an entry that an update can change."""
    return {field: entry.get(field) for field in ENTRY_FIELDS}
