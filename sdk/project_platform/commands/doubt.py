"""The file of a write whose outcome is not known: what `project-platform settle` needs, without token and headers."""

from __future__ import annotations

import datetime
import os
import secrets
import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ValidationError

from .. import operations
from ..calls.operation import AttemptRecord, Call, Operation
from ..errors import InDoubtError, OutcomeUnknownError, UsageError
from ..json_values import exact_json
from ..json_values.containment import fences
from ..settling import can_settle
from .parser import PROGRAM

if TYPE_CHECKING:
    from ..client import Client


class _Doubt(BaseModel):
    """The content of the file."""

    version: Literal[1] = 1
    operation: str
    path: str
    body: str | None
    base_url: str
    attempts: list[AttemptRecord]


def keep(error: InDoubtError, client: Client, chosen: str | None) -> None:
    """Write what settles an error to a file, and let the error say which command settles it.

    Args:
        error: The error of a write.
        client: The client that sent it.
        chosen: The file; None for one in the state directory, if the write can be settled.
    """
    if error.call is None or (chosen is None and not can_settle(error, client.capabilities)):
        return
    path = _default(error.call) if chosen is None else Path(chosen)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(error, error.call, path)
    except OSError as problem:
        error.add_note(f"{path} was not written: {problem.strerror or problem}")
        error.advice = error.call.operation.look
    else:
        error.advice = f"{PROGRAM} settle {shlex.quote(str(path))}"


def _folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / PROGRAM


def _default(call: Call[Any]) -> Path:
    now = datetime.datetime.now(datetime.UTC)
    return _folder() / f"{call.operation.id}-{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}.json"


def remove(path: Path) -> None:
    """Remove a file that is settled, if it lies where files are written by default."""
    if path.resolve().parent == _folder().resolve():
        path.unlink()


def _write(error: InDoubtError, call: Call[Any], path: Path) -> None:
    """Write an error to a file that only its owner can read: the body of the request may be personal."""
    doubt = _Doubt(
        operation=call.operation.id,
        path=call.path,
        body=None if call.body is None else call.body.decode(),
        base_url=error.base_url or "",
        attempts=list(error.attempts),
    )
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(doubt.model_dump_json(indent=2))


def read(path: Path) -> OutcomeUnknownError:
    """Return the error of a file.

    Raises:
        UsageError: The file cannot be read, or is not what `keep` has written.
    """
    try:
        doubt = _Doubt.model_validate_json(path.read_bytes())
        body: Any = {} if doubt.body is None else exact_json.loads(doubt.body)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValidationError as error:
        places = ", ".join(".".join(map(str, detail["loc"])) or "the file" for detail in error.errors())
        raise UsageError(f"{path} is not what `{PROGRAM} call` has written: {places}; restore it") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not what `{PROGRAM} call` has written: body; restore it") from None
    if doubt.operation not in operations.__all__:
        raise UsageError(f"{path} is of the operation {doubt.operation!r}, which this version does not have")
    operation: Operation[Any] = import_module(f"project_platform._generated.operations.{doubt.operation}").OPERATION
    # What the guard does is computed anew: a file may have been edited.
    fenced = operation.retry == "fenced" and fences(body.get("data") or {}, body.get("expectedData") or {})
    unknown = OutcomeUnknownError("the outcome is not known", operation_id=operation.id, applied="unknown")
    unknown.attempts, unknown.base_url = tuple(doubt.attempts), doubt.base_url
    unknown.call = Call(operation, doubt.path, doubt.body.encode() if doubt.body is not None else None, fences=fenced)
    return unknown
