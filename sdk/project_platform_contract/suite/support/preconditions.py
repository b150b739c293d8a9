"""What must hold before a rule can be tried; where it does not, another rule is violated and this one was not run."""

from __future__ import annotations

import httpx

from project_platform_contract.data.data_file import MissingError


def refused(response: httpx.Response) -> httpx.Response:
    """Return an answer that is an error.

    Raises:
        MissingError: It is a success.
    """
    if response.is_success:
        raise MissingError(
            f"{response.request.method} {response.request.url.path} should have been refused, and was not"
        )
    return response
