"""The review of a label export, as a mapping and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..frames.tabular import Tabular
from ..json_values.exact_json import is_array, is_object

_LISTS: Final = ("labels", "skipped", "problems")
# Members of the entries, with their fields and types.
_MEMBERS: Final[Mapping[str, tuple[str, type]]] = {
    "itemId": ("item_id", str),
    "name": ("name", str),
    "sheet": ("sheet", int),
    "position": ("position", int),
    "reason": ("reason", str),
    "field": ("field", str),
    "problem": ("problem", str),
}


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """An entry of one of the lists of a review; `extra` has the members of other names and types."""

    list: str
    item_id: str | None = None
    name: str | None = None
    sheet: int | None = None
    position: int | None = None
    reason: str | None = None
    field: str | None = None
    problem: str | None = None
    extra: dict[str, Any] | None = None


class LabelReview(Mapping[str, Any], Tabular):
    """The review of a label export: a mapping, and a table.

    The specification does not show its members. The table has a row for each entry of `labels`, `skipped` and `problems`,
    whose column `list` says which.
    """

    __slots__ = ("_members",)

    def __init__(self, members: Mapping[str, Any]) -> None:
        self._members = members

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        counts = [f"{len(self._list(name))} {name}" for name in _LISTS if name in self._members]
        return f"<LabelReview: {', '.join(counts) or ', '.join(self._members)}>"

    def _list(self, name: str) -> Sequence[Any]:
        entries = self._members.get(name)
        return entries if is_array(entries) else ()

    def _rows(self) -> tuple[Sequence[ReviewRow], type]:
        rows = [_row(name, entry) for name in _LISTS for entry in self._list(name) if is_object(entry)]
        return rows, ReviewRow


def _row(name: str, entry: Mapping[str, Any]) -> ReviewRow:
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for member, value in entry.items():
        field, kind = _MEMBERS.get(member, (member, None))
        if type(value) is kind:
            fields[field] = value
        else:
            extra[member] = value
    return ReviewRow(name, **fields, extra=extra or None)
