"""The preflight requests: up to five GETs that check the target before any other request is sent."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from urllib.request import getproxies

import httpx

from project_platform_contract.data.data_file import Data
from project_platform_contract.fuse import Fuse, Limits
from project_platform_contract.fuse.ledger import Ledger
from project_platform_contract.media_types import JSON, media_type_of, parsed
from project_platform_contract.operations import Operation, operation_by_id
from project_platform_contract.schema import response_problem

from .conclusive import is_from_gateway, pause_after
from .contract_run import Run
from .target import TIMEOUT, Target

_NO_PROJECT = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})
_FIRST_PAUSE = 0.1  # Seconds before the read that follows one that a gateway or a limit refused; doubled with each.
_SHOWN = 60  # Characters of a response in the message.


class UnreachableError(Exception):
    """Nothing can be proven on the target; the message gives the reason."""


def reading_run(target: Target, *, requests: int, pace: float = 0.0, timeout: float = TIMEOUT) -> Run:
    """Return a run that sends only requests that read, and writes no ledger."""
    fuse = Fuse(Limits(target.base_url, frozenset({"read"}), requests=requests, pace=pace))
    return Run(target, fuse, Ledger(None, ""), "", timeout)


def check_reachable(run: Run) -> None:
    """Send plain reads with the owner's token until one gets a response of the API.

    Raises:
        UnreachableError: There was no response, one that makes every further request pointless, or none of the API.
    """
    url, data = run.target.base_url, run.data
    responses: list[httpx.Response] = []
    is_api, refused = False, 0
    with run.client(data.token("owner")) as client:
        for id, query in list(_reads(data).items())[: run.fuse.limits.requests]:
            operation = operation_by_id(id)
            try:
                response = client.get(operation.path.format(projectId=data["project"]), params=query)
            except httpx.TransportError as error:
                raise UnreachableError(
                    f"{url} cannot be reached: {str(error) or type(error).__name__}.{_proxy(url)}"
                ) from None
            _require_access(url, response)
            responses.append(response)
            if is_from_gateway(response):
                time.sleep(pause_after(response, _FIRST_PAUSE * 2 ** len(responses)))
            if not _is_of_the_api(operation, response):
                refused += response.status_code in _NO_PROJECT
            elif "{projectId}" in operation.path:
                return
            else:
                is_api = True  # the permission check, which is not of the project
    if is_api:
        if refused < len(responses) - 1:
            return
        raise UnreachableError(
            f"{url} refused each of {refused} plain reads of the project {data['project']} "
            f"({responses[0].status_code}): check the project, and that the owner is a member of it."
        )
    if all(map(is_from_gateway, responses)):
        statuses = ", ".join(dict.fromkeys(str(response.status_code) for response in responses))
        raise UnreachableError(f"{url} is unavailable: it answered {statuses} to {len(responses)} plain reads.")
    seen = ", ".join(dict.fromkeys(map(_seen, responses)))
    raise UnreachableError(
        f"{url} does not respond as the Project Platform API: {len(responses)} plain reads got {seen}. "
        "Check the URL and the project."
    )


def _reads(data: Data) -> dict[str, dict[str, str]]:
    """Return the queries of five reads that need no resource of the project but the project itself, by operationId."""
    today = datetime.now(UTC).date()
    day = {"timeMin": f"{today}T00:00:00Z", "timeMax": f"{today + timedelta(days=1)}T00:00:00Z"}
    return {
        "agents_list": {"limit": "1"},
        "posts_list": {},
        "web_analytics_get_config": {},
        "auth_check_permission": {data.values.get("permission_parameter", "permission"): "settings:read"},
        "calendar_busy": day,
    }


def _require_access(url: str, response: httpx.Response) -> None:
    """Raise if a response makes every further request pointless."""
    if response.has_redirect_location:
        location = response.headers["Location"]
        raise UnreachableError(
            f"{url} redirects to {location}; redirects are not followed. Give the URL of the API itself."
        )
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        raise UnreachableError(f"{url} refused the owner's token (401); nothing can be proven without it.")


def _is_of_the_api(operation: Operation, response: httpx.Response) -> bool:
    """Return whether a response is a documented success; its content type may be wrong, which is a rule of its own."""
    return (
        response.is_success
        and response_problem(operation, response.status_code, JSON, parsed(response.content)) is None
    )


def _seen(response: httpx.Response) -> str:
    """Return a response in a few words: its status, its content type, and the beginning of its text."""
    status = f"{response.status_code} {response.reason_phrase}".strip()
    text = " ".join(response.content[: 4 * _SHOWN].decode("utf-8", "replace").split())
    start = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return f"{status} ({media_type_of(response) or 'no content type'}: {start or 'empty'})"


def _proxy(url: str) -> str:
    """Return a hint if the environment names a proxy for the URL."""
    proxies = getproxies()
    proxy = proxies.get(httpx.URL(url).scheme) or proxies.get("all")
    return " The proxy of the environment is not used, because it is another host." if proxy else ""
