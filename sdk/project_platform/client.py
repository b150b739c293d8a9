"""The clients: their configuration, their resources, and how a call is run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar
from uuid import UUID

from ._generated.scopes import AsyncClientScope, AsyncProjectScope, ClientScope, ProjectScope
from .calls import flow
from .calls.auth import get_token, get_token_async
from .calls.capabilities import Capabilities
from .calls.configuration import (
    USER_AGENT,
    Lifetime,
    Options,
    checked_headers,
    checked_options,
    checked_retry,
    checked_timeout,
    resolve_base_url,
    resolve_capabilities,
    resolve_project,
    resolve_token,
)
from .calls.encoding import project_id as checked_project_id
from .calls.flow import Flow, Settings, checked_token
from .calls.headers import Secret
from .calls.operation import UNSET, Answer, Call, Timeout, Unset
from .calls.retry import RetryPolicy
from .calls.runners import run, run_async
from .transports.selection import resolve_async_transport, resolve_transport

if TYPE_CHECKING:
    import ssl

    import httpx

    from .calls.auth import TokenSource
    from .calls.capabilities import CapabilitiesSource
    from .transports.transport import AsyncTransport, Transport

T = TypeVar("T")

DEFAULT_TIMEOUT: Final = Timeout()
DEFAULT_RETRY: Final = RetryPolicy()


def _settings(
    base_url: str | None,
    source: TokenSource,
    timeout: float | Timeout,
    retry: RetryPolicy,
    headers: Mapping[str, str] | None,
    *,
    allow_insecure: bool,
    capabilities: CapabilitiesSource | None,
) -> Settings:
    base_url = resolve_base_url(base_url, allow_insecure=allow_insecure)
    return Settings(
        base_url=base_url,
        headers={"user-agent": USER_AGENT, "accept-encoding": "gzip, deflate", **checked_headers(headers or {})},
        token=checked_token(source) if isinstance(source, str) else None,
        timeout=checked_timeout(timeout),
        retry=checked_retry(retry),
        capabilities=resolve_capabilities(capabilities, base_url),
    )


class _Configured:
    """The part that both clients share: settings, which a view replaces, and a lifetime, which it shares."""

    _settings: Settings
    _lifetime: Lifetime

    @property
    def capabilities(self) -> Capabilities:
        """The facts known about the deployment."""
        return self._settings.capabilities

    def with_options(
        self,
        *,
        timeout: float | Timeout | Unset = UNSET,
        retry: RetryPolicy | Unset = UNSET,
        headers: Mapping[str, str] | Unset = UNSET,
    ) -> Self:
        """Return a client with other options that shares this client's connections. Closing it leaves them open."""
        view = copy.copy(self)
        view._settings = Options(timeout, retry, headers).applied_to(self._settings)
        view._lifetime = self._lifetime.view()
        return view

    def _settings_for(self, options: Options | None) -> Settings:
        """Return the settings of a call, if the client is open."""
        self._lifetime.check()
        return self._settings if options is None else checked_options(options).applied_to(self._settings)

    def __repr__(self) -> str:
        # A client whose arguments were refused has no settings, and a traceback may show it.
        settings: Settings | None = self.__dict__.get("_settings")
        return f"<{type(self).__name__} of {settings.base_url if settings else 'nothing yet'}>"


