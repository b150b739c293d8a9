"""Endpoints 9, rules 2 and 3: the values of a template's variables, and the report of what landed and what failed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.applications import COUNTS, Applications, applied, counts_of, report_of
from .support.free_form import TEXTS
from .support.preconditions import require_success
from .support.reading import refused

# Short, because a tag of a workflow has 40 characters.
_TEXTS = [text for text in TEXTS.values() if len(text) < 12]


@pytest.mark.rule("templates.apply.applied")
def test_a_complete_application_has_the_status_applied(api: Api, applications: Applications) -> None:
    response = applications.whole(api)

    assert applied(response)["status"] == "applied"
    assert response.json()["success"] is True
    assert not applied(response).get("error")


@pytest.mark.rule("templates.apply.report-landed")
def test_the_report_counts_the_applied_parts(api: Api, applications: Applications, fact: Fact) -> None:
    """The total may include parts of other kinds."""
    response = applications.whole(api)

    report = report_of(response)
    counts = sum(report["counts"][name] for name in COUNTS)
    assert report["failures"] == []
    assert 0 < counts <= report["appliedCount"]
    fact("templates.applied-count", "sum of counts" if counts == report["appliedCount"] else "more", response)


@pytest.mark.rule("templates.apply.report-agrees")
def test_the_counts_match_the_new_project(api: Api, applications: Applications, contract_run: Run) -> None:
    """No operation shows all parts of a project, so only a stub can prove this."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the content of a new project; only a stub does")
    response = applications.whole(api)

    project = contract_run.target.stub.world.projects[response.json()["data"]["project"]["id"]]

    bare = contract_run.target.stub.world.projects[contract_run.data["foreign_project"]]
    assert report_of(response)["counts"] == counts_of(project, bare)


@pytest.mark.rule("templates.apply.report-failures")
def test_the_report_lists_the_failed_parts(api: Api, applications: Applications, fact: Fact) -> None:
    response = applications.failing(api)

    outcome = applied(response)
    failures = outcome["report"]["failures"]
    assert failures
    assert all(part["entity"] and part["name"] and part["error"] and part["code"] for part in failures)
    fact("templates.partial-status", outcome.get("status"), response)


@pytest.mark.rule("templates.apply.report-agrees")
@pytest.mark.parametrize("which", ["whole", "without_values", "special", "failing"])
def test_each_part_is_counted_once(
    api: Api, applications: Applications, contract_run: Run, data: Data, which: str
) -> None:
    """No operation shows the parts of a template, so only a stub can prove this."""
    project = contract_run.target.stub_project("the parts of a template")
    parts = project.templates[data["failing_template" if which == "failing" else "template"]].parts

    report = report_of(getattr(applications, which)(api))

    assert report["appliedCount"] + len(report["skipped"]) + len(report["failures"]) == len(parts)
    assert sum(report["counts"].values()) == report["appliedCount"]


@pytest.mark.rule("templates.apply.report-stated")
@pytest.mark.parametrize(("which", "stated"), [("whole", "template_report"), ("failing", "failing_template_report")])
def test_the_report_is_that_of_the_template(
    api: Api, applications: Applications, data: Data, which: str, stated: str
) -> None:
    """The data file states it, because no operation shows the parts of a template; the order of parts is not compared."""
    expected: dict[str, Any] = data[stated]

    report = report_of(getattr(applications, which)(api))

    assert {name: _without_order(report[name], expected[name]) for name in expected} == {
        name: _without_order(value, value) for name, value in expected.items()
    }


