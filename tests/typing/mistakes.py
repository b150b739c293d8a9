"""Mistakes that both type checkers must refuse: each ignored line is an error, and an ignore without one is an error itself."""

import dataclasses
from typing import NotRequired

import httpx
from pydantic import BaseModel
from typing_extensions import TypedDict

from project_platform import AsyncClient, Capabilities, ChangeOptions, Client, OutcomeUnknownError
from project_platform.models import Agent, ObjectRecord


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


def mistakes(client: Client) -> None:
    """Misspelt, missing and mistyped arguments."""
    project = client.project("p")
    client.auth.check_permission("crm:fly")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    project.records.create(data={})  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    project.records.create("deal")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    project.records.update("r", dta={})  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    project.agents.list(limit="10")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    project.agents.list()[0]  # type: ignore[index]  # pyright: ignore[reportIndexIssue]
    project.labels.export(stock="4x3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    project.workflows.create(name=None, trigger_type_slug="a", trigger_event_type="b")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Client(transport=httpx.AsyncClient())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Client(transport="requests")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Client(capabilities={"merge": "deep"})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Client(on_event="print")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    record = ObjectRecord(id="r")
    project.records.change(record, {}, guard="all")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    ChangeOptions(guard=7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ChangeOptions(strict=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    ChangeOptions(probe=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Capabilities(merge="any")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def typed(client: Client, error: OutcomeUnknownError) -> None:
    """Members that a class does not have, values of another type, and another class."""
    records = client.project().records
    deals, leads = records.of("deal", Deal), records.of("lead", Lead)
    deal, lead = deals.create(Deal(title="Roof")), leads.create(Lead("x"))
    deal.data.stage = 3  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    deal.data.stag = "won"  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    print(deal.data.nope)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    deal.data = Deal(title="x")  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    deals.create(Lead(name="x"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deals.save(deal, Lead("x"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deals.modify(deal, lambda data: Lead("x"))  # type: ignore[arg-type, return-value]  # pyright: ignore[reportArgumentType]
    lead.data.name = "y"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    leads.save(deal)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    records.of("task", Task).create({"text": "x"}).data["text"] = 3  # type: ignore[typeddict-item]  # pyright: ignore[reportArgumentType]
    client.settle("x")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    print(client.settle(error).repeatd)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


async def typed_asynchronously(client: AsyncClient, error: OutcomeUnknownError) -> None:
    """The same with the asynchronous client."""
    records = client.project().records
    deals, leads = records.of("deal", Deal), records.of("lead", Lead)
    deal, lead = await deals.create(Deal(title="Roof")), await leads.create(Lead("x"))
    deal.data.stage = 3  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    deal.data.stag = "won"  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    print(deal.data.nope)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    deal.data = Deal(title="x")  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    await deals.create(Lead(name="x"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await deals.save(deal, Lead("x"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await deals.modify(deal, lambda data: Lead("x"))  # type: ignore[arg-type, return-value]  # pyright: ignore[reportArgumentType]
    lead.data.name = "y"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    await leads.save(deal)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    task = await records.of("task", Task).create({"text": "x"})
    task.data["text"] = 3  # type: ignore[typeddict-item]  # pyright: ignore[reportArgumentType]
    await client.settle("x")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    print((await client.settle(error)).repeatd)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def fields(agent: Agent, record: ObjectRecord) -> list[str]:
    """A field that may be None, a misspelt field, and a value of another type."""
    agent.description.upper()  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
    ObjectRecord(id=17)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return [agent.nmae, record.id]  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
