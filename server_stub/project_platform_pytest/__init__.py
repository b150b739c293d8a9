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

from .sign_in import AsyncSignIn, SignIn

__all__ = ["AsyncSignIn", "SignIn"]
