"""World files that say what cannot be: each mistake is told with its file, line and place."""

from __future__ import annotations

import pytest

from project_platform_stub.documents.document import DocumentError
from project_platform_stub.world_file import load_world_file

SMALL = """\
people:
  - {key: owner}
  - {key: clerk, id: user_clerk}
projects:
  - name: Shop
    members: {owner: owner, clerk: viewer}
"""


@pytest.fixture
def refused(tmp_path):
    """Return the problems with which a world file is refused, without the name of the folder."""

    def refused(text: str) -> list[str]:
        path = tmp_path / "world.yaml"
        path.write_text(text, "utf-8")
        with pytest.raises(DocumentError) as raised:
            load_world_file(path)
        return [problem.removeprefix(f"{tmp_path}/") for problem in raised.value.problems]

    return refused


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
def test_what_is_no_time_is_refused(text, refused):
    """A date alone, a unit that is none and a time of day after hours are told with their line."""
    (told,) = refused(f"{SMALL}    createdAt: {text}\n")

    assert told == (
        "world.yaml:7: projects[0].createdAt: is no time; write 2026-11-02T09:00:00Z, now, -30d, +90m or +1d 09:00"
    )


# What is added to `SMALL`, indented as members of the project, and the problem with the line in it, counted from 7.
WRONG = {
    "unknown member": ("members2: {}", "7: projects[0].members2: is not known here"),
    "unknown type": (
        "objectTypes: [{slug: deal}]\nrecords:\n- {type: deal}\n- {type: dael}",
        '10: projects[0].records[1].type: "dael" is no object type of this project; did you mean "deal"?',
    ),
    "type twice": (
        "objectTypes:\n- {slug: deal}\n- {slug: deal}",
        '9: projects[0].objectTypes[1].slug: "deal" names another object type of this project already, on line 8',
    ),
    "relation of unknown types": (
        "objectRelations:\n- {name: a, from: person, to: compny}",
        '8: projects[0].objectRelations[0].to: "compny" is no object type of this project; did you mean "company"?',
    ),
    "unknown author": (
        "records:\n- {type: person, createdBy: clark}",
        '8: projects[0].records[0].createdBy: "clark" is no person or service account of this world; did you mean "clerk"?',
    ),
    "unknown person": (
        "records:\n- {key: ada, type: person}\n- {key: acme, type: company, person: acme}",
        '9: projects[0].records[1].person: "acme" is no person of this project',
    ),
    "record id twice": (
        "records:\n- {id: rec_1, type: person}\n- {id: rec_1, type: company}",
        '9: projects[0].records[1].id: "rec_1" names another record of this project already, on line 8',
    ),
    "a key that is the id of another": (
        "records:\n- {id: one, type: person}\n- {key: one, type: person}",
        '9: projects[0].records[1].key: "one" names another record of this project already, on line 8',
    ),
    "externalId twice": (
        "records:\n- {externalId: '1', type: person}\n- {externalId: '1', type: company}\n- {externalId: '1', type: person}",
        '10: projects[0].records[2].externalId: "1" names another person of this project already, on line 8',
    ),
    "externalId without quotes": (
        "records:\n- {externalId: 4711, type: person}",
        "8: projects[0].records[0].externalId: must be null or string, not number",
    ),
    "status said twice": (
        "records:\n- {type: person, status: won, data: {status: lost}}",
        "8: projects[0].records[0].status: is not what data.status says; give one of the two",
    ),
    "amount with a point": (
        "records:\n- {type: person, amountCents: '12.50'}",
        "8: projects[0].records[0].amountCents: must be text of digits only",
    ),
    "unknown permission": (
        "roles:\n  clerk:\n  - crm_object:read",
        '9: projects[0].roles.clerk[0]: is none of those allowed: "crm_object:read"; did you mean "crm_objects:read"?',
    ),
    "primary calendar missing": (
        "calendars:\n- {id: one}\n- {id: two}",
        "5: projects[0].primaryCalendar: is required where there are several calendars; null if none is",
    ),
    "primary calendar unknown": (
        "calendars:\n- {id: one}\nprimaryCalendar: on",
        '9: projects[0].primaryCalendar: "on" is no calendar of this project; did you mean "one"?',
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
        "10: projects[0].calendars[0].busy[0].end: must be written as the start is: absolute, as a distance, or as a day with a time",
    ),
    "event with two ends": (
        "calendars:\n- id: one\n  events:\n  - {summary: x, start: now, end: +1h, durationMinutes: 60}",
        "10: projects[0].calendars[0].events[0].durationMinutes: is given beside end; give one of the two",
    ),
    "event in no zone": (
        "calendars:\n- id: one\n  events:\n  - {summary: x, start: now, timeZone: Europe/Köln}",
        "10: projects[0].calendars[0].events[0].timeZone: is no IANA time zone",
    ),
    "event id twice": (
        "calendars:\n- {id: a, events: [{id: e, summary: x, start: now}, {id: e, summary: y, start: now}]}",
        '8: projects[0].calendars[0].events[1].id: "e" names another event of this project already, on line 8',
    ),
    "attendee without a mail address": (
        "calendars:\n- id: one\n  events:\n  - {summary: x, start: now, attendee: {email: ada}}",
        '10: projects[0].calendars[0].events[0].attendee.email: "ada" is no email',
    ),
    "account that is no UUID": (
        "accounts:\n- {id: page, platform: pagenet, username: x}",
        "8: projects[0].accounts[0].id: must be a UUID in small letters",
    ),
    "unknown account": (
        "accounts:\n- {key: page, platform: pagenet, username: x}\nposts:\n- {account: pages}",
        '10: projects[0].posts[0].account: "pages" is no account of this project; did you mean "page"?',
    ),
    "unknown platform": (
        "accounts:\n- {platform: pagnet, username: x}",
        '8: projects[0].accounts[0].platform: is none of those allowed: "pagnet"; did you mean "pagenet"?',
    ),
    "media of a page": (
        "accounts:\n- {platform: pagenet, username: x, media: []}",
        "8: projects[0].accounts[0].media: is for accounts of photonet alone",
    ),
    "like of a post that is not published": (
        "accounts:\n- {key: page, platform: pagenet, username: x}\nposts:\n- {account: page, likedBy: [page]}",
        "10: projects[0].posts[0].likedBy: is for published posts of pagenet alone",
    ),
    "agent for an unknown role": (
        "agents:\n- {name: A, allowedRoles: [ownr]}",
        '8: projects[0].agents[0].allowedRoles[0]: "ownr" is no role of this project; did you mean "owner"?',
    ),
    "item hidden from an unknown role": (
        "hides:\n- {role: ownr, item: x}",
        '8: projects[0].hides[0].role: "ownr" is no role of this project; did you mean "owner"?',
    ),
    "slug twice": (
        "memory:\n- {slug: a/b}\n- {slug: a/b}",
        '9: projects[0].memory[1].slug: "a/b" names another memory entry of this project already, on line 8',
    ),
    "month that is none": (
        "menuItems:\n- {name: Soup, menuMonth: 2026-13}",
        "8: projects[0].menuItems[0].menuMonth: is no month such as 2026-11",
    ),
    "workflow beyond its limits": (
        f"workflows:\n- {{name: {'x' * 201}, triggerTypeSlug: x, triggerEventType: x}}",
        "8: projects[0].workflows[0].name: has 201 characters; at most 200 are allowed",
    ),
    "parent that is the project itself": (
        "key: shop\nparent: shop",
        "8: projects[0].parent: leads back to the project itself, or round in a circle",
    ),
    "unknown parent": (
        "key: shop\nparent: shops",
        '8: projects[0].parent: "shops" is no project of this world; did you mean "shop"?',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_line(name, refused):
    """A file that says what cannot be is refused with file, line and place, and what may have been meant."""
    text, problem = WRONG[name]
    lines = "".join(f"    {line}\n" for line in text.splitlines())

    assert refused(SMALL + lines) == [f"world.yaml:{problem}"]


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        (
            "objectRelation: {name: a, from: order, to: person}",
            '.from: "order" is no object type that is there by then',
        ),
        ("role: {name: a, permissions: [orders:write]}", '.permissions[0]: "orders:write" is no permission'),
        ("perRoleHide: {role: clerk, item: x}", '.role: "clerk" is no role that is there by then'),
        (
            "sidebarSection: {id: a, label: '{{clint}}'}",
            '.label: "clint" is no variable of this template; did you mean',
        ),
        (
            f"workflow: {{name: {'x' * 201}, triggerTypeSlug: x, triggerEventType: x}}",
            ".name: has 201 characters; 1 to 200 are allowed",
        ),
        (
            "workflow: {name: '', triggerTypeSlug: x, triggerEventType: x}",
            ".name: has 0 characters; 1 to 200 are allowed",
        ),
        (
            f"workflow: {{name: x, triggerTypeSlug: x, triggerEventType: x, tags: [{'x' * 41}]}}",
            ".tags[0]: has 41 characters; 1 to 40 are allowed",
        ),
        (
            f"workflow: {{name: x, triggerTypeSlug: x, triggerEventType: x, tags: [{', '.join('abcdefghijklm')}]}}",
            ".tags: has 13 items; at most 12 are allowed",
        ),
    ],
)
def test_a_part_that_would_fail_says_so(part, problem, refused, tmp_path):
    """A part that cannot land is refused, unless it is planned to fail."""
    text = f"{SMALL}    templates:\n      - name: T\n        variables: [client]\n        parts:\n        - {part}\n"
    entity = part.partition(":")[0]

    (told,) = refused(text)
    (tmp_path / "world.yaml").write_text(f"{text}          fails: {{error: e, code: c}}\n", "utf-8")

    assert told.startswith(f"world.yaml:11: projects[0].templates[0].parts[0].{entity}{problem}")
    assert load_world_file(tmp_path / "world.yaml").name == "world"


