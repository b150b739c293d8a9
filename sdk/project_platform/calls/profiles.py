"""Profiles: named sets of settings in a TOML file, for programs and for the command line.

A setting is taken from the argument, then from the environment, then from the profile. A file that holds a token must not be readable for other users; a profile may name a file or a command that has the token instead.
"""

from __future__ import annotations

import os
import shlex
import stat
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast

from ..errors import UsageError
from ..suggestion import suggestion
from .configuration import BASE_URL_VARIABLE, PROJECT_VARIABLE, TOKEN_VARIABLE, checked_timeout
from .operation import Timeout
from .profile_tokens import AsyncTokenCommand, TokenCommand, TokenFile

if TYPE_CHECKING:
    from .auth import TokenSource

PROFILE_VARIABLE: Final = "PROJECT_PLATFORM_PROFILE"
DEFAULT_PROFILE: Final = "default"
_VARIABLES: Final = {"base_url": BASE_URL_VARIABLE, "project_id": PROJECT_VARIABLE, "token": TOKEN_VARIABLE}
_TOGETHER: Final = frozenset({"base_url", "token"})
_TOKENS: Final = ("token", "token_file", "token_command")
_KEYS: Final = ("allow_insecure", "base_url", "capabilities", "project", "timeout", *_TOKENS)


class ConnectionArguments(TypedDict):
    """Arguments of a client that a connection has."""

    base_url: str | None
    token: TokenSource | None
    project_id: str | None
    timeout: Timeout
    allow_insecure: bool
    capabilities: Path | None


@dataclass(frozen=True, slots=True)
class Connection:
    """The deployment that calls go to, and their token. An attribute that is None is not set.

    Attributes:
        base_url: URL of the service.
        project_id: The project.
        token: The source of tokens.
        timeout: Seconds for each step of an attempt.
        capabilities: Path of a file of facts.
        allow_insecure: Whether an http URL of another machine is accepted.
        sources: Where `base_url`, `project` and `token` are from, in words.
    """

    base_url: str | None = None
    project_id: str | None = None
    token: TokenSource | None = field(default=None, repr=False)
    timeout: Timeout | None = None
    capabilities: Path | None = None
    allow_insecure: bool = False
    sources: Mapping[str, str] = field(default_factory=dict[str, str])

    def overridden_by(self, environment: Mapping[str, str]) -> Connection:
        """Return the connection in which environment variables replace values."""
        found = {name: environment[variable] for name, variable in _VARIABLES.items() if environment.get(variable)}
        return self._replaced(found, {name: f"environment variable {_VARIABLES[name]}" for name in found})

    def notices(self, found: Connection, *, named: bool) -> list[str]:
        """Return in words which settings of this profile are replaced in another connection, if its user has to know.

        A token of one place that goes to the service of another may be a mistake, and a serious one.

        Args:
            found: The connection in which environment variables replace values.
            named: Whether the user named the profile.
        """
        replaced = {name for name, source in self.sources.items() if found.sources[name] != source}
        mixed = self.sources.keys() >= _TOGETHER and len(replaced & _TOGETHER) == 1
        if not named and not mixed:
            return []
        return [
            f"{name}: {found.sources[name]} takes precedence over {self.sources[name]}" for name in sorted(replaced)
        ]

    def overridden_by_arguments(
        self, base_url: str | None, project_id: str | None, *, allow_insecure: bool
    ) -> Connection:
        """Return the connection in which arguments replace values."""
        given = {"base_url": base_url, "project_id": project_id}
        found = {name: value for name, value in given.items() if value is not None}
        changed = self._replaced(found, dict.fromkeys(found, "argument"))
        return replace(changed, allow_insecure=allow_insecure or self.allow_insecure)

    def arguments(self) -> ConnectionArguments:
        """Return the arguments of a client with this connection."""
        return {
            "base_url": self.base_url,
            "token": self.token,
            "project_id": self.project_id,
            "timeout": self.timeout or Timeout(),
            "allow_insecure": self.allow_insecure,
            "capabilities": self.capabilities,
        }

    def _replaced(self, values: Mapping[str, str], sources: Mapping[str, str]) -> Connection:
        changes: dict[str, Any] = dict(values)
        return replace(self, **changes, sources={**self.sources, **sources})


def default_path(environment: Mapping[str, str]) -> Path:
    """Return the path of the configuration file: below `XDG_CONFIG_HOME`, or `~/.config`."""
    folder = environment.get("XDG_CONFIG_HOME") or ""
    # XDG Base Directory Specification: a path that is not absolute is ignored.
    root = Path(folder) if Path(folder).is_absolute() else Path(_expanded("~/.config"))
    return root / "project-platform" / "config.toml"


def _expanded(path: str) -> str:
    # Path.expanduser raises an error where there is no home directory, as in some containers.
    return os.path.expanduser(path)  # noqa: PTH111


def client_arguments(
    name: str | None, path: str | os.PathLike[str] | None, given: Mapping[str, Any], *, asynchronous: bool = False
) -> dict[str, Any]:
    """Return the arguments of the client of a profile, and warn of environment variables as `Connection.notices` says.

    Given arguments take precedence.
    """
    # With another base URL, the token of the profile would go to another service silently.
    if wrong := sorted(given.keys() & {"base_url", "token", "project_id"}):
        raise UsageError(f"{wrong[0]} is that of the profile; for another one, give a client all of its arguments")
    profile = load_profile(name, path=path, asynchronous=asynchronous)
    found = profile.overridden_by(os.environ)
    for notice in profile.notices(found, named=name is not None):
        warnings.warn(notice, stacklevel=3)
    for key, keys in (("base_url", "base_url"), ("token", "token_file, token_command or token")):
        if getattr(found, key) is None:
            raise UsageError(f"no {key}: give the profile {keys}, or set {_VARIABLES[key]}")
    return {**found.arguments(), **given}


