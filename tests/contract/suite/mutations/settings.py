"""Broken updates of the sidebar and of memory entries, and broken likes (Endpoints 8, 10 and 11)."""

from __future__ import annotations

from dataclasses import replace

from project_platform_stub.http.errors import forbidden
from project_platform_stub.operations import engagement, memory, sidebar
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Json

from .mutation import alter_value, mutation, patch, schema, wrap


@mutation("sidebar.replace.whole-list", also=("sidebar.replace.*",))
def sections_are_added_and_not_replaced() -> None:
    def added(rule: Handler, call: Call) -> Answer:
        call.project.sidebar = [*call.project.sidebar, *call.body["sections"]]
        return Answer({"success": True, "data": {"sections": call.project.sidebar}})

    wrap("sidebar_replace", added)


@mutation("sidebar.replace.whole-list", also=("sidebar.replace.stored",))
def an_empty_list_of_sections_changes_nothing() -> None:
    def unchanged(rule: Handler, call: Call) -> Answer:
        if call.body["sections"]:
            return rule(call)
        return Answer({"success": True, "data": {"sections": call.project.sidebar}})

    wrap("sidebar_replace", unchanged)


@mutation("sidebar.replace.order", also=("sidebar.replace.whole-list", "fields.sidebar.types"))
def sections_are_in_another_order() -> None:
    alter_value("sidebar_replace", lambda value: value["data"]["sections"].reverse())


@mutation("fields.sidebar.types")
def the_custom_label_of_an_item_is_lost() -> None:
    patch(sidebar, "_ITEM_FIELDS", tuple(name for name in sidebar._ITEM_FIELDS if name != "customLabel"))


@mutation("sidebar.hiding-keeps-authority")
def what_is_hidden_cannot_be_reached() -> None:
    def reached(rule: Handler, call: Call) -> Answer:
        if not any(section.get("items") for section in call.project.sidebar):
            raise forbidden("The entry is hidden.")
        return rule(call)

    for operation in ("agents_list", "posts_list", "web_analytics_get_config"):
        wrap(operation, reached)


@mutation("memory.update.only-provided", also=("memory.update.*",))
def fields_that_are_not_given_are_cleared() -> None:
    def cleared(rule: Handler, call: Call) -> Answer:
        missing = {name: None for name in memory._FIELDS if name not in call.body}
        return rule(replace(call, body={**missing, **call.body}))

    wrap("memory_update", cleared)


@mutation("memory.update.changes", also=("memory.update.*",))
def an_update_of_a_memory_entry_is_not_stored() -> None:
    def forgotten(rule: Handler, call: Call) -> Answer:
        before = call.project.memory.get(call.path["slug"])
        answer = rule(call)
        if before is not None:
            call.project.memory[call.path["slug"]] = before
        return answer

    wrap("memory_update", forgotten)


@mutation("memory.update.changes", also=("memory.update.*",))
def the_content_of_a_memory_entry_cannot_be_changed() -> None:
    patch(memory, "_FIELDS", ("title", "description", "metadata"))


@mutation("memory.update.by-slug", also=("memory.update.slash-in-slug", "memory.update.unknown-slug"))
def any_slug_means_the_first_entry() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        slug = next(iter(call.project.memory), call.path["slug"])
        return rule(replace(call, path={**call.path, "slug": slug}))

    wrap("memory_update", first)


@mutation("memory.update.unknown-slug")
def an_unknown_slug_creates_an_entry() -> None:
    def created(rule: Handler, call: Call) -> Answer:
        slug = call.path["slug"]
        if slug not in call.project.memory:
            template = call.project.memory[next(iter(call.project.memory))]
            call.project.memory[slug] = {**template, "slug": slug}
        return rule(call)

    wrap("memory_update", created)


@mutation("fields.memory-entry.types")
def the_metadata_of_a_memory_entry_is_a_string() -> None:
    alter_value("memory_update", lambda value: value["entry"].update(metadata=str(value["entry"]["metadata"])))


@mutation("engagement.like.unpublished", also=("engagement.like.refused-not-given",))
def a_post_that_is_not_published_is_liked() -> None:
    def published(call: Call, post: Json) -> Json:
        return {**post, "status": "published"}

    patch(engagement, "publish_if_due", published)


@mutation("engagement.like.account-uuid", also=("engagement.like.refused-not-given",))
def an_account_needs_no_uuid() -> None:
    del schema("LikeBody", "accountId")["format"]

    def liked(rule: Handler, call: Call) -> Answer:
        return rule(call) if len(call.body["accountId"]) == 36 else Answer({"success": True})

    wrap("engagement_like", liked)


@mutation("engagement.like.published", also=("engagement.like.*",))
def a_like_is_not_answered_with_success() -> None:
    alter_value("engagement_like", lambda value: value.update(success=False))


@mutation("engagement.like.as-the-page", also=("engagement.like.refused-not-given", "engagement.like.page-only"))
def any_account_likes() -> None:
    def liked(rule: Handler, call: Call) -> Answer:
        page = next(account["id"] for account in call.project.accounts.values() if account["platform"] == "pagenet")
        return rule(replace(call, body={"accountId": page}))

    wrap("engagement_like", liked)


@mutation("memory.update.slash-in-slug", also=("memory.update.*",))
def a_slash_ends_a_slug() -> None:
    def cut(rule: Handler, call: Call) -> Answer:
        return rule(replace(call, path={**call.path, "slug": call.path["slug"].partition("/")[0]}))

    wrap("memory_update", cut)


@mutation("sidebar.replace.success")
def replacing_the_sidebar_is_not_confirmed() -> None:
    alter_value("sidebar_replace", lambda value: value.update(success=False))
