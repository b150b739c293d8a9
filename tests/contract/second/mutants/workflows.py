"""Workflows and templates."""

from collections import defaultdict
from dataclasses import replace

from ..mutant import Kind, bodies, instead, replies, values
from ..service import workflows
from ..service.app import Refusal, json_reply
from ..service.workflows import is_real
from .sentences import HOLDS, LENGTHS, REAL_USER, TAGS, VARIABLES, WORKFLOW

mutant = Kind("workflows")


@mutant.change(TAGS, "workflows_create", memory={})
def a_tag_belongs_to_the_workflow_that_had_it_first(owned, perform, call):
    value = perform(call)
    known = owned.setdefault(call.project, set())
    sent = list(value["workflow"]["tags"])
    value["workflow"]["tags"] = [tag for tag in sent if tag not in known]
    known.update(sent)
    return value


@mutant.change("Create workflows. Response: `{workflow: Workflow}`.", "workflows_create", memory={})
def a_second_workflow_with_the_same_name_is_answered_with_the_first(answers, perform, call):
    return answers.setdefault((call.project, call.body.get("name", "")), perform(call))


@mutant.change(REAL_USER, "workflows_create", at=instead(workflows, "is_real"))
def service_accounts_may_create_workflows_after_a_person_did(is_real, call):
    return is_real(call) or any(project == call.project for project, _ in call.world.workflows)


@mutant.change(VARIABLES, "templates_apply", memory=defaultdict(dict))
def values_of_the_application_before_supply_the_missing_ones(kept, perform, call):
    values = call.body.get("variableValues", {})
    if isinstance(values, dict):
        kept[call.path["templateId"]].update(values)
        values = dict(kept[call.path["templateId"]])
    return perform(replace(call, body={**call.body, "variableValues": values}))


@mutant.change(HOLDS, "workflows_create", at=replies, memory=[])
def a_refusal_remains_in_the_context_of_the_next_check(refused, operation, request, reply):
    if operation == "auth_check_permission" and reply.status == 200 and refused:
        refused.clear()
        return json_reply(200, {"allowed": False})
    if reply.status == 403:
        refused.append(True)
    return reply


@mutant.change(TAGS, "workflows_create", at=values("workflows_create"))
def a_tag_with_a_comma_comes_apart(value):
    tags = value["workflow"]["tags"]
    value["workflow"]["tags"] = ",".join(tags).split(",") if tags else []


@mutant.change(LENGTHS, "workflows_create", at=instead(workflows, "text"))
def a_description_has_at_most_1000_bytes(text, least=0, most=None):
    fits = text(least, most)
    return fits if most != 1000 else lambda value: fits(value) and len(value.encode()) <= most


@mutant.change(WORKFLOW, "workflows_create", at=bodies("workflows_create"))
def a_workflow_with_a_condition_is_active_though_it_was_switched_off(body):
    if body.get("triggerCondition") and body.get("isActive") is False:
        body["isActive"] = True


@mutant.change(LENGTHS, "workflows_create")
def a_long_name_and_a_long_description_do_not_fit_together(perform, call):
    if sum(len(str(call.body.get(name, ""))) for name in ("name", "description")) > 1100:
        raise Refusal(422, "The workflow is too large.", "invalid")
    return perform(call)


@mutant.change("The report shows what landed and what failed.", "templates_apply")
def reports_for_service_accounts_have_no_failures(perform, call):
    value = perform(call)
    if not is_real(call):
        value["data"]["templateApply"]["report"]["failures"].clear()
    return value
