"""Endpoint 2: workflows of two projects, whose fields are combined, at and beyond their limits, and requests that are refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.schema import field_problem, fields_of

from ..support.covering import Row
from ..support.free_form import FALSY, SMALL, TEXTS, free_form, is_plain
from ..support.json_equality import covers, differences
from ..support.permissions import permission_parameter
from ..support.preconditions import require_conclusive
from ..support.reading import discloses_nothing, refused
from .stream import Checks, Command, Stream, shown

Workflow = dict[str, Any]

_LIMITS: Final = {
    "name": "workflows.limits.name",
    "triggerTypeSlug": "workflows.limits.trigger-type-slug",
    "triggerEventType": "workflows.limits.trigger-event-type",
    "description": "workflows.limits.description",
    "tags": "workflows.limits.tags",
    "tag": "workflows.limits.tag-length",
}
RULES: Final = (
    *("fields.workflow.types", "workflows.create.answers-workflow", "workflows.create.trigger-condition"),
    *("workflows.create.contains", "workflows.create.texts-unchanged", "workflows.create.actions"),
    *("workflows.create.concurrent", "workflows.create.stored"),
    *("workflows.create.service-account-refused", "states.workflow-active", "workflows.limits.together"),
    "workflows.limits.characters",
    *_LIMITS.values(),
)
"""The rules that the sequence checks."""

_STEPS: Final = 76  # Number of commands.
_ASTRAL: Final = "\U0001f33e"  # One character, two UTF-16 code units, four bytes of UTF-8.
_WIDE: Final = "\u00fc\u4e2d"  # Two and three bytes of UTF-8.
_CHARACTERS: Final = ("n", _WIDE, _ASTRAL, "\u00fc", "\n", '"', "&<", "\t", "'", "\\", "\u2028", "e\u0301")
_LENGTHS: Final = {"name": 200, "description": 1000, "triggerTypeSlug": 120, "triggerEventType": 120, "tag": 40}
_TRIGGERS: Final = ("triggerTypeSlug", "triggerEventType")
_TAGS: Final = 12  # Maximum number of tags.
_SENT: Final = ("name", "description", "tags", *_TRIGGERS)  # Fields whose values a response repeats.
_AT_ONCE, _REFUSED = 8, 4  # Number of concurrent requests, of which every fourth one is refused.
_ACTIONS: Final[dict[str, list[Any]]] = {
    "empty": [],
    "nested": [{"type": "contract", "of": {"list": [0, "", False, []], "to": [None, "x", None, "x"]}, "empty": {}}],
    "many, some of them equal": [{"type": f"contract-{name}", "n": number} for number in range(40) for name in "bab"],
    "anything": [{"type": "contract", **free_form()}],
}


def _is_harmless(row: Row) -> bool:
    """Return whether a workflow does nothing: one that may be active has no actions."""
    return row.get("isActive", "false") == "false" or row.get("actions", "absent") in {"absent", "empty"}


def _is_named(row: Row) -> bool:
    """Return whether the name or the description has the tag of the run."""
    return row.get("name") in {"plain", "full", "wide", None} or row.get("description") not in {"absent", "empty"}


def _is_beyond(row: Row) -> bool:
    """Return whether a field is beyond its limits: an empty description, or no tag, is within them."""
    return row.get("beyond") != "empty" or row.get("field") not in {"description", "tags"}


_CREATIONS: Final = {
    "name": ("plain", "full", "wide", "one character", "a text"),
    "description": ("absent", "empty", "plain", "full", "wide", "a text"),
    "tags": ("absent", "empty", "full", "wide", "texts", "blanks"),
    "trigger": ("known", "one character", "full", "wide", "a text", "case"),
    "triggerCondition": ("absent", "falsy", "text", "object", "anything"),
    "isActive": ("absent", "true", "false"),
    "actions": ("absent", *_ACTIONS),
    "project": ("project", "other_project"),
}
_BEYOND: Final = {
    "field": tuple(_LIMITS),
    "characters": _CHARACTERS[:3],
    "beyond": ("one more", "many more", "empty"),
    "others": ("absent", "full"),
}


class WorkflowsModel:
    """The model of the workflows of a run.

    Args:
        stream: The stream that sends the commands.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._run = stream.run
        self._known: dict[str, str] = {}  # kinds of fields of which the service accepts only values that it knows
        self._rows = stream.rows(_CREATIONS, possible=lambda row: _is_harmless(row) and _is_named(row))
        self._beyond = stream.rows(_BEYOND, possible=_is_beyond)
        self._characters = cycle(_CHARACTERS)
        self._account = False  # whether the token of a service account is accepted
        self._places = cycle((_TAGS - 1, 0, _TAGS // 2))
        self._active = cycle(({"isActive": False}, {}, {"isActive": True}))
        self._falsy = cycle(FALSY.values())
        self._objects = cycle((*SMALL, {**dict.fromkeys(fields_of("Workflow"), "of the condition"), "isActive": True}))
        self._texts = cycle(stream.random.sample(list(TEXTS.values()), len(TEXTS)))
        self._conditions: list[Any] = []
        self._names: set[str] = set()  # of all workflows that were created
        self._number = 0
        self._last: Workflow = self._plain()

    def learn(self) -> None:
        """Find out which fields accept only values that the service knows.

        Raises:
            MissingError: A workflow with the required fields only is refused.
        """
        plain = dict.fromkeys(_CREATIONS, "absent") | {"name": "plain", "trigger": "known", "project": "project"}
        if not self._post("owner", self._body(plain)).is_success:
            raise MissingError("a workflow with the required fields only is refused")
        for name, kind, known in (("trigger", "unknown", "known"), ("actions", "nested", "empty")):
            if not self._post("owner", self._body({**plain, name: kind, "isActive": "false"})).is_success:
                self._known[name] = known
        if "service_account" in self._run.data.tokens:
            account = self._stream.api("service_account")
            self._account = account("agents_list").is_success or self._holds(account, "workflows:write")

    def _holds(self, api: Api, permission: str) -> bool:
        response = api("auth_check_permission", query={permission_parameter(self._stream.api("owner")): permission})
        return response.is_success and response.json().get("allowed") is True

    def commands(self) -> dict[Command, int]:
        """Return the commands and their weights."""
        return {
            self.create: 20,
            self.create_again: 1,
            self.create_full: 2,
            self.create_beyond_a_limit: 9,
            self.create_as_a_service_account: 3,
            self.create_at_once: 0,
        }

    def forget(self) -> None:
        """Do nothing: a workflow depends on no other one."""

    def create(self, caller: str) -> None:
        """Create a workflow in either project, sometimes after a request that is refused."""
        row = next(self._rows) | self._known
        project = self._run.data.values.get(row["project"], self._run.data["project"])
        body = self._body(row)
        late = self._choice((*[None] * 6, {"name": f"late {self._run.tag}"}, {"tags": [f"late {self._run.tag}"] * 13}))
        if late is not None:
            self._post(None if "name" in late else caller, {**body, **late}, project)
        self._create(caller, body, project, known=row["trigger"] == "case")
        self._last = body

    def create_again(self, caller: str) -> None:
        """Create equal workflows in both projects: each is another one. A service may require that names are unique."""
        for project in ("project", "other_project"):
            if project in self._run.data.values:
                self._create(caller, self._last, self._run.data[project], known=True)

    def create_full(self, caller: str) -> None:
        """Create a workflow with all fields at their limits, whatever their characters."""
        characters = next(self._characters)
        # The specification does not define characters: a service may count the units of UTF-16.
        rule = "workflows.limits.characters" if characters == _ASTRAL else "workflows.limits.together"
        body = self._full(characters)
        response = self._post(caller, body)
        sent = self._stream.sent
        if not response.is_success:
            rules = self._refusing(caller, body, self._run.data["project"], ["name"], response)
            if not rules:
                return
            problem: object = f"{response.status_code} with all fields full of {characters!a}"
        else:
            workflow = response.json()["workflow"]
            problem = differences(body, {name: workflow.get(name) for name in body})
        self._check(rule, problem, sent)

    def create_beyond_a_limit(self, caller: str) -> None:
        """Create a workflow with a field beyond its limit, which is refused whatever else it has."""
        row = next(self._beyond)
        field, full = row["field"], self._full(row["characters"])
        if field in _TRIGGERS and field not in full:
            raise MissingError("the service accepts only triggers that it knows")
        body = full if row["others"] == "full" else self._plain()
        body |= {("tags" if field == "tag" else field): self._too_much(field, row, full)}
        response = self._post(caller, body)
        right = refused(response) and discloses_nothing(response)
        problem = not right and f"{response.status_code} for {field} with {row['beyond']} beside {row['others']} others"
        self._check(_LIMITS[field], problem)
        if row["others"] == "full":
            self._check("workflows.limits.together", problem)

    def create_as_a_service_account(self, caller: str) -> None:
        """Create a workflow as a service account, which is no real user."""
        if not self._account:
            raise MissingError("the data file has no token of a service account that is accepted in this project")
        response = self._post("service_account", self._last | next(self._active))
        right = refused(response) and discloses_nothing(response)
        self._check("workflows.create.service-account-refused", not right and f"{response.status_code}")

    def create_at_once(self, caller: str) -> None:
        """Create several workflows at the same time, some of which are refused; each has its own fields."""
        plain = [self._plain() for _ in range(_AT_ONCE)]
        sent = [body | {"tags": [body["name"][-40:]], "description": body["name"]} for body in plain]
        calls = [body if number % _REFUSED else {**body, "name": "n" * 201} for number, body in enumerate(sent)]
        responses = self._stream.together(lambda body: self._post(caller, body), calls)
        require_conclusive([response.status_code for response in responses])
        for number, (body, response) in enumerate(zip(sent, responses, strict=True)):
            if number % _REFUSED and response.is_success:
                workflow = response.json()["workflow"]
                found = differences(body, {name: workflow.get(name) for name in body}) or self._stream.is_known(
                    workflow["id"]
                )
                self._check("workflows.create.concurrent", found)

    def _create(self, caller: str, body: Workflow, project: str, *, known: bool = False) -> None:
        """Create a workflow, and compare it with the body.

        Args:
            caller: The identity that creates it.
            body: The body.
            project: The project.
            known: Whether the service may refuse it, because of a value that it does not know or that is known already.
        """
        response = self._post(caller, body, project)
        sent = self._stream.sent
        about = f" for {shown(body)}"
        limited = _at_a_limit(body)
        if not response.is_success:
            if known and refused(response):
                return
            for rule in self._refusing(caller, body, project, limited, response):
                self._check(rule, f"{response.status_code}{about}", sent)
            return
        self._names.add(body["name"])
        workflow: Workflow = response.json()["workflow"]
        for rule, problem in self._problems(body, workflow, project):
            self._check(rule, problem and f"{problem}{about}")
        for name in limited:
            self._check(_LIMITS[name], None)
        self._stored(project, workflow)

    def _refusing(
        self, caller: str, body: Workflow, project: str, limited: list[str], response: httpx.Response
    ) -> list[str]:
        """Return the rules that the refusal of a workflow breaks; of values that may be invalid it breaks none.

        Raises:
            MissingError: A plain workflow is refused, too.
        """
        if not self._post(caller, self._plain(), project).is_success:
            raise MissingError("a workflow with the required fields only is refused after others")
        may_be_invalid, tags = self._stream.leaves_out(response), body.get("tags", [])
        shown = {name: value for name, value in body.items() if name not in {"actions", "triggerCondition"}}
        if shown != body and self._post(caller, shown, project).is_success:
            return []  # the shapes of the others are not shown
        if body["name"] in self._names or len(set(tags)) < len(tags):  # they may have to be unique
            return []
        alone = {name: body["tags"][:1] if name == "tag" else body[name] for name in limited}
        broken = [
            name
            for name, value in alone.items()
            if not self._post(caller, {**self._plain(), "tags" if name == "tag" else name: value}, project).is_success
            and (not may_be_invalid or is_plain(value) or self._is_too_long(caller, name, value))
        ]
        texts = [*(value for value in shown.values() if isinstance(value, str)), *tags]
        if may_be_invalid and not broken and not is_plain(texts):
            return []
        if limited and not broken:  # an active workflow may need actions
            inactive = body.get("isActive") and self._post(caller, {**body, "isActive": False}, project).is_success
            return [] if inactive else ["workflows.limits.together"]
        return [_LIMITS[name] for name in broken] or ["workflows.create.answers-workflow"]

    def _is_too_long(self, caller: str, name: str, value: Any) -> bool:
        """Return whether a text at its limit is refused, and a shorter one of the same characters is not."""
        texts, field = ([value], name) if isinstance(value, str) else (value, "tag")
        short = [text[: len(text) // 4] for text in texts]
        body = {"tags": short} if field == "tag" else {name: short[0]}
        full = all(len(text) == _LENGTHS[field] for text in texts)
        return full and bool(self._post(caller, self._plain() | body).is_success)

    def _problems(self, body: Workflow, workflow: Workflow, project: str) -> Iterator[tuple[str, Any]]:
        """Yield the rules of a creation, each with what breaks it."""
        missing = [name for name in ("createdAt", "updatedAt") if workflow.get(name) is None]
        yield "fields.workflow.types", field_problem("Workflow", workflow) or missing
        for name in _SENT:
            if name in body:
                rule = "texts-unchanged" if _may_change(name, body[name]) else "answers-workflow"
                yield f"workflows.create.{rule}", differences({name: body[name]}, {name: workflow.get(name)})
        other = [name for name in ("description", "tags") if name not in body and workflow.get(name)]
        foreign = str(workflow["projectId"]).lower() != project.lower() and f"projectId is {workflow['projectId']!a}"
        yield (
            "workflows.create.answers-workflow",
            (other and f"{other} were not sent") or foreign or self._stream.is_known(workflow["id"]),
        )
        if "isActive" in body:
            active = workflow["isActive"] is not body["isActive"] and f"isActive is {workflow['isActive']!a}"
            yield "states.workflow-active", active
        yield from self._condition_problems(body, workflow)
        if body.get("actions"):
            yield "workflows.create.actions", differences(body["actions"], workflow.get("actions"))
            yield (
                "workflows.create.contains",
                not covers(workflow.get("actions"), body["actions"]) and "actions are lost",
            )

    def _condition_problems(self, body: Workflow, workflow: Workflow) -> Iterator[tuple[str, Any]]:
        """Yield what breaks the rules of the trigger condition, and whether it is that of another workflow."""
        condition = workflow.get("triggerCondition")
        if "triggerCondition" not in body:
            foreign = condition and condition in self._conditions and f"triggerCondition is {shown(condition)}"
            yield "workflows.create.answers-workflow", foreign
            return
        self._conditions.append(body["triggerCondition"])
        yield "workflows.create.trigger-condition", differences(body["triggerCondition"], condition)
        yield "workflows.create.contains", condition is None and "triggerCondition is lost"

    def _stored(self, project: str, workflow: Workflow) -> None:
        """Compare a workflow with what a stub stores: no operation shows it."""
        stub = self._run.target.stub
        if stub is None:
            self._stream.checks.missing.append("no operation shows the stored workflows; only a stub does")
            return
        stored = stub.world.projects[project].workflows
        found = {id: each for id, each in stored.items() if str(each["name"]).startswith("late ")}
        own = json.loads(json.dumps(stored.get(workflow["id"]), default=float))  # fractions are stored as decimals
        same = differences(workflow, own)
        self._check("workflows.create.stored", same or (found and "a refused workflow is stored"))

    def _post(self, identity: str | None, body: Workflow, project: str | None = None) -> Any:
        project = project or self._run.data["project"]
        return self._stream.api(identity)("workflows_create", json=body, projectId=project)

    def _plain(self) -> Workflow:
        """Return a workflow that is not active and has no actions, with a name of its own."""
        values = self._run.data.values
        self._number += 1
        return {
            "name": f"{self._run.tag} {self._number}",
            "triggerTypeSlug": values.get("trigger_type_slug", "contract"),
            "triggerEventType": values.get("trigger_event_type", "contract.never"),
        }

    def _body(self, row: Row) -> Workflow:
        body = self._plain()
        tagged = row["name"] in {"plain", "full", "wide"}
        body["name"] = self._text("name", row["name"], body["name"] if tagged else "")
        if row["description"] != "absent":
            body["description"] = self._text("description", row["description"], "" if tagged else self._run.tag)
        if row["trigger"] != "known":
            body |= {name: self._text(name, row["trigger"], "") for name in _TRIGGERS}
        if row["tags"] != "absent":
            body["tags"] = self._tags(row["tags"])
        if row["triggerCondition"] != "absent":
            body["triggerCondition"] = self._condition(row["triggerCondition"])
        if row["isActive"] != "absent":
            body["isActive"] = row["isActive"] == "true"
        if row["actions"] != "absent":
            body["actions"] = _ACTIONS[row["actions"]]
        return body

    def _text(self, field: str, kind: str, start: str) -> str:
        length = _LENGTHS[field]
        match kind:
            case "full":
                return start.ljust(length, "n")
            case "wide":
                return (start + _WIDE * length)[:length]
            case "a text":
                text = next(self._texts)[: length - len(start) - 1]
                if start or field == "description":
                    return f"{start} {text}".strip() if start else text
                return text if text.strip() and text.isprintable() else "7"
            case "one character":
                return "n"
            case "unknown":
                return "contract-unknown"
            case "case":
                return "Contract_Never.Some-Case v1"
            case _:
                return "" if kind == "empty" and not start else start or f"{field} {self._number}"

    def _tags(self, kind: str) -> list[str]:
        match kind:
            case "full" | "wide":
                return [self._text("tag", kind, f"t{number}") for number in range(_TAGS)]
            case "texts":
                texts = (next(self._texts)[: _LENGTHS["tag"]].strip() for _ in range(5))
                return [*filter(None, texts), TEXTS["a list as text"], "b", "a", "b"]
            case "blanks":
                return [" a", "b ", " c  d "]
            case _:
                return [] if kind == "empty" else ["0"]

    def _condition(self, kind: str) -> Any:
        match kind:
            case "falsy":
                return next(self._falsy)
            case "text":
                return f" {next(self._texts)} "
            case "object":
                return next(self._objects)
            case _:
                return {"contract": self._run.tag, **free_form()}

    def _full(self, characters: str) -> Workflow:
        """Return a workflow with texts as long as possible, which begin and end with letters: blanks may be removed."""
        body = {**self._plain(), "name": _filled("name", "x", characters)}
        body["description"] = _filled("description", self._run.tag, characters)
        body["tags"] = [_filled("tag", f"t{number}", characters) for number in range(_TAGS)]
        if "trigger" not in self._known and characters.isprintable():
            body |= {name: _filled(name, "x", characters) for name in _TRIGGERS}
        return body

    def _too_much(self, field: str, row: Row, full: Workflow) -> Any:
        many = 10 if row["beyond"] == "many more" else 1
        if field == "tags":
            return [*full["tags"], *(["t"] * many)]
        text = _filled(field, "01", row["characters"])
        text = "" if row["beyond"] == "empty" else text[:-1] + row["characters"][0] * many + "x"
        if field != "tag":
            return text
        place = next(self._places)
        return [text if number == place else tag for number, tag in enumerate(full["tags"])]

    def _choice(self, items: Any) -> Any:
        return self._stream.choice(items)

    def _check(self, rule: str, problem: object, until: int | None = None) -> None:
        self._stream.check(rule, problem, self._run.tag, until=until)


def _filled(field: str, start: str, characters: str) -> str:
    """Return a text as long as possible, which ends with a letter: blanks may be removed."""
    length = _LENGTHS[field]
    return (start + characters * ((length - len(start) - 1) // len(characters))).ljust(length, "x")


def _may_change(name: str, value: Any) -> bool:
    """Return whether a service may change a text: remove blanks around it, an empty one, or the case of a trigger."""
    texts = [value] if isinstance(value, str) else value
    return not texts or any(
        text != text.strip() or not text or (name in _TRIGGERS and text != text.lower()) for text in texts
    )


def _at_a_limit(body: Workflow) -> list[str]:
    """Return the limits that a body reaches."""
    tags = body.get("tags") or []
    found = [name for name in _LENGTHS if len(body.get(name, "")) in {1, _LENGTHS[name]}]
    if len(tags) == _TAGS:
        found.append("tags")
    return found + (["tag"] if any(len(tag) in {1, _LENGTHS["tag"]} for tag in tags) else [])


def play(stream: Stream) -> Checks:
    """Send the sequence, and return the checks."""
    model = WorkflowsModel(stream)
    model.learn()
    return stream.play(model, ["owner"], _STEPS)
