"""Whether a deployment can be reached: one GET, before anything else."""

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

_AWAY = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})


class UnreachableError(Exception):
    """Nothing can be proven on the target; the message says why."""


def reach(settings: Settings) -> None:
    """Ask a deployment for an agent.

    Raises:
        UnreachableError: No answer came, or one after which nothing can be proven.
    """
    assert settings.url is not None
    assert settings.data is not None
    path = next(operation.path for operation in operations() if operation.id == "agents_list")
    path = path.format(projectId=settings.data["project"])
    fuse = Fuse(Limits(settings.url, frozenset({"read"}), requests=1))
    run = Run(Target(settings.url, settings.data), fuse, Ledger(None, ""), "")
    with run.client(settings.data.token("owner")) as client:
        try:
            response = client.get(path, params={"limit": 1})
        except httpx.TransportError as error:
            raise UnreachableError(
                f"{settings.url} cannot be reached: {str(error) or type(error).__name__}.{_proxy(settings.url)}"
            ) from None
    if response.status_code in _AWAY:
        raise UnreachableError(f"{settings.url} is not there: it answers {response.status_code}.")
    if response.has_redirect_location:
        location = response.headers["Location"]
        raise UnreachableError(f"{settings.url} redirects to {location}; redirects are not followed. Is that the URL?")
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        raise UnreachableError(f"{settings.url} refuses the owner's token (401); without it nothing can be proven.")


def _proxy(url: str) -> str:
    """Tell of a proxy that was not used."""
    proxies = getproxies()
    named = proxies.get(httpx.URL(url).scheme) or proxies.get("all")
    return " The proxy of the environment is not used: it is another host." if named else ""
