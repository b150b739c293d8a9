"""Invariants of a world, which hold after any sequence of requests."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from project_platform_stub.http.messages import parse_json, write_json
from project_platform_stub.world.permissions import PERMISSIONS
from project_platform_stub.world.store import TABLES, Contents, Project, State
from project_platform_stub.world.world import World

SECTION = {"id", "label", "items"}
ITEM = {"label", "icon", "id", "featureId", "pluginId", "href", "customLabel"}


def violations(world: World) -> list[str]:
    """Return a message for each violated invariant."""
    contents = world.read_only()
    projects = [problem for project in contents.projects.values() for problem in _project(contents, project)]
    return [*_rows(world.state), *_world(contents), *projects]


def _rows(state: State) -> Iterator[str]:
    """Each value can be written to a file and read back, and each row has a unique number."""
    numbers = sorted(row.number for _, row in state.rows())
    if any(number == following for number, following in pairwise(numbers)):
        yield "two rows have the same number"
    if numbers[-1] > state.added:
        yield "a row has a number that was not assigned"
    for key, row in state.rows():
        table = TABLES[key.table]
        written = write_json(table.encode(row.value))
        if write_json(table.encode(table.decode(parse_json(written.decode())))) != written:
            yield f"{key} differs after it is written to a file and read back"


def _world(world: Contents) -> Iterator[str]:
    slugs = [project.slug for project in world.projects.values()]
    if len(slugs) != len(set(slugs)):
        yield f"two projects have the same slug: {sorted(slugs)}"
    uids = {uid for project in world.projects.values() for uid in project.events}
    for mail in world.outbox:
        if mail.booking_uid not in uids:
            yield f"a mail is about {mail.booking_uid}, which is not an event"
        if "@" not in mail.to:
            yield f"a mail is addressed to {mail.to!r}"


def _project(world: Contents, project: Project) -> Iterator[str]:
    if project.parent is not None and project.parent not in world.projects:
        yield f"{project}: its parent {project.parent} does not exist"
    if not project.name or not project.slug:
        yield f"{project}: it has no name or no slug"
    for member, role in project.members.items():
        if member not in world.identities or role not in project.roles:
            yield f"{project}: {member} is a member as {role}"
    for role, permissions in project.roles.items():
        if not permissions.issubset(PERMISSIONS):
            yield f"{project}: the role {role} has permissions that do not exist"
    for check in (_records, _workflows, _events, _likes, _sidebar, _rest):
        for problem in check(project):
            yield f"{project}: {problem}"


def _records(project: Project) -> Iterator[str]:
    records = project.records
    if set(records) != set(project.relations):
        yield "records and relations do not match"
    for id, record in records.items():
        if record["id"] != id or record["typeSlug"] not in project.object_types:
            yield f"record {id}: id {record['id']}, type {record['typeSlug']}"
        if None in record["data"].values():
            yield f"record {id}: a null at the top level of data"
        person = record["personRefId"]
        if person is not None and (person not in records or records[person]["typeSlug"] != "person"):
            yield f"record {id}: {person} is not a person"
        if _moment(record["updatedAt"]) < _moment(record["createdAt"]):
            yield f"record {id}: updated before it was created"
        if not record["displayName"] or not isinstance(record["status"], str):
            yield f"record {id}: no displayName or no status"


def _workflows(project: Project) -> Iterator[str]:
    for id, workflow in project.workflows.items():
        tags: list[str] = workflow["tags"]
        if (workflow["id"], workflow["projectId"], workflow["revision"]) != (id, project.id, "1"):
            yield f"workflow {id}: {workflow['id']} of {workflow['projectId']}"
        if not 1 <= len(workflow["name"]) <= 200 or len(tags) > 12 or not all(1 <= len(tag) <= 40 for tag in tags):
            yield f"workflow {id}: over a limit"


def _events(project: Project) -> Iterator[str]:
    if project.primary_calendar is not None and project.primary_calendar not in project.calendars:
        yield f"the primary calendar {project.primary_calendar} does not exist"
    for uid, event in project.events.items():
        if event.uid != uid or event.calendar_id not in project.calendars:
            yield f"event {uid} on {event.calendar_id}"
        if not event.start < event.end:
            yield f"event {uid}: from {event.start} to {event.end}"
        if event.start.utcoffset() is None or event.start.utcoffset() != event.end.utcoffset():
            yield f"event {uid}: not in UTC"


def _likes(project: Project) -> Iterator[str]:
    for id, like in project.likes.items():
        if id != f"{like['postId']} {like['accountId']}":
            yield f"like {id}: {like}"
        if like["postId"] not in project.posts or like["accountId"] not in project.accounts:
            yield f"like {id}: its post or account is missing"


def _sidebar(project: Project) -> Iterator[str]:
    for section in project.sidebar:
        if not set(section) <= SECTION:
            yield f"sidebar: a section has {sorted(section)}"
        for item in section.get("items") or ():
            if not set(item) <= ITEM or not all(value is None or isinstance(value, str) for value in item.values()):
                yield f"sidebar: an item is {item}"


def _rest(project: Project) -> Iterator[str]:
    for slug, entry in project.memory.items():
        if (entry["slug"], entry["projectId"]) != (slug, project.id):
            yield f"memory entry {slug!r}: {entry['slug']!r} of {entry['projectId']}"
    for table in (project.accounts, project.posts, project.menu_items):
        for id, row in table.items():
            if row["id"] != id or str(UUID(id)) != id:
                yield f"{id}: {row['id']}"
    if not set(project.media) <= set(project.accounts):
        yield "media of an account that does not exist"
    for hide in project.hides:
        if hide["role"] not in project.roles:
            yield f"hidden from {hide['role']}, which is not a role"


def _moment(text: Any) -> datetime:
    return datetime.fromisoformat(text)
