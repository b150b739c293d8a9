"""A stub server with the behaviour that the specification of the Project Platform API describes.

```python
from project_platform_stub import Stub

stub = Stub()
with stub.serve() as server:
    print(server.base_url, stub.project.id, stub.token("owner"))
```
"""

from __future__ import annotations

try:
    from project_platform_stub.world.world import Worlds
except ModuleNotFoundError as missing:
    advice = f"project_platform_stub needs {missing.name}: pip install 'project-platform[stub]'"
    raise ModuleNotFoundError(advice, name=missing.name) from None

from . import faults
from .documents.document import DocumentError
from .faults import Fault
from .faults.plans import Attempt, FaultPlans
from .http.server import StubServer
from .profile import Profile, load_profile
from .state.opening import StateFileError
from .stub import Stub
from .world.clock import Clock
from .world.domain import Invitation
from .world.journal import Entry, Journal
from .world.store import Outbox, Project
from .world.tokens import Tokens
from .world.world import World
from .world_file import WorldDescription, load_world_file, world_origin

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
