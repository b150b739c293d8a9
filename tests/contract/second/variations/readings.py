"""Healthy services that differ where a look at the suite suggests that it expects more than the specification says."""

from __future__ import annotations

import gzip
import json
import re
import time
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pikepdf

from ..mutant import VARIATIONS, Json, Kind, alter_body, alter_query, alter_replies, alter_value, patch, wrap
from ..service import OPERATIONS, app, calendar, labels, listings, pdf, records, settings, templates, workflows
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import HOME, uuid_of
from .common import everywhere
from .writes import rewritten

allowed = Kind("allowed", registry=VARIATIONS)

ERRORS = "Error body (JSON): `message` (string, always present) and `code` (string, optional); silent: other members"
KEPT = 0.1  # Seconds.
COUNTED = "Error responses: 2 documented; silent: whether statuses that are not documented occur"


def _errors(**more: Any) -> None:
    error = app.error

    def longer(refusal: Refusal) -> Reply:
        reply = error(refusal)
        return app.json_reply(reply.status, {**json.loads(reply.body), **more})

    patch(app, "error", longer)


@everywhere(ERRORS, "records_update", "sidebar_replace", "labels_export", "posts_list")
def errors_say_that_there_is_no_success() -> None:
    _errors(success=False)


@everywhere(ERRORS, "records_create", "engagement_like", "agents_list")
def errors_have_no_data() -> None:
    _errors(data=None)


@everywhere(ERRORS, "auth_check_permission")
def errors_allow_nothing() -> None:
    _errors(allowed=False)


@everywhere("Timestamps are ISO 8601 date-times; silent: in which format", "agents_list", "web_analytics_get_config")
def stored_times_are_ordinal_dates() -> None:
    times = {"createdAt": "2031-032T09:00:00Z", "updatedAt": "2031-W05-6T24:00:00,0+01"}
    alter_value("agents_list", lambda answer: [agent.update(times) for agent in answer["agents"]])
    alter_value("web_analytics_get_config", lambda answer: answer["config"] and answer["config"].update(times))


@everywhere("Timestamps are ISO 8601 date-times; silent: their offset", "agents_list", "web_analytics_get_config")
def stored_times_have_no_offset() -> None:
    times = {"createdAt": "2031-02-01T09:00:00", "updatedAt": "2031-02-01T09:00:00.123"}
    alter_value("agents_list", lambda answer: [agent.update(times) for agent in answer["agents"]])
    alter_value("web_analytics_get_config", lambda answer: answer["config"] and answer["config"].update(times))


@allowed("agents_list", "Timestamps are ISO 8601 date-times; silent: their precision")
def stored_times_have_hours_and_minutes() -> None:
    alter_value(
        "agents_list", lambda answer: [agent.update(createdAt="2031-02-01T09:00Z") for agent in answer["agents"]]
    )


@allowed(
    "agents_list", "Lists all agent definitions of the project; `builtIn`; silent: in which projects built-in ones are"
)
def built_in_agents_are_the_same_everywhere() -> None:
    agents_of = listings.agents_of

    def shared(call: Call) -> list[Json]:
        own = [agent for agent in agents_of(call) if not agent["builtIn"] or call.project == HOME]
        built_in = [agent for agent in call.world.agents[HOME] if agent["builtIn"]]
        return own if call.project == HOME else [*own, *({**agent, "projectId": call.project} for agent in built_in)]

    patch(listings, "agents_of", shared)


@everywhere("silent: which agents a new sub-project has, and when", "agents_list", "templates_apply")
def sub_projects_get_their_agents_later() -> None:
    agents_of, requests = listings.agents_of, count()

    def later(call: Call) -> list[Json]:
        every = agents_of(call)
        if "parent" not in call.world.projects[call.project]:
            return every
        own = {"id": f"own-{call.project}", "projectId": call.project, "name": "Own", "builtIn": False}
        return [*every, *([{**call.world.agents[HOME][0], **own}] if next(requests) else [])]

    patch(listings, "agents_of", later)


