"""Endpoint 9: templates that several callers apply, with values for all, some and none of the variables, and at the same time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import cycle
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.schema import field_problem, fields_of

from ..support.calendar import moment, wire
from ..support.free_form import TEXTS
from ..support.json_equality import differences, plainly
from ..support.lists import id_of, items_of
from ..support.preconditions import require_conclusive
from ..support.reading import discloses_nothing, refused
from .stream import Checks, Stream, shown
from .template_parts import counts_of, parts_of

Json = dict[str, Any]
Values = Mapping[str, Any]

RULES: Final = (
    *("templates.apply.creates-sub-project", "fields.template-apply.types", "templates.apply.applied"),
    *("templates.apply.missing-variables", "templates.apply.falsy-values", "templates.apply.report-stated"),
    *("templates.apply.report-landed", "templates.apply.report-failures", "templates.apply.report-agrees"),
    *("templates.apply.variables", "templates.apply.parts", "templates.apply.under-parent"),
    *("templates.apply.own-agents", "templates.apply.permission", "templates.apply.another-sub-project"),
    *("templates.apply.permission-alone", "templates.apply.permission-enough", "templates.apply.unknown-template"),
    *("templates.apply.body-types", "templates.apply.remains", "templates.apply.new-lists"),
    "scope.own-things.templates-apply",
)
"""The rules that the applications check."""

_STATED: Final = {"template": "template_report", "failing_template": "failing_template_report"}
_SHORT: Final = [text for text in TEXTS.values() if len(text) < 12]  # A tag of a workflow has at most 40 characters.
_SPECIAL_NAME: Final = "Caf\u00e9 Cafe\u0301  \U0001f33e <b>&amp;</b> {{name}} ${x} %s 'a' \"b\" \\n 007 null "
_READS: Final = ("agents_list", "posts_list", "web_analytics_get_config")
_OTHER: Final = "service_account"
_LATE: Final = timedelta(days=460)  # After everything that tests book.
_INVALID: Final[tuple[Json, ...]] = (
    *({"name": ["a"]}, {"name": 7}),
    *({"variableValues": "text"}, {"variableValues": []}, {"variableValues": ["a"]}),
)
_APPLICATIONS: Final = (
    *(("owner", "template", "all"), (_OTHER, "template", "all"), ("owner", "template", "all")),
    *(("owner", "failing_template", "all"), (_OTHER, "failing_template", "all")),
    *(("owner", "template", kind) for kind in ("none", "last", "falsy", "special", "equal", "texts", "absent")),
    (_OTHER, "template", "first"),
)
"""Callers, templates, and the values of their variables."""


class TemplatesModel:
    """The model of the applications of a run.

    Args:
        stream: The stream that sends them.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._run = stream.run
        held = self._run.data.values.get("permissions", {}).get("service_account", ())
        self._callers = stream.identities("owner", _OTHER) if "sub_projects:write" in held else ["owner"]
        self._texts = cycle(_SHORT)
        stream.is_known(self._run.data["project"])
        self._parts: dict[str, int] = {}  # number of parts by template
        self._whole: dict[str, str] = {}  # a sub-project by template, to which it was applied with all values
        self._number = 0

    def apply_all(self) -> None:
        """Apply both templates with values of each kind, in random order, by several callers."""
        before = self._parent()
        for caller, template, kind in self._stream.random.sample(_APPLICATIONS, len(_APPLICATIONS)):
            self._apply(caller if caller in self._callers else "owner", template, kind)
        self._check("under-parent", self._parent() != before and "the parent is not as it was before")

    def apply_with_a_known_name(self) -> None:
        """Apply a template with the name of another sub-project, and a value that it does not declare; both may be refused."""
        values = {**self._run.data["template_variables"], "contractUndeclared": self._run.tag}
        name = f"{self._run.tag} same"
        sent = (self._run.data["template_variables"], values)  # no irreversible request is sent twice
        responses = [self._send("owner", "template", name, each) for each in sent]
        for response in responses:
            if not refused(response):
                project, report = response.json()["data"]["project"], _report(response)
                wrong = self._stream.is_known(project["id"]) or project["name"] != name or report["missingVariables"]
                self._check("another-sub-project", wrong and f"{shown(project)} with {report['missingVariables']}")

    def apply_at_once(self) -> None:
        """Apply a template several times at the same time, with values of different kinds."""
        sent = {f"{self._run.tag} at once {kind}": self._values("template", kind) for kind in ("all", "none", "first")}
        responses = self._stream.together(lambda each: self._send("owner", "template", *each), [*sent.items()])
        require_conclusive([response.status_code for response in responses])
        for (name, values), response in zip(sent.items(), responses, strict=True):
            self._compare("owner", "template", name, values, response)

    def refuse(self) -> None:
        """Send applications without the permission on the parent or with a defect: nothing is created."""
        name: Json = {"name": f"{self._run.tag} refused"}
        whole = {**name, "variableValues": self._run.data["template_variables"]}
        for identity in self._stream.identities("viewer", "outsider"):
            for template, body in zip(_STATED, (name, whole), strict=True):
                response = self._refuse("templates.apply.permission", identity, body, self._run.data[template])
                if identity == "viewer":
                    self._fact("forbidden-status", response.status_code, response)
        template = self._run.data["template"]
        self._refuse("templates.apply.unknown-template", "owner", name, f"no-such-template-{self._run.tag}")
        for invalid in _INVALID:
            self._refuse("templates.apply.body-types", "owner", {**name, **invalid}, template)
        other = {"projectId": self._run.data["other_project"]}
        self._refuse("scope.own-things.templates-apply", "owner", whole, template, **other)

    def _refuse(self, rule: str, identity: str, body: Json, template: str, **path: Any) -> httpx.Response:
        before = self._projects()
        response = self._stream.api(identity)("templates_apply", templateId=template, json=body, **path)
        wrong = not (refused(response) and discloses_nothing(response)) or self._projects() != before
        problem = wrong and f"{response.status_code} for {shown(body)} of the {identity}"
        self._stream.check(rule, problem, self._run.tag)
        return response

    def apply_with_other_roles(self) -> None:
        """Apply a template as the viewer with another role: no operation assigns roles, so only a stub can prove this."""
        parent, stub = self._run.target.stub_project("the permissions of a role"), self._run.target.stub
        assert stub is not None
        other, permission = stub.world.projects[self._run.data["other_project"]], "sub_projects:write"
        viewer = stub.describe("")["details"]["identities"]["viewer"]["sub"]
        before = parent.members[viewer], other.members[viewer]
        roles = {"only": {permission}, "all others": parent.roles["owner"] - {permission}, "elsewhere": ()}
        for role, permissions in roles.items():
            name = parent.members[viewer] = f"{self._run.tag} {role}"
            parent.roles[name] = frozenset(permissions)
            if role == "elsewhere":
                other.members[viewer] = "owner"
            try:
                response = self._send("viewer", "template", name, None)
            finally:
                parent.members[viewer], other.members[viewer] = before
                del parent.roles[name]
            wrong = response.is_success is not (role == "only")
            self._check("permission-alone", wrong and f"{response.status_code} with the role {role!r}")

    def read_what_remains(self) -> None:
        """Read the agents of a sub-project of which parts failed: the creator may be no member of any."""
        agents = self._stream.api("owner")
        readable = {name: agents("agents_list", projectId=id).is_success for name, id in self._whole.items()}
        if not readable.get("template") or "failing_template" not in readable:
            raise MissingError("the agents of a new sub-project cannot be read")
        self._check("remains", not readable["failing_template"] and "the sub-project cannot be read")

    def _apply(self, caller: str, template: str, kind: str) -> None:
        self._number += 1
        name = f"{self._run.tag} {_SPECIAL_NAME if kind == 'special' else ''}{self._number}"
        values = self._values(template, kind)
        response = self._send(caller, template, name, values)
        if kind == "absent" and refused(response):  # the values may be required
            return
        self._compare(caller, template, name, values, response)
        if (caller, template, kind) == (_OTHER, "template", "all"):
            self._compare_permission(response)
        if kind == "falsy" and response.is_success:
            self._check("falsy-values", _report(response)["missingVariables"])

    def _compare(self, caller: str, template: str, name: str, values: Values | None, response: httpx.Response) -> None:
        """Compare a response with its request."""
        if self._stream.leaves_out(response):
            return
        if not response.is_success:
            self._check("creates-sub-project", f"{response.status_code} for {shown(values)} of {template}")
            return
        body = response.json()
        project, report = body["data"]["project"], _report(response)
        wrong = (
            plainly(project["name"]) != plainly(name) or not project.get("slug") or self._stream.is_known(project["id"])
        )
        self._check("creates-sub-project", wrong and f"{shown(project)} for {name!a}")
        self._stream.check("fields.template-apply.types", _mistyped(body), self._run.tag)
        declared: Values = self._run.data[f"{template}_variables"]
        missing = sorted(declared.keys() - (values or {}).keys())
        if template == "template":
            problem = sorted(report["missingVariables"]) != missing and f"{report['missingVariables']}, not {missing}"
            self._check("missing-variables", problem)
        parts = report["appliedCount"] + len(report["skipped"]) + len(report["failures"])
        known = self._parts.setdefault(template, parts)
        self._check("report-agrees", parts != known and f"{parts} parts of {template}, and {known} before")
        if not missing:
            self._compare_whole(caller, template, values, response)
        self._compare_stored(project, template, values or {}, report)
        if self._number % 4 == 0:
            if not self._stream.checks.counts["templates.apply.new-lists"]:
                self._compare_first_reads(project["id"])
            self._compare_reads(project["id"])

    def _compare_permission(self, response: httpx.Response) -> None:
        """Check that the permission to write is enough, without the one to manage."""
        if "sub_projects:manage" in self._run.data["permissions"]["service_account"]:
            self._stream.checks.missing.append("the service account does not hold sub_projects:write alone")
        else:
            self._check("permission-enough", not response.is_success and f"{response.status_code}")

    def _compare_whole(self, caller: str, template: str, values: Values | None, response: httpx.Response) -> None:
        """Compare the response to an application with a value for each variable."""
        report, outcome = _report(response), response.json()["data"]["templateApply"]
        known = caller == "owner" and values == self._run.data[f"{template}_variables"]
        if outcome["status"] != "applied" and not (outcome.get("error") or _shows_anything(report)):
            self._stream.checks.missing.append(f"the status is {outcome['status']!a}, and the report shows nothing yet")
            return
        if not (report["failures"] or report["missingVariables"]) and (known or not report["skipped"]):
            wrong = outcome["status"] != "applied" or outcome.get("error") or response.json()["success"] is not True
            self._check("applied", wrong and f"{shown(outcome)} though all parts are applied")
        if known:
            self._whole[template] = response.json()["data"]["project"]["id"]
        if not known:  # another caller may fail to create parts, as may other values
            return
        counts = sum(report["counts"][name] for name in fields_of("TemplateCounts"))
        if template == "template":
            landed = report["failures"] or not 0 < counts <= report["appliedCount"]
            self._check("report-landed", landed and f"{shown(report)}")
            applied_count = "sum of counts" if counts == report["appliedCount"] else "more"
            self._fact("applied-count", applied_count, response)
        else:
            parts = report["failures"]
            named = parts and all(part["entity"] and part["name"] and part["error"] and part["code"] for part in parts)
            self._check("report-failures", not named and f"{shown(parts)}")
            self._fact("partial-status", outcome["status"], response)
        stated: Json = self._run.data[_STATED[template]]
        found = {name: _without_order(report[name], stated[name]) for name in stated}
        expected = {name: _without_order(value, value) for name, value in stated.items()}
        self._check("report-stated", differences(expected, found))

    def _compare_stored(self, project: Json, template: str, values: Values, report: Json) -> None:
        """Compare a new project of a stub with its response: no operation shows the content of a project."""
        stub = self._run.target.stub
        if stub is None:
            self._stream.checks.missing.append("no operation shows the content of a new project; only a stub does")
            return
        stored, parent = stub.world.projects[project["id"]], stub.world.projects[self._run.data["project"]]
        apart = not {stored.id, *stored.workflows, *stored.records} & {parent.id, *parent.workflows, *parent.records}
        self._check("under-parent", (stored.parent != parent.id or not apart) and f"the parent is {stored.parent}")
        bare = stub.world.projects[self._run.data["foreign_project"]]
        declared = parent.templates[self._run.data[template]].parts
        counted = (
            counts_of(stored, bare) == report["counts"] and sum(report["counts"].values()) == report["appliedCount"]
        )
        whole = report["appliedCount"] + len(report["skipped"]) + len(report["failures"]) == len(declared)
        self._check("report-agrees", not (counted and whole) and f"{shown(report)}")
        if report["failures"]:
            return
        if template == "template" and not self._run.data["template_variables"].keys() - values.keys():
            texts = {name: value for name, value in values.items() if isinstance(value, str) and value}
            if len(texts) == len(values):
                lost = [part.entity for part in declared if not parts_of(stored, part, texts)]
                self._check("parts", lost and f"the project has no {lost} with {shown(texts)}")
                created = json.dumps([stored.workflows.all(), stored.sidebar], default=str, ensure_ascii=False)
                unused = [
                    value for value in texts.values() if json.dumps(value, ensure_ascii=False)[1:-1] not in created
                ]
                self._check("variables", unused and f"{shown(unused)} is not inserted")

    def _compare_reads(self, child: str) -> None:
        """Compare what the creator reads in a sub-project with what is in the parent."""
        api = self._stream.api("owner")
        for operation in _READS:
            read = api(operation, projectId=child)
            if read.is_success:
                own, parents = _things(read), self._parents_things(operation)
                shared = own.keys() & parents.keys() or self._run.data["project"].lower() in own.values()
                shared = shared or child.lower() in parents.values()
                self._check("own-agents", shared and f"{operation} of the sub-project and its parent share things")

    def _parents_things(self, operation: str) -> dict[str, str]:
        """Return the things of the parent, of all pages, built-in agents included."""
        api = self._stream.api("owner")
        response = api(operation)
        found, read = _things(response, built_in=True), len(items_of(operation, response))
        while response.json().get("pagination", {}).get("hasMore"):
            response = api(operation, query={"limit": 100, "offset": read})
            more = _things(response, built_in=True) if response.is_success else {}
            if more.keys() <= found.keys():  # the list repeats itself, which other tests notice
                break
            found, read = found | more, read + len(items_of(operation, response))
        return found

    def _compare_first_reads(self, child: str) -> None:
        """Compare the first reads of a sub-project with later ones. The service may refuse them, or make agents later."""
        day = moment(self._run.data["free_slot"]) + _LATE
        reads: dict[str, Json] = {
            "posts_list": {},
            "agents_list": {"query": {"limit": 100}},
            "photo_analytics_list_media": {"accountId": self._run.unknown_id},
            "calendar_busy": {"query": {"timeMin": wire(day), "timeMax": wire(day + timedelta(days=1))}},
        }
        for operation, arguments in reads.items():
            first, second = (self._listed(operation, projectId=child, **arguments) for _ in range(2))
            if first is None or second is None:
                continue
            lost = [item for item in first if item not in second]
            more = operation != "agents_list" and first != second
            strange = first and operation in {"posts_list", "photo_analytics_list_media"}
            self._check("new-lists", (lost or more or strange) and f"{operation}: {shown(first)}, then {shown(second)}")

    def _listed(self, operation: str, **arguments: Any) -> list[Any] | None:
        """Return the identifiers in a list; None if it is refused."""
        self._run.forget_reads()
        response = self._stream.api("owner")(operation, **arguments)
        return None if refused(response) else [id_of(item) or item for item in items_of(operation, response)]

    def _send(self, caller: str, template: str, name: str, values: Values | None) -> httpx.Response:
        body = {"name": name, **({} if values is None else {"variableValues": values})}
        return self._stream.api(caller)("templates_apply", templateId=self._run.data[template], json=body)

    def _values(self, template: str, kind: str) -> Values | None:
        """Return values of a kind."""
        values: Json = self._run.data[f"{template}_variables"]
        names = list(values)
        special = (
            f"{{{{{next(iter(names), '')}}}}} $& \\1 \U0001f33e <i>&amp;"  # looks like a variable, a pattern and markup
        )
        kinds: Mapping[str, Callable[[], Values | None]] = {
            "all": lambda: values,
            "none": dict,
            "first": lambda: {names[0]: values[names[0]]},
            "last": lambda: {names[-1]: values[names[-1]]},
            "falsy": lambda: dict(zip(names, cycle((0, "", False)), strict=False)),
            "special": lambda: dict(zip(names, cycle((special, "x")), strict=False)),
            "equal": lambda: dict.fromkeys(names, values[names[0]]),
            "texts": lambda: {name: next(self._texts) for name in names},
            "absent": lambda: None,
        }
        return kinds[kind]()

    def _projects(self) -> int:
        """Return the number of projects of a stub; 0 for a deployment, which does not show it."""
        stub = self._run.target.stub
        return 0 if stub is None else len(stub.world.projects)

    def _parent(self) -> Json:
        """Return the configuration of the parent, and what a template could add to a stub's projects."""
        config = self._stream.api("owner")("web_analytics_get_config").json().get("config") or {}
        stub = self._run.target.stub
        kept = {self._run.data["project"], str(self._run.data.values.get("other_project"))}
        projects: Any = {} if stub is None else stub.world.projects
        return {"config": config.get("id"), **{id: _content(projects[id]) for id in kept if id in projects}}

    def _fact(self, name: str, value: Any, response: httpx.Response) -> None:
        self._stream.checks.facts.append((f"templates.{name}", value, response))

    def _check(self, rule: str, problem: object) -> None:
        self._stream.check(f"templates.apply.{rule}", problem, self._run.tag)


