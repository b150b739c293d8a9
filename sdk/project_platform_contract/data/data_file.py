"""The data of a run: the project, access tokens, and resources of the project that rules are proven with.

If a member is missing, the rules that need it are reported as "not run", with its name as the reason.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema.exceptions import ValidationError

from project_platform.calls.configuration import PROJECT_VARIABLE
from project_platform_contract.schema import error_of, problem_of

from .switches import unmatched, waiver_problem
from .yaml_file import DataError, line_of, read_yaml


class MissingError(LookupError):
    """A rule cannot be tried: a member of the data file, or a condition it depends on, is missing. It is "not run".

    Attributes:
        remedy: The option or the member of the data file with which the rule would be run; None if there is none.
    """

    def __init__(self, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Data:
    """The data of a run.

    Attributes:
        values: Members of the data file by name, as `data.schema.json` describes them.
        tokens: Access tokens by identity, such as `owner`, which makes the calls, or `outsider`, which is refused.
        variables: Names of the environment variables with the tokens, by identity.
    """

    values: dict[str, Any]
    tokens: dict[str, str] = field(repr=False)
    variables: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return a member.

        Raises:
            MissingError: The data file does not have it.
        """
        value = self.values.get(name)
        if value is None:
            raise MissingError(f"the data file has no member {name!r}", f"--data with {name}")
        return value

    def token(self, identity: str) -> str:
        """Return the access token of an identity.

        Raises:
            MissingError: The data file does not name a variable for it.
        """
        if identity not in self.tokens:
            raise MissingError(
                f"the data file has no token for the identity {identity!r} in 'token_variables'",
                f"--data with token_variables: {{{identity}: ...}}",
            )
        return self.tokens[identity]


def load_data(path: Path) -> dict[str, Any]:
    """Return the members of a data file.

    Raises:
        DataError: The file cannot be read, or violates `data.schema.json`.
    """
    values = read_yaml(path) or {}
    problem = error_of("data", values)
    if problem is not None:
        line = line_of(path, [*problem.absolute_path, *_misspelt(problem)])
        raise DataError(f"{path}, line {line}: {problem_of('data', values)}")
    for pattern in unmatched(values.get("inferred", {})):
        line = line_of(path, ["inferred", pattern])
        raise DataError(f"{path}, line {line}: inferred: no inferred rule matches {pattern!r}; the report lists them")
    for id, reason in values.get("waive", {}).items():
        if waiver := waiver_problem(id, reason):
            raise DataError(f"{path}, line {line_of(path, ['waive', id])}: waive: {id}: {waiver}")
    return dict(values)


def _misspelt(problem: ValidationError) -> list[str]:
    """Return the name of an unknown member: the error points to the object that has it, not to the member."""
    instance: Any = problem.instance
    if "propertyNames" in problem.schema_path:
        return [str(instance)]
    if problem.validator == "additionalProperties":
        return [name for name in instance if repr(name) in problem.message][:1]
    return []


def resolve_data(values: dict[str, Any], *, project: str | None, token_variable: str) -> Data:
    """Return the data of a run, with the tokens read from the environment.

    Args:
        values: Members of a data file.
        project: Identifier of the project; overrides that of the data file, which overrides that of the environment.
        token_variable: Name of the environment variable that holds the owner's token.

    Raises:
        DataError: There is no project or it is not a UUID, or a token variable is not set.
    """
    project = project or values.get("project") or os.environ.get(PROJECT_VARIABLE)
    if not project:
        raise DataError(f"no project is given: use --project, `project` in the data file, or {PROJECT_VARIABLE}")
    values = {**values, "project": project}
    if problem := problem_of("data", {"project": values["project"]}):
        raise DataError(problem)
    variables = {"owner": token_variable, **values.get("token_variables", {})}
    tokens = {}
    for identity, variable in variables.items():
        token = os.environ.get(variable, "").strip()
        if not token:
            raise DataError(f"the environment variable {variable} is empty: set it to the token of {identity!r}")
        tokens[identity] = token
    return Data(values, tokens, variables)
