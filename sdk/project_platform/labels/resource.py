"""Meal labels: the generated export, and one that does not hold the PDF in memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from .._generated.operations import labels_export
from .._generated.resources import labels as generated
from ..calls.operation import UNSET, Call, Response, Unset
from .exports import exports
from .sheet import LabelSheet
from .streams import AsyncLabelStream, LabelStream

if TYPE_CHECKING:
    from .._generated.models.enumerations import LabelStock
    from ..calls.configuration import Options

T = TypeVar("T")


def _streamed(call: Call[LabelSheet], read: Callable[[Response], T]) -> Call[T]:
    operation = call.operation
    return Call(replace(operation, read=read, stream=True), call.path, call.body)  # type: ignore[arg-type]


class LabelsResource(generated.LabelsResource):
    """The meal labels of a project."""

    @contextlib.contextmanager
    def stream(
        self,
        *,
        menu_month: str | Unset = UNSET,
        item_ids: Sequence[str | UUID] | Unset = UNSET,
        include_unapproved: bool | Unset = UNSET,
        stock: LabelStock | Unset = UNSET,
        options: Options | None = None,
    ) -> Generator[LabelStream]:
        """Export meal labels without holding the PDF in memory; use it in a `with` statement.

        The arguments and errors are those of `export`. The request is not sent again once the body has begun: later errors
        are raised where the stream is read.
        """
        call = labels_export.call(
            self._project_id,
            menu_month=menu_month,
            item_ids=item_ids,
            include_unapproved=include_unapproved,
            stock=stock,
        )
        with contextlib.closing(self._send(_streamed(call, LabelStream.read), options)) as stream:
            yield stream

    def exports(
        self,
        months: Iterable[str],
        folder: str | os.PathLike[str],
        *,
        include_unapproved: bool | Unset = UNSET,
        stock: LabelStock | Unset = UNSET,
    ) -> Iterator[tuple[str, Call[Path]]]:
        """Return the exports of months for a bulk run, each with its month as the key. Nothing is sent.

        The run writes `labels-2026-11.pdf` and so on into the folder, each file completely or not at all; the value of an
        outcome is the path. A month that ended is not exported again by the next run with its journal, into no folder. They cannot be
        sent by an executor.

        Args:
            months: The months, such as `2026-11`.
            folder: The folder, which must exist.
            include_unapproved: Whether to include labels that are not approved.
            stock: The label stock, width by height in inches.

        Raises:
            UsageError: There is no such folder, or a month cannot be used. The latter is raised when it is read.
        """
        return exports(self._project_id, months, folder, include_unapproved=include_unapproved, stock=stock)


class AsyncLabelsResource(generated.AsyncLabelsResource):
    """Same as `LabelsResource`, but to be awaited."""

    @contextlib.asynccontextmanager
    async def stream(
        self,
        *,
        menu_month: str | Unset = UNSET,
        item_ids: Sequence[str | UUID] | Unset = UNSET,
        include_unapproved: bool | Unset = UNSET,
        stock: LabelStock | Unset = UNSET,
        options: Options | None = None,
    ) -> AsyncGenerator[AsyncLabelStream]:
        """Export meal labels without holding the PDF in memory; use it in an `async with` statement.

        The arguments and errors are those of `export`. The request is not sent again once the body has begun: later errors
        are raised where the stream is read.
        """
        call = labels_export.call(
            self._project_id,
            menu_month=menu_month,
            item_ids=item_ids,
            include_unapproved=include_unapproved,
            stock=stock,
        )
        async with contextlib.aclosing(await self._send(_streamed(call, AsyncLabelStream.read), options)) as stream:
            yield stream

    def exports(
        self,
        months: Iterable[str],
        folder: str | os.PathLike[str],
        *,
        include_unapproved: bool | Unset = UNSET,
        stock: LabelStock | Unset = UNSET,
    ) -> Iterator[tuple[str, Call[Path]]]:
        """Same as `LabelsResource.exports`. A file is written in the event loop."""
        return exports(self._project_id, months, folder, include_unapproved=include_unapproved, stock=stock)
