"""Mistakes in world files: each is reported with its file, line and place."""

from __future__ import annotations

import pytest

from project_platform_stub.world_file import load_world_file

from ..conftest import SMALL_WORLD


@pytest.fixture
def refused(problems_of):
    return lambda text: problems_of(load_world_file, "world.yaml", text)


@pytest.mark.parametrize(
    "text",
    [
        "tomorrow",
        "2026-11-02",
        "9999-12-31T23:00:00Z",
        "+1",
        "+1y",
        "1d",
        "+1h 09:00",
        "+1d 25:00",
        "+1d 9:00",
        "+12345d",
    ],
)
def test_an_invalid_time_is_refused(text, refused):
    """A date alone, an unknown unit, and a time of day after hours."""
    (problem,) = refused(f"{SMALL_WORLD}    createdAt: {text}\n")

    assert problem == (
        "world.yaml:7: projects[0].createdAt: is not a time; write 2026-11-02T09:00:00Z, now, -30d, +90m or +1d 09:00"
    )


# The text that is appended to `SMALL_WORLD`, indented as members of the project, and its problem with the line, counted from 7.
WRONG = {
    "unknown type": (
        "objectTypes: [{slug: deal}]\nrecords:\n- {type: deal}\n- {type: dael}",
        '10: projects[0].records[1].type: refers to an unknown object type of this project: "dael"; did you mean "deal"?',
    ),
    "misspelt member beside the right one": (
        "objectTypes:\n- {slug: deal, slgu: x}",
        "8: projects[0].objectTypes[0].slgu: is not known here",
    ),
    "type twice": (
        "objectTypes:\n- {slug: deal}\n- {slug: deal}",
        '9: projects[0].objectTypes[1].slug: "deal" is already the name of another object type of this project, on line 8',
    ),
    "relation of unknown types": (
        "objectRelations:\n- {name: a, from: person, to: compny}",
        '8: projects[0].objectRelations[0].to: refers to an unknown object type of this project: "compny"; did you mean "company"?',
    ),
    "unknown author": (
        "records:\n- {type: person, createdBy: clark}",
        '8: projects[0].records[0].createdBy: refers to an unknown person or service account of this world: "clark"; did you mean "clerk"?',
    ),
    "unknown person": (
        "records:\n- {key: ada, type: person}\n- {key: acme, type: company, person: acme}",
        '9: projects[0].records[1].person: refers to an unknown person of this project: "acme"',
    ),
    "a key that is the id of another": (
        "records:\n- {id: one, type: person}\n- {key: one, type: person}",
        '9: projects[0].records[1].key: "one" is already the name of another record of this project, on line 8',
    ),
    "externalId twice": (
        "records:\n- {externalId: '1', type: person}\n- {externalId: '1', type: company}\n- {externalId: '1', type: person}",
        '10: projects[0].records[2].externalId: "1" is already the name of another person of this project, on line 8',
    ),
    "externalId without quotes": (
        "records:\n- {externalId: 4711, type: person}",
        "8: projects[0].records[0].externalId: must be null or string, not number",
    ),
    "status said twice": (
        "records:\n- {type: person, status: won, data: {status: lost}}",
        "8: projects[0].records[0].status: differs from data.status; give only one of the two",
    ),
    "amount with a point": (
        "records:\n- {type: person, amountCents: '12.50'}",
        "8: projects[0].records[0].amountCents: must be a string of digits",
    ),
    "primary calendar missing": (
        "calendars:\n- {id: one}\n- {id: two}",
        "5: projects[0].primaryCalendar: is required with several calendars; name one of them, or null for none",
    ),
    "primary calendar unknown": (
        "calendars:\n- {id: one}\nprimaryCalendar: on",
        '9: projects[0].primaryCalendar: refers to an unknown calendar of this project: "on"; did you mean "one"?',
    ),
    "unknown scope": (
        "calendars:\n- {id: one, scopes: [calendar-event:write]}",
        '8: projects[0].calendars[0].scopes[0]: is none of those allowed: "calendar-event:write"; did you mean "calendar-events:write"?',
    ),
    "event that ends before it starts": (
        "calendars:\n- id: one\n  events:\n  - {summary: x, start: +1d 09:00, end: +1d 08:00}",
        "10: projects[0].calendars[0].events[0].end: must be after the start",
    ),
    "block from one kind of time to another": (
        "calendars:\n- id: one\n  busy:\n  - {start: +1d 09:00, end: +2d}",
        "10: projects[0].calendars[0].busy[0].end: must have the same form as the start: absolute, relative, or a relative day with a time",
    ),
    "event with two ends": (
        "calendars:\n- id: one\n  events:\n  - {summary: x, start: now, end: +1h, durationMinutes: 60}",
        "10: projects[0].calendars[0].events[0].durationMinutes: is given together with end; give only one of the two",
    ),
    "event in no zone": (
        "calendars:\n- id: one\n  events:\n  - {summary: x, start: now, timeZone: Europe/Köln}",
        "10: projects[0].calendars[0].events[0].timeZone: is not an IANA time zone",
    ),
    "event id twice": (
        "calendars:\n- {id: a, events: [{id: e, summary: x, start: now}, {id: e, summary: y, start: now}]}",
        '8: projects[0].calendars[0].events[1].id: "e" is already the name of another event of this project, on line 8',
    ),
    "attendee without a mail address": (
        "calendars:\n- id: one\n  events:\n  - {summary: x, start: now, attendee: {email: ada}}",
        "10: projects[0].calendars[0].events[0].attendee.email: is not a valid email",
    ),
    "account that is no UUID": (
        "accounts:\n- {id: page, platform: pagenet, username: x}",
        "8: projects[0].accounts[0].id: must be a UUID in lower case",
    ),
    "unknown account": (
        "accounts:\n- {key: page, platform: pagenet, username: x}\nposts:\n- {account: pages}",
        '10: projects[0].posts[0].account: refers to an unknown account of this project: "pages"; did you mean "page"?',
    ),
    "unknown platform": (
        "accounts:\n- {platform: pagnet, username: x}",
        '8: projects[0].accounts[0].platform: is none of those allowed: "pagnet"; did you mean "pagenet"?',
    ),
    "media of a page": (
        "accounts:\n- {platform: pagenet, username: x, media: []}",
        "8: projects[0].accounts[0].media: is only for accounts of photonet",
    ),
    "like of a post that is not published": (
        "accounts:\n- {key: page, platform: pagenet, username: x}\nposts:\n- {account: page, likedBy: [page]}",
        "10: projects[0].posts[0].likedBy: is only for published posts of pagenet",
    ),
    "agent for an unknown role": (
        "agents:\n- {name: A, allowedRoles: [ownr]}",
        '8: projects[0].agents[0].allowedRoles[0]: refers to an unknown role of this project: "ownr"; did you mean "owner"?',
    ),
    "item hidden from an unknown role": (
        "hides:\n- {role: ownr, item: x}",
        '8: projects[0].hides[0].role: refers to an unknown role of this project: "ownr"; did you mean "owner"?',
    ),
    "slug twice": (
        "memory:\n- {slug: a/b}\n- {slug: a/b}",
        '9: projects[0].memory[1].slug: "a/b" is already the name of another memory entry of this project, on line 8',
    ),
    "month that is none": (
        "menuItems:\n- {name: Soup, menuMonth: 2026-13}",
        "8: projects[0].menuItems[0].menuMonth: is no month such as 2026-11",
    ),
    "workflow beyond its limits": (
        f"workflows:\n- {{name: {'x' * 201}, triggerTypeSlug: x, triggerEventType: x}}",
        "8: projects[0].workflows[0].name: has 201 characters; the maximum is 200",
    ),
    "parent that is the project itself": (
        "key: shop\nparent: shop",
        "8: projects[0].parent: leads to a cycle of parents; remove parent from one of these projects",
    ),
    "unknown parent": (
        "key: shop\nparent: shops",
        '8: projects[0].parent: refers to an unknown project of this world: "shops"; did you mean "shop"?',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_reported_with_its_line(name, refused):
    text, problem = WRONG[name]
    lines = "".join(f"    {line}\n" for line in text.splitlines())

    assert refused(SMALL_WORLD + lines) == [f"world.yaml:{problem}"]


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("objectRelation: {name: a, from: order, to: person}", "The object type 'order' does not exist."),
        ("role: {name: a, permissions: [orders:write]}", "The permission 'orders:write' does not exist."),
        ("perRoleHide: {role: clerk, item: x}", "The role 'clerk' does not exist."),
        ("sidebarSection: {id: a, label: '{{clint}}'}", "The variable 'clint' has no value."),
        ("workflow: {name: '', triggerTypeSlug: x, triggerEventType: x}", "name: must not be empty."),
    ],
)
def test_a_part_that_would_fail_is_refused(part, problem, refused, tmp_path):
    """Unless it is planned to fail."""
    text = (
        f"{SMALL_WORLD}    templates:\n      - name: T\n        variables: [client]\n        parts:\n        - {part}\n"
    )
    entity = part.partition(":")[0]

    (reported,) = refused(text)
    (tmp_path / "world.yaml").write_text(f"{text}          fails: {{error: e, code: c}}\n", "utf-8")

    assert reported == f"world.yaml:11: projects[0].templates[0].parts[0].{entity}: would fail: {problem}"
    assert load_world_file(tmp_path / "world.yaml").name == "world"