@pytest.mark.parametrize(
    "part", ["{fails: {error: e, code: c}}", "{role: {name: a, permissions: []}, perRoleHide: {role: a, item: b}}"]
)
def test_a_part_makes_one_thing(part, refused):
    """A part without a thing to make, or with two, is refused."""
    (told,) = refused(f"{SMALL}    templates:\n      - name: T\n        parts:\n        - {part}\n")

    assert told.startswith(
        "world.yaml:10: projects[0].templates[0].parts[0]: must be one of objectType, objectRelation, "
    )


def test_a_part_needs_what_an_earlier_part_made(refused):
    """What a planned failure would have made is not there for the parts after it."""
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

    (told,) = refused(f"{SMALL}    templates:\n      - name: T\n        variables: [role]\n        parts:\n{parts}\n")

    assert told.startswith("world.yaml:14: projects[0].templates[0].parts[3].objectRelation.from: ")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "owner: owner",
            "owner: ownr",
            '6: projects[0].members.owner: "ownr" is no role of this project; did you mean',
        ),
        ("clerk: viewer", "clark: viewer", '6: projects[0].members.clark: "clark" is no person or service account'),
        ("key: clerk", "key: owner", '3: people[1].key: "owner" names another person or service account of this world'),
        ("key: clerk", "key: clerk, home: Shopp", '3: people[1].home: "Shopp" is no project of this world'),
        ("key: owner", "kye: owner", '2: people[0].kye: is not known here; did you mean "key"?'),
        ("key: owner", "key: 1st", "2: people[0].key: must be a word: letters, digits, _ and -, and no digit first"),
        ("projects", "project", '4: project: is not known here; did you mean "projects"?'),
    ],
)
def test_people_and_members_are_checked(old, new, problem, refused):
    """Roles, people and projects that are named have to be there, once."""
    told = refused(SMALL.replace(old, new))

    assert any(each.startswith(f"world.yaml:{problem}") for each in told), told


def test_all_problems_are_told_at_once(refused):
    """Problems of several projects are listed together, in the order of the lines."""
    told = refused(f"{SMALL}    hides: [{{role: a, item: b}}]\n  - {{name: B, members: {{nobody: owner}}}}\n")

    assert [problem.split(": ")[0] for problem in told] == ["world.yaml:7", "world.yaml:8"]
