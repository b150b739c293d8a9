"""What the rules are proven on: a deployment, or the stub in process or over a socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from .data import Data

if TYPE_CHECKING:
    from project_platform_stub import Stub


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go.

    Attributes:
        base_url: Its address.
        data: What it has to prove rules with.
        stub: The stub behind it, if it is one in this process.
        in_process: Whether it is reached without a socket.
    """

    base_url: str
    data: Data
    stub: Stub | None = None
    in_process: bool = False

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        url = httpx.URL(self.base_url)
        return f"{url.scheme}://{url.netloc.decode('ascii')}"

    def transport(self) -> httpx.BaseTransport:
        """Return a transport that reaches it; redirects are never followed and proxies are those of the environment's."""
        if self.in_process and self.stub is not None:
            return self.stub.transport()
        return httpx.HTTPTransport(retries=0)


@contextmanager
def stub_target(how: str) -> Iterator[Target]:
    """Give a stub of its own as a target, `in-process` or `socket`."""
    from project_platform_stub import Stub

    from .stub_data import stub_data

    stub = Stub()
    if how == "in-process":
        yield Target("http://stub.localhost", stub_data(stub), stub, in_process=True)
        return
    with stub.serve() as server:
        yield Target(server.base_url, stub_data(stub), stub)