@pytest.mark.parametrize(
    "part", ["{fails: {error: e, code: c}}", "{role: {name: a, permissions: []}, perRoleHide: {role: a, item: b}}"]
)
def test_a_part_creates_exactly_one_entity(part, refused):
    (reported,) = refused(f"{SMALL_WORLD}    templates:\n      - name: T\n        parts:\n        - {part}\n")

    assert reported.startswith(
        "world.yaml:10: projects[0].templates[0].parts[0]: must have exactly one of objectType, objectRelation, "
    )


def test_a_part_may_refer_to_entities_of_earlier_parts(refused):
    """But not to the entity of a part that is planned to fail."""
    parts = "\n".join(
        f"        - {part}"
        for part in (
            "objectType: {slug: order, name: Order}",
            "objectRelation: {name: a, from: order, to: person}",
            "{objectType: {slug: bill, name: Bill}, fails: {error: e, code: c}}",
            "objectRelation: {name: b, from: bill, to: person}",
            "role: {name: '{{role}}', permissions: []}",
            "perRoleHide: {role: '{{role}}', item: x}",
            "perRoleHide: {role: 'head {{role}}', item: x}",
        )
    )

    (reported,) = refused(
        f"{SMALL_WORLD}    templates:\n      - name: T\n        variables: [role]\n        parts:\n{parts}\n"
    )

    assert reported.startswith("world.yaml:14: projects[0].templates[0].parts[3].objectRelation: would fail: ")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "owner: owner",
            "owner: ownr",
            '6: projects[0].members.owner: refers to an unknown role of this project: "ownr"; did you mean',
        ),
        (
            "clerk: viewer",
            "clark: viewer",
            "6: projects[0].members.clark: refers to an unknown person or service account",
        ),
        (
            "key: clerk",
            "key: owner",
            '3: people[1].key: "owner" is already the name of another person or service account of this world',
        ),
        (
            "key: clerk",
            "key: clerk, home: Shopp",
            '3: people[1].home: refers to an unknown project of this world: "Shopp"',
        ),
        ("key: owner", "key: 1st", "2: people[0].key: must be letters, digits, _ and -, and not start with a digit"),
        ("projects", "project", '4: project: is not known here; did you mean "projects"?'),
    ],
)
def test_people_and_members_are_checked(old, new, problem, refused):
    """Roles, persons and projects that are referred to must exist, and names must be unique."""
    reported = refused(SMALL_WORLD.replace(old, new))

    assert any(line.startswith(f"world.yaml:{problem}") for line in reported), reported
