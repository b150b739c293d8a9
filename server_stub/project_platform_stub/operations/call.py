"""The argument and the result of an operation's handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from project_platform_stub.profile.profile import Profile
from project_platform_stub.world.domain import Identity, Json
from project_platform_stub.world.store import Contents, Project


@dataclass(frozen=True, slots=True)
class Call:
    """An authenticated, permitted and valid call of an operation.

    Attributes:
        world: Content of the world; writes to it become visible when the handler returns.
        project: The project of the path; the caller is a member of it. If the path names no project, the caller's home
            project, of which the caller need not be a member.
        timestamp: Time of the call as the service writes it.
        query: Query parameters of the contract, by name.
        filters: All query parameters, unparsed.
        body: The body; an empty object if the operation takes none.
    """

    world: Contents
    project: Project
    caller: Identity
    now: datetime
    timestamp: str
    path: Mapping[str, str]
    query: Mapping[str, Any]
    filters: Mapping[str, str]
    body: Json
    profile: Profile


@dataclass(frozen=True, slots=True)
class Result:
    """A successful result: JSON, or the bytes of a PDF. The profile chooses its status."""

    value: Json | bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Handler: TypeAlias = Callable[[Call], Result]