@everywhere("silent: who may read a new sub-project", "templates_apply", "agents_list")
def sub_projects_belong_to_nobody() -> None:
    new_project = templates.new_project

    def created(call: Call, name: str) -> Json:
        project = new_project(call, name)
        del call.world.members[project["id"], call.user]
        return project

    patch(templates, "new_project", created)


@allowed("records_update", "Person-linked types may refresh `personRefId`; silent: persons that are merged or removed")
def persons_are_detached_without_an_identity() -> None:
    apply_changes = records.apply_changes

    def detaching(call: Call, record: Json, body: Json) -> None:
        apply_changes(call, record, body)
        if "personRefId" in record and records.identity_of(record["data"]) is None:
            del record["personRefId"]

    patch(records, "apply_changes", detaching)


@allowed("records_create", "`companyRefId`, `occurredAt`, ...: silent: of which records")
def records_without_a_person_have_a_company() -> None:
    link = records.link

    def linked(call: Call, record: Json, data: Json) -> None:
        link(call, record, data)
        record["companyRefId"] = "com-1" if "personRefId" not in record else None

    patch(records, "link", linked)


@allowed("records_update", "a JSON containment precondition; silent: whether a missing key equals null")
def missing_keys_contain_null() -> None:
    contains = records.contains

    def lenient(have: Any, want: Any) -> bool:
        if isinstance(want, dict) and isinstance(have, dict):
            return all(lenient(have.get(key), part) for key, part in want.items())
        return contains(have, want)

    patch(records, "contains", lenient)


@everywhere("a JSON containment precondition; silent: arrays and scalars", "records_update")
def arrays_contain_scalars() -> None:
    contains = records.contains

    def lenient(have: Any, want: Any) -> bool:
        return contains(have, want) or (isinstance(have, list) and not isinstance(want, dict | list) and want in have)

    patch(records, "contains", lenient)


@everywhere(
    "silent: whether an update that changes nothing is one", "memory_update", "records_update", "calendar_reschedule"
)
def empty_updates_are_refused() -> None:
    for name in ("memory_update", "records_update", "calendar_reschedule"):

        def refused(perform: Any, call: Call) -> Any:
            if not call.body:
                raise Refusal(400, "There is nothing to update.")
            return perform(call)

        wrap(name, refused)


@everywhere(
    "silent: which status says that there is no such thing",
    "records_update",
    "memory_update",
    "calendar_reschedule",
    "templates_apply",
)
def unknown_things_are_gone() -> None:
    initialize = Refusal.__init__

    def gone(self: Refusal, status: int, message: str, code: str | None = None) -> None:
        initialize(self, 410 if status == 404 else status, message, code)

    patch(Refusal, "__init__", gone)


@allowed(
    "calendar_busy", "`timeMin`, `timeMax`; silent: further intervals of the result, such as free ones; their members"
)
def busy_intervals_have_more_members() -> None:
    alter_value(
        "calendar_busy", lambda answer: [each.update(transparency="opaque", id=None) for each in answer["busy"]]
    )


@everywhere("Busy interval; silent: what besides events makes a calendar busy", "calendar_busy", "calendar_book")
def a_quarter_of_each_night_is_busy() -> None:
    """From 23:30 to 23:45 UTC, in the listed intervals and for conflicts."""
    quarter, taken = timedelta(minutes=15), calendar.taken

    def nights(begin: datetime, end: datetime) -> list[datetime]:
        first = begin.astimezone(UTC).replace(hour=23, minute=30, second=0, microsecond=0) - timedelta(days=1)
        every = (first + timedelta(days=days) for days in range((end - begin).days + 3))
        return [night for night in every if night < end and begin < night + quarter]

    def listed(perform: Any, call: Call) -> Any:
        answer = perform(call)
        begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
        spans = [{"start": calendar.wire(at), "end": calendar.wire(at + quarter)} for at in nights(begin, end)]
        return {"busy": [*answer["busy"], *spans]}

    wrap("calendar_busy", listed)
    patch(
        calendar,
        "taken",
        lambda call, named, begin, end, but=None: bool(nights(begin, end)) or taken(call, named, begin, end, but),
    )


