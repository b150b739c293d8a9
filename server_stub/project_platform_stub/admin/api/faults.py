"""Routes that plan faults and tell what came of them."""

from __future__ import annotations

from project_platform_stub.admin.request import Asked, answer, bad_document
from project_platform_stub.documents.document import DocumentError
from project_platform_stub.faults.file import read_faults
from project_platform_stub.faults.plans import Attempt, FaultPlans
from project_platform_stub.http.messages import Response
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.world.domain import Json


def show_faults(asked: Asked) -> Response:
    """Answer with what is still planned in a world, and with the attempts that met it."""
    return answer(report(asked.world.faults))


def plan_faults(asked: Asked) -> Response:
    """Plan what the next requests of some operations meet."""
    try:
        plans = read_faults(asked.any_json(), "body")
    except DocumentError as error:
        raise bad_document(error) from None
    faults = asked.world.faults
    for operation, planned in plans:
        faults.plan(operation, planned)
    return answer(report(faults), 201)


def clear_faults(asked: Asked) -> Response:
    """Forget what is planned and what is still to land."""
    asked.world.faults.clear()
    return answer(report(asked.world.faults))


def land_faults(asked: Asked) -> Response:
    """Carry out now what is still to be carried out late."""
    asked.json("nothing")
    return answer({"landed": asked.world.faults.land()})


def report(faults: FaultPlans) -> Json:
    """Return what is planned, and what came of it."""
    return {
        "left": [{"operation": operation, "fault": str(fault)} for operation, fault in faults.left],
        "pending": faults.pending,
        "attempts": [_attempt(each) for each in faults.attempts()],
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
