"""A stub server that behaves as the Project Platform API's specification says.

```python
from project_platform_stub import Stub

stub = Stub()
with stub.serve() as server:
    print(server.base_url, stub.project.id, stub.token("owner"))
```
"""

from __future__ import annotations

from . import faults
from .clock import Clock
from .contents import Outbox, Project
from .documents import DocumentError
from .fault_plans import Attempt, FaultPlans
from .faults import Fault
from .journal import Entry, Journal
from .profile import Profile, load_profile
from .server import StubServer
from .state_opening import StateFileError
from .stub import Stub
from .tokens import Tokens
from .values import Invitation
from .world import World
from .world_file import WorldDescription, load_world_file, world_origin
from .worlds import Worlds

__all__ = [
    "Attempt",
    "Clock",
    "DocumentError",
    "Entry",
    "Fault",
    "FaultPlans",
    "Invitation",
    "Journal",
    "Outbox",
    "Profile",
    "Project",
    "StateFileError",
    "Stub",
    "StubServer",
    "Tokens",
    "World",
    "WorldDescription",
    "Worlds",
    "faults",
    "load_profile",
    "load_world_file",
    "world_origin",
]
