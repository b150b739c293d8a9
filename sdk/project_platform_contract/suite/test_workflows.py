"""Endpoints 2: create a workflow."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.date_times import is_date_time
from project_platform_contract.run.api import Api, Fact, SignIn

from .support.json_equality import covers
from .support.reading import discloses_nothing, refused
from .support.resources import WORKFLOW
from .support.subsets import subsets
from .support.type_check import mismatch
from .support.valid_requests import ValidRequests
from .support.workflows import Workflows


def _text(length: int) -> str:
    """Return a text of a length in characters, some of which have two bytes."""
    return ("über-contract-" * (length // 14 + 1))[:length]


@pytest.mark.rule("fields.workflow.types")
@pytest.mark.parametrize("fields", ["few", "all", "active"])
def test_a_workflow_has_the_documented_types(workflows: Workflows, tag: str, fields: str) -> None:
    optional = {"description": tag, "tags": ["contract"], "triggerCondition": {"contract": True}}

    workflow = workflows.create(**({} if fields == "few" else optional), isActive=fields == "active")

    assert mismatch(workflow, WORKFLOW) is None
    assert isinstance(workflow["revision"], str)
    assert is_date_time(workflow["createdAt"])
    assert is_date_time(workflow["updatedAt"])


@pytest.mark.rule("workflows.create.answers-workflow")
def test_the_response_is_the_new_workflow(
    workflows: Workflows, api: Api, valid_requests: ValidRequests, tag: str
) -> None:
    sent = {**valid_requests.workflow(), "description": f"Created by {tag}.", "tags": ["contract", "ü"]}

    workflow = workflows.create(**sent)

    assert workflow["id"]
    assert workflow["projectId"].lower() == api.project.lower()
    assert {name: workflow.get(name) for name in sent} == sent


@pytest.mark.rule("workflows.create.contains")
def test_a_workflow_has_the_actions_and_the_condition_that_were_accepted(workflows: Workflows) -> None:
    """An action may get further members, such as an identifier; a condition may get another form, but is not lost."""
    actions = [{"type": "contract-a", "to": [None, "x", None, "x"], "note": ""}, {"type": "contract-b", "if": {"n": 0}}]
    response = workflows.post(actions=actions, triggerCondition={"field": "stage", "is": ["won", None]})
    if not response.is_success:
        raise MissingError(f"these actions are refused ({response.status_code}); their shape is not specified")

    workflow = response.json()["workflow"]
    assert covers(workflow["actions"], actions), workflow["actions"]
    assert workflow["triggerCondition"] is not None
    for condition in (False, 0):
        response = workflows.post(triggerCondition=condition)
        assert refused(response) or response.json()["workflow"]["triggerCondition"] is not None, condition


@pytest.mark.rule("workflows.create.answers-workflow")
def test_each_creation_creates_another_workflow(workflows: Workflows) -> None:
    assert workflows.create()["id"] != workflows.create()["id"]


@pytest.mark.rule("states.workflow-active")
@pytest.mark.parametrize("is_active", [True, False])
def test_a_workflow_is_active_if_requested(workflows: Workflows, is_active: bool) -> None:
    """It has no actions, so that even an active one does nothing."""
    assert workflows.create(isActive=is_active)["isActive"] is is_active


@pytest.mark.rule("workflows.create.trigger-condition")
@pytest.mark.parametrize("condition", [{"all": [{"field": "stage", "is": "won"}]}, ["won", 1, None], "won", 7, True])
def test_a_trigger_condition_is_any_json(workflows: Workflows, condition: Any) -> None:
    assert workflows.create(triggerCondition=condition)["triggerCondition"] == condition


@pytest.mark.rule("workflows.create.body-types")
@pytest.mark.parametrize(
    "fields",
    [
        {"name": 7},
        {"triggerTypeSlug": ["contract"]},
        {"triggerEventType": {"contract": True}},
        {"actions": {"contract": True}},
        {"description": ["contract"]},
        {"tags": "contract"},
        {"tags": [{"contract": True}]},
        {"isActive": "contract"},
    ],
    ids=str,
)
def test_a_field_of_another_type_is_refused(workflows: Workflows, fact: Fact, fields: dict[str, Any]) -> None:
    response = workflows.post(**fields)

    assert refused(response)
    assert discloses_nothing(response)
    fact("invalidStatus", response.status_code, response)


@pytest.mark.rule("workflows.create.service-account-refused")
def test_a_service_account_cannot_create_a_workflow(
    sign_in: SignIn, workflows: Workflows, valid_requests: ValidRequests
) -> None:
    """Its token is accepted elsewhere, and the same body is accepted from a real user."""
    service_account = sign_in("service_account")
    if not service_account("agents_list").is_success:
        raise MissingError("the token of the service account is not accepted in this project")

    body = valid_requests.workflow()
    optional: dict[str, Any] = {
        "description": "contract",
        "tags": ["contract"],
        "actions": [{"type": "contract"}],
        "triggerCondition": {"contract": 1},
        "isActive": False,
    }

    for names in subsets(optional):
        response = service_account("workflows_create", json={**body, **{name: optional[name] for name in names}})
        assert refused(response), names
        assert discloses_nothing(response), names
    assert workflows.create()["id"]


@pytest.mark.rule("workflows.limits.name")
@pytest.mark.parametrize("length", [1, 200])
def test_a_name_within_its_limits_is_accepted(workflows: Workflows, length: int) -> None:
    """A character counts once, however many bytes it has."""
    name = _text(length)

    assert workflows.create(name=name)["name"] == name


@pytest.mark.rule("workflows.limits.name")
@pytest.mark.parametrize("length", [0, 201])
def test_a_name_beyond_its_limits_is_refused(workflows: Workflows, length: int) -> None:
    assert refused(workflows.post(name=_text(length)))


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("triggerTypeSlug", marks=pytest.mark.rule("workflows.limits.trigger-type-slug")),
        pytest.param("triggerEventType", marks=pytest.mark.rule("workflows.limits.trigger-event-type")),
    ],
)
@pytest.mark.parametrize(("length", "fits"), [(0, False), (1, True), (120, True), (121, False)])
def test_a_trigger_has_1_to_120_characters(workflows: Workflows, field: str, length: int, fits: bool) -> None:
    text = _text(length)

    assert workflows.accepts(field, text) if fits else refused(workflows.post(**{field: text}))


@pytest.mark.rule("workflows.limits.description")
def test_a_description_of_1000_characters_is_accepted(workflows: Workflows) -> None:
    description = _text(1000)

    assert workflows.create(description=description)["description"] == description


@pytest.mark.rule("workflows.limits.description")
def test_a_description_of_1001_characters_is_refused(workflows: Workflows) -> None:
    assert refused(workflows.post(description=_text(1001)))


@pytest.mark.rule("workflows.limits.tags")
def test_twelve_tags_are_accepted(workflows: Workflows) -> None:
    tags = [f"contract-{number}" for number in range(12)]

    assert workflows.create(tags=tags)["tags"] == tags


@pytest.mark.rule("workflows.limits.tags")
def test_thirteen_tags_are_refused(workflows: Workflows) -> None:
    assert refused(workflows.post(tags=[f"contract-{number}" for number in range(13)]))


@pytest.mark.rule("workflows.limits.tag-length")
@pytest.mark.parametrize("length", [1, 40])
def test_a_tag_within_its_limits_is_accepted(workflows: Workflows, length: int) -> None:
    assert workflows.create(tags=[_text(length)])["tags"] == [_text(length)]


@pytest.mark.rule("workflows.limits.tag-length")
@pytest.mark.parametrize("length", [0, 41])
def test_a_tag_beyond_its_limits_is_refused(workflows: Workflows, length: int) -> None:
    """Even if it is not the first tag."""
    assert refused(workflows.post(tags=["contract", _text(length)]))
