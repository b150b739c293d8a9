"""The code of a user, read by mypy and pyright in strict mode; it is not run.

`tests/typing/mistakes.py` holds what both must refuse.
"""

import dataclasses
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NotRequired, assert_type
from uuid import UUID

import httpx
import httpx2
import polars
from pydantic import BaseModel, SecretStr, TypeAdapter
from tenacity import stop_after_attempt, wait_fixed
from typing_extensions import TypedDict

from project_platform import (
    AsyncClient,
    AsyncPager,
    AsyncTypedRecords,
    AttemptRecord,
    AttemptStarted,
    Call,
    Capabilities,
    Change,
    ChangeOptions,
    ChangeResult,
    Client,
    Conflict,
    Event,
    EventListener,
    LabelReview,
    LabelSheet,
    LabelSummary,
    Listing,
    OperationTokens,
    Options,
    OutcomeUnknownError,
    Page,
    PagePicture,
    Pager,
    Record,
    RetryPolicy,
    SettledWrite,
    StalePreconditionError,
    Timeout,
    TokenEndpoint,
    TypedRecords,
    TypedResponse,
    Waiting,
    can_settle,
    frames,
    operations,
)
from project_platform.models import (
    Agent,
    Attendee,
    BookingResult,
    BusyInterval,
    CreateBookingBody,
    MediaAnalytics,
    MemoryEntry,
    ObjectRecord,
    ScheduledPost,
    Sidebar,
    SidebarItem,
    SidebarSection,
    TemplateApplyResult,
    WebAnalyticsConfig,
    Workflow,
)
from project_platform.otel import OpenTelemetry


class Deal(BaseModel):
    """A model."""

    title: str
    stage: str = "open"


@dataclasses.dataclass(frozen=True)
class Lead:
    """A dataclass."""

    name: str


class Task(TypedDict):
    """A dict with known keys."""

    text: str
    done: NotRequired[bool]


class Open(BaseModel):
    """A member of a union."""

    kind: Literal["open"] = "open"


class Won(BaseModel):
    """Another member of it."""

    kind: Literal["won"] = "won"
    amount: int


def synchronous(client: Client) -> None:
    """Every operation of the synchronous client."""
    assert_type(Client.from_profile("staging", retry=RetryPolicy(max_attempts=2), verify=False), Client)
    assert_type(client.auth.check_permission("crm_objects:write"), bool)
    project = client.project(UUID(int=1))
    workflow = project.workflows.create(name="n", trigger_type_slug="t", trigger_event_type="e", tags=("a",))
    assert_type(workflow, Workflow)
    record = project.records.create(type_slug="deal", data={"title": "Roof", "when": datetime.date(2026, 1, 1)})
    assert_type(record, ObjectRecord)
    assert_type(record.created_at, datetime.datetime)
    assert_type(project.records.update("id", data={"a": None}, expected_status="open", external_id=None), ObjectRecord)
    booking = project.calendar.book(
        start=datetime.datetime.now(datetime.UTC),
        summary="s",
        time_zone="Europe/Berlin",
        attendee=Attendee(name="n", email="a@example.com"),
    )
    assert_type(booking, BookingResult)
    project.calendar.book(start="2026-01-01T00:00:00Z", summary="s", attendee={"email": "a@example.com"})
    assert_type(project.calendar.reschedule("id", summary="s", notify_attendees=False), BookingResult)
    assert_type(
        project.calendar.busy(time_min="2026-01-01T00:00Z", time_max="2026-01-02T00:00Z"), Listing[BusyInterval]
    )
    assert_type(project.sidebar.replace(sections=[SidebarSection(id="a", items=[SidebarItem(label="l")])]), Sidebar)
    project.sidebar.replace(sections=[{"id": "a"}])
    assert_type(project.templates.apply("t", name="n", variable_values={"a": 1}), TemplateApplyResult)
    assert_type(project.memory.update("a/b", metadata={"k": 1}), MemoryEntry)
    assert_type(project.engagement.like("p", account_id=UUID(int=2)), bool)
    agents = project.agents.list(limit=10)
    assert_type(agents, Pager[Agent])
    assert_type(agents.first_page(), Page[Agent])
    assert_type(list(agents), list[Agent])
    assert_type(agents.to_list(limit=3), Listing[Agent])
    assert_type(agents.first(), Agent | None)
    assert_type(agents.attempts, tuple[AttemptRecord, ...])
    assert_type(agents.first_page().items[:2], Listing[Agent])
    assert_type(project.web_analytics.get_config(), WebAnalyticsConfig | None)
    assert_type(project.posts.list(filters={"status": "failed"}), Listing[ScheduledPost])
    assert_type(project.photo_analytics.list_media("a"), Listing[MediaAnalytics])
    project.engagement.like(UUID(int=4), account_id="a")
    project.records.update(UUID(int=5), external_id=UUID(int=6))
    project.calendar.busy(time_min="2026-01-01T00:00Z", time_max="2026-01-02T00:00Z", calendar_id=UUID(int=7))
    labels = project.labels.export(menu_month="2026-11", item_ids=[UUID(int=3), "x"], stock="5x3.5")
    assert_type(labels, LabelSheet)
    assert_type(labels.summary, LabelSummary)
    assert_type(labels.review, LabelReview)
    assert_type(labels.page(1), PagePicture)
    with project.labels.stream() as stream:
        stream.save("labels.pdf")
    response = client.send(operations.records_update("p", "r", data={}))
    assert_type(response, TypedResponse[ObjectRecord])


