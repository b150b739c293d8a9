"""Broken creation of workflows (Endpoints 2, Limits)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from project_platform_stub.http.errors import bad_request
from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import Break, alter_operation, alter_value, mutation, schema, with_body, without, wrap
from .scope import in_the_first_project


@mutation("workflows.create.service-account-refused")
def a_service_account_creates_a_workflow() -> None:
    alter_operation("workflows_create", real_user=False)


@mutation("workflows.limits.name")
def a_workflow_name_of_201_characters_is_accepted() -> None:
    schema("CreateWorkflowBody", "name")["maxLength"] = 201


@mutation("workflows.limits.name", also=("workflows.limits.*",))
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


@mutation("workflows.limits.tags", also=("workflows.limits.*",))
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


@mutation("workflows.create.answers-workflow", also=("workflows.create.*",))
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


@mutation(
    "workflows.create.trigger-condition", also=("workflows.create.answers-workflow", "workflows.create.concurrent")
)
def the_trigger_condition_of_a_workflow_is_lost() -> None:
    wrap("workflows_create", lambda rule, call: rule(without(call, "triggerCondition")))


@mutation("workflows.limits.together", also=("workflows.*",))
def the_fields_of_a_workflow_have_1800_characters_together() -> None:
    def checked(rule: Handler, call: Call) -> Answer:
        texts = [value for value in call.body.values() if isinstance(value, str)]
        if sum(map(len, (*texts, *call.body.get("tags", ())))) > 1800:
            raise bad_request("body", "is too long")
        return rule(call)

    wrap("workflows_create", checked)


LIMITS = {
    "name": (200, "workflows.limits.name"),
    "triggerTypeSlug": (120, "workflows.limits.trigger-type-slug"),
    "triggerEventType": (120, "workflows.limits.trigger-event-type"),
    "description": (1000, "workflows.limits.description"),
}


def counted(field: str, length: Callable[[str], int]) -> Break:
    """Return a mutation that limits a field by another length than its number of characters."""
    maximum, _ = LIMITS[field]

    def checked(rule: Handler, call: Call) -> Answer:
        if length(call.body.get(field) or "") > maximum:
            raise bad_request(f"body.{field}", "is too long")
        return rule(call)

    def apply() -> None:
        del schema("CreateWorkflowBody", field)["maxLength"]
        wrap("workflows_create", checked)

    return apply


for field, (_, limit) in LIMITS.items():
    apply = counted(field, lambda text: len(text.encode("utf-16-le")) // 2)
    apply.__name__ = f"{field}_is_counted_in_UTF_16"
    mutation(limit)(apply)


@mutation("workflows.limits.tag-length")
def only_the_first_and_the_last_tag_are_checked() -> None:
    items = schema("CreateWorkflowBody", "tags").pop("items")

    def checked(rule: Handler, call: Call) -> Answer:
        for tag in call.body.get("tags", [])[:1] + call.body.get("tags", [])[-1:]:
            if not isinstance(tag, str) or not items["minLength"] <= len(tag) <= items["maxLength"]:
                raise bad_request("body.tags", "has an invalid tag")
        return rule(call)

    wrap("workflows_create", checked)


@mutation("workflows.limits.tag-length")
def a_tag_is_counted_in_UTF_16() -> None:
    def checked(rule: Handler, call: Call) -> Answer:
        if any(len(tag.encode("utf-16-le")) > 80 for tag in call.body.get("tags", [])):
            raise bad_request("body.tags", "has a tag that is too long")
        return rule(call)

    wrap("workflows_create", checked)


@mutation("workflows.limits.name", "workflows.limits.description", also=("workflows.limits.*",))
def names_and_descriptions_share_a_limit() -> None:
    def checked(rule: Handler, call: Call) -> Answer:
        if len(call.body["name"]) + len(call.body.get("description", "")) > 1100:
            raise bad_request("body", "is too long")
        return rule(call)

    wrap("workflows_create", checked)


@mutation("workflows.limits.tags", also=("workflows.limits.*",))
def more_than_400_tags_are_cut() -> None:
    del schema("CreateWorkflowBody", "tags")["maxItems"]

    def cut(rule: Handler, call: Call) -> Answer:
        tags = call.body.get("tags", [])
        if 12 < len(tags) < 400:
            raise bad_request("body.tags", "has too many tags")
        return rule(with_body(call, tags=tags[:12]))

    wrap("workflows_create", cut)


def alter_field(name: str, change: Callable[[Any], Any]) -> None:
    """Change what a new workflow stores as one of its fields."""

    def altered(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, **{name: change(call.body[name])}) if name in call.body else call)

    wrap("workflows_create", altered)


@mutation("workflows.create.trigger-condition", also=("workflows.create.*",))
def a_falsy_trigger_condition_is_lost() -> None:
    alter_field("triggerCondition", lambda value: value or None)


@mutation("workflows.create.trigger-condition", also=("workflows.create.*",))
def a_trigger_condition_of_false_becomes_0() -> None:
    alter_field("triggerCondition", lambda value: 0 if value is False else value)


@mutation("workflows.create.trigger-condition", also=("workflows.create.*",))
def the_texts_of_a_trigger_condition_are_trimmed() -> None:
    alter_field("triggerCondition", lambda value: value.strip() if isinstance(value, str) else value)


@mutation("workflows.create.answers-workflow", also=("workflows.create.*",))
def tags_are_sorted() -> None:
    alter_field("tags", sorted)


@mutation("workflows.create.answers-workflow")
def tags_are_in_lower_case() -> None:
    alter_field("tags", lambda tags: [tag.lower() for tag in tags])


@mutation("workflows.create.answers-workflow")
def descriptions_are_composed() -> None:
    alter_field("description", lambda text: unicodedata.normalize("NFC", text))


@mutation("workflows.create.answers-workflow")
def markup_in_names_is_escaped() -> None:
    alter_field("name", lambda text: text.replace("<", "&lt;"))


@mutation("workflows.create.texts-unchanged")
def names_are_trimmed() -> None:
    alter_field("name", str.strip)


@mutation("workflows.create.texts-unchanged", also=("workflows.create.*",))
def blanks_in_tags_are_joined() -> None:
    alter_field("tags", lambda tags: [" ".join(tag.split(" ")) if "  " not in tag else "c d" for tag in tags])


@mutation("workflows.create.answers-workflow")
def an_empty_description_is_refused() -> None:
    schema("CreateWorkflowBody", "description")["minLength"] = 1


@mutation("states.workflow-active")
def a_workflow_with_tags_is_active() -> None:
    wrap("workflows_create", lambda rule, call: rule(with_body(call, isActive=True) if call.body.get("tags") else call))


@mutation("workflows.create.answers-workflow")
def a_workflow_is_always_created_in_the_first_project() -> None:
    wrap("workflows_create", in_the_first_project)


@mutation("workflows.create.stored")
def a_workflow_without_a_description_is_stored_with_its_name() -> None:
    def named(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        workflow = answer.value["workflow"]
        described = workflow["description"] or workflow["name"]
        call.project.workflows[workflow["id"]] = {**workflow, "description": described}
        return answer

    wrap("workflows_create", named)
