"""Caches whose key lacks something, idempotency of requests that differ, and reads of an earlier state."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import listings, records, settings, tokens
from ..service.world import World

cache = Kind("cache")


def cached(operation: str, key: Any) -> None:
    """Answer an operation as the first time, for each value of a key of the call."""
    answers: dict[Any, Any] = {}

    def remembered(perform: Any, call: Any) -> Any:
        place = key(call)
        if place not in answers:
            answers[place] = deepcopy(perform(call))
        return deepcopy(answers[place])

    wrap(operation, remembered)


@cache(
    "auth_check_permission",
    "It resolves the caller identity and returns whether it holds the given project-scoped permission.",
)
def answers_about_permissions_are_cached_by_address() -> None:
    cached("auth_check_permission", lambda call: tuple(sorted(call.query.items())))


@cache(
    "auth_check_permission", "Its verification uses a published key set, and it must include a valid user identifier."
)
def verified_tokens_are_cached_without_their_signature() -> None:
    verified = tokens.verified
    known: dict[str, Json] = {}

    def remembered(world: World, token: str) -> Json | None:
        head = token.rpartition(".")[0]
        if head not in known:
            claims = verified(world, token)
            if claims is None:
                return None
            known[head] = claims
        return known[head]

    patch(tokens, "verified", remembered)


@cache("calendar_busy", "The event is written to the connected external calendar.")
def busy_intervals_are_cached_by_address() -> None:
    cached("calendar_busy", lambda call: (call.project, tuple(sorted(call.query.items()))))


@cache("agents_list", "`limit` integer, `offset` integer, `hasMore` boolean.")
def whether_agents_follow_is_cached() -> None:
    has_more = listings.has_more
    known: dict[tuple[int, int], bool] = {}
    patch(
        listings,
        "has_more",
        lambda total, limit, offset: known.setdefault((total, limit), has_more(total, limit, offset)),
    )


@cache("posts_list", "Returns all scheduled posts of the project, with optional filters.")
def posts_are_cached_by_user() -> None:
    cached("posts_list", lambda call: (call.user, tuple(sorted(call.query.items()))))


@cache(
    "records_update",
    "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition.",
)
def preconditions_read_a_replica_that_lacks_the_last_update() -> None:
    apply_changes, stale = records.apply_changes, records.stale
    replica: dict[str, Json] = {}

    def lagging(call: Any, record: Json, body: Json) -> None:
        replica[record["id"]] = deepcopy(record)
        apply_changes(call, record, body)

    patch(records, "apply_changes", lagging)
    patch(records, "stale", lambda record, body: stale(replica.get(record["id"], record), body))


@cache("memory_update", "Only provided fields are updated; the entry is addressed by slug.")
def entries_are_saved_whole_from_a_cached_copy() -> None:
    change = settings.change
    copies: dict[str, Json] = {}

    def saved(entry: Json, body: Json) -> None:
        entry.update(deepcopy(copies.setdefault(entry["id"], deepcopy(entry))))
        change(entry, body)

    patch(settings, "change", saved)


@cache(
    "labels_export",
    "Body (required as a whole, JSON): `menuMonth` (string), `itemIds` (array of uuid), `includeUnapproved` (boolean)",
)
def exports_are_cached_by_month() -> None:
    cached("labels_export", lambda call: (call.project, call.body.get("menuMonth")))


@cache(
    "templates_apply",
    "A new sub-project is created under the parent project `{projectId}` and the template is applied to it.",
)
def a_template_that_is_applied_again_is_a_repetition() -> None:
    cached("templates_apply", lambda call: (call.project, call.user, call.path["templateId"]))


@cache("workflows_create", "Create workflows.")
def a_workflow_with_the_name_of_another_is_that_other() -> None:
    created: dict[tuple[str, str], Json] = {}

    def found(perform: Any, call: Any) -> Any:
        value = perform(call)
        return deepcopy(created.setdefault((call.project, value["workflow"]["name"]), value))

    wrap("workflows_create", found)
