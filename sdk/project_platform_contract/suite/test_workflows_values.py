"""Endpoints 2, Limits: values of workflows are returned unchanged, and a character counts once wherever it is in Unicode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.fields import FIELDS
from .support.free_form import FALSY, SMALL, TEXTS, free_form
from .support.json_equality import differences
from .support.preconditions import require_success
from .support.reading import refused
from .support.resources import WORKFLOW
from .support.subsets import subsets
from .support.valid_requests import ValidRequests
from .support.words import PASSAGES, SYNTAX, WORDS
from .support.workflows import Workflows

_ASTRAL = "\U0001f33e"  # One character, two UTF-16 code units, four bytes of UTF-8.
_TAG: Final = 40
_TRIGGER: Final = 120
_CONDITIONS: dict[str, Any] = {
    **FALSY,
    "text": " a  b ",
    **{name: TEXTS[name] for name in ("a number", "leading zeros", "a boolean", "null as text", "a JSON text")},
    "number": 1.5,
    "false in a list": [False],
    "any": free_form(),
    **{str(value): value for value in SMALL},
    "one list": [["a"]],
    "one object in a list": [{"a": 1}],
}
_TRIGGERS: Final = ("triggerTypeSlug", "triggerEventType")
_ONE_EACH: Final = frozenset({"\n", "\t", '"', "&<", "\u00fc", _ASTRAL})
"""Characters that are one each, whatever a character is: a code point, or what a reader takes for one."""
_COUNTED_ONCE: Final[Mapping[str, str]] = {
    "line ends": "\n",
    "line ends of two characters": "\r\n",
    "tabs": "\t",
    "quotes": '"',
    "markup": "&<",
    "apostrophes": "'",
    "backslashes": "\\",
    "letters of two bytes": "\u00fc",
    "line separators": "\u2028",
    "astral characters": _ASTRAL,
    "combining marks": "e\u0301",
    "joined characters": "\U0001f469\u200d\U0001f467",
    "ligatures": "\ufdfa",
}
# Surrounding blanks are part of the rule about texts only: many services trim a name.
_NAMES = [text for text in TEXTS.values() if text == text.strip()]

Compared = Callable[[dict[str, Any]], dict[str, Any]]


def _condition(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the trigger condition of a body, whose shape is not shown."""
    return {name: value for name, value in sent.items() if name == "triggerCondition"}


