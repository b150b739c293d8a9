"""The limits of the fuse, from the settings and the data of a run."""

from __future__ import annotations

from typing import Final

from project_platform_contract.data.data_file import Data
from project_platform_contract.fuse import Limits

from .settings import Settings, recipients
from .target import Target

# Members of the data file whose values a write may address, by path parameter or member of the body.
_WRITABLE_RESOURCES: Final = {
    "accountId": ("page_account", "photo_account", "other_page_account"),
    "calendarId": ("calendar", "read_only_calendar"),
    "postId": ("published_page_post", "unpublished_page_post", "published_photo_post"),
    "slug": ("memory_slug", "memory_slug_with_slash"),
    "templateId": ("template", "failing_template"),
    "typeSlug": ("object_type", "linked_object_type"),
}
_WRITABLE_PROJECTS: Final = ("project", "other_project")


def limits_of(settings: Settings, target: Target, *, tag: str, spent: int = 0, workers: int = 1) -> Limits:
    """Return the limits of one process.

    Args:
        settings: The settings of the run.
        target: The target.
        tag: Tag of the run.
        spent: Number of requests that were sent before.
        workers: Number of processes that share the budget and the pace.
    """
    data = target.data
    return Limits(
        base_url=target.base_url,
        effects=settings.effects,
        projects=_values(data, _WRITABLE_PROJECTS),
        recipients=recipients(data),
        resources={name: _values(data, members) for name, members in _WRITABLE_RESOURCES.items()},
        unchanged={sidebar_path(data): {"sections": data.values["sidebar"]}} if "sidebar" in data.values else {},
        tag=tag,
        requests=(settings.requests - spent) // workers,
        pace=settings.pace * workers,
    )


def sidebar_path(data: Data) -> str:
    """Return the path of the project's sidebar."""
    return f"/projects/{data['project']}/sidebar"


def _values(data: Data, members: tuple[str, ...]) -> list[str]:
    return [data.values[member] for member in members if data.values.get(member)]
