"""The ledger: everything that a run writes, noted before the request is sent, so that a crash hides nothing."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from .operations import Operation


class Ledger:
    """A file of lines of JSON, each on disk before the next request leaves.

    Args:
        path: The file; nothing is written if not given.
        tag: What everything is named with that the run creates.
    """

    def __init__(self, path: Path | None, tag: str) -> None:
        self._path = path
        self._tag = tag
        self._lock = threading.Lock()

    def before(self, operation: Operation | None, request: httpx.Request) -> None:
        """Note a request that is about to write."""
        if operation is None or operation.effect == "read":
            return
        path = request.url.raw_path.decode("ascii")
        self._write(event="sends", operation=operation.id, effect=operation.effect, path=path)

    def created(self, operation: str, id: str) -> None:
        """Note what a request has created, which stays: the service has no operation that deletes."""
        self._write(event="created", operation=operation, id=id)

    def restored(self, operation: str, what: str) -> None:
        """Note that something that was changed is again what it was."""
        self._write(event="restored", operation=operation, what=what)

    def _write(self, **line: Any) -> None:
        if self._path is None:
            return
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "run": self._tag, **line}
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
