"""Healthy services that store, list, book and complete in another way, or that others use meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

from ..mutant import Json, Perform, alter_body, alter_query, alter_value, around, decorating, instead, patch, wrap
from ..service import app, calendar, listings, records, settings, templates
from ..service.app import Call
from ..service.world import HOME, uuid_of
from .common import differ, varies, vary

AGENTS = "Lists all agent definitions of the project; silent: others create, change and delete agents meanwhile."
IDENTITY = "The payload carries matching identity; silent: in which member, and whether addresses in another case match"
CONTAINMENT = "a JSON containment precondition; silent: nulls, arrays and notations of numbers"
EVENTS = ("calendar_book", "calendar_reschedule")


def agent_list(change: Callable[[Call, list[Json]], list[Json]]) -> None:
    agents_of = listings.agents_of
    patch(listings, "agents_of", lambda call: change(call, agents_of(call)))


# Workflows


def identified(value: Json) -> None:
    """Give each action an identifier and a default."""
    steps = [each if isinstance(each, dict) else {"value": each} for each in value["workflow"]["actions"]]
    value["workflow"]["actions"] = [{"id": f"step-{n}", "retries": 3, **each} for n, each in enumerate(steps)]


def completed(value: Json) -> None:
    """Give a workflow all members, and an identifier with unusual characters."""
    empty = {"description": "", "tags": [], "triggerCondition": None, "actions": [], "isActive": False}
    id = f" {value['workflow']['id']}/ä?#"
    value["workflow"] = {**empty, **value["workflow"], "revision": "1", "id": id}


differ(
    "The element shape of `actions` and the shape of `triggerCondition` are not shown; nor what is added.",
    {
        "actions get an identifier and defaults": identified,
        "conditions are compiled": lambda value: value["workflow"].update(triggerCondition={"all": [{"compiled": 1}]}),
        "workflows have values for all members": completed,
    },
    "workflows_create",
)


@varies("tags: array of string; silent: their order, and whether one may be given twice", "workflows_create")
def tags_are_kept_once_in_alphabetical_order() -> None:
    alter_body("workflows_create", lambda body: body.update(tags=sorted(set(body["tags"]))))


@varies("Body: `isActive` (boolean); silent: whether a workflow without it is active.", "workflows_create")
def workflows_are_active_by_default() -> None:
    alter_body("workflows_create", lambda body: body.setdefault("isActive", True))


# Records

identity_of = records.identity_of


def phone(data: Json) -> str | None:
    return data["phone"] if isinstance(data.get("phone"), str) and data["phone"].strip() else None


for name, identity in {
    "the identity is a phone number": phone,
    "addresses match exactly": lambda data: identity_of(data) and data["email"],
}.items():
    vary(name, IDENTITY, ("records_create",), partial(patch, records, "identity_of", identity))


@varies(CONTAINMENT, "records_update")
@instead(records, "contains")
def missing_keys_contain_null(contains: Any, have: Any, want: Any) -> bool:
    if isinstance(want, dict) and isinstance(have, dict):
        return all(records.contains(have.get(key), part) for key, part in want.items())
    return contains(have, want)


@varies(CONTAINMENT, "records_update")
def numbers_are_compared_as_written() -> None:
    contains = records.contains
    patch(records, "contains", lambda have, want: {type(have), type(want)} != {int, float} and contains(have, want))
    patch(app, "plain", lambda value: value)


@varies("Person-linked types may refresh `personRefId` from identity-bearing data.", "records_update")
@instead(records, "link")
def updates_do_not_refresh_the_person(link: Any, call: Call, record: Any, data: Any) -> Any:
    return None if call.operation == "records_update" else link(call, record, data)


@varies("`status`: string; silent: who moves it", "records_update")
@instead(records, "apply_changes", count())
def each_update_moves_the_status(number: count[int], apply_changes: Any, call: Call, record: Json, body: Json) -> None:
    apply_changes(call, record, body)
    record["status"] = f"step {next(number)}"


@varies("`data`: free-form JSON; object type definitions are not shown.", "records_create", "records_update")
def fields_have_defaults() -> None:
    alter_body("records_create", lambda body: body.setdefault("data", {}).setdefault("priority", "normal"))


@varies("silent: what a creation with an `externalId` that is in use does", "records_create")
@around("records_create")
def creations_with_a_known_external_id_return_the_record(perform: Perform, call: Call) -> Any:
    for (project, _), record in call.world.records.items():
        key = record["externalId"], record["typeSlug"]
        if project == call.project and key == (call.body.get("externalId"), call.body.get("typeSlug")) and key[0]:
            return {"record": records.shown(record)}
    return perform(call)


def filled(value: Json) -> None:
    """Give a record values for all members."""
    record = value["record"]
    record.update(amountCents="0", currency="EUR", occurredAt=record["createdAt"], companyRefId="c-1")
    record.update(createdBy="Ada", updatedBy="", displayName=record["id"], providerExternalId="")


differ(
    "silent: which members of a record have a value",
    {"records have values for all members": filled},
    "records_create",
    "records_update",
)
NULLS = dict.fromkeys(("personRefId", "companyRefId", "amountCents", "currency", "occurredAt", "externalId"))
differ(
    "silent: whether a member without a value is null or missing, in one response or another",
    {"missing members are null after an update": lambda value: value.update(record={**NULLS, **value["record"]})},
    "records_update",
)

# Calendar


@varies("silent: that a rescheduled event keeps its `bookingUid`", *EVENTS)
@around("calendar_reschedule")
def reschedules_give_a_new_uid(perform: Perform, call: Call) -> Any:
    value = perform(call)
    event = call.world.events.pop((call.project, call.path["eventId"]))
    uid = f"{event['uid'].partition('.')[0]}.{uuid4().hex[:4]}"
    call.world.events[call.project, uid] = {**event, "uid": uid}
    return {**value, "bookingUid": uid}


def split(value: Json) -> None:
    read = [[calendar.instant(each[name], None) for name in ("start", "end")] for each in value["busy"]]
    halves = [
        span for begin, end in read for span in ((begin + (end - begin) / 2, end), (begin, begin + (end - begin) / 2))
    ]
    value["busy"] = [{"start": calendar.wire(begin), "end": calendar.wire(end)} for begin, end in halves]


@varies("Busy interval; silent: which times around events are busy", "calendar_busy", "calendar_book")
def busy_intervals_are_split() -> None:
    alter_value("calendar_busy", split)


differ(
    "silent: that a `bookingUid` is an `eventId`",
    {"booking uids are not event ids": lambda value: value.update(bookingUid=f"{uuid4()}@ical")},
    *EVENTS,
)
differ(
    "Busy interval; silent: their other members",
    {
        "busy intervals have more members": lambda value: [
            each.update(transparency="opaque", id=None) for each in value["busy"]
        ]
    },
    "calendar_busy",
)


@varies("silent: others book events meanwhile", "calendar_busy", *EVENTS)
@around("calendar_book")
def others_book_events_meanwhile(perform: Perform, call: Call) -> Any:
    value = perform(call)
    begin = calendar.instant(value["end"], None) + timedelta(hours=3)
    event = {"uid": f"other-{uuid4()}", "begin": begin, "end": begin + timedelta(minutes=10), "summary": "Other"}
    calendar.write(call, {**event, "calendar": value["calendarId"]})
    return value


@varies("Busy interval; silent: what besides events makes a calendar busy", "calendar_busy", "calendar_book")
def a_quarter_of_each_night_is_busy() -> None:
    """From 23:30 to 23:45 UTC, in the listed intervals and for conflicts."""
    quarter, events_of = timedelta(minutes=15), calendar.events_of
    first = datetime.now(UTC).replace(hour=23, minute=30, second=0, microsecond=0) - timedelta(days=100)

    def nights(call: Call, named: str) -> list[Json]:
        begins = [first + timedelta(days=days) for days in range(4000)]
        quarters = [{"uid": "night", "begin": begin, "end": begin + quarter} for begin in begins]
        return [*events_of(call, named), *quarters]

    patch(calendar, "events_of", nights)


@varies("Busy intervals are re-checked; silent: those of which calendars", *EVENTS)
def other_calendars_are_checked_too() -> None:
    def taken(call: Call, named: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        events = [event for (project, _), event in call.world.events.items() if project == call.project]
        return any(calendar.overlaps(event, begin, end) for event in events if event["uid"] != but)

    patch(calendar, "taken", taken)


@varies("`calendarId` defaults to the connected primary calendar; silent: under which name", *EVENTS)
def the_default_calendar_has_an_alias() -> None:
    def alias(perform: Any, call: Call) -> Any:
        value = perform(call)
        return value if "calendarId" in call.body else {**value, "calendarId": "primary"}

    for name in EVENTS:
        wrap(name, alias)


# Sidebars, templates and memory entries

TEXTS = ("label", "icon", "id", "featureId", "pluginId", "href", "customLabel")


@varies("Each item has `label`, `icon`, ... (all strings); silent: what is not given", "sidebar_replace")
def sidebars_are_completed() -> None:
    more = {"badge": {"count": 0}, "order": 1}
    patch(settings, "item_of", lambda item: {**dict.fromkeys(TEXTS, ""), **item, **more})


@varies("silent: whether an empty array is shown", "sidebar_replace")
@instead(settings, "section_of")
def sections_without_items_have_none(section_of: Any, value: Any) -> Any:
    return {name: member for name, member in section_of(value).items() if member != []}


def rearranged(value: Json) -> None:
    """Report in another order, and with parts of another kind."""
    report = value["data"]["templateApply"]["report"]
    report["counts"].update(agents=0, emails=2)
    for name in ("skipped", "failures", "missingVariables"):
        report[name] = report[name][::-1]


def unusual(value: Json) -> None:
    """Give a sub-project an unusual identifier and slug."""
    value["data"]["project"].update(id=value["data"]["project"]["id"].upper(), slug="Ü/1", parent=None)
    value["data"]["templateApply"]["error"] = value["data"]["templateApply"]["error"] or ""


differ(
    "`report`; `project`: {id (uuid), name, slug, createdAt}; silent: orders, other counts, and how a UUID is written",
    {"reports have another order and more counts": rearranged, "sub-projects have unusual names": unusual},
    "templates_apply",
)


def pend(value: Json) -> None:
    report = value["data"]["templateApply"]["report"]
    report |= {"counts": dict.fromkeys(report["counts"], 0), "appliedCount": 0, "skipped": [], "failures": []}
    value["data"]["templateApply"] |= {"status": "pending", "error": None}


differ(
    "The status `applied` is the only value named; other values and transitions: not shown.",
    {"applications end after their responses": pend},
    "templates_apply",
)


@varies("silent: which agents a new sub-project has, and when", "agents_list", "templates_apply")
@decorating(agent_list, count())
def sub_projects_get_their_agents_later(requests: count[int], call: Call, every: list[Json]) -> list[Json]:
    if "parent" not in call.world.projects[call.project]:
        return every
    own = {"id": f"own-{call.project}", "projectId": call.project, "name": "Own", "builtIn": False}
    return [*every, *([{**call.world.agents[HOME][0], **own}] if next(requests) else [])]


@varies("silent: who may read a new sub-project", "templates_apply", "agents_list")
@instead(templates, "new_project")
def sub_projects_belong_to_nobody(new_project: Any, call: Call, name: str) -> Json:
    project = new_project(call, name)
    del call.world.members[project["id"], call.user]
    return project


@varies("silent: an agent changes the entry meanwhile; only `updatedAt` shows it", "memory_update")
def an_agent_touches_entries() -> None:
    number = count()
    alter_value(
        "memory_update",
        lambda value: value["entry"].update(updatedAt=f"2031-05-01T00:00:00.{next(number):06}Z", lastReadBy="agt"),
    )


# Lists


def new_agent(agents: list[Json], number: int) -> Json:
    """Return an agent that somebody else has created."""
    return {**agents[0], "id": f"new-{number}", "name": f"New {number}"} if agents else {}


@varies(AGENTS, "agents_list")
def an_agent_comes_and_goes_at_the_front() -> None:
    number = count()
    agent_list(lambda call, every: [new_agent(every, next(number)), *every] if every and next(number) % 3 else every)


@varies(AGENTS, "agents_list")
def each_request_meets_another_agent_at_the_end() -> None:
    number = count()
    agent_list(lambda call, every: [*every, *(new_agent(every, n) for n in range(next(number) % 7) if every)])


@varies("`builtIn`; silent: in which projects built-in agents are", "agents_list")
@decorating(agent_list)
def built_in_agents_are_the_same_everywhere(call: Call, every: list[Json]) -> list[Json]:
    if call.project == HOME:
        return every
    built_in = [{**agent, "projectId": call.project} for agent in call.world.agents[HOME] if agent["builtIn"]]
    return [*(agent for agent in every if not agent["builtIn"]), *built_in]


UNUSUAL = {
    "access": "PUBLIC",
    "toolCategories": [],
    "maxSteps": -1,
    "name": "",
    "model": "",
    "builtIn": True,
    "allowedRoles": ["", ""],
    "memoryFiles": ["/x", "/x"],
    "metadata": {"": {"": [None]}},
}


@varies("silent: other values of `access` and `toolCategories`, and what other fields of an agent say", "agents_list")
def agents_have_other_values() -> None:
    agent_list(lambda call, every: [{**agent, **UNUSUAL} for agent in every])


@varies("limit: 1 to 100; silent: whether a greater one is refused or lowered", "agents_list")
def a_greater_limit_is_lowered_to_100() -> None:
    alter_query("agents_list", lambda query: query.update(limit=str(min(int(query["limit"]), 100))))


@varies("Returns all scheduled posts; silent: others schedule and publish posts meanwhile", "posts_list")
@instead(listings, "posts_of", count())
def posts_come_and_move_on(number: count[int], posts_of: Any, call: Call) -> list[Json]:
    every = [dict(post) for post in posts_of(call)]
    new = {**every[0], "id": uuid_of(f"new {next(number)}"), "status": "queued"} if every else {}
    moved = [{**post, "status": f"step {next(number)}"} if post["status"] == "queued" else post for post in every]
    return [*([new] if new and next(number) % 2 else []), *moved]


TIMES = {"scheduledFor": "tomorrow, 9 am", "timezone": "+02:00", "publishedAt": "", "createdAt": "1711789200"}
MORE = {"permalink": "p/1", "caption": "", "platform": "Page Net", "mediaType": "", "linkUrl": "not a URL"}


def renamed(value: Json) -> None:
    """Give the posts of an account several platforms."""
    for number, post in enumerate(value["data"]["posts"]):
        post["platform"] = f"{post['platform']}{['', '_reels', '_story'][number % 3]}"


differ(
    "`scheduledFor`, `timezone`, `publishedAt`, `createdAt`, `updatedAt`, `platform`: string; silent: which",
    {
        "times of posts are any text": lambda value: [post.update(**TIMES, **MORE) for post in value["data"]["posts"]],
        "platforms of an account differ": renamed,
    },
    "posts_list",
)


@varies("with optional filters. The filter names are not shown", "posts_list")
@around("posts_list")
def filters_may_match_in_another_way(perform: Perform, call: Call) -> Any:
    if any(name in call.query for name in ("status", "platform", "caption")):
        return {"success": True, "data": {"posts": []}}
    return perform(call)


@varies("silent: whose requests are logged where", "agents_list", "posts_list")
@instead(app, "enter", count())
def new_things_appear_once(requests: count[int], enter: Any, call: Call) -> None:
    """One agent and one post that others create in the middle of the run."""
    enter(call)
    if next(requests) == 25:
        world = call.world
        world.agents[HOME].append({**world.agents[HOME][0], "id": "late", "name": "Late"})
        world.posts[HOME, "late"] = {**next(iter(world.posts.values())), "id": uuid_of("late")}


def media_list(change: Callable[[list[Json]], list[Json]]) -> None:
    media_of = listings.media_of
    patch(listings, "media_of", lambda call, account: change(media_of(call, account)))


@varies("silent: figures move, and photos are published and deleted meanwhile", "photo_analytics_list_media")
@decorating(media_list, count())
def figures_move_up_and_down(number: count[int], media: list[Json]) -> list[Json]:
    figures = ("likeCount", "commentsCount", "shares", "impressions", "reach", "saved", "engagement")
    every = [{**item, **{name: 1000 - next(number) % 900 for name in figures}} for item in media]
    return [{**every[0], "mediaId": f"new-{next(number)}"}, *every[::-1]][next(number) % 2 :]


@varies("silent: figures grow between two requests", "photo_analytics_list_media")
def figures_grow() -> None:
    number = count(1)
    media_list(lambda media: [{**item, "likeCount": item["likeCount"] + next(number)} for item in media])


@varies("Query parameters are not shown; silent: how many media are listed without them", "photo_analytics_list_media")
def only_the_newest_media_are_listed() -> None:
    media_list(lambda media: media[-2:])


EXTREME = {"likeCount": -1, "impressions": 0, "reach": 10**17 + 1, "engagement": 0, "timestamp": "1711789200"}
differ(
    "integers; silent: their range and relation; `timestamp`: string",
    {"figures are extreme": lambda value: [item.update(EXTREME) for item in value["data"]["media"]]},
    "photo_analytics_list_media",
)
differ(
    "Response: `{success: boolean}`; silent: whether the page may like a post that it likes",
    {"the page likes the post already": lambda value: value.update(success=not value["success"])},
    "engagement_like",
)
