"""Backups: the requests that restore what a run changes although it did not create it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

RESTORED_OPERATIONS: Final = {"memory_update": "the memory entry", "sidebar_replace": "the sidebar"}
"""Operations that change a thing of the data file, and what that is. The ledger must have its previous value before they are sent."""


@dataclass(frozen=True, slots=True)
class Backup:
    """The previous value of a resource.

    Attributes:
        operation: The operationId that changes and restores it.
        path: Path below the base URL, percent-encoded as it is sent; it identifies the resource.
        body: JSON body of the request that restores it.
        what: Description of the resource, such as `the sidebar`.
    """

    operation: str
    path: str
    body: dict[str, Any]
    what: str