@everywhere(
    "`end` defaults to start + durationMinutes; silent: which of the two is longer",
    "calendar_book",
    "calendar_reschedule",
)
def an_end_and_a_duration_must_agree() -> None:
    def agreeing(perform: Any, call: Call) -> Any:
        if {"end", "durationMinutes"} <= call.body.keys():
            raise Refusal(422, "Give an end or a duration.")
        return perform(call)

    for name in ("calendar_book", "calendar_reschedule"):
        wrap(name, agreeing)


@allowed("workflows_create", "tags: array of string; silent: their order, and whether one may be given twice")
def tags_are_kept_once_in_alphabetical_order() -> None:
    checked = workflows.checked

    def sorted_once(call: Call, *rules: Any, **members: Any) -> Json:
        body = checked(call, *rules, **members)
        return {**body, "tags": sorted(set(body["tags"]))} if "tags" in body else body

    patch(workflows, "checked", sorted_once)


@allowed("calendar_book", "attendee: {name, email, phone}; silent: which are required")
def an_attendee_has_an_email() -> None:
    attendee = calendar.attendee
    patch(calendar, "attendee", lambda value: attendee(value) and "email" in value)


@allowed("calendar_busy", "silent: how soon a list follows the external calendar; only a booking re-checks")
def busy_intervals_are_kept_for_a_moment() -> None:
    kept: dict[str, tuple[float, Json]] = {}

    def remembered(perform: Any, call: Call) -> Any:
        key = f"{call.project} {sorted(call.query.items())}"
        at, value = kept.get(key, (-1.0, {}))
        if time.monotonic() - at > KEPT:
            value = perform(call)
            kept[key] = time.monotonic(), value
        return deepcopy(value)

    wrap("calendar_busy", remembered)


@allowed("agents_list", "limit: 1 to 100; silent: whether a greater one is refused or lowered")
def a_greater_limit_is_lowered_to_100() -> None:
    alter_query("agents_list", lambda query: query.update(limit=str(min(int(query["limit"]), 100))))


