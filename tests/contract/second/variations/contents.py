"""Healthy services that store, list, book and complete in another way, or that others use meanwhile."""

from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import uuid4

from ..mutant import around, bodies, instead, patch, queries, values
from ..service import app, calendar, listings, records, settings, templates
from ..service.world import HOME, uuid_of
from .common import differ, rows, varies

AGENTS = "Lists all agent definitions of the project; silent: others create, change and delete agents meanwhile."
IDENTITY = "The payload carries matching identity; silent: in which member, and whether addresses in another case match"
CONTAINMENT = "a JSON containment precondition; silent: nulls, arrays and notations of numbers"
EVENTS = "calendar_book calendar_reschedule"
RECORDS = "records_create records_update"
MEDIA = "photo_analytics_list_media"


def agent_list(change):
    instead(listings, "agents_of")(lambda agents_of, call: change(call, agents_of(call)))


# Workflows


def identified(value):
    """Give each action an identifier and a default."""
    steps = [each if isinstance(each, dict) else {"value": each} for each in value["workflow"]["actions"]]
    value["workflow"]["actions"] = [{"id": f"step-{n}", "retries": 3, **each} for n, each in enumerate(steps)]


def completed(value):
    """Give a workflow all members, and an identifier with unusual characters."""
    empty = {"description": "", "tags": [], "triggerCondition": None, "actions": [], "isActive": False}
    id = f" {value['workflow']['id']}/ä?#"
    value["workflow"] = {**empty, **value["workflow"], "revision": "1", "id": id}


differ(
    "The element shape of `actions` and the shape of `triggerCondition` are not shown; nor what is added.",
    "workflows_create",
    {
        "actions get an identifier and defaults": identified,
        "conditions are compiled": lambda value: value["workflow"].update(triggerCondition={"all": [{"compiled": 1}]}),
        "workflows have values for all members": completed,
    },
)


rows(
    "silent: the order of tags, and whether one may be given twice; whether a workflow without `isActive` is active",
    "workflows_create",
    bodies("workflows_create"),
    {
        "tags are kept once in alphabetical order": lambda body: body.update(tags=sorted(set(body["tags"]))),
        "workflows are active by default": lambda body: body.setdefault("isActive", True),
    },
)


# Records


def phone(identity_of, data):
    return data["phone"] if isinstance(data.get("phone"), str) and data["phone"].strip() else None


rows(
    IDENTITY,
    "records_create",
    instead(records, "identity_of"),
    {
        "the identity is a phone number": phone,
        "addresses match exactly": lambda identity_of, data: identity_of(data) and data["email"],
    },
)


@varies.change(CONTAINMENT, "records_update", at=instead(records, "contains"))
def missing_keys_contain_null(contains, have, want):
    if isinstance(want, dict) and isinstance(have, dict):
        return all(records.contains(have.get(key), part) for key, part in want.items())
    return contains(have, want)


@varies(CONTAINMENT, "records_update")
def numbers_are_compared_as_written():
    patch(app, "plain", lambda value: value)

    @instead(records, "contains")
    def as_written(contains, have, want):
        return {type(have), type(want)} != {int, float} and contains(have, want)


@varies.change(
    "Person-linked types may refresh `personRefId` from identity-bearing data.",
    "records_update",
    at=instead(records, "link"),
)
def updates_do_not_refresh_the_person(link, call, record, data):
    return None if call.operation == "records_update" else link(call, record, data)


@varies.change(
    "`status`: string; silent: who moves it", "records_update", at=instead(records, "apply_changes"), memory=count()
)
def each_update_moves_the_status(number, apply_changes, call, record, body):
    apply_changes(call, record, body)
    record["status"] = f"step {next(number)}"


@varies.change("`data`: free-form JSON; object type definitions are not shown.", RECORDS, at=bodies("records_create"))
def fields_have_defaults(body):
    body.setdefault("data", {}).setdefault("priority", "normal")


