"""Exports of the labels of many months, each to a file: for bulk runs."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .._generated.operations import labels_export
from ..calls.operation import Call, Response, Unset
from ..errors import UsageError
from .sheet import LabelSheet

if TYPE_CHECKING:
    from .._generated.models.enumerations import LabelStock


def exports(
    project_id: str,
    months: Iterable[str],
    folder: str | os.PathLike[str],
    *,
    include_unapproved: bool | Unset,
    stock: LabelStock | Unset,
) -> Iterator[tuple[str, Call[Path]]]:
    """Return the exports of months; see `LabelsResource.exports`."""
    if isinstance(months, str):
        raise UsageError(f"months is the text {months!r}; give a list of months, such as ['2026-11']")
    if not Path(folder).is_dir():
        raise UsageError(f"there is no folder {os.fspath(folder)}; create it first")
    return _exports(project_id, months, Path(folder), include_unapproved, stock)


def _exports(
    project_id: str, months: Iterable[str], folder: Path, include_unapproved: bool | Unset, stock: LabelStock | Unset
) -> Iterator[tuple[str, Call[Path]]]:
    for month in months:
        path = folder / f"labels-{month}.pdf"
        if path.parent != folder:
            raise UsageError(f"the month {month!r} has a separator of paths; give a month such as 2026-11")
        call = labels_export.call(project_id, menu_month=month, include_unapproved=include_unapproved, stock=stock)
        operation = replace(call.operation, read=functools.partial(_saved, path))  # type: ignore[arg-type]
        yield month, Call(operation, call.path, call.body)  # type: ignore[arg-type]


def _saved(path: Path, response: Response) -> Path:
    return LabelSheet.read(response).save(path)
