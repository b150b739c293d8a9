"""Applications of templates. Each one creates a sub-project that cannot be deleted, so the tests share a few."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import Exchange

from .preconditions import accepted

COUNTS: Final = ("objectTypes", "objectRelations", "roles", "workflows", "sidebarSections", "perRoleHides")
"""Members of the counts of a report."""
_VARIABLE: Final = re.compile(r"\{\{(\w+)\}\}")


class Applications:
    """The applications that the tests of a process share.

    Args:
        run: The run that the tests belong to.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._answers: dict[str, httpx.Response | None] = {}

    def whole(self, api: Api) -> httpx.Response:
        """Return the response to an application of the template, with a value for every variable."""
        return self._once(api, "whole", "template", self._run.data["template_variables"])

    def failing(self, api: Api) -> httpx.Response:
        """Return the response to an application of a template of which some parts fail."""
        return self._once(api, "failing", "failing_template", self._run.data["failing_template_variables"])

    def as_service_account(self, api: Api) -> httpx.Response:
        """Return the response to an application by the service account."""
        return self._once(api, "service account", "template", self._run.data["template_variables"])

    def _once(self, api: Api, which: str, template: str, values: Mapping[str, Any]) -> httpx.Response:
        if which not in self._answers:
            body = {"name": f"{self._run.tag} {which}", "variableValues": values}
            self._answers[which] = None  # until there is a response: it may have been applied
            self._answers[which] = response = api("templates_apply", templateId=self._run.data[template], json=body)
            return response
        known = self._answers[which]
        if known is None:
            raise MissingError("the application was sent before and not answered, and is not repeated")
        # The report of this test must contain the exchange, too.
        api.exchanges.append(Exchange(known, "templates_apply"))
        return known


def applied(response: httpx.Response) -> dict[str, Any]:
    """Return the member `templateApply` of a response."""
    outcome: dict[str, Any] = accepted(response).json()["data"]["templateApply"]
    return outcome


def counts_of(project: Any, bare: Any) -> dict[str, int]:
    """Return the counts of a report on a project of the stub.

    Args:
        project: The project that the template was applied to.
        bare: A project without a template, which has only what is built in.
    """
    return {
        "objectTypes": len(project.object_types.keys() - bare.object_types.keys()),
        "objectRelations": len(project.object_relations),
        "roles": len(project.roles.keys() - bare.roles.keys()),
        "workflows": len(project.workflows),
        "sidebarSections": len(project.sidebar),
        "perRoleHides": len(project.hides),
    }


def parts_of(project: Any, part: Any, values: Mapping[str, Any]) -> list[Any]:
    """Return what a project of a stub has of a part of a template, with the values of its variables; permissions have no order."""
    found: Mapping[str, Any] = {
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
    body = _with_values(part.body, values)
    return [
        item
        for item in found[part.entity]
        if all(
            set(item["permissions"]) == set(value) if name == "permissions" else item.get(name) == value
            for name, value in body.items()
        )
    ]


def _with_values(value: Any, variables: Mapping[str, Any]) -> Any:
    """Return a part with the values of its variables, which are texts."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _with_values(member, variables) for name, member in members.items()}
    if isinstance(value, list):
        return [_with_values(item, variables) for item in value]
    if not isinstance(value, str):
        return value
    # In one step: a value may look like another variable.
    return _VARIABLE.sub(lambda found: str(variables.get(found[1], found[0])), value)


def report_of(response: httpx.Response) -> dict[str, Any]:
    """Return the report in a response."""
    report: dict[str, Any] = applied(response)["report"]
    return report
