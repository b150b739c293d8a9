"""Applications of templates. Each one creates a sub-project that cannot be deleted, so the tests share a few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import Exchange

COUNTS: Final = ("objectTypes", "objectRelations", "roles", "workflows", "sidebarSections", "perRoleHides")
"""Members of the counts of a report."""
FALSY_VALUES: Final = (0, "", False)
SPECIAL_NAME: Final = "Caf\u00e9 Cafe\u0301  \U0001f33e <b>&amp;</b> {{name}} ${x} %s 'a' \"b\" \\n 007 null "


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

    def without_values(self, api: Api) -> httpx.Response:
        """Return the response to an application of the template, with a value for its last variable only."""
        *_, (name, value) = self._run.data["template_variables"].items()
        return self._once(api, "missing", "template", {name: value})

    def failing(self, api: Api) -> httpx.Response:
        """Return the response to an application of a template of which some parts fail."""
        return self._once(api, "failing", "failing_template", self._run.data["failing_template_variables"])

    def again(self, api: Api) -> httpx.Response:
        """Return the response to an application like `whole`, with the same name, and a value for no variable."""
        values = {**self._run.data["template_variables"], "contractUndeclared": self._run.tag}
        return self._once(api, "again", "template", values, name=self.name("whole"))

    def of(self, api: Api, which: str, template: str, values: Mapping[str, Any]) -> httpx.Response:
        """Return the response to an application of a template with given values.

        Args:
            api: The `Api` of the caller.
            which: Name of the application.
            template: Member of the data file that names the template.
            values: The values of its variables.
        """
        return self._once(api, which, template, values)

    def bare(self, api: Api) -> httpx.Response:
        """Return the response to an application of the template with a name and nothing else."""
        return self._once(api, "bare", "template", None)

    def as_service_account(self, api: Api) -> httpx.Response:
        """Return the response to an application by the service account."""
        return self._once(api, "service account", "template", self._run.data["template_variables"])

    def falsy(self, api: Api) -> httpx.Response:
        """Return the response to an application of the template with values that languages take for false."""
        return self._once(api, "falsy", "template", self._values(FALSY_VALUES))

    def special(self, api: Api) -> httpx.Response:
        """Return the response to an application of the template with `special_text`, and with false."""
        return self._once(api, "special", "template", self._values((self.special_text, False)))

    def equal(self, api: Api) -> httpx.Response:
        """Return the response to an application of the template with the same value for every variable."""
        value, *_ = self._run.data["template_variables"].values()
        return self._once(api, "equal", "template", self._values((value,)))

    @property
    def special_text(self) -> str:
        """A value that looks like another variable, a pattern and markup; short, because a workflow's tag has 40 characters."""
        *_, last = self._run.data["template_variables"]
        return f"{{{{{last}}}}} $& \\1 \U0001f33e <i>&amp;"

    def _values(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return a value for each variable of the template."""
        return dict(zip(self._run.data["template_variables"], cycle(values), strict=False))

    def name(self, which: str) -> str:
        """Return the name of the sub-project of an application, such as `whole`; that of `special` has all kinds of characters."""
        return f"{self._run.tag} {SPECIAL_NAME if which == 'special' else which}"

    def _once(
        self, api: Api, which: str, template: str, values: Mapping[str, Any] | None, name: str | None = None
    ) -> httpx.Response:
        if which not in self._answers:
            body = {"name": name or self.name(which), **({} if values is None else {"variableValues": values})}
            arguments = {"templateId": self._run.data[template], "json": body}
            self._answers[which] = None  # until there is a response: it may have been applied
            self._answers[which] = response = api("templates_apply", **arguments)
            return response
        known = self._answers[which]
        if known is None:
            raise MissingError("the application was sent before and not answered, and is not repeated")
        # The report of this test must contain the exchange, too.
        api.exchanges.append(Exchange(known, "templates_apply"))
        return known


def applied(response: httpx.Response) -> dict[str, Any]:
    """Return the member `templateApply` of a response."""
    assert response.is_success, f"the template could not be applied: {response.status_code}"
    outcome: dict[str, Any] = response.json()["data"]["templateApply"]
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


def report_of(response: httpx.Response) -> dict[str, Any]:
    """Return the report in a response."""
    report: dict[str, Any] = applied(response)["report"]
    return report
