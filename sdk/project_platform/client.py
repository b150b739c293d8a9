"""The clients: their configuration, their resources, and how a call is run."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    Literal,
    NoReturn,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
)
from uuid import UUID

from ._generated.scopes import AsyncClientScope, AsyncProjectScope, ClientScope, ProjectScope
from .calls import flow
from .calls.auth import checked_token, get_token, get_token_async
from .calls.capabilities import Capabilities
from .calls.commands import Flow
from .calls.configuration import (
    USER_AGENT,
    Lifetime,
    Options,
    checked,
    checked_max_response_bytes,
    checked_options,
    resolve_base_url,
    resolve_capabilities,
    resolve_project,
    resolve_token,
)
from .calls.encoding import project_id as checked_project_id
from .calls.flow import Settings
from .calls.headers import Headers, Secret
from .calls.log import logs_events, show_log, warn_if_unknown
from .calls.operation import UNSET, Call, Timeout, TypedResponse, Unset
from .calls.retry import RetryPolicy
from .calls.runners import run, run_async
from .errors import PlatformError, UsageError
from .transports.selection import resolve_async_transport, resolve_transport

if TYPE_CHECKING:
    import ssl

    from ._generated.models.records import ObjectRecord
    from .bulk.run import Bulk
    from .bulk.tasks import AsyncBulk
    from .calls.auth import TokenSource
    from .calls.capabilities import CapabilitiesSource
    from .calls.events import EventListener
    from .records.change import Change
    from .settling import Settleable, SettledWrite
    from .transports.httpx_types import AsyncHttpxBaseTransport, AsyncHttpxClient, HttpxBaseTransport, HttpxClient
    from .transports.transport import AsyncTransport, Transport

    TransportT = TypeVar("TransportT")

    class _NotInProfiles(TypedDict, Generic[TransportT], total=False):
        """Arguments of a client that are given beside a profile."""

        timeout: float | Timeout
        retry: RetryPolicy
        headers: Mapping[str, str]
        transport: TransportT
        verify: bool | ssl.SSLContext
        max_response_bytes: int | Unset | None
        collect_before_large_responses: bool
        on_event: EventListener

    _Arguments: TypeAlias = _NotInProfiles[Transport | HttpxBaseTransport | HttpxClient | Literal["httpx"] | None]
    _AsyncArguments: TypeAlias = _NotInProfiles[
        AsyncTransport | AsyncHttpxBaseTransport | AsyncHttpxClient | Literal["httpx"] | None
    ]

T = TypeVar("T")

DEFAULT_TIMEOUT: Final = Timeout()
DEFAULT_RETRY: Final = RetryPolicy()


_HEADERS: Final = Headers({"user-agent": USER_AGENT, "accept-encoding": "gzip, deflate"})


def _settings(
    base_url: str | None,
    source: TokenSource | Secret,
    options: Options,
    *,
    allow_insecure: bool,
    capabilities: CapabilitiesSource | None,
    max_response_bytes: int | Unset | None,
    collect_before_large_responses: bool,
    on_event: EventListener | None,
) -> Settings:
    show_log()
    checked("allow_insecure", allow_insecure, bool, "give True or False")
    base_url = resolve_base_url(base_url, allow_insecure=allow_insecure)
    settings = Settings(
        base_url=base_url,
        headers=_HEADERS,
        token=checked_token(source) if isinstance(source, Secret) else None,
        capabilities=resolve_capabilities(capabilities, base_url),
        max_response_bytes=checked_max_response_bytes(max_response_bytes),
        collect_before_large_responses=collect_before_large_responses,
        listeners=() if on_event is None else (_guarded(on_event),),
    )
    return options.applied_to(settings)


def _guarded(listener: EventListener) -> EventListener:
    from .calls.observation import guarded

    return guarded(listener)


def _observed(settings: Settings) -> Settings:
    """Return settings whose events are also written to the log."""
    from .calls.observation import log_event

    return replace(settings, listeners=(*settings.listeners, log_event))


class _Configured:
    """The part that both clients share: settings, which a view replaces, and a lifetime, which it shares."""

    _settings: Settings
    _lifetime: Lifetime
    _max_connections: int | None

    @property
    def base_url(self) -> str:
        """URL of the service, without a trailing slash."""
        return self._settings.base_url

    @property
    def capabilities(self) -> Capabilities:
        """The facts known about the deployment."""
        return self._settings.capabilities

    @property
    def max_connections(self) -> int | None:
        """Maximum number of connections in use at the same time; None if the transport does not say."""
        return self._max_connections

    def with_options(
        self,
        *,
        timeout: float | Timeout | Unset = UNSET,
        retry: RetryPolicy | Unset = UNSET,
        headers: Mapping[str, str] | Unset = UNSET,
    ) -> Self:
        """Return a client with other options that shares this client's connections. Closing it leaves them open."""
        options = Options(timeout, retry, headers)
        del headers  # error reporters show the locals of a frame
        view = copy.copy(self)
        view._settings = options.applied_to(self._settings)
        return view

    def __copy__(self) -> Self:
        view = type(self).__new__(type(self))
        view.__dict__.update(self.__dict__)
        view._lifetime = self._lifetime.view()
        return view

    def __deepcopy__(self, memo: object) -> NoReturn:
        self._refuse_to_travel()

    def __reduce__(self) -> NoReturn:
        self._refuse_to_travel()

    def _refuse_to_travel(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} cannot be pickled or deep-copied, because of its token and its connections; create one in "
            "each process; copy.copy(client) and client.with_options() give views that share its connections"
        )

    def _settings_for(self, options: Options | None) -> Settings:
        """Return the settings of a call, if the client is open."""
        self._lifetime.check()
        settings = self._settings if options is None else checked_options(options).applied_to(self._settings)
        return _observed(settings) if logs_events() else settings

    def _current_settings(self) -> Settings:
        return _observed(self._settings) if logs_events() else self._settings

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
        token: A token as a string or a `pydantic.SecretStr`, a function that returns one, a `TokenProvider` or a
            `TokenEndpoint`. The default is `PROJECT_PLATFORM_TOKEN`.
        project_id: The project that `project()` returns without an argument. The default is
            `PROJECT_PLATFORM_PROJECT`.
        timeout: Seconds for each step of an attempt, or a `Timeout`.
        retry: When and how fast a call is sent again.
        headers: Header fields to send with every call.
        transport: Sends requests instead of the built-in connections: a client or a transport of httpx or httpx2, or an
            object with `send(request)` and `close()`. The client does not close it. `"httpx"` is an `httpx.Client` with the
            SDK's defaults. The default is `PROJECT_PLATFORM_TRANSPORT`, which may be `httpx`.
        verify: Whether certificates are verified, or the `ssl.SSLContext` to use.
        allow_insecure: Whether an http base URL of another machine is accepted. It sends the token unencrypted.
        capabilities: The facts known about the deployment: `Capabilities`, or the path of a file of facts.
        max_response_bytes: Maximum size of a response in bytes, as received and as decompressed; None for no limit. If not
            given, JSON has at most 8 MiB and a PDF 64. The values of JSON may take four times as much memory, or 32 MiB. A
            larger response is a `ResponseTooLargeError`. Labels that are streamed may be larger.
        collect_before_large_responses: Whether the two young generations of the garbage collector may be collected before
            a large response is read, on Python 3.11 and 3.12. It prevents pauses of tens of milliseconds.
        on_event: A function that is called with each event of a call, such as `AttemptEnded`, in the thread or task of the
            call. It must not block; what it raises is logged once and changes no call.

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
        transport: Transport | HttpxBaseTransport | HttpxClient | Literal["httpx"] | None = None,
        verify: bool | ssl.SSLContext = True,
        allow_insecure: bool = False,
        capabilities: CapabilitiesSource | None = None,
        max_response_bytes: int | Unset | None = UNSET,
        collect_before_large_responses: bool = True,
        on_event: EventListener | None = None,
    ) -> None:
        try:
            self._token = resolve_token(token)
            self._settings = _settings(
                base_url,
                self._token,
                Options(timeout, retry, headers or {}),
                allow_insecure=allow_insecure,
                capabilities=capabilities,
                max_response_bytes=max_response_bytes,
                collect_before_large_responses=collect_before_large_responses,
                on_event=on_event,
            )
            self._project_id = project_id
            self._transport = resolve_transport(transport, verify, self._settings.base_url)
        except UsageError as error:
            raise error.with_traceback(None) from error.__cause__  # the inner frames have the arguments, too
        finally:
            del base_url, token, headers  # error reporters show the locals of a frame
        self._max_connections = getattr(self._transport, "max_connections", None)
        self._lifetime = Lifetime(owns_transport=transport is None or isinstance(transport, str))

    @classmethod
    def from_profile(
        cls,
        name: str | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        **arguments: Unpack[_Arguments],
    ) -> Self:
        """Return a client with the settings of a profile; environment variables take precedence over them.

        A warning says so if the profile is named, or if a token would go to the service of another place.

        Args:
            name: Name of the profile. The default is `PROJECT_PLATFORM_PROFILE`, then `default`.
            path: The configuration file. The default is `~/.config/project-platform/config.toml`.
            **arguments: Arguments of a client that say how it sends: `timeout`, `retry`, `headers`, `transport`, `verify`,
                `max_response_bytes`, `collect_before_large_responses` and `on_event`.

        Raises:
            UsageError: The file or the profile is missing or has a mistake, or a setting is missing everywhere.
        """
        from .calls.profiles import client_arguments

        return cls(**client_arguments(name, path, arguments))

    def project(self, project_id: str | UUID | None = None) -> Project:
        """Return a project, the scope of most operations. Nothing is sent.

        Args:
            project_id: UUID of the project. The default is the client's project.

        Raises:
            UsageError: No project is given anywhere, or it is not a UUID.
        """
        given = project_id if project_id is not None else self._project_id
        return Project(self, checked_project_id(resolve_project(given)))

    def send(self, call: Call[T], *, options: Options | None = None) -> TypedResponse[T]:
        """Send any call and return its value together with status, headers and attempts.

        Args:
            call: The call, such as `operations.records_create(project_id, ...)` returns.
            options: Options of this call that differ from those of the client.

        Raises:
            PlatformError: The call failed, or its outcome is unknown; see `project_platform.errors`.
        """
        return self._run(lambda settings: flow.call(call, settings), options)

    @overload
    def settle(self, what: Call[T], *, options: Options | None = None) -> SettledWrite[T]: ...
    @overload
    def settle(self, what: Change, *, options: Options | None = None) -> SettledWrite[ObjectRecord]: ...
    @overload
    def settle(self, what: Settleable, *, options: Options | None = None) -> SettledWrite[Any]: ...
    def settle(self, what: Settleable, *, options: Options | None = None) -> SettledWrite[Any]:
        """Return how a write ended whose response was lost, and finish it where a second copy cannot be applied.

        The write is always treated as one that may have been applied. It is sent again only if its guard fences or a second copy
        has no effect; otherwise it is looked at, by a request that changes nothing. `can_settle(error)` returns whether anything
        can be sent at all. It can be called again, also by another process with the pickled error.

        Example:
            ```python
            try:
                project.records.apply(change)
            except OutcomeUnknownError as error:
                settled = client.settle(error)  # "yes" or "in effect"
            ```

        Args:
            what: The error of the write, also from another process; or the change or the call, such as one that was stored
                before it was sent or that was interrupted.
            options: Options of these requests that differ from those of the client.

        Raises:
            UsageError: There is nothing to settle, or it is of another deployment. Nothing was sent.
            StalePreconditionError: The change was not applied, and cannot be any more. Only operation tokens prove that.
            OutcomeUnknownError: It is still not known; `seen` is the state that a look showed. Its message ends with what to do.
        """
        with _still_in_doubt(what):
            return self._run(_settling(what), options)

    def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        try:
            return run(flow_from(self._settings_for(options)), self._transport, self._get_token)
        except PlatformError as error:
            warn_if_unknown(error)
            raise

    def _get_token(self, refused: Secret | None, seconds: float) -> Secret:
        return get_token(self._token, self._send_with_session, refused, seconds)

    def _send_with_session(self, call: Call[Secret], session: Secret, seconds: float) -> TypedResponse[Secret]:
        settings = replace(self._current_settings(), token=session, ends_at=self._settings.monotonic() + seconds)
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


