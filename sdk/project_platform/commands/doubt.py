"""Files of writes in doubt: `call` writes one if it is not known whether a write was applied, and `settle` reads it.

A file has what was sent, without token and headers. Only its owner can read it, since the body may be personal.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import errno
import hashlib
import os
import secrets
import shlex
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, PlainSerializer, ValidationError

from .. import operations
from ..calls.operation import AttemptRecord, Call, Operation
from ..errors import InDoubtError, OutcomeUnknownError, UsageError
from ..json_values import exact_json
from ..json_values.containment import fences
from ..labels.atomic_file import replacing
from .parser import PROGRAM, connection_words
from .verdict import without_error

if TYPE_CHECKING:
    from ..client import Client


class _Content(BaseModel):
    """The content of a file. `fences` is for people: `read` computes it."""

    version: Literal[1]
    operation: str
    base_url: str
    path: str
    body: bytes | None
    fences: bool
    attempts: list[Annotated[AttemptRecord, PlainSerializer(AttemptRecord._asdict)]]
    digest: str

    def digest_of_request(self) -> str:
        sent = self.model_dump_json(include={"operation", "base_url", "path", "body"})
        return hashlib.sha256(sent.encode()).hexdigest()


def write(error: InDoubtError, path: Path) -> None:
    """Write the call and the attempts of an error to a file, completely or not at all.

    Raises:
        OSError: The file cannot be written.
    """
    call = error.call
    assert call is not None  # every error in doubt of a client has one
    content = _Content(
        version=1,
        operation=call.operation.id,
        base_url=error.base_url or "",
        path=call.path,
        body=call.body,
        fences=call.fences,
        attempts=list(error.attempts),
        digest="",
    )
    content.digest = content.digest_of_request()
    with replacing(path) as file:
        Path(file.name).chmod(0o600)  # while it is empty
        file.write(content.model_dump_json(indent=2).encode() + b"\n")


def read(path: Path) -> OutcomeUnknownError:
    """Return the error of a file, which `client.settle` takes.

    Raises:
        UsageError: The file cannot be read, or is not as it was written; the message names the member.
    """
    try:
        content = _Content.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, one['loc'])) or 'text'}: {one['msg']}" for one in error.errors())
        raise UsageError(f"{path} is not a file that `{PROGRAM} call` has written: {'; '.join(problems)}") from None
    if content.operation not in operations.__all__:
        raise UsageError(f"{path}: this version of the SDK does not have the operation {content.operation!r}")
    if content.digest != content.digest_of_request():
        raise UsageError(f"{path} was changed: operation, base_url, path or body does not fit its digest; restore it")
    operation: Operation[Any] = import_module(f"project_platform._generated.operations.{content.operation}").OPERATION
    sent = exact_json.loads(content.body or b"{}")
    fenced = operation.retry == "fenced" and fences(sent.get("data") or {}, sent.get("expectedData") or {})
    unknown = OutcomeUnknownError("the response was lost", operation_id=operation.id, applied="unknown")
    unknown.call = Call(operation, content.path, content.body, fenced)
    unknown.base_url = content.base_url
    unknown.attempts = tuple(content.attempts)
    return unknown


def command(path: Path, given: argparse.Namespace) -> str:
    """Return the command that settles a file, with the connection options that were given."""
    return shlex.join([PROGRAM, "settle", str(path.absolute()), *connection_words(given)])


@contextlib.contextmanager
def kept(client: Client, given: argparse.Namespace) -> Generator[None]:
    """Write the file of a call that ends in doubt, and let its error say what to do on the command line."""
    try:
        yield
    except InDoubtError as error:
        if error.applied == "unknown":
            _keep(error, client, given)
        raise
    except KeyboardInterrupt as interruption:
        call: Call[Any] | None = getattr(interruption, "call", None)
        if call is not None:  # in doubt
            unknown = OutcomeUnknownError("interrupted", operation_id=call.operation.id, applied="unknown")
            unknown.call, unknown.base_url = call, client.base_url
            _keep(unknown, client, given)
            in_python = f"; {client.capabilities.advice(call, without_error=True)}"
            notes = [note.removesuffix(in_python) for note in interruption.__notes__]
            interruption.__notes__ = [*notes, *getattr(unknown, "__notes__", ()), f"what to do: {unknown.advice}"]
        raise


def _keep(error: InDoubtError, client: Client, given: argparse.Namespace) -> None:
    """Write a file if the write can be settled or a file was chosen, and let the error say what to do."""
    call = error.call
    assert call is not None  # every error in doubt of a client has one
    settles = client.capabilities.settling(call) is not None
    error.advice = without_error(call.operation.look)
    if settles:
        error.advice = f"in Python, {client.capabilities.advice(call, without_error=True)}"
    for chosen in [given.save_doubt] * (given.save_doubt is not None) + [None] * settles:
        try:
            path = _new_file(call, chosen)
            write(error, path)
        except (OSError, RuntimeError) as problem:  # RuntimeError: there is no home directory
            error.add_note(f"what was sent could not be saved: {problem}")
            continue
        if settles:
            error.advice = command(path, given)
        else:
            error.add_note(f"what was sent is in {path}")
        return


def _new_file(call: Call[Any], chosen: str | None) -> Path:
    """Return the path of a file that does not exist: the chosen one, or one in the state directory."""
    if chosen is not None:
        if os.path.lexists(chosen):  # since the call began
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), chosen)
        return Path(chosen).absolute()
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():  # XDG Base Directory Specification: such a path is ignored
        state = Path.home() / ".local" / "state"
    folder = state / PROGRAM
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    now = datetime.datetime.now(datetime.UTC)
    return folder / f"{call.operation.id}-{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}.json"