@allowed("posts_list", "Bodies are JSON; silent: with which content coding")
def posts_are_compressed() -> None:
    def packed(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != "posts_list" or "gzip" not in request.headers.get("accept-encoding", ""):
            return reply
        headers = {**reply.headers, "content-encoding": "gzip", "vary": "accept-encoding"}
        return Reply(reply.status, gzip.compress(reply.body), headers)

    alter_replies(packed)


@everywhere("silent: whether events may end on another day, or take hours", "calendar_book", "calendar_reschedule")
def events_take_at_most_four_hours() -> None:
    require_order = calendar.require_order

    def short(begin: datetime, end: datetime) -> None:
        require_order(begin, end)
        if end - begin > timedelta(hours=4):
            raise Refusal(422, "Too long.")

    patch(calendar, "require_order", short)
    busy = OPERATIONS["calendar_busy"].perform

    def listed(call: Call) -> Any:
        patch(calendar, "require_order", require_order)
        try:
            return busy(call)
        finally:
            patch(calendar, "require_order", short)

    patch(OPERATIONS["calendar_busy"], "perform", listed)


@everywhere("silent: how far ahead events may be booked on other calendars", "calendar_book")
def few_bookings_are_possible() -> None:
    bookings = count(1)

    def few(perform: Any, call: Call) -> Any:
        if next(bookings) > 40:
            raise Refusal(403, "Your plan has forty bookings.", "quota")
        return perform(call)

    wrap("calendar_book", few)


@allowed("records_create", "silent: how many records a project may have")
def few_records_are_possible() -> None:
    def few(perform: Any, call: Call) -> Any:
        if len(call.world.records) >= 20:
            raise Refusal(402, "Your plan has twenty records.", "quota")
        return perform(call)

    wrap("records_create", few)


@allowed("photo_analytics_list_media", "Query parameters are not shown; silent: how many media are listed without them")
def only_the_newest_media_are_listed() -> None:
    media_of = listings.media_of
    patch(listings, "media_of", lambda call, account: media_of(call, account)[-2:])


@allowed("posts_list", "`account`: {username, profilePictureUrl}; silent: a platform has several names")
def platforms_of_an_account_differ() -> None:
    def renamed(answer: Json) -> None:
        for number, post in enumerate(answer["data"]["posts"]):
            post["platform"] = f"{post['platform']}{['', '_reels', '_story'][number % 3]}"

    alter_value("posts_list", renamed)


@allowed("posts_list", "with optional filters. The filter names are not shown")
def filters_may_match_in_another_way() -> None:
    def filtered(perform: Any, call: Call) -> Any:
        if any(name in call.query for name in ("status", "platform", "caption")):
            return {"success": True, "data": {"posts": []}}
        return perform(call)

    wrap("posts_list", filtered)


# Label sheets


@allowed("labels_export", "Landscape Letter pages; silent: where a PDF states how pages are rotated")
def pages_inherit_their_rotation() -> None:
    def inherit(file: pikepdf.Pdf) -> None:
        file.Root.Pages.Rotate = 90
        file.Root.Pages.MediaBox = file.pages[0].MediaBox
        for page in file.pages:
            del page.Rotate
            del page.MediaBox

    rewritten(inherit)


@allowed("labels_export", "Landscape Letter pages; silent: where a PDF states which fonts and forms there are")
def pages_inherit_their_resources() -> None:
    def inherit(file: pikepdf.Pdf) -> None:
        forms = pikepdf.Dictionary()
        for number, page in enumerate(file.pages):
            drawn = page.Contents.read_bytes()
            for name, form in page.Resources.XObject.items():
                drawn = drawn.replace(name.encode() + b" ", name.encode() + b"x%d " % number)
                forms[f"{name}x{number}"] = form
            page.Contents = file.make_stream(drawn)
            del page.Resources
        file.Root.Pages.Resources = pikepdf.Dictionary(XObject=forms)

    rewritten(inherit)


@allowed(
    "labels_export", "Landscape Letter pages; silent: a crop box beyond the medium is cut to it (ISO 32000-1, 14.11.2)"
)
def crop_boxes_are_larger_than_the_medium() -> None:
    def enlarge(file: pikepdf.Pdf) -> None:
        for page in file.pages:
            page.CropBox = pikepdf.Array([-10, -10, 622, 802])

    rewritten(enlarge)


@allowed("labels_export", "silent: what else a label shows")
def labels_are_numbered() -> None:
    document = labels.document

    def numbered(items: list[Json], review: bytes) -> bytes:
        names = [{**item, "name": f"{number} {item['name']}"} for number, item in enumerate(items, 1)]
        return document(names, review)

    patch(labels, "document", numbered)


@allowed("labels_export", "silent: what else a label shows")
def labels_are_numbered_with_words() -> None:
    document = labels.document
    words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]

    def numbered(items: list[Json], review: bytes) -> bytes:
        names = [{**item, "name": f"{word} {item['name']}"} for word, item in zip(words, items, strict=False)]
        return document(names, review)

    patch(labels, "document", numbered)


@allowed("labels_export", "silent: what else a label shows")
def labels_have_a_clipped_picture_and_a_table() -> None:
    form = pdf.form
    more = b"q 10 10 200 160 re W n Q 10 10 170 220 re S 180 10 170 220 re S\n"
    patch(pdf, "form", lambda lines: more + form(lines))


@allowed("labels_export", "`label-review.json`: the full review; silent: what it is of")
def the_review_has_only_problems() -> None:
    document = labels.document
    review = json.dumps({"complete": True, "problems": []}).encode()
    patch(labels, "document", lambda items, _: document(items, review))


@allowed("labels_export", "`label-review.json`: the full review; silent: what it says")
def the_review_has_the_text_of_the_sheets_in_order() -> None:
    document = labels.document

    def written(items: list[Json], _: bytes) -> bytes:
        places = [
            f"{item['name']} before {(items[at + 1 :] or [{'name': 'nothing'}])[0]['name']}"
            for at, item in enumerate(items)
        ]
        return document(items, json.dumps({"labels": places, "at": str(datetime.now(UTC))}).encode())

    patch(labels, "document", written)


@allowed("labels_export", "silent: in which order labels with the same allergens are; all exports are sorted by name")
def labels_are_sorted() -> None:
    printed = labels.printed
    patch(labels, "printed", lambda call, body: sorted(printed(call, body), key=lambda item: item["name"]))