@pytest.mark.rule("templates.apply.variables")
def test_values_replace_variables(api: Api, applications: Applications, contract_run: Run, data: Data) -> None:
    """Only a stub shows the content of the new project."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the content of a new project; only a stub does")

    project = contract_run.target.stub.world.projects[applications.whole(api).json()["data"]["project"]["id"]]

    created = json.dumps([project.workflows.all(), project.sidebar], default=str)
    assert "{{" not in created
    assert all(value in created for value in data["template_variables"].values())


@pytest.mark.rule("templates.apply.parts")
@pytest.mark.parametrize("number", range(len(_TEXTS)))
def test_every_part_is_in_the_new_project(
    api: Api, applications: Applications, contract_run: Run, data: Data, number: int
) -> None:
    """With the values of its variables, of each kind. No operation shows the parts, so only a stub can prove this."""
    template, stub = contract_run.target.stub_project("the parts of a template"), contract_run.target.stub
    assert stub is not None
    values = data["template_variables"]
    if number:
        values = dict(zip(values, _TEXTS[number:] + _TEXTS[:number], strict=False))
    response = applications.of(api, f"texts {number}", "template", values)
    project = stub.world.projects[response.json()["data"]["project"]["id"]]
    found = {
        "objectType": [
            {"slug": kind.slug, "name": kind.name, "linksToPerson": kind.links_to_person}
            for kind in project.object_types.values()
        ],
        "objectRelation": list(project.object_relations.values()),
        "role": [{"name": name, "permissions": permissions} for name, permissions in project.roles.items()],
        "workflow": list(project.workflows.values()),
        "sidebarSection": project.sidebar,
        "perRoleHide": project.hides,
    }

    for part in template.templates[data["template"]].parts:
        body = _with_values(part.body, values)
        assert any(_has(item, body) for item in found[part.entity]), f"the project has no {part.entity} {body}"


@pytest.mark.rule("templates.apply.variables")
def test_a_value_is_inserted_as_it_is(api: Api, applications: Applications, contract_run: Run) -> None:
    """Also if it looks like a variable, a pattern or markup. Only a stub shows the content of the new project."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the content of a new project; only a stub does")

    project = contract_run.target.stub.world.projects[applications.special(api).json()["data"]["project"]["id"]]

    value = applications.special_text
    texts = [text for text in _texts([project.workflows.all(), project.sidebar]) if "{{" in text or "$&" in text]
    assert texts
    assert [text for text in texts if value not in text or "{{" in text.replace(value, "")] == []


@pytest.mark.rule("templates.apply.falsy-values")
@pytest.mark.parametrize("which", ["falsy", "special"])
def test_a_falsy_value_is_a_value(api: Api, applications: Applications, which: str) -> None:
    assert report_of(getattr(applications, which)(api))["missingVariables"] == []


@pytest.mark.rule("templates.apply.variables")
def test_with_falsy_values_all_parts_are_applied(api: Api, applications: Applications, contract_run: Run) -> None:
    """Those of the stub's template may have any text, so only a stub can prove this."""
    contract_run.target.stub_project("which texts a template accepts")

    whole, falsy = report_of(applications.whole(api)), report_of(applications.falsy(api))

    assert falsy == whole


@pytest.mark.rule("templates.apply.missing-variables")
def test_with_all_values_no_variable_is_missing(api: Api, applications: Applications) -> None:
    assert report_of(applications.whole(api))["missingVariables"] == []


@pytest.mark.rule("templates.apply.missing-variables")
def test_no_variable_is_missing_if_all_have_the_same_value(api: Api, applications: Applications, data: Data) -> None:
    if len(data["template_variables"]) == 1:
        raise MissingError("'template_variables' has only one variable")

    assert report_of(require_success(applications.equal(api)))["missingVariables"] == []


@pytest.mark.rule("templates.apply.missing-variables")
def test_without_the_optional_values_all_variables_are_missing(
    api: Api, data: Data, applications: Applications
) -> None:
    """A service may refuse an application without them."""
    response = applications.bare(api)

    if not refused(response):
        report = report_of(require_success(response))
        assert sorted(report["missingVariables"]) == sorted(data["template_variables"])
        assert response.json()["data"]["project"]["name"] == applications.name("bare")


@pytest.mark.rule("templates.apply.missing-variables")
def test_variables_without_a_value_are_listed(api: Api, applications: Applications, data: Data) -> None:
    *missing, _ = data["template_variables"]
    if not missing:
        raise MissingError("'template_variables' has only one variable")

    assert sorted(report_of(applications.without_values(api))["missingVariables"]) == sorted(missing)


def _without_order(value: Any, stated: Any) -> Any:
    """Return a member of a report: a list of parts in another order is equal; it and the counts have only the stated members."""
    if isinstance(value, dict):
        return {name: value.get(name) for name in stated}
    if not isinstance(value, list):
        return value
    names = {name for part in stated if isinstance(part, dict) for name in part}
    parts = [{name: part.get(name) for name in names} if isinstance(part, dict) else part for part in value]
    return sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings of a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _with_values(value: Any, variables: dict[str, Any]) -> Any:
    """Return a part with the values of its variables, which are texts."""
    if isinstance(value, dict):
        return {name: _with_values(member, variables) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_values(item, variables) for item in value]
    if not isinstance(value, str):
        return value
    for name, text in variables.items():
        value = value.replace(f"{{{{{name}}}}}", text)
    return value


def _has(item: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Return whether an item has the members of a part; permissions have no order."""
    return all(
        set(item["permissions"]) == set(value) if name == "permissions" else item.get(name) == value
        for name, value in body.items()
    )
