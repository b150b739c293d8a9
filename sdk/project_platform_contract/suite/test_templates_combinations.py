"""Endpoints 9: templates that are applied again: with other values and names, by other callers, and at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.applications import COUNTS, Applications, applied, counts_of, report_of
from .support.permission_parameter import permission_parameter
from .support.permission_values import SAMPLED
from .support.preconditions import require_success
from .support.reading import discloses_nothing, refused

_STATED: Final = {"template": "template_report", "failing_template": "failing_template_report"}
_READS: Final = ("agents_list", "posts_list", "web_analytics_get_config")


class Series:
    """Applications of both templates, by several callers, with values for all, some and none of the variables."""

    def __init__(self, sign_in: SignIn, applications: Applications, data: Data) -> None:
        self._applications = applications
        self.data = data
        self.callers = {"owner": sign_in("owner")}
        held = data.values.get("permissions", {}).get("service_account", ())
        if "sub_projects:write" in held and "service_account" in data.tokens:
            self.callers["service_account"] = sign_in("service_account")

    def whole(self) -> dict[str, httpx.Response]:
        """Return the responses to applications with the values of the data file, by the callers in turns."""
        owner, other = next(iter(self.callers)), list(self.callers)[-1]
        found = {}
        for number, (caller, template) in enumerate(
            [
                *((owner, "template"), (other, "failing_template"), (owner, "failing_template")),
                *((other, "template"), (owner, "template")),
            ]
        ):
            which = f"{template} of {caller} {number}"
            values = self.data[f"{template}_variables"]
            found[which] = self._applications.of(self.callers[caller], which, template, values)
        return found

    def partial(self) -> dict[tuple[str, ...], httpx.Response]:
        """Return the responses to applications with a value for each variable alone, and for none, by these variables."""
        values: dict[str, Any] = self.data["template_variables"]
        found = {}
        for number, names in enumerate(((), *((name,) for name in values))):
            caller = list(self.callers)[number % len(self.callers)]
            given = {name: values[name] for name in names}
            which = f"007 with {len(names)} values {number}"
            found[names] = self._applications.of(self.callers[caller], which, "template", given)
        return found

    def at_once(self) -> list[tuple[list[str], httpx.Response]]:
        """Return the responses to applications at the same time, with the names of the variables that have a value."""
        values: dict[str, Any] = self.data["template_variables"]
        given = [dict(list(values.items())[:number]) for number in (len(values), 0, 1)]

        def apply(number: int) -> httpx.Response:
            return self._applications.of(self.callers["owner"], f"at once {number}", "template", given[number])

        with ThreadPoolExecutor(len(given)) as senders:
            return list(zip(map(list, given), senders.map(apply, range(len(given))), strict=True))

    def all(self) -> list[tuple[str, httpx.Response]]:
        """Return all responses, each with its template."""
        whole = [(which.partition(" ")[0], response) for which, response in self.whole().items()]
        return [*whole, *(("template", response) for response in self.partial().values())]


@pytest.fixture
def series(sign_in: SignIn, applications: Applications, data: Data) -> Series:
    """The applications that these tests share."""
    return Series(sign_in, applications, data)


@pytest.mark.rule("templates.apply.creates-sub-project")
def test_every_application_creates_another_project(series: Series, applications: Applications) -> None:
    """With the name of its request, whichever values, template and caller it has."""
    whole, partial = series.whole(), series.partial()
    names = [*whole, *(f"007 with {len(names)} values {number}" for number, names in enumerate(partial))]
    responses = [*whole.values(), *partial.values()]

    projects = [require_success(response).json()["data"]["project"] for response in responses]

    assert [project["name"] for project in projects] == [applications.name(name) for name in names]
    assert len({project["id"] for project in projects}) == len(projects)
    assert all(isinstance(project["slug"], str) and project["slug"] for project in projects)


@pytest.mark.rule("templates.apply.report-stated")
def test_a_later_report_is_that_of_the_template(series: Series, data: Data) -> None:
    """Whatever was applied before, and by whom. A service account may fail to create parts, so its report is its own."""
    for which, response in series.whole().items():
        template, _, caller, _ = which.split(" ")
        if caller != "owner":
            continue
        stated: dict[str, Any] = data[_STATED[template]]
        report = report_of(require_success(response))

        names = {name for value in stated.values() if isinstance(value, list) for part in value for name in part}
        assert _without_order(report, stated.keys(), names) == _without_order(stated, stated.keys(), names), which


@pytest.mark.rule("templates.apply.missing-variables")
def test_exactly_the_variables_without_a_value_are_missing(series: Series, data: Data) -> None:
    """Each alone, and all of them, in turns with applications that lack none."""
    for names, response in series.partial().items():
        missing = sorted(data["template_variables"].keys() - set(names))

        assert sorted(report_of(require_success(response))["missingVariables"]) == missing, names


@pytest.mark.rule("templates.apply.applied")
def test_every_complete_application_has_the_status_applied(series: Series) -> None:
    for which, response in series.whole().items():
        report, outcome = report_of(require_success(response)), applied(response)
        if not (report["failures"] or report["skipped"] or report["missingVariables"]):
            assert outcome["status"] == "applied", which
            assert not outcome.get("error"), which
            assert response.json()["success"] is True, which


@pytest.mark.rule("templates.apply.report-agrees")
def test_all_reports_of_a_template_have_the_same_number_of_parts(series: Series, data: Data) -> None:
    """Each is applied, skipped or failed: without a value, a part may fail, but it does not vanish."""
    for template in _STATED:
        parts = {
            report["appliedCount"] + len(report["skipped"]) + len(report["failures"])
            for of, response in series.all()
            if of == template and (report := report_of(require_success(response)))
        }
        assert len(parts) == 1, template


@pytest.mark.rule("templates.apply.report-agrees")
def test_each_report_matches_its_project(series: Series, contract_run: Run) -> None:
    """Whoever applied the template, and with which values. No operation shows the parts, so only a stub can prove this."""
    contract_run.target.stub_project("the content of a new project")
    stub = contract_run.target.stub
    assert stub is not None
    bare = stub.world.projects[contract_run.data["foreign_project"]]

    for which, response in [*series.all(), *series.at_once()]:
        project = stub.world.projects[require_success(response).json()["data"]["project"]["id"]]
        assert project.parent == contract_run.data["project"], which
        assert report_of(response)["counts"] == counts_of(project, bare), which


@pytest.mark.rule("templates.apply.own-agents")
def test_a_sub_project_has_no_things_of_its_parent(api: Api, series: Series) -> None:
    """Neither agents nor posts, a configuration or figures."""
    for _, response in series.all()[:3]:
        child = require_success(response).json()["data"]["project"]["id"]
        for operation in _READS:
            read = api(operation, projectId=child)
            if read.is_success:
                assert not _things(read) & _things(api(operation)), operation
                assert api.project.lower() not in _projects(read), operation


@pytest.mark.rule("templates.apply.under-parent")
def test_no_application_changes_the_parent(series: Series, sign_in: SignIn, data: Data) -> None:
    """Neither its configuration, nor the permissions of those who have applied templates and of others."""
    api = sign_in("owner")
    before = require_success(api("web_analytics_get_config")).json()
    for _, response in series.all():
        require_success(response)
    name = permission_parameter(api)
    values = [f"{resource}:{action}" for resource in (*SAMPLED, "members") for action in ("read", "write", "manage")]

    for identity, held in data["permissions"].items():
        checks = {value: sign_in(identity)("auth_check_permission", query={name: value}).json() for value in values}
        assert {value: check.get("allowed") for value, check in checks.items()} == {
            value: value in held for value in values
        }
    assert _things(api("web_analytics_get_config")) == {str((before.get("config") or {}).get("id"))} - {"None"}


@pytest.mark.rule("templates.apply.creates-sub-project")
def test_applications_at_the_same_time_create_their_own_projects(series: Series, applications: Applications) -> None:
    projects = [require_success(response).json()["data"]["project"] for _, response in series.at_once()]

    assert [project["name"] for project in projects] == [
        applications.name(f"at once {n}") for n in range(len(projects))
    ]
    assert len({project["id"] for project in projects}) == len(projects)


@pytest.mark.rule("templates.apply.missing-variables")
def test_applications_at_the_same_time_have_their_own_reports(series: Series, data: Data) -> None:
    for names, response in series.at_once():
        missing = sorted(data["template_variables"].keys() - set(names))

        assert sorted(report_of(require_success(response))["missingVariables"]) == missing, names


@pytest.mark.rule("templates.apply.permission")
def test_no_body_makes_up_for_the_permission(sign_in: SignIn, applications: Applications, data: Data, tag: str) -> None:
    """Whichever template and values; also after the same application has succeeded for another caller."""
    require_success(applications.whole(sign_in("owner")))
    callers = [sign_in(identity) for identity in ("viewer", "outsider") if identity in data.tokens]
    if not callers:
        raise MissingError("the data file has no token of a caller without the permission")
    bodies: list[dict[str, Any]] = [
        {"name": f"{tag} refused"},
        {"name": f"{tag} refused", "variableValues": {}},
        {"name": f"{tag} refused", "variableValues": data["template_variables"]},
        {"name": applications.name("whole"), "variableValues": data["template_variables"]},
    ]
    for caller in callers:
        for template in _STATED:
            for body in bodies:
                response = caller("templates_apply", templateId=data[template], json=body)
                assert refused(response), f"{caller.identity} applies {template}"
                assert discloses_nothing(response)


def _things(response: httpx.Response) -> set[str]:
    """Return the identifiers of the agents that are not built in, the posts or the configuration in a response."""
    body = require_success(response).json()
    data = body.get("data", body)
    items = [body["config"]] if body.get("config") else [*data.get("agents", ()), *data.get("posts", ())]
    return {str(item.get("id")) for item in items if not item.get("builtIn")}


def _projects(response: httpx.Response) -> set[str]:
    """Return the projects that the same things name."""
    body = response.json()
    data = body.get("data", body)
    items = [body["config"]] if body.get("config") else [*data.get("agents", ()), *data.get("posts", ())]
    return {str(item["projectId"]).lower() for item in items if item.get("projectId") and not item.get("builtIn")}


def _without_order(report: dict[str, Any], members: Any, names: set[str]) -> dict[str, Any]:
    """Return some members of a report, of whose parts only some names are compared, in any order."""
    return {
        member: sorted(
            (sorted((name, str(part[name])) for name in names & part.keys()) if isinstance(part, dict) else [part])
            for part in report[member]
        )
        if isinstance(report[member], list)
        else {name: report[member].get(name) for name in COUNTS}
        if isinstance(report[member], dict)
        else report[member]
        for member in members
    }
