"""The pytest plugin: a stub server for a test run, and a separate world for each test.

pytest loads it automatically once `project-platform` is installed. It imports the SDK and the stub only when a test
requests one of its fixtures.

```python
from project_platform import Project
from project_platform_stub import World


def test_an_attendee_is_invited(stub_project: Project, stub_world: World) -> None:
    stub_project.calendar.book(start="2027-07-01T09:00:00Z", summary="Visit", attendee={"email": "ada@example.com"})

    assert [mail.to for mail in stub_world.outbox] == ["ada@example.com"]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from project_platform import AsyncClient, Client

__all__ = ["AsyncSignIn", "SignIn"]


class SignIn(Protocol):
    """The type of the fixture `stub_sign_in`."""

    def __call__(self, identity: str | None = None, *, token: str | None = None) -> Client:
        """Return a client of the test's world, which the fixture closes.

        Args:
            identity: Key of an identity, such as `viewer`; that of the test's marker if not given.
            token: An access token to use instead, such as `stub_world.tokens.expired()`.
        """


class AsyncSignIn(Protocol):
    """The type of the fixture `stub_async_sign_in`."""

    def __call__(self, identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        """Same as `SignIn`, but for an asynchronous client, which works in any event loop."""