def _report(response: httpx.Response) -> Json:
    report: Json = response.json()["data"]["templateApply"]["report"]
    return report


def _shows_anything(report: Json) -> bool:
    """Return whether a report names a part, or counts one: an application may end after its response."""
    return any((*report["counts"].values(), report["appliedCount"], report["failures"], report["skipped"]))


def _content(project: Any) -> Json:
    """Return what a template can add to a project of a stub."""
    return {
        "object types": sorted(project.object_types.keys()),
        "object relations": list(project.object_relations.values()),
        "roles": sorted(project.roles.keys()),
        "workflows": len(project.workflows),
        "sidebar": project.sidebar,
        "hides": project.hides,
    }


def _mistyped(body: Json) -> object:
    """Return what has another type in the body of a response."""
    project = body["data"]["project"]
    shown = body["success"], project["id"], project["createdAt"]
    return field_problem("TemplateResponse", body) or (None in shown and f"one of {shown} is null")


def _things(response: httpx.Response, *, built_in: bool = False) -> dict[str, str]:
    """Return the agents, built-in ones only if wanted, the posts or the configuration in a response: their projects by identifier."""
    body = response.json()
    data = body.get("data", body)
    items = [body["config"]] if body.get("config") else [*data.get("agents", ()), *data.get("posts", ())]
    return {
        str(item.get("id")): str(item.get("projectId")).lower() for item in items if built_in or not item.get("builtIn")
    }


def _without_order(value: Any, stated: Any) -> Any:
    """Return a member of a report: a list of parts in another order is equal; it and the counts have only the stated members."""
    if isinstance(value, dict):
        return {name: value.get(name) for name in stated}
    if not isinstance(value, list):
        return value
    names = {name for part in stated if isinstance(part, dict) for name in part}
    parts = [{name: part.get(name) for name in names} if isinstance(part, dict) else part for part in value]
    return sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))


def play(stream: Stream) -> Checks:
    """Send the applications, and return the checks."""
    model = TemplatesModel(stream)
    steps = (model.apply_all, model.apply_with_a_known_name, model.apply_at_once, model.apply_with_other_roles)
    for step in (*steps, model.refuse, model.read_what_remains):
        stream.attempt(step)
    return stream.end()