@varies.change("silent: what a creation with an `externalId` that is in use does", "records_create")
def creations_with_a_known_external_id_return_the_record(perform, call):
    for (project, _), record in call.world.records.items():
        key = record["externalId"], record["typeSlug"]
        if project == call.project and key == (call.body.get("externalId"), call.body.get("typeSlug")) and key[0]:
            return {"record": records.shown(record)}
    return perform(call)


def filled(value):
    """Give a record values for all members."""
    record = value["record"]
    record.update(amountCents="0", currency="EUR", occurredAt=record["createdAt"], companyRefId="c-1")
    record.update(createdBy="Ada", updatedBy="", displayName=record["id"], providerExternalId="")


differ("silent: which members of a record have a value", RECORDS, {"records have values for all members": filled})
NULLS = dict.fromkeys(("personRefId", "companyRefId", "amountCents", "currency", "occurredAt", "externalId"))


@varies.change(
    "silent: whether a member without a value is null or missing", "records_update", at=values("records_update")
)
def missing_members_are_null_after_an_update(value):
    value["record"] = {**NULLS, **value["record"]}


# Calendar


@varies.change("silent: that a rescheduled event keeps its `bookingUid`", EVENTS, at=around("calendar_reschedule"))
def reschedules_give_a_new_uid(perform, call):
    value = perform(call)
    event = call.world.events.pop((call.project, call.path["eventId"]))
    uid = f"{event['uid'].partition('.')[0]}.{uuid4().hex[:4]}"
    call.world.events[call.project, uid] = {**event, "uid": uid}
    return {**value, "bookingUid": uid}


@varies.change(
    "Busy interval; silent: which times around events are busy",
    "calendar_busy calendar_book",
    at=values("calendar_busy"),
)
def busy_intervals_are_split(value):
    read = [[calendar.instant(each[name], None) for name in ("start", "end")] for each in value["busy"]]
    halves = [
        span for begin, end in read for span in ((begin + (end - begin) / 2, end), (begin, begin + (end - begin) / 2))
    ]
    value["busy"] = [{"start": calendar.wire(begin), "end": calendar.wire(end)} for begin, end in halves]


differ(
    "silent: that a `bookingUid` is an `eventId`",
    EVENTS,
    {"booking uids are not event ids": lambda value: value.update(bookingUid=f"{uuid4()}@ical")},
)


@varies.change("Busy interval; silent: their other members", "calendar_busy", at=values("calendar_busy"))
def busy_intervals_have_more_members(value):
    for each in value["busy"]:
        each.update(transparency="opaque", id=None)


@varies.change("silent: others book events meanwhile", f"calendar_busy {EVENTS}", at=around("calendar_book"))
def others_book_events_meanwhile(perform, call):
    value = perform(call)
    begin = calendar.instant(value["end"], None) + timedelta(hours=3)
    event = {"uid": f"other-{uuid4()}", "begin": begin, "end": begin + timedelta(minutes=10), "summary": "Other"}
    calendar.write(call, {**event, "calendar": value["calendarId"]})
    return value


@varies("Busy interval; silent: what besides events makes a calendar busy", "calendar_busy calendar_book")
def a_quarter_of_each_night_is_busy():
    """From 23:30 to 23:45 UTC, in the listed intervals and for conflicts."""
    quarter = timedelta(minutes=15)
    first = datetime.now(UTC).replace(hour=23, minute=30, second=0, microsecond=0) - timedelta(days=100)

    @instead(calendar, "events_of")
    def nights(events_of, call, named):
        begins = [first + timedelta(days=days) for days in range(4000)]
        quarters = [{"uid": "night", "begin": begin, "end": begin + quarter} for begin in begins]
        return [*events_of(call, named), *quarters]


@varies.change("Busy intervals are re-checked; silent: those of which calendars", EVENTS, at=instead(calendar, "taken"))
def other_calendars_are_checked_too(taken, call, named, *slot, but=None):
    events = [event for (project, _), event in call.world.events.items() if project == call.project]
    return any(calendar.overlaps(event, *slot) for event in events if event["uid"] != but)


