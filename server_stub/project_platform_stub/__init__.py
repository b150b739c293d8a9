"""A stub server that behaves as the Project Platform API's specification says.

```python
from project_platform_stub import Stub

stub = Stub()
with stub.serve() as server:
    print(server.base_url, stub.project.id, stub.token("owner"))
```
"""

from __future__ import annotations

from .contents import Project
from .server import StubServer
from .stub import Stub
from .values import Invitation
from .world import World

__all__ = ["Invitation", "Project", "Stub", "StubServer", "World"]
