"""What a run is given: the project, and things in it to prove rules with.

A member that is missing makes rules "not run", with its name as the reason; it is never made up.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema.exceptions import ValidationError

from project_platform_contract.schema import error_of, problem_of

from .yaml_file import YamlError, line_of, read_yaml


class DataError(ValueError):
    """A data file that cannot be used; the message names the file, the line and the member."""


class MissingError(LookupError):
    """Something that a rule needs was not given."""


@dataclass(frozen=True, slots=True)
class Data:
    """The members of a data file, by the names that they have in it.

    Attributes:
        values: The members, as `data.schema.json` describes them.
        tokens: Access tokens by identity: `owner` makes the calls; `viewer`, `service_account` and `outsider` are refused.
    """

    values: dict[str, Any]
    tokens: dict[str, str] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        """Return a member.

        Raises:
            MissingError: It was not given.
        """
        value = self.values.get(name)
        if value is None:
            raise MissingError(f"the data file has no {name!r}")
        return value

    def token(self, identity: str) -> str:
        """Return the access token of an identity.

        Raises:
            MissingError: It was not given.
        """
        if identity not in self.tokens:
            raise MissingError(f"the data file names no token of the identity {identity!r}")
        return self.tokens[identity]


def load_data(path: Path) -> dict[str, Any]:
    """Return the members of a data file.

    Raises:
        DataError: It cannot be read, or does not fit `data.schema.json`.
    """
    try:
        values = read_yaml(path) or {}
    except YamlError as error:
        raise DataError(str(error)) from None
    problem = error_of("data", values)
    if problem is not None:
        line = line_of(path, [*problem.absolute_path, *_misspelt(problem)])
        raise DataError(f"{path}, line {line}: {problem_of('data', values)}")
    return dict(values)


def _misspelt(problem: ValidationError) -> list[str]:
    """Return the name of a member that is not known, which an error about the object that it is in only quotes."""
    instance: Any = problem.instance
    if "propertyNames" in problem.schema_path:
        return [str(instance)]
    if problem.validator == "additionalProperties":
        return [name for name in instance if repr(name) in problem.message][:1]
    return []


def data_of(values: dict[str, Any], *, project: str | None, token_variable: str) -> Data:
    """Return the data of a run.

    Args:
        values: Members of a data file.
        project: Identifier of the project; that of the data file if not given.
        token_variable: Name of the environment variable that has the owner's token.

    Raises:
        DataError: There is no project or it is no UUID, or a variable that is named has no value.
    """
    values = {**values, **({"project": project} if project else {})}
    if not values.get("project"):
        raise DataError("there is no project: give --project, or `project` in the data file")
    if problem := problem_of("data", {"project": values["project"]}):
        raise DataError(problem)
    variables = {"owner": token_variable, **values.get("token_variables", {})}
    tokens = {}
    for identity, variable in variables.items():
        token = os.environ.get(variable, "").strip()
        if not token:
            raise DataError(f"the environment variable {variable} has no token of the identity {identity!r}")
        tokens[identity] = token
    return Data(values, tokens)
