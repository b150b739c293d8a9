"""The preflight request: one GET that checks the target before any other request is sent."""

from __future__ import annotations

from http import HTTPStatus
from urllib.request import getproxies

import httpx

from project_platform_contract.fuse import Fuse, Limits
from project_platform_contract.fuse.ledger import Ledger
from project_platform_contract.operations import operations

from .contract_run import Run
from .settings import Settings
from .target import Target

_UNAVAILABLE = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})


class UnreachableError(Exception):
    """Nothing can be proven on the target; the message gives the reason."""


def check_reachable(settings: Settings) -> None:
    """List one agent of the project, with the owner's token.

    Raises:
        UnreachableError: There was no response, or one that makes every further request pointless.
    """
    assert settings.url is not None
    assert settings.data is not None
    path = next(operation.path for operation in operations() if operation.id == "agents_list")
    path = path.format(projectId=settings.data["project"])
    fuse = Fuse(Limits(settings.url, frozenset({"read"}), requests=1))
    run = Run(Target(settings.url, settings.data), fuse, Ledger(None, ""), "", settings.timeout)
    with run.client(settings.data.token("owner")) as client:
        try:
            response = client.get(path, params={"limit": 1})
        except httpx.TransportError as error:
            raise UnreachableError(
                f"{settings.url} cannot be reached: {str(error) or type(error).__name__}.{_proxy(settings.url)}"
            ) from None
    if response.status_code in _UNAVAILABLE:
        raise UnreachableError(f"{settings.url} is unavailable: it answered {response.status_code}.")
    if response.has_redirect_location:
        location = response.headers["Location"]
        raise UnreachableError(
            f"{settings.url} redirects to {location}; redirects are not followed. Give the URL of the API itself."
        )
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        raise UnreachableError(f"{settings.url} refused the owner's token (401); nothing can be proven without it.")


def _proxy(url: str) -> str:
    """Return a hint if the environment names a proxy for the URL."""
    proxies = getproxies()
    proxy = proxies.get(httpx.URL(url).scheme) or proxies.get("all")
    return " The proxy of the environment is not used, because it is another host." if proxy else ""
