"""The service on a socket: uvicorn in a background thread."""

from __future__ import annotations

import importlib.util
import socket
import threading
from types import TracebackType
from typing import Self

import uvicorn

from .app import build_app
from .service import Service

_BACKLOG = 2048  # uvicorn's default
_PATIENCE = 10.0  # Seconds to wait for a thread to start or to end.


class StubServer:
    """A server that listens from the start, answers while it is open, and stops when it is closed.

    Args:
        service: The service to serve.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.

    Raises:
        OSError: The address cannot be used, for instance because the port is taken.
    """

    def __init__(self, service: Service, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        bound = self._socket.getsockname()[1]
        self.base_url = f"http://[{host}]:{bound}" if ":" in host else f"http://{host}:{bound}"
        self._server = _Server(
            uvicorn.Config(
                build_app(service),
                http="httptools",
                ws="none",
                lifespan="off",
                loop="uvloop" if importlib.util.find_spec("uvloop") else "asyncio",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._thread = threading.Thread(target=self._run, name="project-platform-stub", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._server.ready.wait(_PATIENCE):
            raise RuntimeError("The stub server did not start.")
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
        self._socket.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


class _Server(uvicorn.Server):
    """A server that tells when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()
