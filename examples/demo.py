"""The operations, synchronously and asynchronously, against a stub server on a real socket.

Each line shows an operation, its arguments and its result. The meal labels are saved to `labels.pdf`. At the end the
response to a write that was applied is dropped, one call settles it, and a stale save is refused.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from import_a_file import import_killed_once
from lost_answers import drop_response

from project_platform import (
    AsyncClient,
    AsyncPager,
    AsyncProject,
    Client,
    LabelSheet,
    Pager,
    PlatformError,
    Project,
    SlotTakenError,
    StalePreconditionError,
    operations,
)
from project_platform_stub import Stub

BERLIN = ZoneInfo("Europe/Berlin")
VISIT = datetime.now(BERLIN).replace(hour=15, minute=0, second=0, microsecond=0) + timedelta(days=2)
# Results of earlier steps that later steps need, by name.
Found = dict[str, Any]
# Both clients have the same methods; those of the asynchronous one are awaited.
AnyProject = Any


@dataclass(frozen=True)
class Step:
    """One call: its name, a description of its arguments, the call, and how to show its result."""

    name: str
    sends: str
    call: Callable[[AnyProject, AnyProject, Found], Any]
    shows: Callable[[Any, Found], str]
    refused: type[PlatformError] | None = None


def store(found: Found, name: str, value: Any) -> Any:
    """Store a value for a later step, and return it."""
    found[name] = value
    return value


def steps(ids: dict[str, Any]) -> list[Step]:
    """Return the steps of the demonstration, in order."""
    pages, photos = ids["accounts"][0], ids["accounts"][1]
    return [
        Step(
            "auth.check_permission",
            "crm_objects:write",
            lambda client, _, __: client.auth.check_permission("crm_objects:write"),
            lambda allowed, _: f"allowed: {allowed}",
        ),
        Step(
            "workflows.create",
            "name='Welcome', tags=['crm']",
            lambda _, project, __: project.workflows.create(
                name="Welcome", trigger_type_slug="record", trigger_event_type="created", actions=[], tags=["crm"]
            ),
            lambda workflow, _: f"{workflow.id}, revision {workflow.revision}, active: {workflow.is_active}",
        ),
        Step(
            "records.create",
            "lead with an email address",
            lambda _, project, __: project.records.create(
                type_slug="lead", data={"name": "Grace Hopper", "email": "grace@example.com", "stage": "open"}
            ),
            lambda record, found: f"{store(found, 'record', record).id}, person {record.person_ref_id}",
        ),
        Step(
            "records.update",
            "stage='won', name=null, if stage is 'open'",
            lambda _, project, found: project.records.update(
                found["record"].id, data={"stage": "won", "name": None}, expected_data={"stage": "open"}
            ),
            lambda record, _: f"data {record.data}",
        ),
        Step(
            "records.update",
            "stage='lost', if stage is still 'open'",
            lambda _, project, found: project.records.update(
                found["record"].id, data={"stage": "lost"}, expected_data={"stage": "open"}
            ),
            lambda error, _: f"{type(error).__name__} {error.status}, applied: {error.applied}",
            refused=StalePreconditionError,
        ),
        Step(
            "calendar.book",
            f"{VISIT:%d %b %H:%M} Berlin, 30 minutes, with an attendee",
            lambda _, project, found: project.calendar.book(
                start=VISIT + found["shift"],
                duration_minutes=30,
                time_zone="Europe/Berlin",
                summary="Site visit",
                attendee={"name": "Ada", "email": "ada@example.com"},
            ),
            lambda booking, found: f"{store(found, 'booking', booking).booking_uid} from {booking.start}",
        ),
        Step(
            "calendar.book",
            "the same slot again",
            lambda _, project, found: project.calendar.book(
                start=VISIT + found["shift"], duration_minutes=30, time_zone="Europe/Berlin", summary="Too late"
            ),
            lambda error, _: f"{type(error).__name__} {error.status}, applied: {error.applied}",
            refused=SlotTakenError,
        ),
        Step(
            "calendar.reschedule",
            "10 minutes later, attendees not notified",
            lambda _, project, found: project.calendar.reschedule(
                found["booking"].booking_uid,
                start=VISIT + found["shift"] + timedelta(minutes=10),
                notify_attendees=False,
            ),
            lambda booking, _: f"now from {booking.start}",
        ),
        Step(
            "calendar.busy",
            f"{VISIT:%d %b}",
            lambda _, project, __: project.calendar.busy(
                time_min=VISIT - timedelta(hours=15), time_max=VISIT + timedelta(hours=9)
            ),
            lambda busy, _: f"busy intervals: {len(busy)}",
        ),
        Step(
            "sidebar.replace",
            "one section of one item",
            lambda _, project, __: project.sidebar.replace(
                sections=[{"id": "main", "label": "Main", "items": [{"id": "crm", "label": "CRM", "href": "/crm"}]}]
            ),
            lambda sidebar, _: f"sections: {[section.label for section in sidebar.sections]}",
        ),
        Step(
            "templates.apply",
            "name='Acme', variable client='Acme'",
            lambda _, project, found: project.templates.apply(
                ids["template"], name=f"Acme {found['way']}", variable_values={"client": "Acme"}
            ),
            lambda result, _: (
                f"{result.template_apply.status}: {result.template_apply.report.applied_count} applied, "
                f"{len(result.template_apply.report.failures)} failed, "
                f"missing {result.template_apply.report.missing_variables}"
            ),
        ),
        Step(
            "memory.update",
            "slug 'brand/voice': title='Our voice'",
            lambda _, project, __: project.memory.update("brand/voice", title="Our voice"),
            lambda entry, _: f"{entry.slug}: {entry.title}",
        ),
        Step(
            "engagement.like",
            "a published post, as the page",
            lambda _, project, __: project.engagement.like(ids["posts"][0], account_id=pages),
            lambda success, _: f"success: {success}",
        ),
        Step(
            "agents.list",
            "limit=3, all pages",
            lambda _, project, __: project.agents.list(limit=3),
            lambda agents, _: f"{len(agents)} agents: {', '.join(agent.name for agent in agents[:3])} ...",
        ),
        Step(
            "web_analytics.get_config",
            "",
            lambda _, project, __: project.web_analytics.get_config(),
            lambda config, _: f"property {config.analytics_property_id}, enabled: {config.enabled}",
        ),
        Step(
            "posts.list",
            "filters={'status': 'failed'}",
            lambda _, project, __: project.posts.list(filters={"status": "failed"}),
            lambda posts, _: f"{len(posts)} post: {posts[0].error_message}",
        ),
        Step(
            "photo_analytics.list_media",
            "a photo-network account",
            lambda _, project, __: project.photo_analytics.list_media(photos),
            lambda media, _: f"{len(media)} media, {sum(item.reach for item in media):,} reached",
        ),
        Step(
            "labels.export",
            "menu_month='2026-11'",
            lambda _, project, __: project.labels.export(menu_month="2026-11"),
            show_labels,
        ),
    ]


def show_labels(sheet: LabelSheet, found: Found) -> str:
    """Save the labels and return a summary."""
    path = sheet.save("labels.pdf")
    counts = f"{sheet.summary.label_count} labels on {sheet.summary.sheet_count} sheets"
    skipped = len(sheet.review["skipped"])
    return f"{counts}, {skipped} skipped, saved to {path}"


def run(client: Client, project: Project, plan: list[Step], found: Found) -> list[str]:
    """Run the steps one by one, and return a description of each result."""
    descriptions = []
    for step in plan:
        try:
            result = step.call(client, project, found)
            value: Any = list(result) if isinstance(result, Pager) else result
        except PlatformError as error:
            value = error
        descriptions.append(describe(step, value, found))
    return descriptions


async def run_async(client: AsyncClient, project: AsyncProject, plan: list[Step], found: Found) -> list[str]:
    """Same as `run`, but with `await`."""
    descriptions = []
    for step in plan:
        try:
            result = step.call(client, project, found)
            value: Any = [item async for item in result] if isinstance(result, AsyncPager) else await result
        except PlatformError as error:
            value = error
        descriptions.append(describe(step, value, found))
    return descriptions


def describe(step: Step, value: Any, found: Found) -> str:
    """Return a description of a result; it starts with `!` if the result is not the expected one."""
    if isinstance(value, PlatformError) and (step.refused is None or not isinstance(value, step.refused)):
        return f"! {type(value).__name__}: {value}"
    if step.refused is not None and not isinstance(value, PlatformError):
        return f"! not refused: {value!r}"
    return step.shows(value, found)


def main() -> int:
    """Run the demonstration; return 0 if every step and the import had the expected result."""
    began = time.perf_counter()
    stub = Stub()
    with stub.serve() as server:
        ids = stub.describe(server.base_url)
        plan = steps(ids)
        token = ids["tokens"]["owner"]
        with Client(server.base_url, token=token) as client:
            project = client.project(ids["project_id"])
            first = run(client, project, plan, {"way": "sync", "shift": timedelta(0)})

        async def run_with_async_client() -> list[str]:
            async with AsyncClient(server.base_url, token=token) as client:
                project = client.project(ids["project_id"])
                return await run_async(client, project, plan, {"way": "async", "shift": timedelta(hours=2)})

        second = asyncio.run(run_with_async_client())

    print(f"Project Platform SDK against the stub server at {server.base_url}\n")
    for step, sync_result, async_result in zip(plan, first, second, strict=True):
        failed = [result for result in (sync_result, async_result) if result.startswith("!")]
        mark = "FAILED      " if failed else "sync + async"
        print(f"{mark}  {step.name:27}{step.sends:51}-> {failed[0] if failed else sync_result}")
    print("\nThe response to a typed save that was applied is dropped, and a stale one is refused:")
    lost = list(drop_response(stub))
    for method, sends, outcome in lost:
        print(f"              {method:27}{sends:51}-> {outcome}")
    print("\nA file is imported while responses are dropped, and the process is killed:")
    imported = list(import_killed_once(stub))
    for done, outcome in imported:
        print(f"{'FAILED' if outcome.startswith('!') else '':14}{'project.bulk':27}{done:51}-> {outcome}")
    failures = sum(result.startswith("!") for result in [*first, *second, *(outcome for _, outcome in imported)])
    names = {step.name for step in plan}
    missing = {name for name in operations.__all__ if name not in {shown.replace(".", "_") for shown in names}}
    if missing:
        print(f"\nNot shown: {', '.join(sorted(missing))}")
    refusals = sum(step.refused is not None for step in plan)
    print(
        f"\n{len(names)} of {len(operations.__all__)} operations, {len(first) + len(second)} calls (sync and async), "
        f"{2 * refusals} of them refused with 409 as expected, {failures} failed; {len(stub.outbox)} invitations in the "
        f"stub's outbox; {time.perf_counter() - began:.1f} s"
    )
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
