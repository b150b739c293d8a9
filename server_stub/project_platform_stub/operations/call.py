"""What an operation is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.profile.profile import Profile
from project_platform_stub.world.domain import Identity, Json
from project_platform_stub.world.views import Contents, Project


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was let through: identified, permitted, and fitting the contract.

    Attributes:
        world: What is in the world. What is written to it becomes visible when the operation ends well.
        project: The project of the path, or the caller's own where the path names none.
        caller: Who calls.
        now: The moment of the call.
        path: Path parameters by name.
        query: Query parameters that the contract names, by name.
        filters: All query parameters as they came.
        body: The body; an empty object where the operation takes none.
        profile: What is done where the specification is silent.
    """

    world: Contents
    project: Project
    caller: Identity
    now: datetime
    path: Mapping[str, str]
    query: Mapping[str, Any]
    filters: Mapping[str, str]
    body: Json
    profile: Profile

    @property
    def timestamp(self) -> str:
        """The moment of the call as the service writes it."""
        return wire_time(self.now)


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer; its value is JSON, or the bytes of a PDF. The profile says with which status it is given."""

    value: Json | bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Handler: TypeAlias = Callable[[Call], Answer]