async def asynchronous(client: AsyncClient) -> None:
    """Some operations of the asynchronous client; that it has them all is tested elsewhere."""
    project = client.project("0b9c4c6e-0000-4000-8000-000000000000")
    assert_type(await client.auth.check_permission("billing:read"), bool)
    assert_type(await project.records.update("r1", data={"stage": "won"}), ObjectRecord)
    agents = project.agents.list()
    assert_type(agents, AsyncPager[Agent])
    assert_type([agent async for agent in agents], list[Agent])
    assert_type(await agents.first_page(), Page[Agent])
    assert_type(await project.agents.list(limit=1), Page[Agent])
    assert_type(await agents.to_list(), Listing[Agent])
    assert_type(await agents.first(), Agent | None)
    async with project.labels.stream(menu_month="2026-11") as stream:
        await stream.save("labels.pdf")


def changes(client: Client, record: ObjectRecord) -> None:
    """Changes of a record, and the options that they are made with."""
    records = client.project().records
    careful = ChangeOptions(guard=["stage"], status=True, merge="shallow", tokens=OperationTokens())
    change = Change.of_edits(record, {"stage": "won"}, change_options=careful)
    assert_type(change, Change)
    assert_type(records.change(record, {"stage": "won"}), Change)
    assert_type(records.apply(change, options=Options(timeout=1.0)), ChangeResult)
    assert_type(Change.between(record, {}, change_options=ChangeOptions(guard="exact")), Change)
    untyped = records.of("deal", change_options=careful)
    assert_type(untyped.modify(untyped.wrap(record), dict, max_snapshots=2), Record[dict[str, Any]])


def typed(client: Client) -> None:
    """Records with data of a model, a dataclass, a TypedDict and a union."""
    records = client.project().records
    deals = records.of("deal", Deal)
    assert_type(deals, TypedRecords[Deal])
    deal = deals.create(Deal(title="Roof"), external_id="1")
    assert_type(deal, Record[Deal])
    assert_type(deal.data, Deal)
    deal.data.stage = "won"
    saved = deals.save(deal)
    assert_type(saved, Record[Deal])
    deals.save(deal, Deal(title="x"))
    deals.modify(deal, lambda data: data.model_copy(update={"stage": "won"}))
    try:
        deals.save(saved)
    except StalePreconditionError as error:
        conflict = deals.conflict(error)
        assert_type(conflict, Conflict[Deal])
        assert_type(conflict.theirs, Deal | None)
    except OutcomeUnknownError as error:
        assert_type(deals.settle(error), Record[Deal])
    leads = records.of("lead", Lead, refresh="noop")
    lead = leads.create(Lead("x"))
    leads.save(lead, dataclasses.replace(lead.data, name="y"))
    task = records.of("task", Task).create({"text": "x"})
    assert_type(task.data, Task)
    either = records.of("deal", TypeAdapter[Open | Won](Open | Won))
    assert_type(either.create(Won(amount=1)).data, Open | Won)


