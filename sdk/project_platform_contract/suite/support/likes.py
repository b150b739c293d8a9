"""Likes that may have been given before: no operation takes one back, and what a second one does is left open."""

from __future__ import annotations

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api

from .valid_requests import ValidRequests


def like(api: Api, valid_requests: ValidRequests) -> httpx.Response:
    """Return the answer to a like that fits.

    Raises:
        MissingError: The page likes the post already, and likes none twice.
    """
    response = api("engagement_like", **valid_requests("engagement_like"))
    if response.status_code == httpx.codes.CONFLICT:
        raise MissingError("the page likes 'published_page_post' already, and no operation takes a like back")
    return response
