"""Requests of the owner that have one defect each, so that most services refuse them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx

from project_platform_contract.operations import operations
from project_platform_contract.rules.kinds import of_a_project_and_reads
from project_platform_contract.run.api import Api

from .valid_requests import ValidRequests

READS_OF_A_PROJECT = frozenset(operation.id for operation in operations() if of_a_project_and_reads(operation))
"""Operations that read something of a project."""

THINGS = {
    operation.id: name
    for operation in operations()
    if operation.effect != "read"
    for name in re.findall(r"\{(\w+)\}", operation.path)
    if name != "projectId"
}
"""The path parameter that names what an operation changes: of something that does not exist it is refused."""

# Operations that change nothing without a body.
_EMPTY_IS_NOTHING = frozenset({"records_update", "memory_update"})


def defective(api: Api, valid_requests: ValidRequests, operation: str, name: str) -> Iterator[httpx.Response]:
    """Yield the responses to calls of the owner, each with one defect.

    Args:
        api: The `Api` of the owner.
        valid_requests: A valid request of each operation.
        operation: The operationId.
        name: What follows the tag in what is sent. No irreversible request of a run is sent twice.
    """
    arguments = valid_requests(operation)
    if "json" in arguments:
        yield api(operation, **{**arguments, "json": [f"{valid_requests.tag}-{name}"]})
    if operation in THINGS:
        yield api(operation, **{**arguments, THINGS[operation]: f"{valid_requests.tag}-{name}"})
    if operation in _EMPTY_IS_NOTHING:
        yield api(operation, **{name: value for name, value in arguments.items() if name != "json"})
    if operation in READS_OF_A_PROJECT:
        yield api(operation, **{**arguments, "projectId": valid_requests.unknown_id})
        yield api(operation, **{**arguments, "projectId": "contract"})
    match operation:
        case "auth_check_permission":
            yield api(operation, query=valid_requests.permission("contract:read"))
        case "agents_list":
            yield api(operation, query={"limit": 0})
        case "records_update":
            yield api(operation, **{**arguments, "json": {"expectedData": {"title": f"{valid_requests.tag} stale"}}})
        case "calendar_book":
            valid_requests.event()  # takes the slot
            yield api(operation, json={**valid_requests.booking(), "conflictCheck": True})
        case _:
            pass
