"""World files: the service serves their content."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from project_platform_stub.world_file import load_world_file, world_origin
from project_platform_stub.world_file.times import read_moment

from ..conftest import SMALL_WORLD

GUIDE = (Path(__file__).parents[3] / "docs/guides/world-files.md").read_text("utf-8")
EXAMPLE = re.search(r'```yaml title="team.yaml"\n(.*?)```', GUIDE, re.DOTALL)[1]  # type: ignore[index]  # it is there
NOW = datetime(2026, 11, 2, 8, 30, tzinfo=UTC)


@pytest.fixture
def open_world(tmp_path, stub, clock, sign_in):
    """Serve the world of a file; return it, its first project, and a function that signs in to it."""

    def open_world(text: str) -> SimpleNamespace:
        (tmp_path / "world.yaml").write_text(text, "utf-8")
        origin = world_origin(load_world_file(tmp_path / "world.yaml"), clock(), seed=0)
        world = stub.worlds.create(f"world-{len(stub.worlds)}", origin=origin)
        return SimpleNamespace(
            world=world,
            project=world.project,
            client=lambda identity: sign_in(token=world.token(identity)),
        )

    return open_world


def test_the_example_of_the_guide_is_served(open_world):
    """The service returns the content of the guide's file, operation by operation, and the responses fit the contract."""
    opened = open_world(EXAMPLE)
    owner, id = opened.client("owner"), opened.project.id

    agents = owner.get(f"/projects/{id}/agents").json()["agents"]
    posts = owner.get(f"/socials/posts/{id}").json()["data"]["posts"]
    photos = next(item for item in opened.project.accounts.values() if item["platform"] == "photonet")
    media = owner.get(f"/socials/analytics/photonet/{id}/{photos['id']}/media").json()["data"]["media"]
    config = owner.get(f"/web-analytics/config/{id}").json()["config"]
    busy = owner.get(
        f"/projects/{id}/calendar/provider/busy",
        params={"timeMin": "2026-11-03T00:00:00Z", "timeMax": "2026-11-04T00:00:00Z"},
    ).json()["busy"]
    entry = owner.patch(f"/projects/{id}/memory-entries/brand%2Fvoice", json={"title": "Voice"}).json()["entry"]
    labels = owner.post(f"/projects/{id}/menu-items/label-export", json={"menuMonth": "2026-11"})

    assert id == "6f1c2a50-8d3e-4b7a-9c55-0d1f2e3a4b5c"
    assert [(agent["name"], agent["maxSteps"]) for agent in agents] == [("Assistant", 20)]
    assert [(post["status"], post["scheduledFor"]) for post in posts] == [
        ("published", None),
        ("scheduled", "2026-11-03T16:00:00.000000Z"),  # 17:00 in Berlin
        ("failed", None),
    ]
    assert [(item["caption"], item["engagement"]) for item in media] == [("First plate", 128)]
    assert config["analyticsPropertyId"] == "properties/123456789"
    assert [(item["start"], item["end"]) for item in busy] == [
        ("2026-11-03T08:00:00Z", "2026-11-03T09:00:00Z"),  # 9:00 in Berlin
        ("2026-11-03T12:00:00Z", "2026-11-03T13:00:00Z"),
    ]
    assert (entry["title"], entry["content"]) == ("Voice", "Warm, short, never ironic.")
    assert (labels.status_code, "%22labelCount%22%3A1" in labels.headers["X-Label-Summary"]) == (200, True)


def test_what_a_menu_item_does_not_state_is_null(open_world):
    """A missing list of allergens is not an empty one, and missing calories are not zero."""
    item, stated = open_world("""
people:
  - {key: owner}
projects:
  - name: Shop
    members: {owner: owner}
    menuItems:
      - {name: Soup, menuMonth: 2026-11}
      - {name: Water, menuMonth: 2026-11, ingredients: [water], allergens: [], calories: 0}
""").project.menu_items.values()

    assert (item["ingredients"], item["allergens"], item["calories"]) == (None, None, None)
    assert (stated["ingredients"], stated["allergens"], stated["calories"]) == (["water"], [], 0)


def test_records_are_as_in_the_file(open_world):
    """Data, author, links and times of a record; shorthand members become part of its data."""
    opened = open_world(EXAMPLE)
    ada, engines, roof, lead = opened.project.records.values()
    sales = opened.world.identity("sales").id

    record = (
        opened.client("sales")
        .patch(
            f"/projects/{opened.project.id}/object-records/rec_roof",
            json={"expectedStatus": "won", "data": {"stage": "paid"}},
        )
        .json()["record"]
    )

    assert record["data"] == {
        "title": "New roof",
        "stage": "paid",
        "site": {"city": "Köln"},
        "status": "won",
        "amountCents": "1250000",
        "currency": "EUR",
    }
    assert (record["status"], record["amountCents"], record["currency"]) == ("won", "1250000", "EUR")
    assert (roof["externalId"], roof["companyRefId"], roof["createdBy"]) == ("4711", engines["id"], sales)
    assert roof["createdAt"] == "2026-10-30T08:30:00.000000Z"
    assert lead["personRefId"] == ada["id"]
    assert opened.project.relations[lead["id"]] == {"deal": "rec_roof"}


def test_a_missing_person_is_created(open_world):
    """Records whose data identifies the same unknown person are linked to one new person, unless the file has `person: null`."""
    opened = open_world(
        SMALL_WORLD
        + """\
    objectTypes: [{slug: lead, linksToPerson: true}]
    records:
      - {type: lead, data: {name: Eve, email: eve@example.com}}
      - {type: lead, data: {email: EVE@example.com}}
      - {type: lead, data: {email: eve@example.com}, person: null}
"""
    )

    first, second, third, person = opened.project.records.values()
    assert (person["typeSlug"], person["data"]) == ("person", {"name": "Eve", "email": "eve@example.com"})
    assert [item["personRefId"] for item in (first, second, third)] == [person["id"], person["id"], None]


