"""Routes that plan faults and report the requests that met them."""

from __future__ import annotations

from project_platform_stub.admin.request import AdminRequest, private_json
from project_platform_stub.faults.file import read_faults
from project_platform_stub.faults.plans import Attempt, FaultPlans
from project_platform_stub.http.messages import Response
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.world.domain import Json


def show_faults(request: AdminRequest) -> Response:
    """Return the faults that are still planned in a world, and the attempts."""
    return private_json(report(request.world.faults))


def plan_faults(request: AdminRequest) -> Response:
    """Plan faults for the next requests of operations."""
    faults = request.world.faults
    for operation, planned in read_faults(request.any_json(), "body"):
        faults.plan(operation, planned)
    return private_json(report(faults), 201)


def clear_faults(request: AdminRequest) -> Response:
    """Delete the planned faults, and drop the requests that are still to be carried out late."""
    request.world.faults.clear()
    return private_json(report(request.world.faults))


def land_faults(request: AdminRequest) -> Response:
    """Carry out now the requests that are still to be carried out late."""
    request.json("nothing")
    return private_json({"landed": request.world.faults.land()})


def report(faults: FaultPlans) -> Json:
    """Return the planned faults and the attempts."""
    return {
        "left": [{"operation": operation, "fault": str(fault)} for operation, fault in faults.left],
        "pending": faults.pending,
        "attempts": [_attempt(attempt) for attempt in faults.attempts()],
    }


def _attempt(attempt: Attempt) -> Json:
    entry = attempt.entry
    return {
        "number": entry.number,
        "at": wire_time(entry.at),
        "operation": entry.operation,
        "got": attempt.got,
        "retryAfter": entry.retry_after,
        "waited": attempt.waited,
        "honoured": attempt.honoured,
    }
