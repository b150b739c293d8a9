"""Endpoints 2, Limits: workflows whose fields are combined, at and beyond their limits, after each other and by several callers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from random import Random
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import SignIn
from project_platform_contract.run.contract_run import Run

from .support.covering import Row, covering
from .support.free_form import FALSY, KEYS, LISTS, NUMBERS, TEXTS, deep
from .support.json_equality import differences
from .support.preconditions import require_conclusive, require_refused, require_success
from .support.reading import discloses_nothing, refused
from .support.valid_requests import ValidRequests

_ASTRAL: Final = "\U0001f33e"  # One character, two UTF-16 code units, four bytes of UTF-8.
_WIDE: Final = "\u00fc" + _ASTRAL
_NAMED: Final = frozenset({"plain", "full", "full of wide characters"})


def _is_harmless(row: Row) -> bool:
    """Return whether a workflow does nothing: one that may be active has no actions."""
    return row.get("isActive") == "false" or row.get("actions") != "objects"


def _is_named(row: Row) -> bool:
    """Return whether the name or the description has the tag of the run."""
    return row.get("name") in {*_NAMED, None} or row.get("description") not in {"absent", "empty"}


_CREATIONS: Final = covering(
    {
        "name": ("plain", "full", "full of wide characters", "one character", "a text"),
        "description": ("absent", "empty", "plain", "full", "full of wide characters", "a text"),
        "tags": ("absent", "empty", "one character", "full", "full of wide characters", "texts"),
        "trigger": ("known", "one character", "full", "full of wide characters"),
        "triggerCondition": ("absent", "null", "falsy", "number", "text", "list", "object", "nested"),
        "isActive": ("absent", "true", "false"),
        "actions": ("absent", "empty", "objects"),
        "project": ("project", "other_project"),
    },
    possible=lambda row: _is_harmless(row) and _is_named(row),
)
_OTHERS: Final = {
    "description": ("absent", "full"),
    "tags": ("absent", "full"),
    "triggerCondition": ("absent", "falsy", "object"),
    "isActive": ("absent", "true", "false"),
    "actions": ("absent", "empty", "objects"),
}
_BEYOND: Final = {
    "name": ("", "n" * 201, _ASTRAL * 201),
    "trigger-type-slug": ("", "t" * 121, _WIDE * 61),
    "trigger-event-type": ("", "t" * 121, _WIDE * 61),
    "description": ("d" * 1001, _ASTRAL * 1001),
    "tags": (["t"] * 13, [f"tag {number}" for number in range(13)], [f"{number:02}{'t' * 38}" for number in range(13)]),
    "tag-length": ([""], ["a", "b", "t" * 41], [*(["t" * 40] * 11), _ASTRAL * 41]),
}
_FIELDS: Final = {
    "trigger-type-slug": "triggerTypeSlug",
    "trigger-event-type": "triggerEventType",
    "tag-length": "tags",
}
_TOGETHER: Final = 12  # Number of workflows that are created at the same time.

Workflow = dict[str, Any]


@pytest.mark.parametrize(
    "which",
    [
        pytest.param("fields", marks=pytest.mark.rule("workflows.create.answers-workflow")),
        pytest.param("condition", marks=pytest.mark.rule("workflows.create.trigger-condition")),
    ],
)
def test_each_workflow_has_its_own_fields(
    sign_in: SignIn, valid_requests: ValidRequests, data: Data, tag: str, which: str
) -> None:
    """Whichever fields it has, and whatever was created or refused before; each field is at a limit beside each other one."""
    owner, stranger = sign_in("owner"), sign_in(None)
    bodies = Bodies(valid_requests.workflow(), tag)
    known = _accepted(lambda body: owner("workflows_create", json=body).is_success, bodies)
    created: list[Workflow] = []
    for number, row in enumerate(_CREATIONS):
        body = bodies.next({**row, **known})
        project = data[row["project"]]
        if number % 4 == 0:
            require_refused(stranger("workflows_create", projectId=project, json={**body, "name": f"late {tag}"}))
        if number % 4 == 2:  # half way to the next one
            require_refused(owner("workflows_create", projectId=project, json={**body, "tags": [f"late {tag}"] * 13}))
        response = owner("workflows_create", projectId=project, json=body)
        assert response.is_success, f"creation {number}, {body!a}: {response.status_code}"
        workflow: Workflow = response.json()["workflow"]
        if which == "condition":
            found = differences(body.get("triggerCondition"), workflow.get("triggerCondition"))
            assert "triggerCondition" not in body or found == [], f"creation {number}, {body!a}"
            continue
        assert _differences(body, workflow, bodies.conditions) == [], f"creation {number}, {body!a}"
        assert str(workflow["projectId"]).lower() == project.lower(), f"creation {number}"
        created.append(workflow)

    assert len({workflow["id"] for workflow in created}) == len(created)


@pytest.mark.rule("states.workflow-active")
def test_a_workflow_is_active_as_it_says(sign_in: SignIn, valid_requests: ValidRequests, tag: str) -> None:
    """Whichever other fields it has, and after workflows that are active or refused."""
    owner, bodies = sign_in("owner"), Bodies(valid_requests.workflow(), tag)
    known = _accepted(lambda body: owner("workflows_create", json=body).is_success, bodies)
    for number, row in enumerate(covering({**_OTHERS, "trigger": ("known", "full")}, possible=_is_harmless)):
        body = bodies.next({"name": "plain", **row, **known})
        if number % 3 == 0:
            require_refused(owner("workflows_create", json={**body, "name": "", "isActive": not body.get("isActive")}))
        workflow = require_success(owner("workflows_create", json=body)).json()["workflow"]
        assert "isActive" not in body or workflow["isActive"] is body["isActive"], f"creation {number}, {body!a}"


@pytest.mark.rule("workflows.create.stored")
def test_workflows_are_stored_as_the_responses_show_them(
    sign_in: SignIn, valid_requests: ValidRequests, contract_run: Run, tag: str
) -> None:
    """No operation shows a workflow, so only a stub can prove this. A refused one is not stored."""
    project, owner = contract_run.target.stub_project("the stored workflows"), sign_in("owner")
    bodies = Bodies(valid_requests.workflow(), tag)
    before = json.loads(json.dumps(dict(project.workflows.items()), default=float))
    shown: dict[str, Workflow] = {}
    for row in _CREATIONS[:24]:
        body = bodies.next(row)
        require_refused(owner("workflows_create", json={**body, "name": ""}))
        workflow = require_success(owner("workflows_create", json=body)).json()["workflow"]
        shown[workflow["id"]] = workflow

    stored = json.loads(json.dumps(dict(project.workflows.items()), default=float))  # fractions are stored as decimals
    assert differences({**before, **shown}, stored) == []


@pytest.mark.rule("workflows.create.concurrent")
def test_concurrent_workflows_have_their_own_fields(sign_in: SignIn, valid_requests: ValidRequests, tag: str) -> None:
    """Some are refused, and none has fields of another one."""
    owner = sign_in("owner")
    sent: list[Workflow] = []
    for number in range(_TOGETHER):
        fields = {"description": f"{number}", "tags": [f"tag {number}"], "triggerCondition": {"number": number}}
        some = {name: value for place, (name, value) in enumerate(fields.items()) if (number >> place) % 2}
        sent.append({**valid_requests.workflow(), "name": f"{tag} {number}", **some})

    def create(number: int) -> httpx.Response:
        body = sent[number // 2]
        return owner("workflows_create", json=body if number % 2 else {**body, "name": "n" * 201})

    with ThreadPoolExecutor(6) as senders:
        responses = list(senders.map(create, range(2 * len(sent))))
    require_conclusive([response.status_code for response in responses])

    created = [require_success(response).json()["workflow"] for response in responses[1::2]]
    conditions = [body["triggerCondition"] for body in sent if "triggerCondition" in body]
    assert [_differences(*pair, conditions) for pair in zip(sent, created, strict=True)] == [[]] * len(sent)
    assert len({workflow["id"] for workflow in created}) == len(created)


@pytest.mark.parametrize(
    "limit", [pytest.param(limit, marks=pytest.mark.rule(f"workflows.limits.{limit}")) for limit in _BEYOND]
)
def test_a_limit_holds_whatever_else_a_workflow_has(
    sign_in: SignIn, valid_requests: ValidRequests, tag: str, limit: str
) -> None:
    """Beyond it, a workflow is refused; without what is beyond it, the same workflow is accepted."""
    owner, field = sign_in("owner"), _FIELDS.get(limit, limit)
    bodies = Bodies(valid_requests.workflow(), tag)
    known = _accepted(lambda body: owner("workflows_create", json=body).is_success, bodies)
    rows = covering({**_OTHERS, "beyond": _BEYOND[limit]}, possible=_is_harmless)
    for number, row in enumerate(rows):
        body = bodies.next({"name": "plain", "trigger": "known", **row, **known})
        if number % 4 == 0:
            require_success(owner("workflows_create", json=body))
        response = owner("workflows_create", json={"description": tag, **body, field: row["beyond"]})
        assert refused(response), f"{limit} {row}: {response.status_code}"
        assert discloses_nothing(response)


class Bodies:
    """Bodies of workflows.

    Args:
        least: A body with the fields that every workflow has.
        tag: Tag of the run.

    Attributes:
        conditions: The trigger conditions so far.
    """

    def __init__(self, least: Mapping[str, Any], tag: str) -> None:
        self._least = least
        self._tag = tag
        chance = Random(5)  # noqa: S311  # no secret
        whole = [text for text in TEXTS.values() if text == text.strip() and text.isprintable()]
        self._texts = cycle(chance.sample(whole, len(whole)))
        self._falsy = cycle(FALSY.values())
        self._numbers = cycle((*NUMBERS.values(), True))
        self._lists = cycle(LISTS.values())
        self.conditions: list[Any] = []

    def next(self, row: Row) -> Workflow:
        """Return a body with fields of some kinds."""
        body = {name: self._least[name] for name in ("triggerTypeSlug", "triggerEventType")}
        named = row["name"] in _NAMED
        body["name"] = self._text(row["name"], 200, named=named)
        if row["description"] != "absent":
            body["description"] = self._text(row["description"], 1000, named=not named)
        if row["tags"] != "absent":
            body["tags"] = self._tags(row["tags"])
        if row["trigger"] != "known":
            slug = {"one character": "t", "full": "t" * 120, "full of wide characters": _WIDE * 60}[row["trigger"]]
            body |= {"triggerTypeSlug": slug, "triggerEventType": slug[::-1]}
        if row["triggerCondition"] != "absent":
            body["triggerCondition"] = self._condition(row["triggerCondition"])
            self.conditions.append(body["triggerCondition"])
        if row["isActive"] != "absent":
            body["isActive"] = row["isActive"] == "true"
        if row["actions"] != "absent":
            body["actions"] = [] if row["actions"] == "empty" else [{"type": f"contract {self._tag}", "n": [0, ""]}, {}]
        return body

    def _text(self, kind: str, limit: int, *, named: bool) -> str:
        start = f"{self._tag} " if named else ""
        match kind:
            case "full":
                return start.ljust(limit, "n")
            case "full of wide characters":
                return (start + _WIDE * limit)[:limit]
            case "a text":
                return start + next(self._texts)
            case "plain":
                return f"{self._tag} {limit}"
            case _:
                return start if kind == "empty" else "7"

    def _tags(self, kind: str) -> list[str]:
        match kind:
            case "full":
                return [f"{number:02}{'t' * 38}" for number in range(12)]
            case "full of wide characters":
                return [f"{number:02}{_WIDE * 19}" for number in range(12)]
            case "texts":
                return [next(self._texts)[:40].strip() for _ in range(5)]
            case _:
                return [] if kind == "empty" else ["0"]

    def _condition(self, kind: str) -> Any:
        match kind:
            case "null":
                return None
            case "falsy":
                return next(self._falsy)
            case "number":
                return next(self._numbers)
            case "text":
                return f" {next(self._texts)} "
            case "list":
                return next(self._lists)
            case "object":
                return {"contract": self._tag, **KEYS}
            case _:
                return deep(12, [{"contract": self._tag, "falsy": dict(FALSY)}])


def _accepted(accepts: Callable[[Workflow], bool], bodies: Bodies) -> dict[str, str]:
    """Return the kinds of fields for which a deployment accepts only values that it knows."""
    plain = dict.fromkeys(("description", "tags", "triggerCondition", "isActive", "actions"), "absent")
    plain |= {"name": "plain", "trigger": "known"}
    if not accepts(bodies.next(plain)):
        raise MissingError("a workflow with the required fields only is refused")
    tried = {"trigger": "full", "actions": "objects"}
    safe = {"trigger": "known", "actions": "empty"}
    return {name: safe[name] for name, kind in tried.items() if not accepts(bodies.next({**plain, name: kind}))}


def _differences(body: Workflow, workflow: Workflow, conditions: list[Any]) -> list[str]:
    """Return how a new workflow differs from the body of its creation, and what it has of another one.

    Not compared is what the specification does not say: actions, and whether an empty description is null. Whether a workflow is
    active, and has its trigger condition, are other rules.
    """
    sent = {name: value for name, value in body.items() if name not in {"actions", "isActive", "triggerCondition"}}
    shown = {name: workflow.get(name) for name in sent}
    if sent.get("description") == "" and shown["description"] is None:
        shown["description"] = ""
    found = differences(sent, shown)
    empty: dict[str, tuple[Any, ...]] = {"description": ("", None), "tags": ([], None)}
    for name in empty.keys() - sent.keys():
        if not any(differences(value, workflow.get(name)) == [] for value in empty[name]):
            found.append(f"{name} is {workflow.get(name)!a}; it was not sent")
    condition = workflow.get("triggerCondition")
    if (
        condition
        and condition in conditions
        and ("triggerCondition" not in body or condition != body["triggerCondition"])
    ):
        found.append(f"triggerCondition is {condition!a}; it was not sent")
    return found
