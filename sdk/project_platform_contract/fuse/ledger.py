"""The ledger: records every write before it is sent, so that none is lost if the run crashes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx

from .backup import Backup
from .created_resources import UNKNOWN, Created
from .fuse import Passed
from .limits import BlockedError

_UNCLEAR: Final = frozenset({408, 500, 502, 503, 504})
"""Statuses of a response to a write that may have been applied: a gateway did not wait for the service, or the service failed."""


class Ledger:
    """A JSON Lines file; each line is in it before the next request is sent, and on the disk if it is about a deployment.

    Only its owner may read the file, because it contains the previous values of what the run changes.

    Args:
        path: The file; None writes nothing.
        tag: Name prefix of everything that the run creates.
        target: Base URL of the deployment; None for a stub, whose contents do not outlive the run.
    """

    def __init__(self, path: Path | None, tag: str, target: str | None = None) -> None:
        self._path = path
        self._tag = tag
        self._target = target
        self._ids: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def before(self, passed: Passed, request: httpx.Request) -> None:
        """Record a write that is about to be sent."""
        if passed.effect == "read":
            return
        operation = None if passed.operation is None else passed.operation.id
        sent = {"method": request.method, "path": request.url.raw_path.decode("ascii")}
        self._write(event="sends", number=passed.number, operation=operation, effect=passed.effect, **sent)

    def after(self, passed: Passed, response: httpx.Response, created: Iterable[Created]) -> None:
        """Record the response to a write, and the resources it created."""
        self._write(event="answered", number=passed.number, status=response.status_code)
        for resource in created:
            key = (resource.kind, resource.id)
            if resource.id == UNKNOWN or key not in self._ids:
                operation = "" if passed.operation is None else passed.operation.id
                self._write(event="created", operation=operation, **resource._asdict())
            self._ids.add(key)

    def saves(self, backup: Backup) -> None:
        """Record the previous value of something that is about to be changed."""
        self._write(event="saves", target=self._target, **asdict(backup))

    def restored(self, backup: Backup) -> None:
        """Record that something that the run changed has its previous value again."""
        self._write(event="restored", operation=backup.operation, path=backup.path, what=backup.what)

    def _write(self, **line: Any) -> None:
        if self._path is None:
            return
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "run": self._tag, **line}
        with self._lock:
            try:
                _append(self._path, json.dumps(line).encode(), sync=self._target is not None)
            except OSError as error:
                raise BlockedError(f"the ledger {self._path} cannot be written: {error.strerror or error}") from None


def _append(path: Path, line: bytes, *, sync: bool) -> None:
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b") as file:
        # A process that died in the middle of a line must not make the next line unreadable.
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 1, 0))
        start = b"\n" if file.read(1) not in {b"", b"\n"} else b""
        file.write(start + line + b"\n")
        file.flush()
        if sync:
            os.fsync(file.fileno())


@dataclass(frozen=True, slots=True)
class Unrestored:
    """Something that a run changed and did not restore, because it was killed or its requests failed; `path` is its ledger."""

    path: Path
    run: str
    target: str
    backup: Backup


def unrestored(folder: Path) -> list[Unrestored]:
    """Return what the runs of all ledgers in a folder changed in deployments and did not restore."""
    found: dict[tuple[str, str, str], Unrestored] = {}
    for path in sorted(folder.glob("ledger-*.jsonl")):
        for line in _lines(path):
            key = str(path), line.get("run", ""), line.get("path", "")
            if line.get("event") == "saves" and line["target"] is not None:
                backup = Backup(line["operation"], line["path"], line["body"], line["what"])
                # The first value is that of the user.
                found.setdefault(key, Unrestored(path, line["run"], line["target"], backup))
            elif line.get("event") == "restored":
                found.pop(key, None)
    return list(found.values())


def remains(folder: Path, tag: str) -> dict[str, list[Any]]:
    """Return the lasting changes of a run, from the ledgers of its processes.

    Returns:
        `created`, the resources that the run created: kind, identifier, name and operation; `unanswered`, writes that received
        no response, or one that leaves open whether they were applied; `changed` and `restored`, what else it changed, by whether it restored it.
    """
    found: dict[str, list[Any]] = {"created": [], "unanswered": [], "changed": [], "restored": []}
    for path in sorted(folder.glob("ledger-*.jsonl")):
        sent: dict[int, str] = {}  # each process numbers its requests from 1
        saved: dict[str, str] = {}
        for line in (line for line in _lines(path) if line.get("run") == tag):
            match line["event"]:
                case "sends":
                    sent[line["number"]] = f"{line['operation'] or 'no operation'}: {line['method']} {line['path']}"
                case "answered" if line["status"] not in _UNCLEAR:
                    del sent[line["number"]]
                case "created":
                    found["created"].append({name: line.get(name) for name in ("kind", "id", "name", "operation")})
                case "saves":
                    saved[line["path"]] = f"{line['operation']}: {line['path']}"
                case "restored":
                    found["restored"].append(line["what"])
                    saved.pop(line["path"], None)
        found["unanswered"] += sent.values()
        found["changed"] += saved.values()
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # a process died in the middle of a line
            continue
