"""Broken creation of workflows (Endpoints 2, Limits)."""

from __future__ import annotations

from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import alter_operation, alter_value, mutation, schema, with_body, without, wrap


@mutation("workflows.create.service-account-refused")
def a_service_account_creates_a_workflow() -> None:
    alter_operation("workflows_create", real_user=False)


@mutation("workflows.limits.name")
def a_workflow_name_of_201_characters_is_accepted() -> None:
    schema("CreateWorkflowBody", "name")["maxLength"] = 201


@mutation("workflows.limits.name")
def a_workflow_name_of_200_characters_is_refused() -> None:
    schema("CreateWorkflowBody", "name")["maxLength"] = 199


@mutation("workflows.limits.name")
def an_empty_workflow_name_is_accepted() -> None:
    del schema("CreateWorkflowBody", "name")["minLength"]


@mutation("workflows.limits.trigger-type-slug")
def a_trigger_type_of_121_characters_is_accepted() -> None:
    schema("CreateWorkflowBody", "triggerTypeSlug")["maxLength"] = 121


@mutation("workflows.limits.trigger-event-type")
def an_event_type_of_120_characters_is_refused() -> None:
    schema("CreateWorkflowBody", "triggerEventType")["maxLength"] = 119


@mutation("workflows.limits.description")
def a_workflow_description_of_1001_characters_is_accepted() -> None:
    schema("CreateWorkflowBody", "description")["maxLength"] = 1001


@mutation("workflows.limits.tags")
def thirteen_tags_are_accepted() -> None:
    schema("CreateWorkflowBody", "tags")["maxItems"] = 13


@mutation("workflows.limits.tags")
def twelve_tags_are_refused() -> None:
    schema("CreateWorkflowBody", "tags")["maxItems"] = 11


@mutation("workflows.limits.tag-length")
def a_tag_of_41_characters_is_accepted() -> None:
    schema("CreateWorkflowBody", "tags", "items")["maxLength"] = 41


@mutation("workflows.limits.tag-length")
def an_empty_tag_is_accepted() -> None:
    del schema("CreateWorkflowBody", "tags", "items")["minLength"]


@mutation("states.workflow-active")
def a_workflow_is_never_active() -> None:
    wrap("workflows_create", lambda rule, call: rule(with_body(call, isActive=False)))


@mutation("workflows.create.answers-workflow")
def tags_and_actions_of_a_workflow_are_lost() -> None:
    wrap("workflows_create", lambda rule, call: rule(with_body(call, tags=[], actions=[])))


@mutation("answers.workflows-create")
def a_workflow_is_answered_without_its_wrapper() -> None:
    def bare(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        return Answer(answer.value["workflow"])

    wrap("workflows_create", bare)


@mutation("fields.workflow.types")
def the_revision_of_a_workflow_is_a_number() -> None:
    alter_value("workflows_create", lambda value: value["workflow"].update(revision=1))


@mutation("workflows.create.trigger-condition")
def the_trigger_condition_of_a_workflow_is_lost() -> None:
    wrap("workflows_create", lambda rule, call: rule(without(call, "triggerCondition")))
