"""Endpoints 2: create a workflow."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, Fact, SignIn

from .support.reading import discloses_nothing, refused
from .support.resources import WORKFLOW
from .support.type_check import is_date_time, mismatch
from .support.valid_requests import ValidRequests


class Workflows:
    """Workflows that a test creates. They have the run's tag as their name, are not active and do nothing."""

    def __init__(self, api: Api, valid_requests: ValidRequests) -> None:
        self._api = api
        self._fitting = valid_requests

    def post(self, **fields: Any) -> httpx.Response:
        """Return the answer to a creation; its description has the run's tag, where its name has not."""
        named = {} if "name" not in fields or "description" in fields else {"description": self._fitting.tag}
        return self._api("workflows_create", json={**self._fitting.workflow(), **named, **fields})

    def create(self, **fields: Any) -> dict[str, Any]:
        """Return a new workflow."""
        response = self.post(**fields)
        assert response.is_success, f"no workflow was created: {response.status_code}"
        workflow: dict[str, Any] = response.json()["workflow"]
        return workflow

    def takes(self, field: str, text: str) -> bool:
        """Return whether a text is taken.

        Raises:
            MissingError: Only texts that the deployment knows are taken, so its length was not the reason.
        """
        if self.post(**{field: text}).is_success:
            return True
        if field.startswith("trigger") and refused(self.post(**{field: "contract-unknown"})):
            raise MissingError(f"the deployment takes no {field} that it does not know")
        return False


@pytest.fixture
def workflows(api: Api, valid_requests: ValidRequests) -> Workflows:
    """Workflows of this test."""
    return Workflows(api, valid_requests)


def _text(length: int) -> str:
    """Return a text of so many characters, of which some take two bytes."""
    return ("über-contract-" * (length // 14 + 1))[:length]


@pytest.mark.rule("fields.workflow.types")
def test_the_fields_of_a_workflow_are_of_their_types(workflows: Workflows, tag: str) -> None:
    """With all that can be given, the revision is text and the times are date-times."""
    workflow = workflows.create(description=tag, tags=["contract"], triggerCondition={"contract": True})

    assert mismatch(workflow, WORKFLOW) is None
    assert isinstance(workflow["revision"], str)
    assert is_date_time(workflow["createdAt"])
    assert is_date_time(workflow["updatedAt"])


@pytest.mark.rule("workflows.create.answers-workflow")
def test_the_new_workflow_is_answered(workflows: Workflows, api: Api, valid_requests: ValidRequests, tag: str) -> None:
    """With an identifier, in the project, and with what was given."""
    given = {**valid_requests.workflow(), "description": f"Made by {tag}.", "tags": ["contract", "ü"]}

    workflow = workflows.create(**given)

    assert workflow["id"]
    assert workflow["projectId"].lower() == api.project.lower()
    assert {name: workflow.get(name) for name in given} == given


@pytest.mark.rule("workflows.create.answers-workflow")
def test_each_creation_makes_another_workflow(workflows: Workflows) -> None:
    """The same body twice means two workflows, with two identifiers."""
    assert workflows.create()["id"] != workflows.create()["id"]


@pytest.mark.rule("states.workflow-active")
@pytest.mark.parametrize("is_active", [True, False])
def test_a_workflow_is_active_as_it_was_created(workflows: Workflows, is_active: bool) -> None:
    """It has no action, so that an active one does nothing either."""
    assert workflows.create(isActive=is_active)["isActive"] is is_active


@pytest.mark.rule("workflows.create.trigger-condition")
@pytest.mark.parametrize("condition", [{"all": [{"field": "stage", "is": "won"}]}, ["won", 1, None], "won", 7, True])
def test_a_trigger_condition_is_any_json(workflows: Workflows, condition: Any) -> None:
    """An object, a list, a text, a number and a boolean come back as they were given."""
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
    """One field at a time; all others fit."""
    response = workflows.post(**fields)

    assert refused(response)
    assert discloses_nothing(response)
    fact("invalidStatus", response.status_code, response)


@pytest.mark.rule("workflows.create.service-account-refused")
def test_a_service_account_creates_no_workflow(
    sign_in: SignIn, workflows: Workflows, valid_requests: ValidRequests
) -> None:
    """Its token is taken elsewhere, and the same body is taken from a real user."""
    service_account = sign_in("service_account")
    if not service_account("agents_list").is_success:
        raise MissingError("the token of the service account is not taken in this project")

    response = service_account("workflows_create", json=valid_requests.workflow())

    assert workflows.create()["id"]
    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("workflows.limits.name")
@pytest.mark.parametrize("length", [1, 200])
def test_a_name_within_its_limits_is_taken(workflows: Workflows, length: int) -> None:
    """1 and 200 characters are the ends; a character counts once, however many bytes it takes."""
    name = _text(length)

    assert workflows.create(name=name)["name"] == name


@pytest.mark.rule("workflows.limits.name")
@pytest.mark.parametrize("length", [0, 201])
def test_a_name_beyond_its_limits_is_refused(workflows: Workflows, length: int) -> None:
    """One character less than the least, and one more than the most."""
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
    """Both ends are taken, and what is just beyond them is refused."""
    text = _text(length)

    assert workflows.takes(field, text) if fits else refused(workflows.post(**{field: text}))


@pytest.mark.rule("workflows.limits.description")
def test_a_description_of_1000_characters_is_taken(workflows: Workflows) -> None:
    """It comes back whole."""
    description = _text(1000)

    assert workflows.create(description=description)["description"] == description


@pytest.mark.rule("workflows.limits.description")
def test_a_description_of_1001_characters_is_refused(workflows: Workflows) -> None:
    """One more than the most."""
    assert refused(workflows.post(description=_text(1001)))


@pytest.mark.rule("workflows.limits.tags")
def test_twelve_tags_are_taken(workflows: Workflows) -> None:
    """They come back in their order."""
    tags = [f"contract-{number}" for number in range(12)]

    assert workflows.create(tags=tags)["tags"] == tags


@pytest.mark.rule("workflows.limits.tags")
def test_thirteen_tags_are_refused(workflows: Workflows) -> None:
    """One more than the most."""
    assert refused(workflows.post(tags=[f"contract-{number}" for number in range(13)]))


@pytest.mark.rule("workflows.limits.tag-length")
@pytest.mark.parametrize("length", [1, 40])
def test_a_tag_within_its_limits_is_taken(workflows: Workflows, length: int) -> None:
    """1 and 40 characters are the ends."""
    assert workflows.create(tags=[_text(length)])["tags"] == [_text(length)]


@pytest.mark.rule("workflows.limits.tag-length")
@pytest.mark.parametrize("length", [0, 41])
def test_a_tag_beyond_its_limits_is_refused(workflows: Workflows, length: int) -> None:
    """Also where it is not the first."""
    assert refused(workflows.post(tags=["contract", _text(length)]))
