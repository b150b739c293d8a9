"""Hints about likely mistakes in a request: misspelled names, wrong projects, missing roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

from project_platform_stub.contract import Operation
from project_platform_stub.http.errors import shortened
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.store import Contents, Project, Table

_MIN_SIMILARITY = 0.6  # Of 1.
_TABLES = [name for name, part in vars(Project).items() if isinstance(part, Table) and not name.startswith("_")]
_MAX_NAMES = 10  # Unknown names with a hint of their own.
_SAME_METHOD = 0.01  # Bonus that decides between similar paths.


def near_path(operations: Iterable[Operation], method: str, segments: list[str]) -> str | None:
    """Return the operation with the most similar path, as `GET /projects/{projectId}/agents`; None if none is similar."""
    best, highest = None, _MIN_SIMILARITY
    # Also without empty segments and without a prefix: doubled slashes and wrong prefixes are common mistakes.
    candidates = [[segment for segment in segments if segment][skipped:] for skipped in range(3)]
    for operation in operations:
        for candidate in candidates:
            score = _similarity(operation.segments, candidate) + _SAME_METHOD * (operation.method == method)
            if score > highest:
                best, highest = operation, score
    return f"{best.method} /{'/'.join(best.segments)}" if best else None


def unknown_names(place: str, given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return a hint for each of the first unknown names, and one with the number of the others."""
    known = list(known)
    unknown = [name for name in given if name not in known]
    hints = []
    for name in map(shortened, unknown[:_MAX_NAMES]):
        near = get_close_matches(name, known, 1)
        hints.append(f"{place}.{name}: is not known" + (f" (did you mean {near[0]}?)" if near else ""))
    if len(unknown) > _MAX_NAMES:
        hints.append(f"{place}: {len(unknown) - _MAX_NAMES} more names are not known")
    return hints


def other_projects(world: Contents, path: Mapping[str, str]) -> list[str]:
    """Return a hint for each other project that has something with an identifier of the path."""
    ids = {text for name, text in path.items() if name != "projectId"}
    project = path.get("projectId", "").lower()
    return [
        f"{id} is in another project: {other.name} ({other.id})"
        for other in world.projects.values()
        for id in ids
        if other.id != project and any(id in getattr(other, table) for table in _TABLES)
    ]


def memberships(world: Contents, identity: Identity) -> str:
    """Return a hint that lists the projects of an identity."""
    projects = [
        f"{project.name} ({project.id})" for project in world.projects.values() if identity.id in project.members
    ]
    return f"{identity.key} is a member of {', '.join(projects) or 'no project'}"


def roles_with(permission: str, project: Project, identity: Identity) -> str:
    """Return a hint that lists the roles with a permission that an identity lacks."""
    roles = [name for name, permissions in project.roles.items() if permission in permissions]
    return (
        f"{identity.key} has the role {project.members.get(identity.id)}; roles with {permission}: {', '.join(roles)}"
    )


def _similarity(template: tuple[str, ...], path: list[str]) -> float:
    """Return the similarity of a path and a template from 0 to 1, which is that of their least similar words."""
    if len(template) != len(path):
        return 0.0
    words = [(part, segment) for part, segment in zip(template, path, strict=True) if not part.startswith("{")]
    return min(SequenceMatcher(None, part, segment).ratio() for part, segment in words)