async def typed_asynchronously(client: AsyncClient) -> None:
    """The same methods, awaited."""
    deals = client.project().records.of("deal", Deal)
    assert_type(deals, AsyncTypedRecords[Deal])
    deal = await deals.create(Deal(title="Roof"))
    assert_type(deal.data, Deal)
    assert_type(await deals.save(deal), Record[Deal])

    async def edit(data: Deal) -> Deal:
        return data

    assert_type(await deals.modify(deal, edit), Record[Deal])
    assert_type(await deals.settle(deal), Record[Deal])


def settled(client: Client, error: OutcomeUnknownError) -> None:
    """The result of a write that is settled."""
    call = operations.records_update("p", "r", data={})
    assert_type(client.settle(call), SettledWrite[ObjectRecord])
    assert_type(client.settle(call).value, ObjectRecord)
    assert_type(client.settle(call).applied, Literal["yes", "in effect"])
    assert_type(can_settle(error, client.capabilities), bool)
    client.settle(error)


async def settled_asynchronously(client: AsyncClient, change: Change) -> None:
    """The same, awaited."""
    assert_type((await client.settle(change)).value, ObjectRecord)


def tables(client: Client) -> None:
    """Frames of what was read, and rows of frames as data."""
    posts = client.project().posts.list()
    assert_type(posts[0], ScheduledPost)
    assert_type([post.status for post in posts], list[str])
    frame = posts.to_polars(times=True)
    assert_type(frame, polars.DataFrame)
    posts.to_pandas().head()
    posts.to_arrow(times=True)
    for row in frames.rows(frame, missing="omit"):
        assert_type(row, dict[str, Any])
    records = client.project().records
    assert_type(records.creates(frame, type_slug="deal", missing="null"), Iterator[Call[ObjectRecord]])


def configured() -> None:
    """Ways to configure a client."""

    async def token() -> str:
        return "t"

    Client(token=lambda: "t", timeout=5, retry=RetryPolicy(stop=stop_after_attempt(5), wait=wait_fixed(1)))
    AsyncClient("https://platform.example", token=token, timeout=Timeout(read=60))
    client = Client("https://platform.example", token=TokenEndpoint("session"), headers={"x-team": "a"})
    view = client.with_options(timeout=1.0, retry=RetryPolicy(max_attempts=1))
    assert_type(view, Client)
    view.project().agents.list(options=Options(timeout=2.0))
    AsyncClient("https://platform.example", token="t", capabilities=Path("facts.json"))
    knowing = Client("https://platform.example", token="t", capabilities=Capabilities(merge="deep"))
    assert_type(knowing.capabilities, Capabilities)


def observed() -> None:
    """Listeners of events, and a secret of pydantic as the token."""
    events: list[Event] = []
    waits: list[float] = []

    def listen(event: Event) -> None:
        if isinstance(event, Waiting):
            waits.append(event.seconds)
        elif isinstance(event, AttemptStarted):
            event.headers["x-trace"] = str(event.call.id)

    listener: EventListener = listen
    Client("https://platform.example", token=SecretStr("t"), on_event=events.append)
    AsyncClient("https://platform.example", token="t", on_event=listener)
    Client("https://platform.example", token="t", on_event=OpenTelemetry())


def carried() -> None:
    """Clients and transports of httpx and httpx2, and httpx by its name."""
    Client(transport=httpx.Client(), max_response_bytes=None)
    Client(transport=httpx2.Client())
    Client(transport=httpx2.HTTPTransport())
    AsyncClient(transport=httpx.AsyncHTTPTransport())
    AsyncClient(transport=httpx2.AsyncClient())
    AsyncClient(transport="httpx")


def models_are_made_by_their_python_names() -> None:
    """Models take snake_case, as everything else does."""
    CreateBookingBody(start="2026-01-01T00:00:00Z", summary="s", time_zone="Z", duration_minutes=3)
