"""From the connection options of a command to a client."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..calls.log import show_log
from ..calls.profiles import Connection, load_profile
from ..calls.retry import RetryPolicy
from ..client import Client
from ..errors import UsageError
from .standard_error import say

_PREFIX: Final = "PROJECT_PLATFORM_"
_ASSIGNMENT: Final = re.compile(r"\s*(?:export\s+)?(\w+)\s*=(.*)")


def connection(given: argparse.Namespace) -> Connection:
    """Return the connection of the options: arguments, then environment variables, then the profile.

    Raises:
        UsageError: The profile or the file of variables cannot be used.
    """
    environment: Mapping[str, str] = os.environ
    if given.env_file is not None:
        environment = {**read_env_file(Path(given.env_file)), **os.environ}
    profile = load_profile(given.profile, environment=environment)
    found = profile.overridden_by(environment)
    for notice in profile.notices(found, named=given.profile is not None):
        say(notice)
    changed = found.overridden_by_arguments(given.base_url, given.project, allow_insecure=given.allow_insecure)
    if (
        given.base_url is not None
        and found.base_url not in {None, given.base_url}
        and found.sources.get("token") == profile.sources.get("token", "")
    ):
        say(f"the token of {found.sources['token']} goes to {given.base_url}, as --base-url says")
    return changed


def read_env_file(path: Path) -> dict[str, str]:
    """Return the variables of a file with `NAME=VALUE` lines that belong to the SDK. Values may be in quotes.

    Raises:
        UsageError: The file cannot be read, or a line of the SDK's variables cannot be understood; values are not shown.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"--env-file: {path} cannot be read: {reason}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        match = _ASSIGNMENT.fullmatch(line)
        if not (match[1] if match else line.strip().removeprefix("export ")).startswith(_PREFIX):
            continue
        if match is None:
            raise UsageError(f"--env-file: {path}, line {number}: it is not NAME=VALUE")
        try:
            words = shlex.split(match[2], comments=True)
        except ValueError:
            words = ["", ""]
        if len(words) > 1:
            raise UsageError(f"--env-file: {path}, line {number}: the value of {match[1]} needs quotes around it")
        found[match[1]] = words[0] if words else ""
    return found


def open_client(found: Connection, **options: Any) -> Client:
    """Return a client with a connection.

    Args:
        found: The connection.
        options: Arguments of the client that take precedence.

    Raises:
        UsageError: A setting is missing or cannot be used.
    """
    arguments: dict[str, Any] = {**found.arguments(), **options}
    return Client(**arguments)


def call_options(given: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a client for `--retry` and `--timeout`, and show the log for `--verbose`.

    Raises:
        UsageError: A number is not allowed.
    """
    if given.verbose:
        show_log("debug")
    options: dict[str, Any] = {}
    if given.retry is not None:
        if given.retry < 0:
            raise UsageError(f"--retry is {given.retry}; give 0 or more")
        options["retry"] = RetryPolicy(max_attempts=given.retry + 1)
    if given.timeout is not None:
        options["timeout"] = given.timeout
    return options