def load_profile(
    name: str | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] = os.environ,
    asynchronous: bool = False,
) -> Connection:
    """Return the settings of a profile.

    Args:
        name: Name of the profile. The default is `PROJECT_PLATFORM_PROFILE`, then `default`, which may be missing.
        path: The configuration file.
        environment: The environment variables.
        asynchronous: Whether a token command is run in a thread, and awaited.

    Raises:
        UsageError: The file or the profile is missing, or has a mistake; the message names the place.
    """
    try:
        return _load(name, path, environment, asynchronous=asynchronous)
    except UsageError as error:
        raise error.with_traceback(None) from None  # the inner frames have the token


def _load(
    name: str | None, path: str | os.PathLike[str] | None, environment: Mapping[str, str], *, asynchronous: bool
) -> Connection:
    file = Path(path) if path is not None else default_path(environment)
    chosen = name or environment.get(PROFILE_VARIABLE) or None
    text = _text_of(file, required=chosen is not None or path is not None)
    if text is None:
        return Connection()
    try:
        profiles = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # The message has a position, and characters of the text at most.
        raise UsageError(f"{file} is not TOML: {error}") from None
    if outside := [key for key, value in profiles.items() if not isinstance(value, dict)]:
        raise UsageError(
            f"{file} has {outside[0]!r} outside of a profile; put it into a table such as [{DEFAULT_PROFILE}]"
        )
    values: object = profiles.get(chosen or DEFAULT_PROFILE)
    if values is None and chosen is None:
        return Connection()
    if not isinstance(values, dict):
        known = [key for key, value in profiles.items() if isinstance(value, dict)]
        raise UsageError(f"{file} has no profile {chosen!r}; {_nearest(str(chosen), known, 'profiles')}")
    where = f"profile {chosen or DEFAULT_PROFILE!r} in {file}"
    return _connection(cast("dict[str, Any]", values), file, where, asynchronous=asynchronous)


def _text_of(file: Path, *, required: bool) -> str | None:
    """Return the text of the configuration file; None if it is not required and does not exist for this user."""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        # The home directory may be that of another user, or no directory.
        if not required and isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
            return None
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(
            f"the configuration file {file} cannot be read: {reason}; it has a table for each profile"
        ) from None


def _nearest(name: str, known: list[str], what: str) -> str:
    return suggestion(name, known) or f"the {what} are {', '.join(sorted(known)) or 'none'}"


def _connection(values: Mapping[str, Any], file: Path, where: str, *, asynchronous: bool) -> Connection:
    for key in values:
        if key not in _KEYS:
            raise UsageError(f"{where} has the unknown key {key!r}; {_nearest(key, list(_KEYS), 'keys')}")
    for key in ("base_url", "capabilities", "project", "token", "token_file"):
        if key in values and not isinstance(values[key], str):
            raise UsageError(f"{key} of {where} is of type {type(values[key]).__name__}; give text")
    if not isinstance(values.get("allow_insecure", False), bool):
        raise UsageError(f"allow_insecure of {where} must be true or false")
    sources = {
        setting: where
        for setting, keys in (("base_url", ("base_url",)), ("project_id", ("project",)), ("token", _TOKENS))
        if any(key in values for key in keys)
    }
    return Connection(
        base_url=values.get("base_url"),
        project_id=values.get("project"),
        token=_token(values, file, where, asynchronous=asynchronous),
        timeout=_timeout(values["timeout"], where) if "timeout" in values else None,
        capabilities=_path(file, values["capabilities"]) if "capabilities" in values else None,
        allow_insecure=values.get("allow_insecure", False),
        sources=sources,
    )


def _timeout(value: object, where: str) -> Timeout:
    try:
        return checked_timeout(value)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def _path(file: Path, text: str) -> Path:
    """Return a path of the configuration file, which is relative to its folder."""
    return file.parent / _expanded(text)


def _token(values: Mapping[str, Any], file: Path, where: str, *, asynchronous: bool) -> TokenSource | None:
    given = [key for key in _TOKENS if key in values]
    if len(given) > 1:
        raise UsageError(f"{where} has {' and '.join(given)}; leave one of them")
    if "token" in values:
        _check_private(file, where)
        return str(values["token"])
    if "token_file" in values:
        return TokenFile(_path(file, values["token_file"]), where)
    if "token_command" in values:
        kind = AsyncTokenCommand if asynchronous else TokenCommand
        return kind(_words(values["token_command"], where), where)
    return None


def _check_private(file: Path, where: str) -> None:
    """Raise `UsageError` if another user can read the file."""
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise UsageError(
            f"{where} has a token, and other users can read the file; run `chmod 600 {shlex.quote(str(file))}`, or give "
            "token_file or token_command"
        )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _words(command: object, where: str) -> list[str]:
    words: Any = command
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"token_command of {where} cannot be split into words: {error}") from None
    if not isinstance(words, list) or not words or not all(map(_is_text, cast("list[object]", words))):
        raise UsageError(f"token_command of {where} must be a command, or a list of its words")
    return cast("list[str]", words)