@contextlib.contextmanager
def _still_in_doubt(what: object) -> Generator[None]:
    """Let an error of settling, of which nothing was sent, have the verdict of the write."""
    try:
        yield
    except UsageError as error:
        error.applied = getattr(what, "applied", "unknown")
        raise


def _settling(what: Settleable) -> Callable[[Settings], Flow[SettledWrite[Any]]]:
    from .settling import settled  # most programs never need it

    return lambda settings: flow.composed("client.settle", settings, lambda inner: settled(what, inner), doubt=True)


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
        transport: AsyncTransport | AsyncHttpxBaseTransport | AsyncHttpxClient | Literal["httpx"] | None = None,
        verify: bool | ssl.SSLContext = True,
        allow_insecure: bool = False,
        capabilities: CapabilitiesSource | None = None,
        max_response_bytes: int | Unset | None = UNSET,
        collect_before_large_responses: bool = True,
        on_event: EventListener | None = None,
    ) -> None:
        try:
            self._token = resolve_token(token)
            settings = _settings(
                base_url,
                self._token,
                Options(timeout, retry, headers or {}),
                allow_insecure=allow_insecure,
                capabilities=capabilities,
                max_response_bytes=max_response_bytes,
                collect_before_large_responses=collect_before_large_responses,
                on_event=on_event,
            )
            self._settings = replace(settings, is_async=True)
            self._project_id = project_id
            self._transport = resolve_async_transport(transport, verify, self._settings.base_url)
        except UsageError as error:
            raise error.with_traceback(None) from error.__cause__  # the inner frames have the arguments, too
        finally:
            del base_url, token, headers  # error reporters show the locals of a frame
        self._max_connections = getattr(self._transport, "max_connections", None)
        self._lifetime = Lifetime(owns_transport=transport is None or isinstance(transport, str))

    @classmethod
    def from_profile(
        cls,
        name: str | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        **arguments: Unpack[_AsyncArguments],
    ) -> Self:
        """Same as `Client.from_profile`; a token command is awaited."""
        from .calls.profiles import client_arguments

        return cls(**client_arguments(name, path, arguments, asynchronous=True))

    def project(self, project_id: str | UUID | None = None) -> AsyncProject:
        """Return a project, the scope of most operations. Nothing is sent or awaited.

        Args:
            project_id: UUID of the project. The default is the client's project.

        Raises:
            UsageError: No project is given anywhere, or it is not a UUID.
        """
        given = project_id if project_id is not None else self._project_id
        return AsyncProject(self, checked_project_id(resolve_project(given)))

    async def send(self, call: Call[T], *, options: Options | None = None) -> TypedResponse[T]:
        """Send any call and return its value together with status, headers and attempts.

        Args:
            call: The call, such as `operations.records_create(project_id, ...)` returns.
            options: Options of this call that differ from those of the client.

        Raises:
            PlatformError: The call failed, or its outcome is unknown; see `project_platform.errors`.
        """
        return await self._run(lambda settings: flow.call(call, settings), options)

    @overload
    async def settle(self, what: Call[T], *, options: Options | None = None) -> SettledWrite[T]: ...
    @overload
    async def settle(self, what: Change, *, options: Options | None = None) -> SettledWrite[ObjectRecord]: ...
    @overload
    async def settle(self, what: Settleable, *, options: Options | None = None) -> SettledWrite[Any]: ...
    async def settle(self, what: Settleable, *, options: Options | None = None) -> SettledWrite[Any]:
        """Same as `Client.settle`."""
        with _still_in_doubt(what):
            return await self._run(_settling(what), options)

    async def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        try:
            return await run_async(flow_from(self._settings_for(options)), self._transport, self._get_token)
        except PlatformError as error:
            warn_if_unknown(error)
            raise

    async def _get_token(self, refused: Secret | None, seconds: float) -> Secret:
        return await get_token_async(self._token, self._send_with_session, refused, seconds)

    async def _send_with_session(self, call: Call[Secret], session: Secret, seconds: float) -> TypedResponse[Secret]:
        settings = replace(self._current_settings(), token=session, ends_at=self._settings.monotonic() + seconds)
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
        self._caller = self._client = client
        self._project_id = project_id

    @property
    def id(self) -> str:
        """The project's UUID."""
        return self._project_id

    def bulk(
        self,
        path: str | os.PathLike[str],
        *,
        settle: bool = False,
        retry_failed: bool = False,
        allow_duplicates: bool = False,
        max_failures: int | None = 100,
        most: int | None = None,
        progress: bool | None = None,
        stop_on_invalid: bool = False,
    ) -> Bulk:
        """Return a run of calls in any number, with a journal that it continues from. Nothing is sent yet.

        Use it in a `with` statement, as in `with project.bulk("deals.journal") as job: job.run(rows)`. Each row of the input
        ends in the journal, and a run with the same journal and input sends only what is left: after a crash, no row
        is missing and none is sent twice. The rate and the number of connections follow the service.

        Args:
            path: The journal, a file on a local file system. It is created if there is none, and belongs to this base URL
                and project.
            settle: Whether rows are settled, as by `client.settle`, of which it is not known whether they were applied: those
                of this run, and those that earlier runs left so.
            retry_failed: Whether rows that failed in an earlier run are sent again.
            allow_duplicates: Whether a row may create a record with the `external_id` of an earlier row. Otherwise it fails
                and is not sent.
            max_failures: Number of rows that may end with an error before the first is applied, or be refused in the same way one
                after the other; then the run is stopped. None for no limit.
            most: Maximum number of requests in flight, as a courtesy to a shared service. The default is the number of
                connections of the client.
            progress: Whether `run` shows its progress on standard error. The default is to show it on a terminal, and to log
                it as `project_platform.bulk` otherwise.
            stop_on_invalid: Whether a row that cannot be sent, such as one with a NaN, ends the run. Otherwise the row ends as "no".

        Raises:
            UsageError: An argument cannot be used.
        """
        from .bulk.attempt import BulkOptions
        from .bulk.run import Bulk

        options = BulkOptions(
            settle=settle,
            retry_failed=retry_failed,
            allow_duplicates=allow_duplicates,
            max_failures=max_failures,
            stop_on_invalid=stop_on_invalid,
            most=most,
            progress=progress,
        )
        return Bulk(self._client, self._project_id, path, options)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


class AsyncProject(AsyncProjectScope):
    """Same as `Project`, but its operations are awaited."""

    def __init__(self, client: AsyncClient, project_id: str) -> None:
        self._caller = self._client = client
        self._project_id = project_id

    @property
    def id(self) -> str:
        """The project's UUID."""
        return self._project_id

    def bulk(
        self,
        path: str | os.PathLike[str],
        *,
        settle: bool = False,
        retry_failed: bool = False,
        allow_duplicates: bool = False,
        max_failures: int | None = 100,
        most: int | None = None,
        progress: bool | None = None,
        stop_on_invalid: bool = False,
    ) -> AsyncBulk:
        """Same as `Project.bulk`, but for `async with`."""
        from .bulk.attempt import BulkOptions
        from .bulk.tasks import AsyncBulk

        options = BulkOptions(
            settle=settle,
            retry_failed=retry_failed,
            allow_duplicates=allow_duplicates,
            max_failures=max_failures,
            stop_on_invalid=stop_on_invalid,
            most=most,
            progress=progress,
        )
        return AsyncBulk(self._client, self._project_id, path, options)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"
