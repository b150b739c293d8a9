"""The configuration of a client: arguments first, then environment variables, checked before anything is sent."""

from __future__ import annotations

import ipaddress
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from ..errors import UsageError
from ..json_values.exact_json import is_object
from ..masking import by_keys
from ..version import VERSION
from .auth import SecretText, is_token_provider
from .capabilities import NOTHING_KNOWN, Capabilities
from .flow import Settings
from .headers import Headers, Secret, problem_of_header
from .operation import UNSET, Timeout, Unset
from .retry import RetryPolicy

if TYPE_CHECKING:
    from .auth import TokenSource
    from .capabilities import CapabilitiesSource

BASE_URL_VARIABLE: Final = "PROJECT_PLATFORM_BASE_URL"
TOKEN_VARIABLE: Final = "PROJECT_PLATFORM_TOKEN"  # noqa: S105  # the name of a variable
PROJECT_VARIABLE: Final = "PROJECT_PLATFORM_PROJECT"

_RETRY: Final = "give a RetryPolicy; RetryPolicy(max_attempts=1) never repeats"

T = TypeVar("T")

USER_AGENT: Final = f"project-platform/{VERSION} python/{platform.python_version()}"

# A name or an IPv4 address, or an IPv6 address with its zone in brackets, and a port (RFC 3986, section 3.2). A parser of URLs
# may take other characters for the end of the host.
_AUTHORITY: Final = re.compile(r"(?:[\w.~-]+|\[[0-9A-Fa-f:.]+(?:%[\w.~-]+)?\])(?::\d*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of one call. An option that is UNSET is that of the client.

    Attributes:
        timeout: Seconds for each step of an attempt, or a `Timeout`.
        retry: When and how fast the call is sent again.
        headers: Header fields to add to those of the client, or to replace by name.
    """

    timeout: float | Timeout | Unset = UNSET
    retry: RetryPolicy | Unset = UNSET
    headers: Mapping[str, str] | Unset = UNSET

    def applied_to(self, settings: Settings) -> Settings:
        """Return the settings with these options."""
        return replace(
            settings,
            timeout=settings.timeout if isinstance(self.timeout, Unset) else checked_timeout(self.timeout),
            retry=settings.retry
            if isinstance(self.retry, Unset)
            else checked("retry", self.retry, RetryPolicy, _RETRY),
            headers=settings.headers
            if isinstance(self.headers, Unset)
            else settings.headers | checked_headers(self.headers),
        )

    def __repr__(self) -> str:
        headers = UNSET if isinstance(self.headers, Unset) else by_keys(self.headers)
        return f"Options(timeout={self.timeout!r}, retry={self.retry!r}, headers={headers!r})"


class Lifetime:
    """The state of a client, open or closed, which its views share; and whether closing it closes the transport."""

    def __init__(self, *, owns_transport: bool, shared: list[bool] | None = None) -> None:
        self._owns_transport = owns_transport
        self._is_view = shared is not None
        self._open = [True] if shared is None else shared

    def view(self) -> Lifetime:
        """Return the lifetime of a view. It ends with this one, and ending it closes nothing."""
        return Lifetime(owns_transport=False, shared=self._open)

    def check(self) -> None:
        """Raise `UsageError` if the client is closed."""
        if not self._open[0]:
            raise UsageError("the client is closed; create a new one, or close it after its last call")

    def end(self) -> bool:
        """End the lifetime, and return whether the transport has to be closed."""
        if self._is_view:
            return False
        was_open, self._open[0] = self._open[0], False
        return was_open and self._owns_transport


def resolve_base_url(given: str | None, *, allow_insecure: bool) -> str:
    """Return the base URL without a trailing slash.

    Raises:
        UsageError: There is none, it is not an http or https URL, or it would send the token unencrypted.
    """
    url = given if given is not None else os.environ.get(BASE_URL_VARIABLE, "")
    if not checked("base_url", url, str, "give a string, such as str(url)"):
        raise UsageError(f"no base URL: give base_url, or set {BASE_URL_VARIABLE}")
    shown = url if "@" not in url else f"[redacted]@{url.rpartition('@')[2]}"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"base_url {shown!r} is not a URL: {error}") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError(f"base_url {shown!r} is not a URL such as https://platform.example")
    if parts.username is not None or parts.password is not None:
        raise UsageError("base_url has a user name or a password; give the credential as token")
    if parts.query or parts.fragment:
        raise UsageError("base_url has a query or a fragment; give scheme, host and path prefix only")
    if not url.isascii() or any(character.isspace() for character in url):
        raise UsageError(
            f"base_url {url!r} has characters that are not allowed in a URL; percent-encode the path, and give the host as xn--..."
        )
    if not _AUTHORITY.fullmatch(parts.netloc):
        raise UsageError(f"base_url {url!r} has characters in its host that no host has; give a name or an address")
    if parts.scheme == "http" and not allow_insecure and not is_loopback(host):
        raise UsageError(
            f"base_url {url!r} would send the token unencrypted; use https, or pass allow_insecure=True to allow that"
        )
    netloc = parts.netloc.lower().removesuffix(":443" if parts.scheme == "https" else ":80")
    return f"{parts.scheme}://{netloc}{parts.path.rstrip('/')}"


def is_loopback(host: str) -> bool:
    """Return whether a host name or address means this machine."""
    if host == "localhost" or host.endswith(".localhost"):  # RFC 6761, section 6.3
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def resolve_token(given: TokenSource | None) -> TokenSource | Secret:
    """Return the token source.

    Raises:
        UsageError: There is none, or it is not one of the types that a token source has.
    """
    source: TokenSource | None = given if given is not None else os.environ.get(TOKEN_VARIABLE) or None
    if source is None:
        raise UsageError(f"no token: give token, or set {TOKEN_VARIABLE}")
    if isinstance(source, str):
        return Secret(source)
    if isinstance(source, SecretText) and not isinstance(source, type):
        return Secret(source.get_secret_value())
    if isinstance(source, type) and hasattr(source, "token"):
        raise UsageError(f"token is the class {source.__name__}; give an instance of it")
    if callable(source) or is_token_provider(source):  # a TokenEndpoint has the method, too
        return source
    problem = f"token is of type {type(source).__name__}"
    if hasattr(source, "token"):
        problem += ", whose attribute `token` is not a method"
    raise UsageError(f"{problem}; give a string, a function or a TokenProvider")


def resolve_project(given: str | UUID | None) -> str | UUID:
    """Return the identifier of the project.

    Raises:
        UsageError: Neither the argument nor the environment gives one.
    """
    project = given if given is not None else os.environ.get(PROJECT_VARIABLE) or None
    if project is None:
        raise UsageError(f"no project: give project_id, or set {PROJECT_VARIABLE}")
    return project


def resolve_capabilities(given: CapabilitiesSource | None, base_url: str) -> Capabilities:
    """Return the facts known about the deployment at a base URL.

    Raises:
        UsageError: The file of facts cannot be used, or its facts are about another deployment.
    """
    if given is None:
        return NOTHING_KNOWN
    known = checked(
        "capabilities",
        Capabilities.load(given) if isinstance(given, str | os.PathLike) else given,
        Capabilities,
        "give Capabilities, or the path of a file of facts",
    )
    # A change made for one kind of merge loses data on a deployment that merges in another way.
    if known.target is not None and _deployment(known.target) != _deployment(base_url):
        raise UsageError(
            f"capabilities are facts about {known.target}, and base_url is {base_url}; give facts about the deployment that "
            "you call, or target=None in them (null in a file) if they are true there as well"
        )
    return known


def _deployment(url: str) -> str:
    """Return a key by which two base URLs are compared. All ports of this machine are the same: they change."""
    parts = urlsplit(url)
    return "this machine" if is_loopback(parts.hostname or "") else f"{parts.netloc}{parts.path.rstrip('/')}".lower()


def checked(name: str, value: object, kind: type[T] | tuple[type[T], ...], advice: str) -> T:
    """Return an argument of a type that callers, who need not be typed, may have missed.

    Raises:
        UsageError: It is of another type.
    """
    if not isinstance(value, kind):
        raise UsageError(f"{name} is of type {type(value).__name__}; {advice}")
    return value


def checked_options(value: object) -> Options:
    """Return the options of a call.

    Raises:
        UsageError: It is of another type.
    """
    return checked("options", value, Options, "give Options(timeout=..., retry=..., headers=...)")


def checked_timeout(value: object) -> Timeout:
    """Return a timeout made from seconds, or the `Timeout` itself.

    Raises:
        UsageError: It is of another type, or a number of seconds is not greater than 0.
    """
    if not isinstance(value, Timeout | float | int) or isinstance(value, bool):
        raise UsageError(
            f"timeout is of type {type(value).__name__}; give seconds or a Timeout; float('inf') is no limit"
        )
    timeout = Timeout.of(value)
    for step in ("connect", "read", "write", "pool", "total"):
        seconds = getattr(timeout, step)
        if seconds is None and step == "total":
            continue
        if not isinstance(seconds, float | int) or isinstance(seconds, bool):
            raise UsageError(f"timeout is {seconds!r} for {step}; give seconds; float('inf') is no limit")
        if not seconds > 0:
            raise UsageError(f"timeout is {seconds} for {step}; give more than 0 seconds")
    return timeout


def checked_max_response_bytes(value: object) -> int | Unset | None:
    """Return the value if it is a number of bytes, None or UNSET.

    Raises:
        UsageError: It is of another type, or not greater than 0.
    """
    if value is None or isinstance(value, Unset):
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(
            f"max_response_bytes is of type {type(value).__name__}; give a number of bytes, or None for no limit"
        )
    if value <= 0:
        raise UsageError(f"max_response_bytes is {value}; give 1 or more, or None for no limit")
    return value


def checked_headers(fields: Mapping[str, str]) -> Headers:
    """Return header fields that can be sent.

    Raises:
        UsageError: It is not a mapping, the SDK sets the field itself, or a header cannot carry its name or value.
    """
    if not is_object(fields):
        kind = type(fields).__name__
        del fields  # error reporters show the locals of a frame
        raise UsageError(f"headers is of type {kind}; give a dict with strings as names and values")
    problem = next((problem for field in fields.items() if (problem := problem_of_header(*field))), None)
    if problem is not None:
        del fields  # error reporters show the locals of a frame
        raise UsageError(problem)
    return Headers(fields)
