"""The ledger, and the lasting changes that are derived from it."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import yaml

from project_platform_contract.fuse import BlockedError, Fuse, FusedTransport, Limits
from project_platform_contract.fuse.backup import Backup
from project_platform_contract.fuse.ledger import Ledger, remains, unrestored
from project_platform_contract.operations import EFFECTS
from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub import Stub
from project_platform_stub.faults import drop_after_apply, html_502

from .fuse_requests import STUB, fuse_for

TAG = "contract-20261121-090000-1f3a"
SIDEBAR = Limits(STUB, frozenset({"read", "write"}), projects=["p"], unchanged={"/projects/p/sidebar": {}})
NOTHING: dict[str, list] = {"created": [], "unanswered": [], "changed": [], "restored": []}
DEPLOYMENT = "https://platform.example"
ENTRY = Backup(
    "memory_update", "/projects/p/memory-entries/welcome", {"title": "Welcome"}, "the memory entry 'welcome'"
)
OTHER_ENTRY = Backup("memory_update", "/projects/p/memory-entries/x", {"title": "X"}, "the memory entry 'x'")


@pytest.fixture
def stub() -> Stub:
    return Stub()


@pytest.fixture
def client(stub: Stub, tmp_path: Path) -> httpx.Client:
    """A client of the owner, whose writes are recorded."""
    ledger = Ledger(tmp_path / "ledger-main.jsonl", TAG)
    project = stub.project
    known = {"accountId": project.accounts, "postId": project.posts, "templateId": project.templates}
    known |= {"slug": ["welcome"], "typeSlug": ["deal", "lead"]}
    fuse = fuse_for(stub, *EFFECTS, recipients=["acme@example.com"], resources=known, tag=TAG)
    fuse.on_pass, fuse.on_response = ledger.before, ledger.after
    return httpx.Client(
        transport=FusedTransport(stub.transport(), fuse),
        base_url=f"{STUB}/projects/{stub.project.id}",
        headers={"Authorization": f"Bearer {stub.tokens.valid('owner')}"},
    )


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "ledger-main.jsonl").read_text("utf-8").splitlines()]


def test_a_write_is_on_disk_before_it_is_sent(tmp_path):
    """A crash in between loses nothing."""
    ledger = Ledger(tmp_path / "ledger-main.jsonl", TAG)
    fuse = Fuse(SIDEBAR, on_pass=ledger.before)
    known: list[dict] = []

    def crash(request: httpx.Request) -> httpx.Response:
        known.extend(lines(tmp_path))
        raise KeyboardInterrupt

    with httpx.Client(transport=FusedTransport(httpx.MockTransport(crash), fuse)) as client:
        with pytest.raises(KeyboardInterrupt):
            client.put(f"{STUB}/projects/p/sidebar", json={})

    assert [(line["event"], line["operation"], line["path"], line["run"]) for line in known] == [
        ("sends", "sidebar_replace", "/projects/p/sidebar", TAG)
    ]
    assert remains(tmp_path, TAG)["unanswered"] == ["sidebar_replace: PUT /projects/p/sidebar"]


@pytest.mark.parametrize(("target", "synced"), [(DEPLOYMENT, 1), (None, 0)])
def test_lines_about_a_deployment_survive_a_power_failure(tmp_path, monkeypatch, target, synced):
    """The contents of a stub do not outlive the run, so syncing would only take time."""
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)

    Ledger(tmp_path / "ledger-main.jsonl", TAG, target).saves(ENTRY)

    assert len(calls) == synced
    assert len(lines(tmp_path)) == 1


def test_a_read_is_not_recorded(client, tmp_path):
    """The label export is a POST that reads."""
    assert client.get("/agents").is_success
    assert client.post("/menu-items/label-export", json={"menuMonth": "2026-11"}).is_success

    assert not (tmp_path / "ledger-main.jsonl").exists()


def test_created_resources_are_recorded(client, stub, tmp_path):
    """Each kind with identifier and name. Whether a person is new is not in the response."""
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
    liked = client.post(f"{STUB}/socials/engagement/pagenet/{stub.project.id}/{post}/like", json={"accountId": account})
    assert liked.is_success
    lead = {"typeSlug": "lead", "externalId": "", "data": {"title": TAG, "email": "new@example.com"}}
    lead = client.post("/object-records", json=lead).json()["record"]

    left = remains(tmp_path, TAG)

    assert [(thing["kind"], thing["id"], thing["name"]) for thing in left["created"]] == [
        ("workflow", ids[0], TAG),
        ("record", ids[1], TAG),
        ("event", ids[2], TAG),
        ("sub-project", ids[3], TAG),
        ("like of a post", post, None),
        ("record", lead["id"], TAG),
        ("person (made or found)", lead["personRefId"], None),
    ]
    assert (left["unanswered"], left["changed"]) == ([], [])


def test_a_refused_write_leaves_nothing(client, tmp_path):
    assert client.post("/object-records", json={"typeSlug": 5}).status_code == 400

    assert [line["event"] for line in lines(tmp_path)] == ["sends", "answered"]
    assert remains(tmp_path, TAG) == NOTHING


@pytest.mark.parametrize(
    ("fault", "ends"),
    [
        (drop_after_apply(), pytest.raises(httpx.TransportError)),
        (html_502(applied=True), contextlib.nullcontext()),
    ],
)
def test_a_write_whose_response_does_not_tell_is_reported(client, stub, tmp_path, fault, ends):
    """The record exists, but its identifier is unknown."""
    stub.world.faults.plan("records_create", fault)

    with ends:
        client.post("/object-records", json={"typeSlug": "deal"})

    assert remains(tmp_path, TAG)["unanswered"] == [f"records_create: POST /projects/{stub.project.id}/object-records"]


def test_a_changed_resource_is_reported_until_it_is_restored(client, tmp_path):
    """Unless the run itself created it. A resource that is read is not changed."""
    record = client.post("/object-records", json={"typeSlug": "deal"}).json()["record"]["id"]
    client.patch(f"/object-records/{record}", json={"data": {"stage": "won"}})
    client.patch("/memory-entries/welcome", json={})
    unchanged = remains(tmp_path, TAG)["changed"]
    ledger = Ledger(tmp_path / "ledger-main.jsonl", TAG)
    ledger.saves(ENTRY)
    ledger.saves(OTHER_ENTRY)
    changed = remains(tmp_path, TAG)["changed"]

    ledger.restored(ENTRY)
    after = remains(tmp_path, TAG)

    assert unchanged == []
    assert changed == [
        "memory_update: /projects/p/memory-entries/welcome",
        "memory_update: /projects/p/memory-entries/x",
    ]
    assert (after["changed"], after["restored"]) == (changed[1:], ["the memory entry 'welcome'"])


def test_other_runs_and_incomplete_lines_are_ignored(client, tmp_path):
    client.post("/object-records", json={"typeSlug": "deal"})
    with (tmp_path / "ledger-main.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"event": "sends", "num')

    assert len(remains(tmp_path, TAG)["created"]) == 1
    assert remains(tmp_path, "contract-another") == NOTHING


def test_a_line_after_an_incomplete_one_is_not_lost(tmp_path):
    """A process may die in the middle of a line, and the next run appends to the same ledger."""
    file = tmp_path / "ledger-main.jsonl"
    file.write_text('{"event": "sends", "num', "utf-8")

    Ledger(file, TAG, DEPLOYMENT).saves(ENTRY)

    assert [item.backup for item in unrestored(tmp_path)] == [ENTRY]


def test_what_several_runs_changed_is_unrestored_until_each_restored_it(tmp_path):
    """The first saved value of a run is that of the user; a stub ends with its run, so nothing of it is restored."""
    first, second = (Ledger(tmp_path / "ledger-main.jsonl", f"{TAG}{number}", DEPLOYMENT) for number in "12")
    first.saves(ENTRY)
    first.saves(replace(ENTRY, body={"title": TAG}))
    first.saves(OTHER_ENTRY)
    Ledger(tmp_path / "ledger-gw0.jsonl", TAG, None).saves(ENTRY)
    second.saves(OTHER_ENTRY)
    second.restored(OTHER_ENTRY)

    left = unrestored(tmp_path)
    first.restored(ENTRY)

    assert [(item.run, item.target, item.backup) for item in left] == [
        (f"{TAG}1", DEPLOYMENT, ENTRY),
        (f"{TAG}1", DEPLOYMENT, OTHER_ENTRY),
    ]
    assert [item.backup for item in unrestored(tmp_path)] == [OTHER_ENTRY]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_its_owner_may_read_the_ledger(tmp_path):
    """It contains the previous values of what a run changes."""
    Ledger(tmp_path / "ledger-main.jsonl", TAG).saves(ENTRY)

    assert (tmp_path / "ledger-main.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_write_is_not_sent_if_the_ledger_cannot_be_written(tmp_path):
    """After a crash, no ledger would name it."""
    sent: list[httpx.Request] = []
    ledger = Ledger(tmp_path / "no-such-folder" / "ledger-main.jsonl", TAG)
    inner = httpx.MockTransport(lambda request: sent.append(request) or httpx.Response(200))

    with httpx.Client(transport=FusedTransport(inner, Fuse(SIDEBAR, on_pass=ledger.before))) as client:
        with pytest.raises(BlockedError, match=r"ledger-main\.jsonl cannot be written: No such file"):
            client.put(f"{STUB}/projects/p/sidebar", json={})

    assert sent == []


def test_the_ledger_has_no_credentials(client, stub, tmp_path):
    """It has no headers, and no bodies but those that restore something."""
    client.post("/object-records", json={"typeSlug": "deal", "data": {"password": "secret-of-the-body"}})

    text = (tmp_path / "ledger-main.jsonl").read_text("utf-8")
    assert "Bearer" not in text
    assert "secret-of-the-body" not in text


def test_the_report_lists_everything_a_run_created(prove_on, served, tmp_path):
    """On a deployment with everything allowed, the report matches the changes of the world."""
    project = served.stub.project
    data = yaml.safe_load((tmp_path / "data.yaml").read_text("utf-8"))

    def things() -> dict[str, set[str]]:
        """Return the identifiers of what is in the two projects of the data file, by kind, and of all projects."""
        projects = [served.stub.world.projects[data["project"]], served.stub.world.projects[data["other_project"]]]
        kinds = {"record": "records", "workflow": "workflows", "event": "events"}
        found = {kind: {id for one in projects for id in getattr(one, name)} for kind, name in kinds.items()}
        return found | {"sub-project": set(served.stub.world.projects)}

    before = things()
    sidebar, memory = project.sidebar, {slug: entry["title"] for slug, entry in project.memory.items()}

    run = prove_on("--allow", "irreversible", "--i-own", "127.0.0.1", "--fuzz", "2")

    assert run.code == ExitCode.PROVEN, run.out
    after = things()
    left = run.report["remains"]
    listed = {kind: {thing["id"] for thing in left["created"] if thing["kind"] == kind} for kind in before}
    persons = {thing["id"] for thing in left["created"] if thing["kind"].startswith("person")}
    persons -= listed["record"]  # a record that the run created may have been found as a person later
    new = {kind: after[kind] - before[kind] for kind in before}
    assert all(new.values())
    assert new | {"record": new["record"] - persons} == listed
    assert (left["unanswered"], left["changed"]) == ([], [])
    assert (project.sidebar, {slug: entry["title"] for slug, entry in project.memory.items()}) == (sidebar, memory)
    assert {mail.to for mail in served.stub.outbox} <= {"guest@example.com"}
    assert "left behind: " in run.out


def test_without_irreversible_effects_no_mail_is_sent(prove_on, served):
    run = prove_on("--allow", "notify", "--i-own", "127.0.0.1", "-k", "test_calendar")

    assert run.wrong == []
    assert len(served.stub.project.events) > 20
    assert list(served.stub.outbox) == []
