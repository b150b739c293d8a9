"""Preconditions of a rule. Where one does not hold, another rule is violated and this one is reported as not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import httpx

from project_platform_contract.data.data_file import MissingError

_UNCLEAR: Final = frozenset({401, 408, 429})
_SERVER_ERROR: Final = 500


def require_refused(response: httpx.Response) -> httpx.Response:
    """Return the response if it is an error.

    Raises:
        MissingError: The response is a success.
    """
    if response.is_success:
        raise MissingError(
            f"{response.request.method} {response.request.url.path} should have been refused, but succeeded"
        )
    return response


def require_success(response: httpx.Response) -> httpx.Response:
    """Return the response if it is a success.

    Raises:
        MissingError: The response is an error, so the refusal of a similar request would prove nothing.
    """
    if not response.is_success:
        raise MissingError(
            f"{response.request.method} {response.request.url.path} should have succeeded, but was answered with "
            f"{response.status_code}"
        )
    return response


def require_conclusive(statuses: Sequence[int]) -> None:
    """Check the statuses of concurrent requests, of which an expired token or a gateway may have refused some.

    Raises:
        MissingError: One of them says nothing about the rule.
    """
    if unclear := sorted({status for status in statuses if status in _UNCLEAR or status >= _SERVER_ERROR}):
        raise MissingError(f"some of the concurrent requests were answered with {', '.join(map(str, unclear))}")