def test_members_have_the_permissions_of_their_roles(open_world):
    """Roles of the file apply; a service account is not a user; a caller who is not a member is refused."""
    opened = open_world(EXAMPLE)
    workflow = {"name": "x", "triggerTypeSlug": "x", "triggerEventType": "x"}
    path = f"/projects/{opened.project.id}/workflows"

    statuses = {
        name: opened.client(name).post(path, json=workflow).status_code for name in ("owner", "sales", "importer")
    }
    allowed = {
        name: opened.client(name)
        .get("/auth/check-permission", params={"permission": "calendar:write"})
        .json()["allowed"]
        for name in ("sales", "outsider")
    }

    assert statuses == {"owner": 201, "sales": 403, "importer": 403}
    assert allowed == {"sales": True, "outsider": True}  # checked in the outsider's home project, where it is the owner
    assert opened.client("outsider").post(path, json=workflow).status_code == 403


def test_a_read_only_calendar_accepts_no_booking(open_world):
    """Scopes and the primary calendar are those of the file."""
    opened = open_world(EXAMPLE)
    owner, path = opened.client("owner"), f"/projects/{opened.project.id}/calendar/provider/events"
    booking = {"start": "2026-11-10T09:00:00Z", "summary": "x"}

    assert owner.post(path, json=booking).json()["calendarId"] == "team@calendar.example"
    assert owner.post(path, json={**booking, "calendarId": "holidays@calendar.example"}).status_code == 403
    moved = owner.patch(f"{path}/evt_visit", json={"start": "2026-11-11T09:00:00"}).json()
    assert moved["start"] == "2026-11-11T09:00:00+01:00"
    assert [mail.to for mail in opened.world.outbox] == ["ada@example.com"]


@pytest.mark.parametrize(
    ("calendars", "primary"),
    [
        ("[{id: one}]", "one"),
        ("[{id: one}]\n    primaryCalendar: null", None),
        ("[{id: one}, {id: two, key: second}]\n    primaryCalendar: second", "two"),
        ("[{id: one}, {id: two}]\n    primaryCalendar: null", None),
        ("[]", None),
    ],
)
def test_the_primary_calendar_is_the_first_one_or_the_named_one(calendars, primary, open_world):
    """A single calendar is the primary one; null means that there is none."""
    assert open_world(f"{SMALL_WORLD}    calendars: {calendars}\n").project.primary_calendar == primary


def test_a_planned_failure_is_in_the_report(open_world):
    """A part with `fails` is reported with its error and code; the other parts are applied."""
    opened = open_world(EXAMPLE)
    (template,) = opened.project.templates

    response = opened.client("owner").post(
        f"/projects/{opened.project.id}/templates/{template}/apply",
        json={"name": "Acme", "variableValues": {"client": "Acme"}},
    )

    outcome = response.json()["data"]["templateApply"]
    assert outcome["status"] == "partial"
    assert outcome["report"]["failures"] == [
        {
            "entity": "objectRelation",
            "name": "campaign-leads",
            "error": "The quota of relations is used up.",
            "code": "quota_exceeded",
        }
    ]
    assert outcome["report"]["appliedCount"] == 5


def test_the_same_file_and_seed_give_the_same_world(tmp_path):
    """Identifiers that the file does not name are generated from the seed."""
    (tmp_path / "team.yaml").write_text(EXAMPLE, "utf-8")
    description = load_world_file(tmp_path / "team.yaml")

    one, same, other = (dict(world_origin(description, NOW, seed).state.rows()) for seed in (1, 1, 2))

    assert one == same
    named = {key.id for key in one} & {key.id for key in other}
    assert {"rec_roof", "evt_visit", "user_olive", "6f1c2a50-8d3e-4b7a-9c55-0d1f2e3a4b5c"} <= named
    assert len(one) == len(other)
    assert {key.id for key in one if key.table == "agents"} & named == set()


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("2026-12-24T18:00:00+01:00", None, "2026-12-24T17:00:00"),
        ("2026-12-24T18:00:00", "Europe/Berlin", "2026-12-24T17:00:00"),
        ("2026-12-24T18:00:00", None, "2026-12-24T18:00:00"),
        ("now", None, "2026-11-02T08:30:00"),
        ("+90m", None, "2026-11-02T10:00:00"),
        ("-2h", None, "2026-11-02T06:30:00"),
        ("+10s", None, "2026-11-02T08:30:10"),
        ("-30d", None, "2026-10-03T08:30:00"),
        ("+1w", None, "2026-11-09T08:30:00"),
        ("+0d 09:00", None, "2026-11-02T09:00:00"),
        ("+1d 09:00", "Europe/Berlin", "2026-11-03T08:00:00"),
        ("-1w 23:59", None, "2026-10-26T23:59:00"),
        ("+0d 09:00", "Pacific/Pago_Pago", "2026-11-01T20:00:00"),  # where it is still the 1st
    ],
)
def test_times_are_absolute_or_relative(text, zone, moment):
    """Relative times refer to the creation of the world."""
    assert read_moment(text, NOW, zone) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


def test_building_does_not_change_the_description(tmp_path):
    """Several worlds can be built from one description."""
    (tmp_path / "team.yaml").write_text(EXAMPLE, "utf-8")
    description = load_world_file(tmp_path / "team.yaml")
    before = json.dumps(description.content, default=str)

    one, other = (world_origin(description, NOW + timedelta(days=days), 0).state for days in range(2))

    assert one.added == other.added
    assert json.dumps(description.content, default=str) == before
