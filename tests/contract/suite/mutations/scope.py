"""Broken separation of projects (What the service does; Endpoints)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from project_platform_contract.rules.kinds import dashed
from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.views import Contents, Project

from .mutation import Break, mutation, patch, wrap
from .parameters import parameter


def in_the_first_project(rule: Handler, call: Call) -> Answer:
    """Call a handler with the world's first project, whichever project the path names."""
    return rule(replace(call, project=next(iter(call.world.projects.values()))))


@mutation("scope.outsider-refused.*", "scope.foreign-project-refused.*")
def who_is_no_member_reaches_a_project() -> None:
    find = OperationDispatcher._project

    def reached(
        self: OperationDispatcher, operation: Operation, contents: Contents, caller: Identity, *others: Any
    ) -> Project:
        path, _ = others
        try:
            return find(self, operation, contents, caller, *others)
        except ApiError as refusal:
            project = contents.projects.get(str(path.get("projectId")).lower())
            if refusal.code != "not_a_member" or project is None:
                raise
            return project

    patch(OperationDispatcher, "_project", reached)


@mutation("scope.outsider-refused.*")
def the_project_of_the_path_is_ignored() -> None:
    find = OperationDispatcher._project

    def home(
        self: OperationDispatcher, operation: Operation, contents: Contents, caller: Identity, *others: Any
    ) -> Project:
        path, context = others
        return find(self, operation, contents, caller, {**path, "projectId": caller.home}, context)

    patch(OperationDispatcher, "_project", home)


@mutation("scope.project-uuid.*")
def what_is_no_uuid_means_the_project_of_the_caller() -> None:
    for operation in ("agents_list", "posts_list", "web_analytics_get_config", "calendar_busy"):
        parameter(operation, "projectId").pop("format", None)
    find = OperationDispatcher._project

    def home(
        self: OperationDispatcher, operation: Operation, contents: Contents, caller: Identity, *others: Any
    ) -> Project:
        path, context = others
        named = path.get("projectId", "")
        return find(self, operation, contents, caller, path if len(named) == 36 else {}, context)

    patch(OperationDispatcher, "_project", home)


def lenient_identifiers(*ids: str) -> Break:
    """Return a mutation in which an identifier that is no UUID means the project of the caller, or the one it begins with."""

    def apply() -> None:
        for id in ids:
            parameter(id, "projectId").pop("format", None)
        find = OperationDispatcher._project

        def found(
            self: OperationDispatcher, operation: Operation, contents: Contents, caller: Identity, *others: Any
        ) -> Project:
            path, context = others
            named = path.get("projectId", "")
            if operation.id in ids and len(named) != 36:
                path = {**path, "projectId": named[:36] if named[:36] in contents.projects else caller.home}
            return find(self, operation, contents, caller, path, context)

        patch(OperationDispatcher, "_project", found)

    apply.__name__ = f"{ids[0]}_needs_no_uuid"
    return apply


@mutation("scope.any-order.*")
def a_project_in_capital_letters_is_another_one() -> None:
    find = OperationDispatcher._project

    def other(
        self: OperationDispatcher, operation: Operation, contents: Contents, caller: Identity, *others: Any
    ) -> Project:
        path, _ = others
        found = find(self, operation, contents, caller, *others)
        if path.get("projectId") == found.id:
            return found
        return next(project for project in contents.projects.values() if project.id != found.id)

    patch(OperationDispatcher, "_project", other)


for operation in ("workflows_create", "records_update", "memory_update", "calendar_book", "templates_apply"):
    mutation(f"scope.project-uuid.{dashed(operation)}")(lenient_identifiers(operation))


@mutation("scope.own-things.agents-list")
def agents_are_always_those_of_the_first_project() -> None:
    wrap("agents_list", in_the_first_project)


@mutation("scope.own-things.web-analytics-get-config", "web-analytics.config.null", also=("web-analytics.*",))
def the_configuration_is_always_that_of_the_first_project() -> None:
    wrap("web_analytics_get_config", in_the_first_project)


@mutation("scope.own-things.posts-list")
def posts_are_always_those_of_the_first_project() -> None:
    wrap("posts_list", in_the_first_project)


@mutation("scope.own-things.photo-analytics-list-media")
def figures_are_given_in_every_project() -> None:
    wrap("photo_analytics_list_media", in_the_first_project)


@mutation("scope.own-things.memory-update")
def a_memory_entry_is_updated_through_every_project() -> None:
    wrap("memory_update", in_the_first_project)


@mutation("scope.own-things.engagement-like")
def a_post_is_liked_through_every_project() -> None:
    wrap("engagement_like", in_the_first_project)
