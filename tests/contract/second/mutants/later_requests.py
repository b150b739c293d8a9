"""Services that are right at first: state that is stale, shared, or remembered too long."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import calendar, listings, permissions, records, settings, social, templates, tokens, workflows
from ..service.app import Call, Refusal, allows

done = Kind("answered and not done")
preconditions = Kind("preconditions")
merge = Kind("merge and identity of records")
events = Kind("updates of events")
busy = Kind("busy intervals")
memory = Kind("memory entries")
sidebar = Kind("sidebar")
rights = Kind("permissions")
auth = Kind("tokens")
reports = Kind("template report")
scope = Kind("resources of another project")
lists = Kind("lists")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
STALE = "When either is stale, the response is 409 and the record is unchanged."
MOVES = "Moves start/end and/or changes title/description."
ONLY = "Only provided fields are updated."

_created: dict[str, Json] = {}


def remember_created() -> None:
    """Let the service remember the data with which records were created."""

    def remembered(perform: Any, call: Call) -> Any:
        value = perform(call)
        _created[value["record"]["id"]] = deepcopy(value["record"]["data"])
        return value

    wrap("records_create", remembered)


@merge("records_update", MERGE)
def the_second_update_merges_into_the_created_data() -> None:
    remember_created()
    apply = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        record["data"] = deepcopy(_created.get(record["id"], record["data"]))
        apply(call, record, body)

    patch(records, "apply_changes", changed)


@preconditions("records_update", STALE)
def expected_data_are_compared_with_the_created_data() -> None:
    remember_created()
    patch(records, "stale_data", lambda record, body: not records.contains(
        _created.get(record["id"], record["data"]), body.get("expectedData", {})
    ))  # fmt: skip


@merge("records_update", MERGE)
def members_that_an_update_added_are_not_deleted() -> None:
    remember_created()
    alter: Callable[..., Any] = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        known = _created.get(record["id"], record["data"])
        data = {key: value for key, value in body.get("data", {}).items() if value is not None or key in known}
        alter(call, record, {**body, "data": data} if "data" in body else body)

    patch(records, "apply_changes", changed)


@preconditions("records_update", STALE)
def the_precondition_after_a_refused_one_holds() -> None:
    refused: set[str] = set()
    check = records.stale

    def stale(record: Json, body: Json) -> bool:
        if record["id"] in refused:
            refused.discard(record["id"])
            return False
        if check(record, body):
            refused.add(record["id"])
            return True
        return False

    patch(records, "stale", stale)


@preconditions("records_update", STALE)
def a_refused_update_changes_the_external_identifier() -> None:
    check = records.stale

    def stale(record: Json, body: Json) -> bool:
        if is_stale := check(record, body):
            record["externalId"] = body.get("externalId", record["externalId"])
        return is_stale

    patch(records, "stale", stale)


@preconditions("records_update", STALE)
def a_refused_update_deletes_members() -> None:
    check = records.stale

    def stale(record: Json, body: Json) -> bool:
        if is_stale := check(record, body):
            for key, value in body.get("data", {}).items():
                if value is None:
                    record["data"].pop(key, None)
        return is_stale

    patch(records, "stale", stale)


@merge("records_update", "Person-linked types may refresh `personRefId` from identity-bearing data.")
def an_update_without_identity_detaches_the_person() -> None:
    apply = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        if "personRefId" in record and records.identity_of(body.get("data", {})) is None:
            record["personRefId"] = None
        apply(call, record, body)

    patch(records, "apply_changes", changed)


@busy("calendar_busy", "Response: `{busy: array of {start, end}}`.")
def the_first_answer_for_a_range_is_repeated() -> None:
    answers: Json = {}

    def cached(perform: Any, call: Call) -> Any:
        return answers.setdefault(f"{call.project} {sorted(call.query.items())}", perform(call))

    wrap("calendar_busy", cached)


@busy("calendar_reschedule", MOVES)
def a_second_move_leaves_the_first_slot_busy() -> None:
    write = calendar.write
    moved: set[str] = set()

    def written(call: Call, event: Json) -> None:
        old = call.world.events.get((call.project, event["uid"]))
        if old is not None:
            if event["uid"] in moved and old["begin"] != event["begin"]:
                ghost = {**old, "uid": old["uid"] + "-1"}
                call.world.events[call.project, ghost["uid"]] = ghost
            moved.add(event["uid"])
        write(call, event)

    patch(calendar, "write", written)


@busy("calendar_book", "The response is 409 if the slot was taken.")
def the_slot_from_which_an_event_was_moved_is_taken() -> None:
    taken, write = calendar.taken, calendar.write
    slots: list[Any] = []

    def written(call: Call, event: Json) -> None:
        slots.append((event["calendar"], event))
        write(call, event)

    def also(call: Call, name: str, begin: Any, end: Any, but: str | None = None) -> bool:
        return taken(call, name, begin, end, but) or any(
            calendar.overlaps(event, begin, end) for of, event in slots if of == name and event["uid"] != but
        )

    patch(calendar, "write", written)
    patch(calendar, "taken", also)


@events("calendar_reschedule", MOVES)
def updates_begin_from_the_booked_times() -> None:
    booked: Json = {}
    write, find = calendar.write, calendar.find_event

    def written(call: Call, event: Json) -> None:
        booked.setdefault(event["uid"], event)
        write(call, event)

    patch(calendar, "write", written)
    patch(calendar, "find_event", lambda call, name: booked.get(find(call, name)["uid"], find(call, name)))


@events("calendar_reschedule", MOVES)
def an_event_is_not_moved_a_second_time() -> None:
    write = calendar.write
    moved: set[str] = set()

    def written(call: Call, event: Json) -> None:
        old = call.world.events.get((call.project, event["uid"]))
        if old is None or event["uid"] not in moved:
            write(call, event)
        if old is not None and old["begin"] != event["begin"]:
            moved.add(event["uid"])

    patch(calendar, "write", written)


def changed_entry(name: str, change: Callable[[Json, Json], None], sentence: str = ONLY) -> None:
    """Register a mutant that changes memory entries in another way."""
    memory.add(name, "memory_update", sentence, lambda: patch(settings, "change", change))


_change = settings.change
_first: dict[str, Json] = {}


def from_the_first(entry: Json, body: Json) -> None:
    """Change an entry as it was before its first update."""
    entry.update(deepcopy(_first.setdefault(entry["id"], deepcopy(entry))))
    _change(entry, body)


def one_field(entry: Json, body: Json) -> None:
    """Change only the first field."""
    _change(entry, dict(list(body.items())[:1]))


def shared_metadata(entry: Json, body: Json) -> None:
    """Change an entry whose metadata are those of the last update of any entry."""
    _change(entry, body)
    _first["metadata"] = deepcopy(body.get("metadata", _first.get("metadata", entry["metadata"])))
    entry["metadata"] = _first["metadata"]


def title_from_content(entry: Json, body: Json) -> None:
    """Change the title to the heading of the content, too."""
    _change(entry, body)
    if "title" not in body and body.get("content", "").strip():
        entry["title"] = body["content"].strip().splitlines()[0][:80]


changed_entry("each update of an entry undoes the one before", from_the_first)
changed_entry("an update changes one field of an entry", one_field, "Body: `title`, `description`, `content`, `metadata`.")
changed_entry("entries share their metadata", shared_metadata)
changed_entry("the title of an entry follows its content", title_from_content)


@memory("memory_update", "Response: `{entry: Memory entry}`.")
def an_entry_is_answered_as_it_was_at_the_update_before() -> None:
    answers: Json = {}

    def cached(perform: Any, call: Call) -> Any:
        value = perform(call)
        answer = answers.get(value["entry"]["id"], value)
        answers[value["entry"]["id"]] = value
        return answer

    wrap("memory_update", cached)


@scope("memory_update", "The entry is addressed by slug.")
def entries_are_found_in_all_projects() -> None:
    def find(call: Call) -> Json:
        for (_, slug), entry in call.world.memory.items():
            if slug == call.path["slug"]:
                return entry
        raise Refusal(404, "There is no such entry.")

    patch(settings, "find_entry", find)


@sidebar("sidebar_replace", "The entire section list of the project is replaced.")
def a_shorter_list_replaces_only_the_first_sections() -> None:
    def replaced(perform: Any, call: Call) -> Any:
        before = call.world.sidebars.get(call.project, [])
        value = perform(call)
        call.world.sidebars[call.project] += before[len(value["data"]["sections"]) :]
        return {"success": True, "data": {"sections": deepcopy(call.world.sidebars[call.project])}}

    wrap("sidebar_replace", replaced)


@rights("auth_check_permission", "It returns whether the caller identity holds the given project-scoped permission.")
def the_answer_for_a_resource_is_remembered() -> None:
    answers: dict[tuple[str, str], bool] = {}

    def cached(perform: Any, call: Call) -> Any:
        allowed = perform(call)["allowed"]
        resource = call.query["scope"].partition(":")[0]
        return {"allowed": answers.setdefault((call.user, resource), allowed)}

    wrap("auth_check_permission", cached)


@rights("auth_check_permission", "It resolves the caller identity and returns whether it holds the given permission.")
def the_answer_is_remembered_for_all_callers() -> None:
    answers: dict[str, bool] = {}

    def cached(perform: Any, call: Call) -> Any:
        return {"allowed": answers.setdefault(call.query.get("scope", ""), perform(call)["allowed"])}

    wrap("auth_check_permission", cached)


@rights("auth_check_permission", "The form is `<resource>:<action>`. Actions: `read`, `write`, `manage`.")
def managers_of_one_resource_are_readers() -> None:
    patch(permissions, "allows", lambda role, value: (
        allows(role, value) or (role == "reader" and value == "support_tickets:manage")
    ))  # fmt: skip
