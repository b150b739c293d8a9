"""Preconditions of a rule. Where one does not hold, another rule is violated and this one is reported as not run."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeVar

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operations

_UNCLEAR: Final = frozenset({401, 408, 429})
_SERVER_ERROR: Final = 500
INVALID: Final = frozenset({400, 402, 413, 414, 422, 428})
"""Statuses with which a service refuses what a request contains."""
_SHOWN: Final = 200  # Maximum number of characters of a message.

Name = TypeVar("Name")


def require_refused(response: httpx.Response) -> httpx.Response:
    """Return the response if it is an error.

    Raises:
        MissingError: The response is a success.
    """
    if response.is_success:
        raise MissingError(f"{response.request.method} {response.request.url.path} should have been refused")
    return response


def require_success(response: httpx.Response) -> httpx.Response:
    """Return the response if it is a success.

    Raises:
        MissingError: The response is an error, so the refusal of a similar request would prove nothing.
    """
    if not response.is_success:
        raise MissingError(refusal(response))
    return response


def accepted(response: httpx.Response) -> httpx.Response:
    """Return the response to a request that a service should accept, unless it validates more strictly than others.

    Raises:
        AssertionError: It is an error.
        MissingError: The request is refused as invalid, and the specification does not state that its values are valid.
    """
    if is_invalid(response):
        raise MissingError(refusal(response))
    assert response.is_success, refusal(response)
    return response


def is_invalid(response: httpx.Response) -> bool:
    """Return whether a service refuses what a request contains: not its caller, and not what it addresses."""
    return response.status_code in INVALID


def without_invalid(sent: Mapping[Name, httpx.Response], stated: Collection[Name] = ()) -> dict[Name, httpx.Response]:
    """Return responses without those to requests that are refused as invalid, unless they are stated to be valid.

    Raises:
        MissingError: All are.
    """
    found = {name: each for name, each in sent.items() if name in stated or not is_invalid(each)}
    if sent and not found:
        raise MissingError(refusal(next(iter(sent.values()))))
    return found


def without_conflict(sent: Mapping[Name, httpx.Response], stated: Collection[Name] = ()) -> dict[Name, int]:
    """Return the statuses of requests that are not refused with 409; those that may be invalid as in `without_invalid`."""
    conclusive = without_invalid(sent, stated)
    return {name: each.status_code for name, each in conclusive.items() if each.status_code != httpx.codes.CONFLICT}


def refusal(response: httpx.Response) -> str:
    """Return how a request was refused: its operation, the status and the message."""
    path = response.request.url.raw_path.decode("ascii").partition("?")[0]
    method = response.request.method
    name = next(
        (each.name for each in operations() if each.method == method and each.at_end(path) is not None),
        f"{method} {path}",
    )
    try:
        message = json.loads(response.content)["message"]
    except (KeyError, TypeError, ValueError):
        message = response.text
    return f"{name} was refused with {response.status_code}: {message}"[:_SHOWN]


def require_conclusive(statuses: Sequence[int]) -> None:
    """Check the statuses of concurrent requests, of which an expired token or a gateway may have refused some.

    Raises:
        MissingError: One of them says nothing about the rule.
    """
    if unclear := sorted({status for status in statuses if status in _UNCLEAR or status >= _SERVER_ERROR}):
        raise MissingError(f"some of the concurrent requests were answered with {', '.join(map(str, unclear))}")
