"""A program over every resource, as a user writes it: no field that a response is expected to have is tested for None.

mypy, pyright, ty and pyrefly read it in strict mode (`tests/test_type_checkers.py`); it is not run.
"""

import datetime
from collections.abc import Iterator
from uuid import UUID

from project_platform import Client, FieldMissingError, Project
from project_platform.models import Agent, ObjectRecord


def endpoints(agents: list[Agent]) -> dict[str, list[str]]:
    """Return the addresses that each agent calls."""
    return {agent.name: [server.url.lower() for server in agent.mcp_servers] for agent in agents if not agent.built_in}


def stale(records: list[ObjectRecord], now: datetime.datetime) -> list[str]:
    """Return the identifiers of records that have not changed for a month."""
    old = [record for record in records if now - record.updated_at > datetime.timedelta(days=30)]
    return [f"{record.id} ({record.type_slug}): {record.status or 'without status'}" for record in old]


def win(project: Project, record: ObjectRecord) -> datetime.timedelta:
    """Win a deal, and return how long that took."""
    titles: list[str] = [record.data["title"], *record.data.get("aliases", [])]
    change = project.records.change(record, {"stage": "won", "titles": titles})
    won = project.records.apply(change).record
    project.records.update(won.id, data={"stage": "archived"}, expected_data=won.data)
    return won.updated_at - record.created_at


def visit(project: Project, record: ObjectRecord) -> str:
    """Book a visit in the first gap of a day, and move it by an hour."""
    busy = project.calendar.busy(time_min="2026-01-01T09:00:00Z", time_max="2026-01-01T18:00:00Z")
    starts = sorted(interval.start for interval in busy)
    booking = project.calendar.book(start=starts[0], summary=record.id, calendar_id="primary")
    moved = project.calendar.reschedule(booking.booking_uid, start=booking.end, calendar_id=booking.calendar_id)
    return f"{moved.start} to {moved.end}: {moved.html_link or 'no link'}"


def media(project: Project, account_id: UUID) -> Iterator[str]:
    """Go through what was published, and like it."""
    for post in project.posts.list():
        if project.engagement.like(post.id, account_id=post.social_account_id):
            yield from (f"{post.platform}/{item.store_key}".upper() for item in post.media)
    for item in project.photo_analytics.list_media(account_id):
        yield f"{item.media_id.strip()} {item.media_type.strip()}: {item.like_count or 0}"


def branch(project: Project, client: Client) -> Project:
    """Make a sub-project from a template, with a sidebar and a workflow."""
    applied = project.templates.apply("tpl", name="Branch")
    report = applied.template_apply.report
    print(report.applied_count + report.counts.roles, [failure.code.lower() for failure in report.failures])
    branch = client.project(applied.project.id)
    shown = branch.sidebar.replace(sections=[{"id": "sales", "label": "Sales", "items": [{"label": "Deals"}]}])
    print(", ".join(item.label for section in shown.sections for item in section.items))
    workflow = branch.workflows.create(name="Greet", trigger_type_slug="deal", trigger_event_type="created")
    print(workflow.id.upper(), [tag.lower() for tag in workflow.tags], workflow.created_at.isoformat())
    entry = branch.memory.update("welcome", content="Hello", metadata={"by": workflow.id})
    print(entry.slug.partition("/"), len(entry.content), entry.metadata["by"], entry.updated_at > workflow.created_at)
    return branch


def main() -> None:
    """Use every resource once."""
    with Client("https://platform.example", token="t") as client:
        project = client.project(UUID(int=1))
        if client.auth.check_permission("agents:read"):
            print(endpoints(list(project.agents.list())))
        record = project.records.create(type_slug="deal", data={"title": "Roof"})
        print(stale([record], datetime.datetime.now(datetime.UTC)), win(project, record), visit(project, record))
        config = project.web_analytics.get_config()
        if config is not None and config.enabled:
            print(config.project_id.upper(), config.created_at.year, config.search_site_url or "no site")
        print(branch(project, client).labels.export().summary.label_count, *media(project, UUID(int=2)))
        try:
            print(record.data)
        except FieldMissingError as error:
            print(error.model, error.field.upper(), error.wire_name.upper(), getattr(record, "data", None))
