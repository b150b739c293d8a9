"""Limits, preconditions and rights that are judged by other terms than those of the specification."""

from __future__ import annotations

import json
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import listings, records, templates
from ..service.app import Call, Refusal
from ..service.workflows import is_real

term = Kind("other terms")

EXPECTED = (
    "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition. When either is "
    "stale, the response is 409 and the record is unchanged."
)


@term(
    "auth_check_permission",
    "It resolves the caller identity and returns whether it holds the given project-scoped permission.",
)
def permissions_that_another_service_decides_are_held_by_everybody() -> None:
    def fallback(perform: Any, call: Call) -> Any:
        value = perform(call)
        elsewhere = call.query["scope"].startswith(("billing:", "contracts:", "support_tickets:"))
        return {"allowed": True} if elsewhere else value

    wrap("auth_check_permission", fallback)


@term("workflows_create", "Workflow `description` | at most 1000 characters")
def limits_do_not_count_for_a_workflow_that_is_inactive() -> None:
    def unlimited(perform: Any, call: Call) -> Any:
        body = call.body
        if body.get("isActive") is not False or not isinstance(body.get("description"), str):
            return perform(call)
        call.body = {**body, "description": body["description"][:1000]}
        value = perform(call)
        value["workflow"]["description"] = body["description"]
        return value

    wrap("workflows_create", unlimited)


@term("workflows_create", "Workflows carry a string `revision` field.")
def a_workflow_that_begins_as_active_has_no_revision() -> None:
    def no_draft(value: Json) -> None:
        if value["workflow"]["isActive"]:
            value["workflow"]["revision"] = None

    alter_value("workflows_create", no_draft)


@term("records_update", EXPECTED)
def expected_addresses_are_compared_with_what_is_encrypted() -> None:
    stale_data = records.stale_data
    encrypted = {"email", "phone"}

    def stale(record: Json, body: Json) -> bool:
        return stale_data(record, body) or not encrypted.isdisjoint(body.get("expectedData", ()))

    patch(records, "stale_data", stale)


@term("records_update", EXPECTED)
def expected_numbers_are_compared_as_they_were_written() -> None:
    contains = records.contains

    def written(have: Any, want: Any) -> bool:
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (have, want))
        return json.dumps(have) == json.dumps(want) if numbers else contains(have, want)

    patch(records, "contains", written)


@term("templates_apply", "`variableValues` supplies values for each `{{variable}}` the template declares.")
def a_value_that_two_variables_have_is_given_to_the_last() -> None:
    def inverted(body: Json) -> None:
        names = {value: name for name, value in body["variableValues"].items()}
        body["variableValues"] = {name: value for value, name in names.items()}

    alter_body("templates_apply", inverted)


@term(
    "templates_apply",
    "A new sub-project is created under the parent project `{projectId}` and the template is applied to it.",
)
def parts_of_a_template_with_the_same_name_are_one() -> None:
    find_template = templates.find_template

    def by_name(call: Call) -> Json:
        template = find_template(call)
        names = [part["name"] for part in template["parts"]]
        return {**template, "parts": [template["parts"][names.index(name)] for name in dict.fromkeys(names)]}

    patch(templates, "find_template", by_name)


@term("engagement_like", "Like a published page post as the page.")
def a_page_does_not_like_what_it_has_published() -> None:
    def others(perform: Any, call: Call) -> Any:
        post = call.world.posts.get((call.project, call.path["postId"]))
        account = call.body.get("accountId")
        if post is not None and isinstance(account, str) and post["socialAccountId"] == account.lower():
            raise Refusal(403, "A page cannot like its own post.", "own_post")
        return perform(call)

    wrap("engagement_like", others)


@term("agents_list", "List agents `limit` | 1 to 100")
def limits_of_agents_are_compared_as_texts() -> None:
    def compared(perform: Any, call: Call) -> Any:
        limit = call.query.get("limit", "")
        if limit > "100" and limit.isdecimal():
            raise Refusal(400, "limit is out of range.", "invalid")
        return perform(call)

    wrap("agents_list", compared)


@term("agents_list", "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).")
def the_limit_of_a_page_is_appended_to_its_offset() -> None:
    def appended(perform: Any, call: Call) -> Any:
        value = perform(call)
        page = value["pagination"]
        end = int(f"{page['offset']}{page['limit']}")
        return {**value, "agents": listings.agents_of(call)[page["offset"] : end]}

    wrap("agents_list", appended)


@term("posts_list", "Returns all scheduled posts of the project, with optional filters.")
def service_accounts_list_the_posts_that_they_scheduled() -> None:
    def scheduled(perform: Any, call: Call) -> Any:
        value = perform(call)
        if not is_real(call):
            value["data"] = {"posts": [], "count": 0}
        return value

    wrap("posts_list", scheduled)


@term("posts_list", "Returns all scheduled posts of the project, with optional filters.")
def the_list_of_posts_ends_with_the_first_that_failed() -> None:
    posts_of = listings.posts_of

    def until(call: Call) -> list[Json]:
        posts = posts_of(call)
        ends = [place for place, post in enumerate(posts, 1) if post["status"] == "failed"]
        return posts[: min(ends, default=len(posts))]

    patch(listings, "posts_of", until)
