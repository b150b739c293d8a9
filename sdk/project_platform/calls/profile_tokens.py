"""The token sources of profiles: a file, and a command that prints a token.

A source that gives no token raises `NotSentError`, since the call that needs it is not sent.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Final

import anyio.to_thread

from ..errors import NotSentError
from .auth import usable_until
from .headers import Secret
from .shared_token import SharedToken

_COMMAND_SECONDS: Final = 60.0  # a password manager asks its user


class TokenFile:
    """A token source that reads a file before each call, since what writes the file may replace the token."""

    def __init__(self, path: Path, where: str) -> None:
        self._path = path
        self._where = where

    def token(self, refused: str | None = None) -> str:
        """Return the text of the file without white space around it."""
        try:
            return self._path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise NotSentError(f"token_file of {self._where}, {self._path}, cannot be read: {reason}") from None


class _Command:
    """Runs a command that prints a token, and caches the token until shortly before it expires."""

    def __init__(self, command: list[str], where: str) -> None:
        self._command = command
        self._where = where
        self._shared = SharedToken(lambda token: usable_until(token, time.time()), time.time)

    def _fetch(self, seconds: float) -> Secret:
        try:
            done = subprocess.run(  # noqa: S603  # the user's own command, without a shell
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise NotSentError(f"token_command of {self._where} did not end within {seconds:.0f} s") from None
        except OSError as error:
            raise NotSentError(f"token_command of {self._where} cannot be run: {error.strerror}") from None
        if done.returncode != 0:
            raise NotSentError(f"token_command of {self._where} ended with status {done.returncode}")
        try:
            return Secret(done.stdout.decode().strip())
        except UnicodeDecodeError:
            raise NotSentError(f"token_command of {self._where} printed what is not UTF-8") from None


class TokenCommand(_Command):
    """The token source of a profile with `token_command`."""

    def token(self, refused: str | None = None) -> str:
        """Return the token that the command printed, and run it again for a refused one."""
        return self._shared.get(self._fetch, _secret(refused), _COMMAND_SECONDS).reveal()


class AsyncTokenCommand(_Command):
    """Same as `TokenCommand`, but the command is awaited in a thread."""

    async def token(self, refused: str | None = None) -> str:
        """Return the token that the command printed, and run it again for a refused one."""
        return (await self._shared.get_async(self._fetch_async, _secret(refused), _COMMAND_SECONDS)).reveal()

    async def _fetch_async(self, seconds: float) -> Secret:
        return await anyio.to_thread.run_sync(self._fetch, seconds, abandon_on_cancel=True)


def _secret(token: str | None) -> Secret | None:
    return None if token is None else Secret(token)
