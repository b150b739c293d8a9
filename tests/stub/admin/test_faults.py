"""Faults over HTTP: planned, listed, cleared and carried out."""

from __future__ import annotations

import httpx
import pytest

FAULTS = "/_stub/worlds/demo/faults"


def test_faults_are_planned_and_accounted_for(admin, api, stub):
    """A planned fault is listed until a request meets it; then the attempt and its response are listed."""
    plan = {"operation": "agents_list", "faults": [{"fault": "status", "status": 503, "retryAfter": 2, "times": 2}]}

    planned = admin.post(FAULTS, json=plan)

    assert planned.status_code == 201
    assert planned.json()["left"] == [{"operation": "agents_list", "fault": "status 503 Retry-After 2 s"}] * 2
    assert api.get(api.path("agents")).headers["Retry-After"] == "2"
    stub.world.clock.advance(2)
    assert api.get(api.path("agents")).status_code == 503
    report = admin.get(FAULTS).json()
    assert report["left"] == []
    assert [(attempt["number"], attempt["got"], attempt["honoured"]) for attempt in report["attempts"]] == [
        (1, "503 (status 503 Retry-After 2 s)", True),
        (2, "503 (status 503 Retry-After 2 s)", None),
    ]


def test_an_invalid_plan_is_refused_as_a_whole(admin, refused, stub):
    """The message lists every invalid field, and nothing is planned."""
    body = {"plans": [{"operation": "agents_list", "faults": [{"fault": "hang"}, {"fault": "status", "sttaus": 503}]}]}

    error = refused(admin.post(FAULTS, json=body), 400, "body: plans[0].faults[1].")

    assert 'body: plans[0].faults[1].sttaus: is not known here; did you mean "status"?' in error["message"].splitlines()
    assert "body: plans[0].faults[1].status: is required" in error["message"].splitlines()
    assert stub.world.faults.left == []


def test_several_plans_fit_in_one_request_and_are_cleared(admin, api):
    """The body may have the format of a fault file."""
    plans = [
        {"operation": "agents_list", "faults": [{"fault": "html_502"}]},
        {"operation": "*", "faults": [{"fault": "hang", "seconds": 1.5}]},
    ]

    left = admin.post(FAULTS, json={"plans": plans}).json()["left"]
    assert left == [{"operation": "agents_list", "fault": "html_502 502"}, {"operation": "*", "fault": "hang"}]

    assert admin.delete(FAULTS).json() == {"left": [], "pending": 0, "attempts": []}

    assert api.get(api.path("agents")).status_code == 200


def test_late_requests_are_carried_out_at_once(admin, api, stub):
    before = len(stub.project.records)
    late = {"fault": "apply_late", "seconds": 3600, "times": 2}
    admin.post(FAULTS, json={"operation": "records_create", "faults": [late]})
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            api.create()
    assert (admin.get(FAULTS).json()["pending"], len(stub.project.records)) == (2, before)

    assert admin.post(f"{FAULTS}/land").json() == {"landed": 2}

    assert len(stub.project.records) == before + 2
