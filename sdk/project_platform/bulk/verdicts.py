"""Pure functions that decide what the end of an attempt means for a row, and which rows may be sent again.

| end of an attempt | journal | next |
|---|---|---|
| 429, or not sent | waiting | to the head of the queue; any number of times |
| lost; safe to repeat, or a change whose guard fences | in doubt | sent again, at most five times |
| lost, otherwise, with `settle` and if it can be settled | in doubt | looked at, at most five times |
| lost, otherwise | unknown | never sent again |
| 2xx, also with an unreadable body | yes | |
| 409 in doubt, on a create whose `external_id` is known to be unique | in effect | |
| another 4xx; in doubt | no; unknown | |
| 401, or 403 before any row was applied | waiting, or still in doubt | the run ends with the error |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast

from ..calls.operation import Applied
from ..records.change import Change
from .attempt import Kind, Sending

MAX_LOST: Final = 5  # attempts that are lost before a row that may be repeated is unknown


@dataclass(frozen=True)
class Rules:
    """The rules by which a run sends rows and ends.

    Attributes:
        external_id: The effect of a second create with the same `external_id`, as the capabilities have it.
        settle: Whether rows are settled of which it is not known whether they were applied.
        retry_failed: Whether rows that ended with "no" in an earlier run are sent again.
        allow_duplicates: Whether a row may have the `external_id` of an earlier row.
        max_failures: Number of rows that may end with an error before the first is applied, or be refused in the same way one after
            the other; None for no limit.
        stop_on_invalid: Whether a row that cannot be sent ends the run; otherwise it ends as "no".
    """

    external_id: Literal["unique", "upsert", "free"] | None = None
    settle: bool = False
    retry_failed: bool = False
    allow_duplicates: bool = False
    max_failures: int | None = 100
    stop_on_invalid: bool = False


def repeatable(sending: Sending, rules: Rules) -> bool:
    """Return whether a row that may have been applied may be sent again."""
    if isinstance(sending.item, Change):
        return sending.item.fences or rules.settle
    if sending.external_id is not None and rules.external_id in {"unique", "upsert"}:
        return True
    return sending.call.retry == "safe" or (rules.settle and sending.settles)


def applied_of(sending: Sending, kind: Kind, rules: Rules) -> Applied:
    """Return whether a row was applied that is not sent again."""
    if kind in {"yes", "in effect", "no"}:
        return cast("Applied", kind)
    if kind == "forbidden" and not sending.doubt:
        return "no"
    if kind == "lost" and sending.call.operation.effect == "read":
        return "no"
    unique = sending.external_id is not None and rules.external_id == "unique"
    return "in effect" if kind == "conflict" and unique else "unknown"
