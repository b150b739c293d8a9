"""Things that only some callers see, and things of other projects (Endpoints 5, 7, 11, 13 to 15)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Json
from project_platform_stub.world.views import Project

from .mutation import mutation, with_body, wrap


def _seen_by(operation: str, change: Callable[[Json], None]) -> None:
    """Change the responses to callers who are not owners, in place."""

    def seen(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        if call.project.members.get(call.caller.id) != "owner":
            assert isinstance(answer.value, dict)
            change(answer.value)
        return answer

    wrap(operation, seen)


@mutation("posts.list.every-caller")
def a_viewer_sees_published_posts_only() -> None:
    def published(value: Json) -> None:
        value["data"]["posts"] = [post for post in value["data"]["posts"] if post["status"] == "published"]

    _seen_by("posts_list", published)


@mutation("photo-analytics.media.every-caller")
def a_viewer_sees_one_medium() -> None:
    _seen_by("photo_analytics_list_media", lambda value: value["data"].update(media=value["data"]["media"][:1]))


@mutation("web-analytics.config.every-caller")
def a_viewer_sees_no_configuration() -> None:
    _seen_by("web_analytics_get_config", lambda value: value.update(config=None))


def _in_project(operation: str, find: Callable[[Call, Project], bool]) -> None:
    """Carry an operation out in the first project in which something is found."""

    def found(rule: Handler, call: Call) -> Answer:
        owner = next((project for project in call.world.projects.values() if find(call, project)), call.project)
        return rule(replace(call, project=owner))

    wrap(operation, found)


@mutation("scope.own-things.calendar-book", also=("scope.*",))
def every_connected_calendar_can_be_written_to() -> None:
    _in_project("calendar_book", lambda call, project: call.body.get("calendarId") in project.calendars)


@mutation("scope.own-things.calendar-busy", also=("scope.*",))
def every_connected_calendar_can_be_read() -> None:
    _in_project("calendar_busy", lambda call, project: call.query.get("calendarId") in project.calendars)


@mutation("posts.list.as-stored", also=("posts.*", "scope.*"))
def posts_of_all_projects_are_listed() -> None:
    def listed(rule: Handler, call: Call) -> Answer:
        rule(call)
        posts = [post for project in call.world.projects.values() for post in project.posts.values()]
        return Answer({"success": True, "data": {"posts": posts}})

    wrap("posts_list", listed)


@mutation("web-analytics.config.as-stored", also=("web-analytics.*", "scope.*"))
def every_project_has_the_first_configuration() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        if call.project.web_analytics is None:
            return rule(call)
        return rule(replace(call, project=next(iter(call.world.projects.values()))))

    wrap("web_analytics_get_config", first)


@mutation("engagement.like.page-only", also=("engagement.*",))
def an_account_of_any_project_likes() -> None:
    def liked(rule: Handler, call: Call) -> Answer:
        account = call.body["accountId"]
        page = next(known["id"] for known in call.project.accounts.values() if known["platform"] == "pagenet")
        others = [project for project in call.world.projects.values() if project.id != call.project.id]
        if any(account in project.accounts for project in others):
            return rule(with_body(call, accountId=page))
        return rule(call)

    wrap("engagement_like", liked)


@mutation("engagement.like.page-only", also=("engagement.*",))
def a_post_of_any_network_is_liked() -> None:
    def liked(rule: Handler, call: Call) -> Answer:
        post = call.project.posts.get(call.path["postId"])
        if post is not None and post["status"] == "published" and post["platform"] != "pagenet":
            return Answer({"success": True})
        return rule(call)

    wrap("engagement_like", liked)
