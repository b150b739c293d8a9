"""Services that are right at first: state that is stale, shared, or remembered too long."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import records, settings
from ..service.app import Call, Refusal

preconditions = Kind("preconditions")
merge = Kind("merge and identity of records")
memory = Kind("memory entries")
sidebar = Kind("sidebar")
scope = Kind("resources of another project")
MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
STALE = "When either is stale, the response is 409 and the record is unchanged."
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
    patch(
        records,
        "stale_data",
        lambda record, body: (
            not records.contains(_created.get(record["id"], record["data"]), body.get("expectedData", {}))
        ),
    )


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


changed_entry(
    "an update changes one field of an entry", one_field, "Body: `title`, `description`, `content`, `metadata`."
)


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
