"""What may have been meant by a request that was refused, or that said something nobody listens to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

from project_platform_stub.contract import Operation
from project_platform_stub.http.errors import shortened
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.views import Contents, Project

_ALIKE = 0.6  # Of 1: the least likeness that is worth a hint.
_FEW = 10  # Unknown names that are told one by one.
_SAME_METHOD = 0.01  # Decides between paths that are alike.


def near_path(operations: Iterable[Operation], method: str, segments: list[str]) -> str | None:
    """Return the operation whose path is most like one that does not exist, as `GET /projects/{projectId}/agents`."""
    best, likeness = None, 0.0
    # A slash too many and a prefix too much are mistakes as common as a wrong word.
    tried = [[segment for segment in segments if segment][skipped:] for skipped in range(3)]
    for operation in operations:
        for given in tried:
            score = _likeness(operation.segments, given) + _SAME_METHOD * (operation.method == method)
            if score > max(likeness, _ALIKE):
                best, likeness = operation, score
    return f"{best.method} /{'/'.join(best.segments)}" if best else None


def unknown_names(place: str, given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return a hint for each of the first names that nobody listens to, and one that counts the others."""
    known = list(known)
    unknown = [name for name in given if name not in known]
    hints = []
    for name in map(shortened, unknown[:_FEW]):
        near = get_close_matches(name, known, 1)
        hints.append(f"{place}.{name}: is not known" + (f" (did you mean {near[0]}?)" if near else ""))
    if len(unknown) > _FEW:
        hints.append(f"{place}: each of {len(unknown) - _FEW} more names is not known")
    return hints


def elsewhere(world: Contents, path: Mapping[str, str]) -> list[str]:
    """Return where something is that was not found where the path says."""
    wanted = {text for name, text in path.items() if name != "projectId"}
    project = path.get("projectId", "").lower()
    return [
        f"{id} is in another project: {other.name} ({other.id})"
        for other in world.projects.values()
        for rows in (other.records, other.events, other.templates, other.memory, other.posts, other.accounts)
        for id in wanted
        if other.id != project and id in rows
    ]


def memberships(world: Contents, identity: Identity) -> str:
    """Return what an identity is a member of."""
    own = [f"{each.name} ({each.id})" for each in world.projects.values() if identity.id in each.members]
    return f"{identity.key} is a member of {', '.join(own) or 'no project'}"


def who_may(project: Project, identity: Identity, permission: str) -> str:
    """Return which roles have a permission that an identity lacks."""
    roles = [name for name, permissions in project.roles.items() if permission in permissions]
    return f"{identity.key} has the role {project.members.get(identity.id)}; {permission} is with {', '.join(roles)}"


def _likeness(template: tuple[str, ...], given: list[str]) -> float:
    """Return how like a path is to the words of a template, from 0 to 1; the least like word decides."""
    if len(template) != len(given):
        return 0.0
    words = [(part, segment) for part, segment in zip(template, given, strict=True) if not part.startswith("{")]
    return min(SequenceMatcher(None, part, segment).ratio() for part, segment in words)