class Client(_Configured, ClientScope):
    """The Project Platform API, called synchronously. Threads may share a client.

    Use it as a context manager, or call `close`.

    Args:
        base_url: URL of the service, such as `https://platform.example/prefix`. The default is the environment variable
            `PROJECT_PLATFORM_BASE_URL`.
        token: A token, a function that returns one, a `TokenProvider` or a `TokenEndpoint`. The default is
            `PROJECT_PLATFORM_TOKEN`.
        project_id: The project that `project()` returns without an argument. The default is
            `PROJECT_PLATFORM_PROJECT`.
        timeout: Seconds for each step of an attempt, or a `Timeout`.
        retry: When and how fast a call is sent again.
        headers: Header fields to send with every call.
        transport: What sends requests instead of the built-in connections: an `httpx.Client`, an `httpx.BaseTransport`,
            or an object with `send(request)` and `close()`. The client does not close it.
        verify: Whether certificates are verified, or the `ssl.SSLContext` to use.
        allow_insecure: Whether an http base URL of another machine is accepted. It sends the token unencrypted.
        capabilities: The facts known about the deployment: `Capabilities`, or the path of a file of facts.

    Raises:
        UsageError: There is no base URL or no token, or an argument cannot be used.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        token: TokenSource | None = None,
        project_id: str | UUID | None = None,
        timeout: float | Timeout = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
        headers: Mapping[str, str] | None = None,
        transport: Transport | httpx.BaseTransport | httpx.Client | None = None,
        verify: bool | ssl.SSLContext = True,
        allow_insecure: bool = False,
        capabilities: CapabilitiesSource | None = None,
    ) -> None:
        self._token = resolve_token(token)
        self._settings = _settings(
            base_url,
            self._token,
            timeout,
            retry,
            headers,
            allow_insecure=allow_insecure,
            capabilities=capabilities,
        )
        self._project_id = project_id
        self._transport = resolve_transport(transport, verify, self._settings.base_url)
        self._lifetime = Lifetime(owns_transport=transport is None)

    def project(self, project_id: str | UUID | None = None) -> Project:
        """Return a project, the scope of most operations. Nothing is sent.

        Args:
            project_id: UUID of the project. The default is the client's project.

        Raises:
            UsageError: No project is given anywhere, or it is not a UUID.
        """
        given = project_id if project_id is not None else self._project_id
        return Project(self, checked_project_id(resolve_project(given)))

    def send(self, call: Call[T], *, options: Options | None = None) -> Answer[T]:
        """Send any call and return its value together with status, headers and attempts.

        Raises:
            PlatformError: The call failed, or its outcome is unknown; see `project_platform.errors`.
        """
        return self._run(lambda settings: flow.call(call, settings), options)

    def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        return run(flow_from(self._settings_for(options)), self._transport, self._get_token)

    def _get_token(self, refused: str | None) -> str:
        return get_token(self._token, self._send_with_session, refused)

    def _send_with_session(self, call: Call[str], session: Secret) -> Answer[str]:
        settings = replace(self._settings, token=session)
        return run(flow.call(call, settings), self._transport, self._get_token)

    def close(self) -> None:
        """Close the connections. A view, and a client with a transport of the user, leave them open."""
        if self._lifetime.end():
            self._transport.close()

    def __enter__(self) -> Self:
        self._lifetime.check()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncClient(_Configured, AsyncClientScope):
    """Same as `Client`, but its operations are awaited, under asyncio or trio.

    `token` may also be an async function; `transport` is an `httpx.AsyncClient`, an `httpx.AsyncBaseTransport`, or an
    object with `async send(request)` and `aclose()`.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        token: TokenSource | None = None,
        project_id: str | UUID | None = None,
        timeout: float | Timeout = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
        headers: Mapping[str, str] | None = None,
        transport: AsyncTransport | httpx.AsyncBaseTransport | httpx.AsyncClient | None = None,
        verify: bool | ssl.SSLContext = True,
        allow_insecure: bool = False,
        capabilities: CapabilitiesSource | None = None,
    ) -> None:
        self._token = resolve_token(token)
        self._settings = _settings(
            base_url,
            self._token,
            timeout,
            retry,
            headers,
            allow_insecure=allow_insecure,
            capabilities=capabilities,
        )
        self._project_id = project_id
        self._transport = resolve_async_transport(transport, verify, self._settings.base_url)
        self._lifetime = Lifetime(owns_transport=transport is None)

    def project(self, project_id: str | UUID | None = None) -> AsyncProject:
        """Return a project, the scope of most operations. Nothing is sent or awaited.

        Args:
            project_id: UUID of the project. The default is the client's project.

        Raises:
            UsageError: No project is given anywhere, or it is not a UUID.
        """
        given = project_id if project_id is not None else self._project_id
        return AsyncProject(self, checked_project_id(resolve_project(given)))

    async def send(self, call: Call[T], *, options: Options | None = None) -> Answer[T]:
        """Send any call and return its value together with status, headers and attempts.

        Raises:
            PlatformError: The call failed, or its outcome is unknown; see `project_platform.errors`.
        """
        return await self._run(lambda settings: flow.call(call, settings), options)

    async def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        return await run_async(flow_from(self._settings_for(options)), self._transport, self._get_token)

    async def _get_token(self, refused: str | None) -> str:
        return await get_token_async(self._token, self._send_with_session, refused)

    async def _send_with_session(self, call: Call[str], session: Secret) -> Answer[str]:
        settings = replace(self._settings, token=session)
        return await run_async(flow.call(call, settings), self._transport, self._get_token)

    async def aclose(self) -> None:
        """Close the connections. A view, and a client with a transport of the user, leave them open."""
        if self._lifetime.end():
            await self._transport.aclose()

    async def __aenter__(self) -> Self:
        self._lifetime.check()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()


class Project(ProjectScope):
    """A project: the operations that it is the scope of, by resource."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._caller = client
        self._project_id = project_id

    @property
    def id(self) -> str:
        """The project's UUID."""
        return self._project_id

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


class AsyncProject(AsyncProjectScope):
    """Same as `Project`, but its operations are awaited."""

    def __init__(self, client: AsyncClient, project_id: str) -> None:
        self._caller = client
        self._project_id = project_id

    @property
    def id(self) -> str:
        """The project's UUID."""
        return self._project_id

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"
