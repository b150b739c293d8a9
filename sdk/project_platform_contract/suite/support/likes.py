"""Likes of posts. A like cannot be undone, and the specification does not say what a second one does."""

from __future__ import annotations

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api

from .valid_requests import ValidRequests


def like(api: Api, valid_requests: ValidRequests) -> httpx.Response:
    """Send a valid like, and return the response.

    Raises:
        MissingError: The service answered 409, or without success, because the page already likes the post.
    """
    response = api("engagement_like", **valid_requests("engagement_like"))
    # A stub confirms a like that it has.
    unconfirmed = not valid_requests.of_a_stub and response.is_success and response.json().get("success") is False
    if response.status_code == httpx.codes.CONFLICT or unconfirmed:
        raise MissingError("the page already likes 'published_page_post', and a like cannot be undone")
    return response