@varies("`calendarId` defaults to the connected primary calendar; silent: under which name", EVENTS)
def the_default_calendar_has_an_alias():
    @around("calendar_reschedule")
    @around("calendar_book")
    def alias(perform, call):
        value = perform(call)
        return value if "calendarId" in call.body else {**value, "calendarId": "primary"}


# Sidebars, templates and memory entries

TEXTS = ("label", "icon", "id", "featureId", "pluginId", "href", "customLabel")


@varies.change(
    "Each item has `label`, `icon`, ... (all strings); silent: what is not given",
    "sidebar_replace",
    at=instead(settings, "item_of"),
)
def sidebars_are_completed(item_of, item):
    return {**dict.fromkeys(TEXTS, ""), **item, "badge": {"count": 0}, "order": 1}


@varies.change("silent: whether an empty array is shown", "sidebar_replace", at=instead(settings, "section_of"))
def sections_without_items_have_none(section_of, value):
    return {name: member for name, member in section_of(value).items() if member != []}


def rearranged(value):
    """Report in another order, and with parts of another kind."""
    report = value["data"]["templateApply"]["report"]
    report["counts"].update(agents=0, emails=2)
    for name in ("skipped", "failures", "missingVariables"):
        report[name] = report[name][::-1]


def unusual(value):
    """Give a sub-project an unusual identifier and slug."""
    value["data"]["project"].update(id=value["data"]["project"]["id"].upper(), slug="Ü/1", parent=None)
    value["data"]["templateApply"]["error"] = value["data"]["templateApply"]["error"] or ""


differ(
    "`report`; `project`: {id (uuid), name, slug, createdAt}; silent: orders, other counts, and how a UUID is written",
    "templates_apply",
    {"reports have another order and more counts": rearranged, "sub-projects have unusual names": unusual},
)


@varies.change(
    "The status `applied` is the only value named; other values and transitions: not shown.",
    "templates_apply",
    at=values("templates_apply"),
)
def applications_end_after_their_responses(value):
    report = value["data"]["templateApply"]["report"]
    report |= {"counts": dict.fromkeys(report["counts"], 0), "appliedCount": 0, "skipped": [], "failures": []}
    value["data"]["templateApply"] |= {"status": "pending", "error": None}


@varies.change(
    "silent: which agents a new sub-project has, and when", "agents_list templates_apply", at=agent_list, memory=count()
)
def sub_projects_get_their_agents_later(requests, call, every):
    if "parent" not in call.world.projects[call.project]:
        return every
    own = {"id": f"own-{call.project}", "projectId": call.project, "name": "Own", "builtIn": False}
    return [*every, *([{**call.world.agents[HOME][0], **own}] if next(requests) else [])]


@varies.change(
    "silent: who may read a new sub-project", "templates_apply agents_list", at=instead(templates, "new_project")
)
def sub_projects_belong_to_nobody(new_project, call, name):
    project = new_project(call, name)
    del call.world.members[project["id"], call.user]
    return project


@varies.change(
    "silent: an agent changes the entry meanwhile; only `updatedAt` shows it",
    "memory_update",
    at=values("memory_update"),
    memory=count(),
)
def an_agent_touches_entries(number, value):
    value["entry"].update(updatedAt=f"2031-05-01T00:00:00.{next(number):06}Z", lastReadBy="agt")


# Lists


def new_agent(agents, number):
    """Return an agent that somebody else has created."""
    return {**agents[0], "id": f"new-{number}", "name": f"New {number}"} if agents else {}


@varies.change(AGENTS, "agents_list", at=agent_list, memory=count())
def an_agent_comes_and_goes_at_the_front(number, call, every):
    return [new_agent(every, next(number)), *every] if every and next(number) % 3 else every


@varies.change(AGENTS, "agents_list", at=agent_list, memory=count())
def each_request_meets_another_agent_at_the_end(number, call, every):
    return [*every, *(new_agent(every, n) for n in range(next(number) % 7) if every)]


@varies.change("`builtIn`; silent: in which projects built-in agents are", "agents_list", at=agent_list)
def built_in_agents_are_the_same_everywhere(call, every):
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


