"""The forms of the page: their effects, redirects and errors."""

from __future__ import annotations

from urllib.parse import urlencode

import httpx
import pytest

from project_platform_stub.faults import apply_late

FORM = "application/x-www-form-urlencoded"


def test_a_request_is_sent_again(api, stub, submit):
    """The replay has the same identity and body, and a new token, because the first one may have expired."""
    api.create(data={"title": "Roof"})
    stub.world.clock.advance(365 * 24 * 3600)

    page = submit("/_stub/page/demo/journal/1/replay")

    assert "This is the request that was sent again." in page.text
    _, again = stub.world.journal
    assert (again.number, again.identity, again.status) == (2, "owner", 201)
    titles = [record["data"].get("title") for record in stub.project.records.values()]
    assert titles.count("Roof") == 2


def test_a_path_is_sent_again_as_it_was(api, stub, submit):
    """The replay has the same percent-encoding and the same query."""
    api.patch(api.path("memory-entries", "brand/voice") + "?a=%2F%20", json={"title": "New"})

    submit("/_stub/page/demo/journal/1/replay")

    first, again = stub.world.journal
    assert first.path.endswith("/memory-entries/brand%2Fvoice?a=%2F%20")
    assert (again.path, again.status, again.body) == (first.path, 200, first.body)


def test_a_request_for_a_token_is_sent_again(admin, stub, submit):
    """The replay has a session, which the token endpoint requires."""
    headers = {"Authorization": f"Bearer {stub.tokens.session('viewer')}"}
    assert admin.get("/api/auth/token", headers=headers).status_code == 200

    submit("/_stub/page/demo/journal/1/replay")

    assert [(entry.identity, entry.status) for entry in stub.world.journal] == [("viewer", 200)] * 2


def test_an_unmatched_request_is_sent_again(admin, stub, submit):
    """The replay has no token, because the identity of the request is unknown."""
    admin.get("/nowhere")

    page = submit("/_stub/unmatched-requests/1/replay")

    assert "without a token" in page.text
    assert [entry.status for entry in stub.unmatched_requests] == [404, 404]


def test_a_replay_with_a_refused_token_leads_to_the_unmatched_requests(api, stub, submit):
    """With a stale key set even a new token is refused, and the page shows the 401."""
    api.get(api.path("agents"))
    stub.tokens.rotate(stale=True)

    page = submit("/_stub/page/demo/journal/1/replay")

    assert "401" in page.text
    assert [entry.status for entry in stub.unmatched_requests] == [401]


def test_a_long_body_is_not_sent_again(admin, api, get):
    """The journal does not have the body; the page says so and has no form for a replay."""
    api.create(data={"title": "x" * 20_000})

    page = get("/_stub/page/demo/journal/1")
    headers = {"Content-Type": FORM, "Origin": "http://stub"}
    response = admin.post("/_stub/page/demo/journal/1/replay", headers=headers)

    assert "too long for the journal" in page.text
    assert not [attributes for _, attributes in page.found if "replay" in (attributes.get("action") or "")]
    assert (response.status_code, "too long for the journal" in response.text) == (409, True)


def test_worlds_are_created_and_deleted(stub, submit):
    assert "The world was created." in submit("/_stub/page", id="mine", seed="7").text
    assert stub.worlds.get("mine").seed == 7

    assert "The world was deleted." in submit("/_stub/page/mine/delete").text
    assert stub.worlds.get("mine") is None


def test_a_world_is_reset(api, stub, submit):
    record = api.create()

    assert "The world was reset to its initial state." in submit("/_stub/page/demo/reset").text

    assert record["id"] not in stub.project.records


def test_snapshots_are_taken_restored_and_discarded(api, stub, submit):
    """Names of snapshots may have any characters."""
    name = 'a/b "<i>" \u202e'
    stub.world.snapshot(name)
    record = api.create()
    submit("/_stub/page/demo/snapshots", name="later")
    path = next(
        attributes["action"]
        for _, attributes in submit("/_stub/page/demo/snapshots").found
        if "%22" in (attributes.get("action") or "") and attributes["action"].endswith("/restore")
    )

    submit(path)
    assert record["id"] not in stub.project.records
    submit("/_stub/page/demo/snapshots/later/restore")
    assert record["id"] in stub.project.records

    submit(path.replace("/restore", "/discard"))
    assert stub.world.snapshots == ["later", "3"]


