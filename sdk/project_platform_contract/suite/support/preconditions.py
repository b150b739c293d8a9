"""Preconditions of a rule. Where one does not hold, another rule is violated and this one is reported as not run."""

from __future__ import annotations

import httpx

from project_platform_contract.data.data_file import MissingError


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
