"""The ledger: everything that a run writes, noted before the request is sent, so that a crash hides nothing."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx

from .created_resources import UNKNOWN, Created
from .fuse import Passed


class Ledger:
    """A file of lines of JSON, each on disk before the next request leaves.

    Args:
        path: The file; nothing is written if not given.
        tag: What everything is named with that the run creates.
    """

    def __init__(self, path: Path | None, tag: str) -> None:
        self._path = path
        self._tag = tag
        self._ids: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def before(self, passed: Passed, request: httpx.Request) -> None:
        """Note a request that is about to write."""
        if passed.effect == "read":
            return
        path = request.url.raw_path.decode("ascii")
        operation = None if passed.operation is None else passed.operation.id
        self._write(
            event="sends",
            number=passed.number,
            operation=operation,
            effect=passed.effect,
            method=request.method,
            path=path,
        )

    def after(self, passed: Passed, response: httpx.Response, created: Iterable[Created]) -> None:
        """Note the answer to a request that wrote, and what it has created."""
        self._write(event="answered", number=passed.number, status=response.status_code)
        for thing in created:
            self._created("" if passed.operation is None else passed.operation.id, thing)

    def created(self, operation: str, id: str) -> None:
        """Note what a request has created where its answer does not say so."""
        self._created(operation, Created("thing", id))

    def restored(self, operation: str, what: str) -> None:
        """Note that something that was changed is again what it was."""
        self._write(event="restored", operation=operation, what=what)

    def _created(self, operation: str, thing: Created) -> None:
        key = (thing.kind, thing.id)
        if thing.id != UNKNOWN and key in self._ids:
            return
        self._ids.add(key)
        self._write(event="created", operation=operation, **thing._asdict())

    def _write(self, **line: Any) -> None:
        if self._path is None:
            return
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "run": self._tag, **line}
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


@dataclass(slots=True)
class Remains:
    """What a run leaves in the world.

    Attributes:
        created: What it has created, which stays: kind, identifier and name.
        unanswered: Requests that wrote, or did not: no answer came.
        changed: Requests that changed something that was there before, and nothing says that it was restored.
        restored: What was changed and is again what it was.
    """

    created: list[dict[str, Any]] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return it as a report has it."""
        return asdict(self)


# Operations that change what is there, so that it can be restored; an event and a record may be the run's own.
_CHANGING = frozenset({"records_update", "calendar_reschedule", "sidebar_replace", "memory_update"})


def remains(folder: Path, tag: str) -> Remains:
    """Return what a run leaves in the world, from the ledgers of its processes."""
    found = Remains()
    for path in sorted(folder.glob("ledger-*.jsonl")):
        lines = [line for line in _lines(path) if line.get("run") == tag]
        _add(found, lines)
    return found


def _add(found: Remains, lines: Iterable[dict[str, Any]]) -> None:
    """Add what one process leaves; its requests are numbered by themselves."""
    sent: dict[int, dict[str, Any]] = {}
    changed: dict[str, str] = {}
    own = set()
    for line in lines:
        match line["event"]:
            case "sends":
                sent[line["number"]] = line
            case "answered":
                request = sent.pop(line["number"])
                success = 200 <= line["status"] < 300  # noqa: PLR2004  # RFC 9110 section 15.3
                is_own = _last_segment(request) in own
                if success and request["method"] == "DELETE":  # RFC 9110 section 9.3.5: what the path names is gone
                    found.created = [thing for thing in found.created if thing["id"] != _last_segment(request)]
                if success and request["operation"] in _CHANGING and not is_own:
                    changed[_told(request)] = request["operation"]
            case "created":
                own.add(line["id"])
                found.created.append({name: line.get(name) for name in ("kind", "id", "name", "operation")})
            case "restored":
                found.restored.append(line["what"])
                changed = {told: operation for told, operation in changed.items() if operation != line["operation"]}
    found.unanswered += [_told(request) for request in sent.values()]
    found.changed += list(changed)


def _last_segment(request: dict[str, Any]) -> str:
    segment: str = request["path"].partition("?")[0].rpartition("/")[2]
    return unquote(segment)


def _told(request: dict[str, Any]) -> str:
    return f"{request['operation'] or 'no operation'}: {request['method']} {request['path']}"


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # a process died in the middle of a line
            continue
