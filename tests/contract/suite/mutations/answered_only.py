"""Likes and sidebars that are confirmed and not carried out, or altered (Endpoints 8 and 11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from project_platform_stub.http.errors import ApiError, forbidden
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Json

from .idle import idle
from .mutation import alter_value, mutation, with_body, wrap
from .record_updates import keep_what_failed

_SIDEBAR = ("sidebar.replace.*", "fields.sidebar.types")


@mutation("engagement.like.given")
def a_like_is_confirmed_and_not_given() -> None:
    idle("engagement_like")()


@mutation("engagement.like.given")
def a_like_is_given_by_another_account() -> None:
    def other(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        for key, like in list(call.project.likes.items()):
            call.project.likes[key] = {**like, "accountId": call.caller.id}
        return answer

    wrap("engagement_like", other)


@mutation("engagement.like.given")
def a_second_like_takes_the_first_back() -> None:
    def toggled(rule: Handler, call: Call) -> Answer:
        known = set(call.project.likes)
        answer = rule(call)
        key = f"{call.path['postId']} {call.body['accountId']}"
        if key in known:
            del call.project.likes[key]
        return answer

    wrap("engagement_like", toggled)


@mutation("engagement.like.refused-not-given", also=("engagement.*",))
def a_refused_like_is_given() -> None:
    keep_what_failed()

    def given(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError:
            post, account = call.path["postId"], call.body["accountId"]
            call.project.likes[f"{post} {account}"] = {"postId": post, "accountId": account}
            raise

    wrap("engagement_like", given)


@mutation("sidebar.replace.stored", also=("sidebar.replace.*",))
def a_sidebar_is_confirmed_and_not_replaced() -> None:
    idle("sidebar_replace")()


@mutation("sidebar.replace.stored")
def a_sidebar_is_replaced_in_every_project() -> None:
    def everywhere(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        for project in call.world.projects.values():
            project.sidebar = call.project.sidebar
        return answer

    wrap("sidebar_replace", everywhere)


@mutation("sidebar.replace.stored")
def an_empty_sidebar_is_not_stored() -> None:
    def kept(rule: Handler, call: Call) -> Answer:
        before = call.project.sidebar
        answer = rule(call)
        if not call.body["sections"]:
            call.project.sidebar = before
        return answer

    wrap("sidebar_replace", kept)


@mutation("sidebar.hiding-keeps-authority")
def a_hidden_calendar_cannot_be_read() -> None:
    def shown(rule: Handler, call: Call) -> Answer:
        if not call.project.sidebar:
            raise forbidden("The entry is hidden.")
        return rule(call)

    wrap("calendar_busy", shown)


@mutation("sidebar.hiding-keeps-authority")
def hidden_figures_are_not_listed() -> None:
    def shown(rule: Handler, call: Call) -> Answer:
        return rule(call) if call.project.sidebar else Answer({"success": True, "data": {"media": []}})

    wrap("photo_analytics_list_media", shown)


def _sections(change: Callable[[list[Json]], list[Json]]) -> None:
    """Change the sections before they are stored."""
    wrap("sidebar_replace", lambda rule, call: rule(with_body(call, sections=change(call.body["sections"]))))


def _each_text(change: Callable[[str], Any]) -> None:
    """Change the texts of all sections and items."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            members = {name: changed(member) for name, member in value.items()}
            return {name: member for name, member in members.items() if member is not None}
        return change(value) if isinstance(value, str) else value

    _sections(changed)


@mutation("fields.sidebar.types", also=_SIDEBAR)
def texts_of_the_sidebar_are_trimmed() -> None:
    _each_text(str.strip)


@mutation("fields.sidebar.types", also=_SIDEBAR)
def empty_texts_of_the_sidebar_are_lost() -> None:
    _each_text(lambda text: text or None)


@mutation("fields.sidebar.types", also=_SIDEBAR)
def texts_of_the_sidebar_are_cut() -> None:
    _each_text(lambda text: text[:255])


@mutation("fields.sidebar.types", also=_SIDEBAR)
def sections_without_items_are_lost() -> None:
    _sections(lambda sections: [section for section in sections if section.get("items")])


@mutation("fields.sidebar.types", also=_SIDEBAR)
def items_without_an_icon_are_lost() -> None:
    _sections(
        lambda sections: [
            {**section, "items": [item for item in section.get("items", []) if item.get("icon")]}
            if isinstance(section.get("items", []), list)
            else section
            for section in sections
        ]
    )


@mutation("fields.sidebar.types", also=_SIDEBAR)
def the_custom_label_of_an_item_is_its_label() -> None:
    def labelled(value: Json) -> None:
        for section in value["data"]["sections"]:
            for item in section.get("items", []):
                item["label"] = item.get("customLabel", item.get("label"))

    alter_value("sidebar_replace", labelled)


@mutation("sidebar.replace.whole-list", also=_SIDEBAR)
def twenty_sections_are_stored() -> None:
    _sections(lambda sections: sections[:20])


@mutation("sidebar.replace.whole-list", also=_SIDEBAR)
def fifty_items_are_stored() -> None:
    _sections(
        lambda sections: [
            {**section, "items": section["items"][:50]} if section.get("items") else section for section in sections
        ]
    )


@mutation("sidebar.replace.whole-list", also=_SIDEBAR)
def sections_with_the_same_label_are_merged() -> None:
    _sections(
        lambda sections: list(
            {section.get("label", number): section for number, section in enumerate(sections)}.values()
        )
    )
