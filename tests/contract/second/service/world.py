"""The contents of the service: tables by project and identifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from joserfc.jwk import ECKey

from . import tokens

Json = dict[str, Any]
Rows = dict[tuple[str, str], Json]


def uuid_of(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"second:{name}"))


HOME, OTHER, FOREIGN = (uuid_of(name) for name in ("home", "other", "foreign"))
PAGE, PHOTO, PHOTO_2, OTHER_PAGE = (uuid_of(name) for name in ("page", "photo", "photo 2", "o"))
_OFFSET = timezone(timedelta(hours=2))


def now() -> str:
    """Return the time, with the offset of the service."""
    return datetime.now(_OFFSET).isoformat(timespec="microseconds")


@dataclass
class World:
    """All tables."""

    users: dict[str, Json]
    keys: dict[str, ECKey]
    projects: dict[str, Json]
    members: dict[tuple[str, str], str]
    types: dict[str, bool]  # slug: whether it links to persons
    calendars: dict[str, list[Json]]
    sidebars: dict[str, list[Json]]
    memory: Rows
    agents: dict[str, list[Json]]
    analytics: dict[str, Json]
    accounts: Rows
    posts: Rows
    media: dict[str, list[Json]]
    templates: Rows
    menu: Rows
    workflows: Rows = field(default_factory=dict)
    records: Rows = field(default_factory=dict)
    persons: dict[tuple[str, str], str] = field(default_factory=dict)
    events: Rows = field(default_factory=dict)
    likes: set[str] = field(default_factory=set)


def new_world() -> World:
    """Return the world as it is at the start."""
    accounts = [
        (HOME, PAGE, "pagenet"),
        (HOME, PHOTO, "photonet"),
        (HOME, PHOTO_2, "photonet"),
        (OTHER, OTHER_PAGE, "pagenet"),
    ]
    world = World(
        users={"u-ada": {}, "u-ben": {}, "u-cleo": {}, "u-cron": {"robot": True}},
        keys={"second-1": tokens.new_key(), "second-0": tokens.new_key()},
        projects={HOME: {"name": "Home"}, OTHER: {"name": "Other"}, FOREIGN: {"name": "Foreign"}},
        members={
            (HOME, "u-ada"): "owner",
            (OTHER, "u-ada"): "owner",
            (HOME, "u-ben"): "reader",
            (HOME, "u-cron"): "robot",
            (FOREIGN, "u-cleo"): "owner",
        },
        types={"ticket": False, "visitor": True},
        calendars={
            project: [
                {"id": f"{name}@second.example", "writable": True},
                {"id": f"{name}.holidays@second.example", "writable": False},
            ]
            for project, name in ((HOME, "home"), (OTHER, "other"), (FOREIGN, "foreign"))
        },
        sidebars={HOME: [{"id": "main", "label": "Main", "items": [{"id": "crm", "label": "CRM", "href": "/crm"}]}]},
        memory={},
        agents={HOME: [_agent(HOME, n) for n in range(12)], OTHER: [_agent(OTHER, n) for n in range(3)], FOREIGN: []},
        analytics={HOME: _analytics(HOME)},
        accounts={(project, id): {"id": id, "platform": platform} for project, id, platform in accounts},
        posts={},
        media={PHOTO: [_medium(n) for n in range(5)], PHOTO_2: [_medium(n) for n in range(5, 7)]},
        templates={(HOME, template["id"]): template for template in (_whole(), _failing())},
        menu={},
    )
    for slug in ("tone", "brand/colours", "untouched"):
        world.memory[HOME, slug] = _entry(slug)
    for number, (platform, status) in enumerate(
        [
            ("pagenet", "published"),
            ("pagenet", "queued"),
            ("photonet", "failed"),
            ("photonet", "published"),
            ("pagenet", "draft"),
        ]
    ):
        post = _post(HOME, number, platform, status)
        world.posts[HOME, post["id"]] = post
    other = _post(OTHER, 9, "pagenet", "published")
    world.posts[OTHER, other["id"]] = other
    for number, name in enumerate(
        ("Pea soup", "Plum dumplings", "Rye bread", "Lentil salad", "Baked apple", "Kale stew", "Unsure pie")
    ):
        item = _menu_item(number, name)
        world.menu[HOME, item["id"]] = item
    morning = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0)
    for number, (days, minutes) in enumerate(((-3, 25), (2, 90), (5, 45), (6, 1500))):
        event = _event(f"seed-{number}", world.calendars[HOME][0]["id"], morning + timedelta(days=days), minutes)
        world.events[HOME, event["uid"]] = event
    holiday = _event("holiday", world.calendars[HOME][1]["id"], morning + timedelta(days=3), 600)
    world.events[HOME, "holiday"] = holiday
    world.events[OTHER, "other-1"] = _event("other-1", world.calendars[OTHER][0]["id"], morning + timedelta(days=4), 60)
    return world


def tokens_of(world: World) -> dict[str, str]:
    """Return a token for each identity of a data file."""
    key = world.keys["second-1"]
    users = {
        "owner": "u-ada",
        "viewer": "u-ben",
        "service_account": "u-cron",
        "outsider": "u-cleo",
        "unknown_user": "u-nobody",
    }
    return {
        **{identity: tokens.issue(key, user) for identity, user in users.items()},
        "expired": tokens.issue(key, "u-ada", age=2 * tokens.LIFETIME),
        "wrong_key": tokens.issue(tokens.new_key(), "u-ada", kid="second-9"),
        "no_user": tokens.issue(key, None),
        "session": tokens.SESSION,
    }


def _agent(project: str, number: int) -> Json:
    name = f"{['Quill', 'Basil', 'Onyx', 'Fern'][number % 4]} {number}"
    times = {
        "createdAt": f"2031-01-{number + 1:02}T08:00:00Z",
        "updatedAt": f"2031-02-{number + 1:02}T08:00:00.5+01:00",
    }
    return {
        "id": f"agt/{project[:4]}/{number}",
        "projectId": project,
        "name": name,
        "description": None if number % 3 else f"{name} answers questions.",
        "builtIn": number == 11,
        "systemPrompt": "Be brief.",
        "memoryFiles": ["tone"][: number % 2],
        "toolCategories": ["memory", "search"],
        "mcpServers": [{"name": "files", "url": "https://mcp.second.example", "headers": {"x-team": "a"}}]
        if number == 1
        else [],
        "access": "project_member",
        "allowedRoles": [],
        "maxSteps": 0 if number == 2 else 8 + number,
        "model": "m-1",
        "metadata": {},
        **times,
    }


def _analytics(project: str) -> Json:
    return {
        "id": "wa-1",
        "projectId": project,
        "analyticsPropertyId": "properties/123",
        "analyticsIntegrationAccountId": None,
        "searchSiteUrl": "https://second.example/",
        "enabled": False,
        "createdAt": "2031-01-01T00:00:00-05:00",
        "updatedAt": "2031-01-02T00:00:00-05:00",
    }


def _event(uid: str, calendar: str, begin: datetime, minutes: int) -> Json:
    """Return an event that somebody else booked in the external calendar."""
    texts = {"summary": "Meeting", "description": None, "attendee": None, "metadata": None}
    return {"uid": uid, "calendar": calendar, "begin": begin, "end": begin + timedelta(minutes=minutes), **texts}


def _entry(slug: str) -> Json:
    times = dict.fromkeys(("createdAt", "updatedAt"), "2031-03-01T12:00:00+02:00")
    texts = {"title": slug.title(), "description": "", "content": f"About {slug}."}
    return {"id": uuid_of(slug), "projectId": HOME, "slug": slug, **texts, "metadata": {"order": 1}, **times}


def _post(project: str, number: int, platform: str, status: str) -> Json:
    account = next(id for id, name in ((PAGE, "pagenet"), (PHOTO, "photonet")) if name == platform)
    media = {
        "id": uuid_of(f"medium {number}").upper(),
        "storeKey": f"m/{number}.jpg",
        "storeUrl": f"https://store.second.example/m/{number}.jpg",
        "mediaType": "IMAGE",
        "filename": f"{number}.jpg",
        "mimeType": "image/jpeg",
        "sizeBytes": 0 if number == 1 else 20_000 + number,
        "orderIndex": 0,
    }
    return {
        "id": uuid_of(f"post {number}").upper(),
        "projectId": project,
        "socialAccountId": account if project == HOME else OTHER_PAGE,
        "platform": platform,
        "caption": f"Post {number}",
        "mediaType": "IMAGE",
        "scheduledFor": f"2031-04-{number + 1:02} 09:00",
        "timezone": "Europe/Berlin",
        "status": status,
        "publishedAt": f"2031-04-{number + 1:02} 09:00" if status == "published" else None,
        "errorMessage": "The network refused it." if status == "failed" else None,
        "createdAt": "2031-03-30 09:00",
        "updatedAt": "2031-03-30 09:00",
        "media": [media, {**media, "id": uuid_of(f"second medium {number}"), "orderIndex": 1}]
        if number == 3
        else [media],
        "account": {"username": platform, "profilePictureUrl": None},
    }


def _medium(number: int) -> Json:
    return {
        "mediaId": str(17_900_000 + number),
        "mediaType": "VIDEO" if number % 2 else "IMAGE",
        "timestamp": f"2031-02-{number + 1:02}T10:00:00+0000",
        "caption": None if number == 3 else f"Photo {number}",
        "mediaUrl": f"https://photos.second.example/{number}",
        "permalink": f"https://photos.second.example/p/{number}",
        "likeCount": 11 * number,
        "commentsCount": number,
        "shares": 0,
        "impressions": None if number == 2 else 100 * number,
        "reach": 90 * number,
        "saved": 2,
        "engagement": 11 * number + number + 2,
    }


def _whole() -> Json:
    parts = [
        ("objectTypes", "ticket", "{{client}} tickets"),
        ("objectTypes", "visitor", "Visitors"),
        ("roles", "host", "Host in {{town}}"),
        ("workflows", "greet", "Greet {{client}}"),
        ("sidebarSections", "desk", "Desk"),
        ("perRoleHides", "host", "billing"),
    ]
    return {
        "id": "starter",
        "variables": ["client", "town"],
        "parts": [dict(zip(("kind", "name", "text"), part, strict=True)) for part in parts],
    }


def _failing() -> Json:
    parts = [
        {"kind": "objectTypes", "name": "ticket", "text": "{{client}} tickets"},
        {"kind": "workflows", "name": "alarm", "text": "Alarm", "broken": True},
        {"kind": "roles", "name": "host", "text": "Host"},
        {"kind": "objectRelations", "name": "visits", "text": "Visits", "broken": True},
        {"kind": "sidebarSections", "name": "place", "text": "{{town}}"},
    ]
    return {"id": "fragile", "variables": ["client", "town"], "parts": parts}


def _menu_item(number: int, name: str) -> Json:
    allergens = [["milk", "celery"], ["gluten", "egg"], ["gluten"], [], ["milk"], ["mustard"], ["nuts"]][number]
    ingredients = [f"{name.split(maxsplit=1)[0]} {grams} g" for grams in (120 + number, 30)]
    month = {"menuMonth": "2032-05", "approved": number != 6}
    return {"id": uuid_of(f"menu {number}"), "name": name, "allergens": allergens, "ingredients": ingredients, **month}