def _but_the_condition(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the other fields of a body."""
    return {name: value for name, value in sent.items() if name != "triggerCondition"}


_FIELDS_AND_CONDITION = pytest.mark.parametrize(
    "compared",
    [
        pytest.param(_but_the_condition, marks=pytest.mark.rule("workflows.create.answers-workflow"), id="fields"),
        pytest.param(_condition, marks=pytest.mark.rule("workflows.create.trigger-condition"), id="condition"),
    ],
)


@pytest.mark.rule("workflows.create.answers-workflow")
def test_members_of_a_trigger_condition_set_no_fields(workflows: Workflows, tag: str) -> None:
    """Although they have the names of those of a workflow."""
    fields = {"name": tag, "description": f"of {tag}", "tags": [tag], "triggerEventType": tag}
    condition = {**FIELDS, **dict.fromkeys(WORKFLOW, "of the condition"), "isActive": True, "tags": ["condition"]}
    sent = {**fields, "triggerCondition": condition}
    if refused(workflows.post(triggerEventType=tag)):  # the deployment accepts only triggers that it knows
        del sent["triggerEventType"]

    workflow = workflows.create(**sent)

    del sent["triggerCondition"]  # its shape is not shown
    assert differences(sent, {name: workflow.get(name) for name in sent}) == []
    assert [name for name in WORKFLOW if workflow.get(name) == "of the condition"] == []


@pytest.mark.rule("workflows.create.trigger-condition")
def test_any_json_is_a_trigger_condition(workflows: Workflows) -> None:
    """Also if it is falsy; a boolean is no number."""
    received = {
        name: workflows.create(triggerCondition=value)["triggerCondition"] for name, value in _CONDITIONS.items()
    }

    assert differences(_CONDITIONS, received) == []


@pytest.mark.rule("workflows.create.answers-workflow")
def test_names_descriptions_and_tags_are_returned_unchanged(workflows: Workflows, tag: str) -> None:
    """In their order, case and Unicode form."""
    chunks = [_NAMES[start : start + 8] for start in range(0, len(_NAMES), 8)]
    sent = [
        {
            "name": f"{tag} {' / '.join(chunk)}"[:200].rstrip(),
            "description": f"{tag}: {' / '.join(chunk)}.",
            "tags": [f"{len(chunk) - number} {text}"[:40].rstrip() for number, text in enumerate(chunk)],
        }
        for chunk in chunks
    ]

    received = [{name: workflows.create(**fields).get(name) for name in fields} for fields in sent]

    assert differences(sent, received) == []


@_FIELDS_AND_CONDITION
def test_words_are_returned_unchanged(workflows: Workflows, tag: str, compared: Compared) -> None:
    """Each is a whole name, description, tag, condition and trigger, unless the deployment accepts only triggers that it knows."""
    texts = [text for text in (*WORDS, *PASSAGES) if text == text.strip()]
    any_trigger = workflows.post(**dict.fromkeys(_TRIGGERS, "contract-unknown")).is_success
    for number, (text, other) in enumerate(pairwise([*texts, texts[0]])):
        words = [word for word in (texts * 2)[number : number + 11] if len(word) <= _TAG]
        sent = {"name": text, "description": other, "tags": [tag, *words], "triggerCondition": text}
        if any_trigger:
            # In lower case: that it is kept is another rule.
            sent |= {
                name: value[:_TRIGGER].strip().lower() for name, value in zip(_TRIGGERS, (text, other), strict=True)
            }
        workflow = workflows.create(**sent)
        sent = compared(sent)
        assert differences(sent, {name: workflow.get(name) for name in sent}) == []


@_FIELDS_AND_CONDITION
def test_optional_fields_are_returned_together_and_apart(workflows: Workflows, tag: str, compared: Compared) -> None:
    """A field does not depend on which others are sent."""
    fields = {
        "description": f"Created by {tag}.",
        "tags": ["b", "a"],
        "triggerCondition": {"a": [0]},
        "isActive": True,
    }

    for names in subsets(fields):
        sent = {name: fields[name] for name in names}
        workflow = workflows.create(**sent)
        expected = compared(sent)
        assert differences(expected, {name: workflow.get(name) for name in expected}) == [], names
        assert "isActive" in sent or workflow["isActive"] is False, names
        assert "description" in sent or workflow.get("description") in {"", None}, names
        assert "tags" in sent or workflow.get("tags") in ([], None), names


@pytest.mark.rule("workflows.create.texts-unchanged")
def test_case_and_empty_texts_are_returned_unchanged(workflows: Workflows) -> None:
    """A deployment that knows its triggers may refuse others."""
    empty = require_success(workflows.post(description="")).json()["workflow"]
    assert empty.get("description") == ""
    for field in ("triggerTypeSlug", "triggerEventType"):
        text = "Contract_Never.Some-Case v1"
        response = workflows.post(**{field: text})
        assert refused(response) or response.json()["workflow"].get(field) == text, field


@pytest.mark.rule("workflows.create.actions")
@pytest.mark.parametrize(
    "actions",
    [
        [{"type": "contract-b", "n": 2}, {"type": "contract-a", "n": 1}, {"type": "contract-b", "n": 2}],
        [{"type": "contract", "of": {"list": [0, "", False, []]}, "empty": {}}],
        ["contract-b", 0, "", False, [], {}, "contract-a", "contract-b"],
        [{"type": "contract", "n": number} for number in range(120)],
        [{"type": "contract", **free_form()}, *WORDS, *SYNTAX, *PASSAGES],
    ],
    ids=["objects", "nested", "mixed", "many", "any"],
)
def test_actions_are_returned_unchanged(workflows: Workflows, actions: list[Any]) -> None:
    """The workflow is not active, and nothing knows these actions."""
    response = workflows.post(actions=actions, isActive=False)
    if refused(response):
        raise MissingError("the deployment accepts only actions that it knows")

    assert differences(actions, response.json()["workflow"].get("actions")) == []


@pytest.mark.rule("workflows.create.texts-unchanged")
def test_blanks_in_texts_are_returned_unchanged(workflows: Workflows, tag: str) -> None:
    sent = {"name": f"  {tag}  blanks ", "description": f"\n {tag}\tblanks\r\n", "tags": [" a", "b ", " c  d "]}

    workflow = workflows.create(**sent)

    assert differences(sent, {name: workflow.get(name) for name in sent}) == []


@pytest.mark.rule("workflows.create.answers-workflow")
def test_empty_optional_fields_are_accepted(workflows: Workflows) -> None:
    """The specification gives them no minimum."""
    workflow = workflows.create(description="", tags=[], actions=[])

    assert workflow.get("description") in {"", None}
    assert workflow.get("tags") in ([], None)
    assert workflow.get("actions") in ([], None)


@pytest.mark.rule("workflows.create.answers-workflow")
def test_a_workflow_is_created_in_the_addressed_project(api: Api, valid_requests: ValidRequests, data: Data) -> None:
    response = api("workflows_create", projectId=data["other_project"], json=valid_requests.workflow())

    assert require_success(response).json()["workflow"]["projectId"].lower() == data["other_project"].lower()


@pytest.mark.rule("states.workflow-active")
def test_activation_does_not_depend_on_other_fields(workflows: Workflows) -> None:
    """Workflows without actions do nothing, even if they are active."""
    answers = {
        wanted: workflows.create(isActive=wanted, tags=["contract"], triggerCondition=not wanted)["isActive"]
        for wanted in (True, False)
    }

    assert differences({"True": True, "False": False}, {str(sent): got for sent, got in answers.items()}) == []


@pytest.mark.parametrize(
    ("field", "length"),
    [
        pytest.param("name", 200, marks=pytest.mark.rule("workflows.limits.name")),
        pytest.param("triggerTypeSlug", 120, marks=pytest.mark.rule("workflows.limits.trigger-type-slug")),
        pytest.param("triggerEventType", 120, marks=pytest.mark.rule("workflows.limits.trigger-event-type")),
        pytest.param("description", 1000, marks=pytest.mark.rule("workflows.limits.description")),
    ],
)
def test_a_character_outside_the_basic_plane_counts_once(workflows: Workflows, field: str, length: int) -> None:
    """Not as two UTF-16 code units, and not as four bytes."""
    assert workflows.accepts(field, _ASTRAL * length)
    assert refused(workflows.post(**{field: _ASTRAL * (length + 1)}))


@pytest.mark.parametrize(
    ("field", "length"),
    [
        pytest.param("name", 200, marks=pytest.mark.rule("workflows.limits.name")),
        pytest.param("description", 1000, marks=pytest.mark.rule("workflows.limits.description")),
    ],
)
@pytest.mark.parametrize("end", [" ", "\n"], ids=["blank", "line end"])
def test_blanks_at_the_end_count(workflows: Workflows, field: str, length: int, end: str) -> None:
    """Unless they are not stored."""
    response = workflows.post(**{field: "x" * length + end})

    assert refused(response) or len(require_success(response).json()["workflow"][field]) <= length


@pytest.mark.rule("workflows.limits.tag-length")
def test_a_character_of_a_tag_counts_once(workflows: Workflows) -> None:
    assert workflows.create(tags=[_ASTRAL * 40])["tags"] == [_ASTRAL * 40]
    assert refused(workflows.post(tags=[_ASTRAL * 41]))


@pytest.mark.rule("workflows.limits.tag-length")
@pytest.mark.parametrize("place", [0, 5, 11])
def test_each_of_twelve_tags_is_checked(workflows: Workflows, place: int) -> None:
    """Twelve tags of 40 characters are accepted."""
    tags = [f"{number:02}{'x' * 38}" for number in range(12)]
    require_success(workflows.post(tags=tags))

    for tag in ("", "x" * 41, "x" * 400):
        assert refused(workflows.post(tags=[*tags[:place], tag, *tags[place + 1 :]])), f"{len(tag)} characters"


@pytest.mark.rule("workflows.limits.name", "workflows.limits.description", "workflows.limits.tags")
def test_limits_hold_together(workflows: Workflows, contract_run: Run) -> None:
    """All fields at their limits are accepted; much beyond one of them, a workflow is refused."""
    full = {
        "name": f"{contract_run.tag} ".ljust(200, "n"),
        "description": "d" * 1000,
        "tags": [f"{number:02}{'t' * 38}" for number in range(12)],
    }

    workflow = workflows.create(**full)

    assert differences(full, {name: workflow.get(name) for name in full}) == []
    for beyond in ({"name": "n" * 20_000}, {"description": "d" * 20_000}, {"tags": ["t"] * 500}):
        assert refused(workflows.post(**{**full, **beyond})), next(iter(beyond))


@pytest.mark.rule("workflows.limits.together")
@pytest.mark.parametrize("characters", _COUNTED_ONCE.values(), ids=_COUNTED_ONCE)
def test_all_fields_may_be_full_at_the_same_time(workflows: Workflows, tag: str, characters: str) -> None:
    """Of characters that a layer escapes, normalizes or counts in another way; one more in any field is refused."""
    full = _full(tag, characters)
    response = workflows.post(**full)
    if refused(response) and refused(workflows.post(**dict.fromkeys(_TRIGGERS, "contract-unknown"))):
        full = {name: value for name, value in full.items() if name not in _TRIGGERS}
        response = workflows.post(**full)

    assert response.is_success, f"all fields at their limits: {response.status_code}"
    workflow = response.json()["workflow"]
    assert differences(full, {name: workflow.get(name) for name in full}) == []
    if characters in _ONE_EACH:
        for name, value in _beyond(full, characters[0]):
            assert refused(workflows.post(**{**full, name: value})), f"one more in {name}"


def _full(tag: str, characters: str) -> dict[str, Any]:
    """Return the fields of a workflow, each as long as possible; they begin and end with letters, since blanks may be removed."""

    def text(start: str, length: int) -> str:
        repeated = characters * ((length - len(start) - 1) // len(characters))
        return f"{start}{repeated}".ljust(length, "x")

    # Control characters in the name of something that exists may be refused for another reason.
    triggers = {name: text("x", _TRIGGER) if characters.isprintable() else "x" * _TRIGGER for name in _TRIGGERS}
    tags = [text(tag, _TAG), *(text(f"{number:02}", _TAG) for number in range(11))]
    return {"name": text("x", 200), "description": text("x", 1000), "tags": tags, **triggers}


def _beyond(full: dict[str, Any], character: str) -> Iterator[tuple[str, Any]]:
    """Yield each field with one more character, and the tags with one more tag."""
    *tags, last = full["tags"]
    yield "tags", [*tags, last, "x"]
    yield "tags", [*tags, f"{last[:-1]}{character}x"]
    for name, value in full.items():
        if name != "tags":
            yield name, f"{value[:-1]}{character}x"
