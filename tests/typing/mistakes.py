"""What both type checkers must refuse: each ignored line is an error, and an ignore without one is an error itself."""

import httpx

from project_platform import Capabilities, ChangeOptions, Client
from project_platform.models import Agent, ObjectRecord


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
    project.records.modify(record, dict, attempts=2)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    ChangeOptions(guard=7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ChangeOptions(strict=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Capabilities(merge="any")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def fields(agent: Agent, record: ObjectRecord) -> list[str]:
    """A field that may be None, a misspelt field, and a value of another type."""
    agent.description.upper()  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
    ObjectRecord(id=17)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return [agent.nmae, record.id]  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
