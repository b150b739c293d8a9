"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Generator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the `with` statement ends, or is deleted if it ends in an exception.

    A symbolic link stays, and what it leads to is replaced. The permissions of a file stay, too. A pipe or a device is written to.

    Raises:
        OSError: The folder does not exist or cannot be written to, or the disk is full.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such folder; create it first", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "The path is a folder; give the path of a file", str(target))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    target = target.resolve()
    # Without the name, which may be as long as names can be.
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            if target.exists():  # before the content is there, which may be private
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable as well, on systems that can synchronise a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
