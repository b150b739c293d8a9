"""Storage that all workers see and that creates objects exclusively: a folder, or a prefix in an object store.

Files need no library. Object stores are used through obstore, whose threads do not survive `os.fork`: a forked worker must
not have them from its parent.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Final, Protocol
from urllib.parse import urlsplit

from ..errors import JournalError, UsageError
from ..optional import load


class Storage(Protocol):
    """Objects by path. Its methods raise `JournalError` if the storage cannot be used."""

    def create(self, path: str, data: bytes) -> bool:
        """Write an object if it does not exist; return whether it did not. It is atomic among all that see the storage."""
        ...

    def read(self, path: str) -> bytes | None:
        """Return an object, or None if it does not exist."""
        ...

    def paths(self, prefix: str) -> list[str]:
        """Return the paths of the objects in a folder and its folders."""
        ...


def place_of(place: str | os.PathLike[str]) -> str:
    """Return a place as text that means the same in every process: an absolute path or a URL without a credential."""
    text = os.fspath(place)
    if not is_remote(text):
        return str(Path(text).absolute())
    parts = urlsplit(text)
    if "@" in parts.netloc or parts.query:
        raise UsageError(
            "the URL of the claims has a credential or a query, and it is sent to the workers; leave them out: the credentials "
            "of the storage are those of the environment"
        )
    return text.rstrip("/")


def is_remote(place: str) -> bool:
    """Return whether a place is the URL of an object store."""
    return "://" in place


def storage_of(place: str, *, create: bool = False) -> Storage:
    """Return the storage in a place, as `place_of` returns it. With `create`, create a folder that does not exist."""
    return Objects(place) if is_remote(place) else Files(place, create=create)


class Files:
    """A folder, also on a network file system.

    A file is written beside its name and then linked to it, which is as exclusive as `O_EXCL` and leaves no half of a file
    if the process is killed. A file system without hard links, such as that of some object stores, has `O_EXCL` only.
    """

    def __init__(self, place: str, *, create: bool) -> None:
        self._place, self._folder = place, Path(place)
        if create:
            with _errors_of(place):
                self._folder.mkdir(parents=True, exist_ok=True)

    def create(self, path: str, data: bytes) -> bool:
        """Write a file if it does not exist; return whether it did not."""
        self._check_folder()
        try:
            with _errors_of(self._place, FileExistsError):
                _write_and_link(self._folder / path, data)
        except FileExistsError:
            return False
        return True

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or None if it does not exist."""
        try:
            with _errors_of(self._place, FileNotFoundError):
                return (self._folder / path).read_bytes()
        except FileNotFoundError:
            return None

    def paths(self, prefix: str) -> list[str]:
        """Return the paths of the files in a folder and its folders."""
        self._check_folder()
        with _errors_of(self._place):
            files = [file for file in (self._folder / prefix).rglob("*") if file.is_file()]
        return [file.relative_to(self._folder).as_posix() for file in files]

    def _check_folder(self) -> None:
        if not self._folder.is_dir():
            raise _unusable(self._place, "there is no such folder")


def _write_and_link(target: Path, data: bytes) -> None:
    target.parent.mkdir(exist_ok=True, parents=True)
    part = target.with_name(f"{target.name}.{token_hex(8)}")
    _write(part, data)
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:
        _write(target, data)
    finally:
        part.unlink(missing_ok=True)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)


class Objects:
    """A prefix in an object store. Exclusive creation is `If-None-Match: *`, or what the store has for it."""

    def __init__(self, url: str) -> None:
        self._obstore = load("a place of claims in an object store", "obstore", extra="dask")
        if _USED_IN and _USED_IN[0] != os.getpid():
            raise UsageError(
                "a forked process cannot use the object store of the claims, because its parent used it; start the workers with "
                'multiprocessing.get_context("spawn") or "forkserver"'
            )
        errors = import_module("obstore.exceptions")
        self._url, self._errors = url, (errors.BaseError, OSError)
        self._taken: tuple[type[Exception], ...] = (errors.AlreadyExistsError, errors.PreconditionError)
        try:
            self._store = import_module("obstore.store").from_url(url)
        except (errors.BaseError, ValueError) as error:
            raise UsageError(f"the claims in {url} cannot be used: {_reason(error)}") from None
        _USED_IN[:] = [os.getpid()]

    def create(self, path: str, data: bytes) -> bool:
        """Write an object if it does not exist; return whether it did not."""
        try:
            with _errors_of(self._url, *self._taken, kinds=self._errors):
                self._obstore.put(self._store, path, data, mode="create")
        except self._taken:
            return False
        return True

    def read(self, path: str) -> bytes | None:
        """Return an object, or None if it does not exist."""
        try:
            with _errors_of(self._url, FileNotFoundError, kinds=self._errors):
                return bytes(self._obstore.get(self._store, path).bytes())
        except FileNotFoundError:
            return None

    def paths(self, prefix: str) -> list[str]:
        """Return the paths of the objects under a prefix."""
        with _errors_of(self._url, kinds=self._errors):
            chunks = list(self._obstore.list(self._store, prefix=prefix or None))
        return [meta["path"] for chunk in chunks for meta in chunk]


_USED_IN: Final[list[int]] = []
"""The process that has used an object store, of which a forked child has a copy."""


@contextlib.contextmanager
def _errors_of(
    place: str, *expected: type[Exception], kinds: tuple[type[Exception], ...] = (OSError,)
) -> Generator[None]:
    """Raise errors of a storage, other than those that are expected, as `JournalError`."""
    try:
        yield
    except expected:
        raise
    except kinds as error:
        raise _unusable(place, _reason(error)) from None


def _reason(error: Exception) -> str:
    """Return the first line of an error: the rest of that of an object store is about its request."""
    return getattr(error, "strerror", None) or str(error).partition("\n")[0]


def _unusable(place: str, reason: str) -> JournalError:
    return JournalError(
        f"the claims in {place} cannot be used: {reason}; check the place and its permissions, and run again: the run continues "
        "where the journal ends"
    )
