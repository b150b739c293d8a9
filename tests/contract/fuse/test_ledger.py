"""The ledger, and the lasting changes that are derived from it."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from project_platform_contract.fuse import Fuse, FusedTransport, Limits
from project_platform_contract.fuse.ledger import Ledger, Remains, remains
from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub import Stub
from project_platform_stub.faults import drop_after_apply

TAG = "contract-20261121-090000-1f3a"
BASE = "http://stub.localhost"


@pytest.fixture
def stub() -> Stub:
    """A new stub."""
    return Stub()


@pytest.fixture
def client(stub: Stub, tmp_path: Path) -> httpx.Client:
    """A client of the owner, whose writes are recorded."""
    ledger = Ledger(tmp_path / "ledger-main.jsonl", TAG)
    limits = Limits(
        BASE,
        frozenset({"read", "write", "notify", "irreversible"}),
        projects=[stub.project.id],
        recipients=["acme@example.com"],
        resources={"postId": list(stub.project.posts), "templateId": list(stub.project.templates), "slug": ["welcome"]},
        tag=TAG,
    )
    fuse = Fuse(limits, on_pass=ledger.before, on_answer=ledger.after)
    return httpx.Client(
        transport=FusedTransport(stub.transport(), fuse),
        base_url=f"{BASE}/projects/{stub.project.id}",
        headers={"Authorization": f"Bearer {stub.tokens.valid('owner')}"},
    )


def lines(folder: Path) -> list[dict]:
    """Return the lines of the ledger."""
    return [json.loads(line) for line in (folder / "ledger-main.jsonl").read_text("utf-8").splitlines()]


def test_a_write_is_on_disk_before_it_is_sent(tmp_path):
    """A crash in between loses nothing."""
    ledger = Ledger(tmp_path / "ledger-main.jsonl", TAG)
    fuse = Fuse(Limits(BASE, frozenset({"read", "write"}), projects=["p"]), on_pass=ledger.before)
    known: list[dict] = []

    def crash(request: httpx.Request) -> httpx.Response:
        known.extend(lines(tmp_path))
        raise KeyboardInterrupt

    with httpx.Client(transport=FusedTransport(httpx.MockTransport(crash), fuse)) as client:
        with pytest.raises(KeyboardInterrupt):
            client.put(f"{BASE}/projects/p/sidebar", json={})

    assert [(line["event"], line["operation"], line["path"], line["run"]) for line in known] == [
        ("sends", "sidebar_replace", "/projects/p/sidebar", TAG)
    ]
    assert remains(tmp_path, TAG).unanswered == ["sidebar_replace: PUT /projects/p/sidebar"]


def test_a_read_is_not_recorded(client, tmp_path):
    """The label export is a POST that reads."""
    assert client.get("/agents").is_success
    assert client.post("/menu-items/label-export", json={"menuMonth": "2026-11"}).is_success

    assert not (tmp_path / "ledger-main.jsonl").exists()


def test_created_resources_are_recorded(client, stub, tmp_path):
    """Each kind with identifier and name, taken from the response."""
    template = next(iter(stub.project.templates))
    post = next(post["id"] for post in stub.project.posts.values() if post["status"] == "published")
    account = next(account["id"] for account in stub.project.accounts.values() if account["platform"] == "pagenet")
    workflow = {"name": TAG, "triggerTypeSlug": "t", "triggerEventType": "e"}
    ids = [
        client.post("/workflows", json=workflow).json()["workflow"]["id"],
        client.post("/object-records", json={"typeSlug": "deal", "externalId": TAG}).json()["record"]["id"],
        client.post(
            "/calendar/provider/events", json={"start": "2031-03-03T09:00:00Z", "durationMinutes": 30, "summary": TAG}
        ).json()["bookingUid"],
        client.post(f"/templates/{template}/apply", json={"name": TAG}).json()["data"]["project"]["id"],
    ]
    liked = client.post(f"{BASE}/socials/engagement/pagenet/{stub.project.id}/{post}/like", json={"accountId": account})
    assert liked.is_success

    left = remains(tmp_path, TAG)

    assert [(thing["kind"], thing["id"], thing["name"]) for thing in left.created] == [
        ("workflow", ids[0], TAG),
        ("record", ids[1], TAG),
        ("event", ids[2], TAG),
        ("sub-project", ids[3], TAG),
        ("like of a post", post, None),
    ]
    assert (left.unanswered, left.changed) == ([], [])


def test_the_person_of_a_record_is_recorded(client, tmp_path):
    """The response does not say whether the person is new."""
    body = {"typeSlug": "lead", "externalId": TAG, "data": {"email": "new@example.com"}}
    person = client.post("/object-records", json=body).json()["record"]["personRefId"]

    assert ("person (made or found)", person) in [
        (resource["kind"], resource["id"]) for resource in remains(tmp_path, TAG).created
    ]


@pytest.mark.parametrize(("status", "left"), [(200, []), (404, ["rec/1"])])
def test_a_deleted_resource_does_not_remain(tmp_path, status, left):
    """A DELETE that succeeds removes the resource of its path (RFC 9110 section 9.3.5)."""
    written = [
        {"event": "created", "operation": "records_create", "kind": "record", "id": "rec/1", "name": None},
        {"event": "sends", "number": 2, "operation": "records_delete", "method": "DELETE", "path": "/records/rec%2F1"},
        {"event": "answered", "number": 2, "status": status},
    ]
    (tmp_path / "ledger-main.jsonl").write_text("".join(json.dumps({"run": TAG, **line}) + "\n" for line in written))

    assert [resource["id"] for resource in remains(tmp_path, TAG).created] == left


def test_a_refused_write_leaves_nothing(client, tmp_path):
    assert client.post("/object-records", json={"typeSlug": 5}).status_code == 400

    assert [line["event"] for line in lines(tmp_path)] == ["sends", "answered"]
    assert remains(tmp_path, TAG) == Remains()


def test_a_write_without_a_response_is_reported(client, stub, tmp_path):
    """The record exists, but its identifier is unknown."""
    stub.world.faults.plan("records_create", drop_after_apply())

    with pytest.raises(httpx.TransportError):
        client.post("/object-records", json={"typeSlug": "deal"})

    assert remains(tmp_path, TAG).unanswered == [f"records_create: POST /projects/{stub.project.id}/object-records"]


def test_a_changed_resource_is_reported_until_it_is_restored(client, tmp_path):
    """Unless the run itself created it."""
    record = client.post("/object-records", json={"typeSlug": "deal"}).json()["record"]["id"]
    client.patch(f"/object-records/{record}", json={"data": {"stage": "won"}})
    client.patch("/memory-entries/welcome", json={"title": TAG})
    changed = remains(tmp_path, TAG).changed

    Ledger(tmp_path / "ledger-main.jsonl", TAG).restored("memory_update", "the memory entry 'welcome'")
    after = remains(tmp_path, TAG)

    assert [line.partition(":")[0] for line in changed] == ["memory_update"]
    assert (after.changed, after.restored) == ([], ["the memory entry 'welcome'"])


def test_other_runs_and_incomplete_lines_are_ignored(client, tmp_path):
    client.post("/object-records", json={"typeSlug": "deal"})
    with (tmp_path / "ledger-main.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"event": "sends", "num')

    assert len(remains(tmp_path, TAG).created) == 1
    assert remains(tmp_path, "contract-another") == Remains()


def test_the_ledger_has_no_credentials(client, stub, tmp_path):
    """It has neither headers nor bodies."""
    client.post("/object-records", json={"typeSlug": "deal", "data": {"password": "secret-of-the-body"}})

    text = (tmp_path / "ledger-main.jsonl").read_text("utf-8")
    assert "Bearer" not in text
    assert "secret-of-the-body" not in text


def test_the_report_lists_everything_a_run_created(prove_on, served, tmp_path):
    """On a deployment with everything allowed, the report matches the changes of the world."""
    project = served.stub.project
    world = {"record": project.records, "workflow": project.workflows, "event": project.events}
    before = {kind: set(things) for kind, things in world.items()} | {"sub-project": set(served.stub.world.projects)}
    sidebar, memory = project.sidebar, {slug: entry["title"] for slug, entry in project.memory.items()}
    values = (tmp_path / "data.yaml").read_text("utf-8")
    (tmp_path / "data.yaml").write_text(f"{values}\nsidebar: {json.dumps(sidebar)}\n", "utf-8")

    run = prove_on("--allow", "irreversible", "--i-own", "127.0.0.1", "--fuzz", "2")

    assert run.code == ExitCode.PROVEN, run.out
    world = {"record": project.records, "workflow": project.workflows, "event": project.events}
    after = {kind: set(things) for kind, things in world.items()} | {"sub-project": set(served.stub.world.projects)}
    left = run.report["remains"]
    listed = {kind: {thing["id"] for thing in left["created"] if thing["kind"] == kind} for kind in before}
    persons = {thing["id"] for thing in left["created"] if thing["kind"].startswith("person")}
    new = {kind: after[kind] - before[kind] for kind in before}
    assert all(new.values())
    assert new | {"record": new["record"] - persons} == listed
    assert (left["unanswered"], left["changed"]) == ([], [])
    assert (project.sidebar, {slug: entry["title"] for slug, entry in project.memory.items()}) == (sidebar, memory)
    assert {mail.to for mail in served.stub.outbox} <= {"guest@example.com"}
    assert "left behind: " in run.out