@pytest.mark.parametrize(
    ("fields", "now", "frozen"),
    [
        ({"do": "advance", "amount": "1.5", "unit": "hours"}, "10:00:00", False),
        ({"do": "advance", "amount": "-30", "unit": "minutes"}, "08:00:00", False),
        ({"do": "set", "moment": "2026-11-02T12:00:00+01:00"}, "11:00:00", False),
        ({"do": "freeze"}, "08:30:00", True),
        ({"do": "run"}, "08:30:00", False),
    ],
)
def test_the_clock_is_changed(stub, submit, fields, now, frozen):
    """The pressed button selects the change."""
    page = submit("/_stub/page/demo/clock", **fields)

    assert f"2026-11-02 {now} UTC" in page.text
    assert stub.world.clock.frozen is frozen


def test_faults_are_planned_and_cleared(api, stub, submit):
    """Only the fields that are filled in are options of the fault."""
    submit("/_stub/page/demo/faults", operation="agents_list", fault="status", times="2", status="", retryAfter="3")
    page = submit("/_stub/page/demo/faults", operation="*", fault="hang", seconds="0.5", applied="on", times=" ")

    assert [(operation, str(fault)) for operation, fault in stub.world.faults.left] == [
        *[("agents_list", "status 503 Retry-After 3 s")] * 2,
        ("*", "hang after it was applied"),
    ]
    assert "hang after it was applied" in page.text
    assert api.get(api.path("agents")).headers["Retry-After"] == "3"

    assert "No faults are planned." in submit("/_stub/page/demo/faults/clear").text
    assert stub.world.faults.left == []


def test_delayed_requests_are_carried_out_now(api, get, stub, submit):
    """The page has the button while requests are delayed."""
    stub.world.faults.plan("records_create", apply_late(3600))
    before = len(stub.project.records)
    with pytest.raises(httpx.TransportError):
        api.create()
    assert "Carry out delayed requests now (1)" in get("/_stub/page/demo/faults").text

    submit("/_stub/page/demo/faults/land")

    assert len(stub.project.records) == before + 1


def test_journals_and_outbox_are_cleared(admin, api, stub, submit):
    api.book(attendee={"name": "Ada", "email": "ada@example.com"})
    admin.get("/nowhere")

    submit("/_stub/page/demo/journal/clear")
    submit("/_stub/page/demo/outbox/clear")
    submit("/_stub/unmatched-requests/clear")

    assert [len(stub.world.journal), len(stub.outbox), len(stub.unmatched_requests)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("path", "fields", "message"),
    [
        ("/_stub/page", {"seed": "x"}, "body: seed: must be integer, not string"),
        (
            "/_stub/page/demo/clock",
            {"do": "advance", "amount": "1e9", "unit": "days"},
            "body: advance: must be number, not string",
        ),
        (
            "/_stub/page/demo/clock",
            {"do": "advance", "amount": "9" * 12, "unit": "days"},
            "body: advance: is 86399999999913600; the maximum is 3155760000",
        ),
        (
            "/_stub/page/demo/clock",
            {"do": "set"},
            "body: document: must be an object with one of set, advance, freeze and run",
        ),
        ("/_stub/page/demo/faults", {"operation": "*", "fault": "reset", "status": "503"}, "status: is not known here"),
        ("/_stub/page/demo/snapshots/nowhere/restore", {}, "has no snapshot"),
        ("/_stub/page/nowhere/reset", {}, "There is no world"),
    ],
)
def test_an_invalid_form_is_refused_with_a_page(admin, path, fields, message):
    headers = {"Content-Type": FORM, "Origin": "http://stub"}

    response = admin.post(path, content=urlencode(fields), headers=headers)

    assert response.status_code in {400, 404, 409}
    assert message in response.text
