"""The limits of a fuse, and the reasons why it holds a request back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from project_platform_contract.operations import Effect


class BlockedError(httpx.ConnectError):
    """The fuse held a request back. It was not sent, so clients may treat it like a failed connection.

    Attributes:
        remedy: The option with which it would be sent; None if there is none.
    """

    def __init__(self, message: str, *, request: httpx.Request | None = None, remedy: str | None = None) -> None:
        super().__init__(message, request=request)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Limits:
    """The requests that a fuse allows.

    Attributes:
        base_url: The target: scheme, host, port and path prefix.
        effects: Allowed effects.
        projects: Identifiers of projects that may be written to. Any project may be read, to prove that access is refused.
        recipients: Email addresses to which messages may be sent.
        resources: Identifiers that a write may address, by path parameter, such as `templateId`, or member of the body,
            such as `accountId`. A write may also address resources that the run created, and identifiers that contain
            its tag, because they do not exist. A name without an entry accepts nothing else.
        unchanged: Bodies that change nothing, because they are the current value, by path below the base URL.
        tag: Name prefix of everything that the run creates; empty for none.
        requests: Maximum number of requests, retries included.
        pace: Minimum number of seconds between two requests.
        silent: Number of requests without a complete response, one after the other, after which no more are sent.
    """

    base_url: str
    effects: frozenset[Effect]
    projects: Collection[str] = ()
    recipients: Collection[str] = ()
    resources: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    unchanged: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tag: str = ""
    requests: int = 10_000
    pace: float = 0.0
    silent: int = 5
