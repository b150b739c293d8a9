"""The ledger, and what it says of what a run leaves in the world."""

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
    """Return a stub of the test's own."""
    return Stub()


@pytest.fixture
def client(stub: Stub, tmp_path: Path) -> httpx.Client:
    """Return a client as the owner, with a ledger."""
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
    """Return what the ledger says."""
    return [json.loads(line) for line in (folder / "ledger-main.jsonl").read_text("utf-8").splitlines()]


def test_a_write_is_on_disk_before_it_is_sent(tmp_path):
    """When the request reaches the server, the ledger has it; a crash in between hides nothing."""
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


def test_reading_leaves_no_line(client, tmp_path):
    """The label export is a POST, and reads."""
    assert client.get("/agents").is_success
    assert client.post("/menu-items/label-export", json={"menuMonth": "2026-11"}).is_success

    assert not (tmp_path / "ledger-main.jsonl").exists()


def test_what_an_answer_says_was_created_is_noted(client, stub, tmp_path):
    """Each kind of thing with its identifier and its name, without a test's help."""
    template = next(iter(stub.project.templates))
    post = next(post["id"] for post in stub.project.posts.values() if post["status"] == "published")
    account = next(each["id"] for each in stub.project.accounts.values() if each["platform"] == "pagenet")
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


def test_a_person_that_came_with_a_record_is_noted(client, tmp_path):
    """Nobody asked for it; whether it is new the answer does not say."""
    body = {"typeSlug": "lead", "externalId": TAG, "data": {"email": "new@example.com"}}
    person = client.post("/object-records", json=body).json()["record"]["personRefId"]

    assert ("person (made or found)", person) in [(each["kind"], each["id"]) for each in remains(tmp_path, TAG).created]


@pytest.mark.parametrize(("status", "left"), [(200, []), (404, ["rec/1"])])
def test_what_a_run_deletes_does_not_remain(tmp_path, status, left):
    """A DELETE that succeeds takes away what its path names (RFC 9110, section 9.3.5); one that is refused does not."""
    written = [
        {"event": "created", "operation": "records_create", "kind": "record", "id": "rec/1", "name": None},
        {"event": "sends", "number": 2, "operation": "records_delete", "method": "DELETE", "path": "/records/rec%2F1"},
        {"event": "answered", "number": 2, "status": status},
    ]
    (tmp_path / "ledger-main.jsonl").write_text("".join(json.dumps({"run": TAG, **line}) + "\n" for line in written))

    assert [thing["id"] for thing in remains(tmp_path, TAG).created] == left


def test_what_was_refused_leaves_nothing(client, tmp_path):
    """It was sent, it was answered, and nothing came of it."""
    assert client.post("/object-records", json={"typeSlug": 5}).status_code == 400

    assert [line["event"] for line in lines(tmp_path)] == ["sends", "answered"]
    assert remains(tmp_path, TAG) == Remains()


def test_a_lost_answer_may_have_left_something(client, stub, tmp_path):
    """The record is there, and nobody knows its name: the request is told."""
    stub.world.faults.plan("records_create", drop_after_apply())

    with pytest.raises(httpx.TransportError):
        client.post("/object-records", json={"typeSlug": "deal"})

    assert remains(tmp_path, TAG).unanswered == [f"records_create: POST /projects/{stub.project.id}/object-records"]


def test_what_was_changed_is_told_until_it_is_put_back(client, tmp_path):
    """Something that was there before, and not what the run has created itself."""
    record = client.post("/object-records", json={"typeSlug": "deal"}).json()["record"]["id"]
    client.patch(f"/object-records/{record}", json={"data": {"stage": "won"}})
    client.patch("/memory-entries/welcome", json={"title": TAG})
    changed = remains(tmp_path, TAG).changed

    Ledger(tmp_path / "ledger-main.jsonl", TAG).restored("memory_update", "the memory entry 'welcome'")
    after = remains(tmp_path, TAG)

    assert [line.partition(":")[0] for line in changed] == ["memory_update"]
    assert (after.changed, after.restored) == ([], ["the memory entry 'welcome'"])


def test_runs_before_are_not_this_runs(client, tmp_path):
    """A folder may have ledgers of more than one run, and lines that broke off."""
    client.post("/object-records", json={"typeSlug": "deal"})
    with (tmp_path / "ledger-main.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"event": "sends", "num')

    assert len(remains(tmp_path, TAG).created) == 1
    assert remains(tmp_path, "contract-another") == Remains()


def test_no_credential_is_in_it(client, stub, tmp_path):
    """It has paths and identifiers, no headers and no bodies."""
    client.post("/object-records", json={"typeSlug": "deal", "data": {"password": "secret-of-the-body"}})

    text = (tmp_path / "ledger-main.jsonl").read_text("utf-8")
    assert "Bearer" not in text
    assert "secret-of-the-body" not in text


def test_all_that_a_run_leaves_behind_is_listed(prove_on, served, tmp_path):
    """On a deployment, with everything allowed: what is new in the world is what the report lists, and nothing else."""
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