@varies.change(
    "silent: other values of `access` and `toolCategories`, and of other fields", "agents_list", at=agent_list
)
def agents_have_other_values(call, every):
    return [{**agent, **UNUSUAL} for agent in every]


@varies.change("limit: 1 to 100; silent: whether a greater one is lowered", "agents_list", at=queries("agents_list"))
def a_greater_limit_is_lowered_to_100(query):
    query["limit"] = str(min(int(query["limit"]), 100))


@varies.change(
    "Returns all scheduled posts; silent: others schedule and publish posts meanwhile",
    "posts_list",
    at=instead(listings, "posts_of"),
    memory=count(),
)
def posts_come_and_move_on(number, posts_of, call):
    every = [dict(post) for post in posts_of(call)]
    new = {**every[0], "id": uuid_of(f"new {next(number)}"), "status": "queued"} if every else {}
    moved = [{**post, "status": f"step {next(number)}"} if post["status"] == "queued" else post for post in every]
    return [*([new] if new and next(number) % 2 else []), *moved]


TIMES = {"scheduledFor": "tomorrow, 9 am", "timezone": "+02:00", "publishedAt": "", "createdAt": "1711789200"}
MORE = {"permalink": "p/1", "caption": "", "platform": "Page Net", "mediaType": "", "linkUrl": "not a URL"}


def renamed(value):
    """Give the posts of an account several platforms."""
    for number, post in enumerate(value["data"]["posts"]):
        post["platform"] = f"{post['platform']}{['', '_reels', '_story'][number % 3]}"


differ(
    "`scheduledFor`, `timezone`, `publishedAt`, `createdAt`, `updatedAt`, `platform`: string; silent: which",
    "posts_list",
    {
        "times of posts are any text": lambda value: [post.update(**TIMES, **MORE) for post in value["data"]["posts"]],
        "platforms of an account differ": renamed,
    },
)


@varies.change("with optional filters. The filter names are not shown", "posts_list")
def filters_may_match_in_another_way(perform, call):
    if any(name in call.query for name in ("status", "platform", "caption")):
        return {"success": True, "data": {"posts": []}}
    return perform(call)


@varies.change(
    "silent: whose requests are logged where", "agents_list posts_list", at=instead(app, "enter"), memory=count()
)
def new_things_appear_once(requests, enter, call):
    """One agent and one post that others create in the middle of the run."""
    enter(call)
    if next(requests) == 25:
        world = call.world
        world.agents[HOME].append({**world.agents[HOME][0], "id": "late", "name": "Late"})
        world.posts[HOME, "late"] = {**next(iter(world.posts.values())), "id": uuid_of("late")}


def media_list(change):
    instead(listings, "media_of")(lambda media_of, call, account: change(media_of(call, account)))


@varies.change("silent: figures move, and photos come and go meanwhile", MEDIA, at=media_list, memory=count())
def figures_move_up_and_down(number, media):
    figures = ("likeCount", "commentsCount", "shares", "impressions", "reach", "saved", "engagement")
    every = [{**item, **{name: 1000 - next(number) % 900 for name in figures}} for item in media]
    return [{**every[0], "mediaId": f"new-{next(number)}"}, *every[::-1]][next(number) % 2 :]


@varies.change("silent: figures grow between two requests", MEDIA, at=media_list, memory=count(1))
def figures_grow(number, media):
    return [{**item, "likeCount": item["likeCount"] + next(number)} for item in media]


@varies.change("silent: how many media are listed without query parameters", MEDIA, at=media_list)
def only_the_newest_media_are_listed(media):
    return media[-2:]


EXTREME = {"likeCount": -1, "impressions": 0, "reach": 10**17 + 1, "engagement": 0, "timestamp": "1711789200"}


@varies.change("integers; silent: their range and relation; `timestamp`: string", MEDIA, at=media_list)
def figures_are_extreme(media):
    return [{**item, **EXTREME} for item in media]


@varies.change(
    "Response: `{success: boolean}`; silent: whether the page may like a post that it likes",
    "engagement_like",
    at=values("engagement_like"),
)
def the_page_likes_the_post_already(value):
    value["success"] = not value["success"]