@allowed("labels_export", "silent: which fonts; two items may have the same words")
def labels_show_only_numbers() -> None:
    patch(pdf, "lines_of", lambda item: [str(int(item["id"][:8], 16))])


@allowed("sidebar_replace", "Sidebar configuration: items have strings; silent: whether markup or a path is rewritten")
def sections_without_items_have_none() -> None:
    section_of = settings.section_of

    def written(value: Json) -> Json:
        section = section_of(value)
        return {name: member for name, member in section.items() if member != []}

    patch(settings, "section_of", written)


@everywhere(
    "silent: how a project identifier is written in responses",
    "agents_list",
    "workflows_create",
    "memory_update",
    "posts_list",
)
def project_identifiers_are_in_capitals() -> None:
    uuid = re.compile(rb'("projectId":")([0-9a-f-]{36})"')

    def upper(name: str | None, request: Request, reply: Reply) -> Reply:
        return replace(reply, body=uuid.sub(lambda match: match[1] + match[2].upper() + b'"', reply.body))

    alter_replies(upper)


@everywhere("silent: whose requests are logged where", "agents_list", "posts_list")
def new_things_appear_once() -> None:
    """One agent and one post that others create in the middle of the run."""
    requests = count()
    enter = app.enter

    def entering(call: Call) -> None:
        enter(call)
        if next(requests) == 25:
            world = call.world
            world.agents[HOME].append({**world.agents[HOME][0], "id": "late", "name": "Late"})
            post = next(iter(world.posts.values()))
            world.posts[HOME, "late"] = {**post, "id": uuid_of("late")}

    patch(app, "enter", entering)


@allowed("photo_analytics_list_media", "silent: figures grow between two requests")
def figures_grow() -> None:
    media_of, number = listings.media_of, count(1)

    def growing(call: Call, account: Json) -> list[Json]:
        more = next(number)
        return [
            {**item, "likeCount": item["likeCount"] + more, "reach": item["reach"] + more}
            for item in media_of(call, account)
        ]

    patch(listings, "media_of", growing)


@allowed(
    "labels_export",
    "Landscape Letter pages; silent: which corners a box names (ISO 32000-1, 7.9.5: any two opposite ones)",
)
def boxes_name_other_corners() -> None:
    def turned(file: pikepdf.Pdf) -> None:
        for page in file.pages:
            page.MediaBox = pikepdf.Array([612, 792, 0, 0])

    rewritten(turned)


@allowed("sidebar_replace", "Each item has `label`, `icon`, ... (all strings); silent: what is not given")
def missing_texts_of_items_are_empty() -> None:
    names = ("label", "icon", "id", "featureId", "pluginId", "href", "customLabel")
    patch(settings, "item_of", lambda item: {**dict.fromkeys(names, ""), **item})


@allowed("records_update", "silent: whether a member without a value is null or missing, in one response or another")
def missing_members_are_null_after_an_update() -> None:
    def nulls(answer: Json) -> None:
        empty = dict.fromkeys(("personRefId", "companyRefId", "amountCents", "currency", "occurredAt", "externalId"))
        answer["record"] = {**empty, **answer["record"]}

    alter_value("records_update", nulls)


@allowed("workflows_create", "Body: `isActive` (boolean); silent: whether a workflow without it is active.")
def workflows_are_active_by_default() -> None:
    alter_body("workflows_create", lambda body: body.setdefault("isActive", True))


@allowed("templates_apply", "`report.counts`: integers; silent: whether parts of other kinds are counted.")
def counts_have_another_kind() -> None:
    def count_emails(value: Any) -> None:
        value["data"]["templateApply"]["report"]["counts"].update(agents=0, emails=2)

    alter_value("templates_apply", count_emails)


@allowed("records_update", "`expectedData` is a JSON containment precondition; silent: whether 12 and 12.0 are equal.")
def numbers_are_compared_as_written() -> None:
    contains = records.contains

    def strict(have: Any, want: Any) -> bool:
        if {type(have), type(want)} == {int, float}:
            return False
        return bool(contains(have, want))

    patch(records, "contains", strict)
    patch(app, "plain", lambda value: value)
